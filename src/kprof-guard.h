/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kprof-guard: a FIFO whose reader was killed keeps whoever opens it waiting for ever. A process that outlives a server
 * of kpctl by a moment puts a socket in the place of its FIFO, which open(2) refuses with ENXIO, "No such device or
 * address": what a device says whose driver is gone.
 */
#ifndef PPROFIL_KPROF_GUARD_H
#define PPROFIL_KPROF_GUARD_H

#include <stdbool.h>

/* Starts the guard of the FIFO of that name in a directory, of which control is a descriptor. Returns a descriptor that
 * is closed when this process ends, or -errno: there is no guard then. */
int kprof_guard_begin(int directory, int control, const char *name);

/* The server ends. all_well: the guard goes, and leaves everything as it is; else it does its work. */
void kprof_guard_end(int guard, bool all_well);

#endif
