/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * descriptors: a child closes those that it has inherited. An open end of a pipe would keep the pipe's reader waiting.
 */
#ifndef PPROFIL_DESCRIPTORS_H
#define PPROFIL_DESCRIPTORS_H

/* Closes all descriptors from first on. Allocates nothing, and may be called after fork and vfork. */
void descriptors_close(int first);
/* The same, but each is closed when the process executes a program. */
void descriptors_close_at_exec(int first);

#endif
