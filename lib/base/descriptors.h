/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * descriptors: closes the descriptors that a child process has inherited. If a child kept the write end of a pipe open,
 * the reader of the pipe would never see the end of its input.
 */
#ifndef PPROFIL_DESCRIPTORS_H
#define PPROFIL_DESCRIPTORS_H

/* Closes all descriptors whose number is `first` or higher. Allocates no memory, so it may be called after fork and
 * vfork. */
void descriptors_close(int first);
/* Leaves the descriptors whose number is `first` or higher open for now. The kernel closes them when the process
 * executes a program. */
void descriptors_close_at_exec(int first);

#endif
