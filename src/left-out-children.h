/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * left-out-children: the descendants that processes had before pprofil attached to them with -p. They are not profiled
 * without --children. Messages say that they are there, and that they use the CPU time.
 */
#ifndef PPROFIL_LEFT_OUT_CHILDREN_H
#define PPROFIL_LEFT_OUT_CHILDREN_H

#include <stdint.h>

#include "pids.h"

#define LEFT_OUT_MAX 256u /* more are not looked at */

struct left_out_child {
    pid_t pid;
    unsigned long long start; /* when it was started, clock ticks since the machine was started */
    unsigned long long ticks; /* the CPU time that it had used when it was left out, clock ticks */
};

struct left_out_children {
    struct left_out_child children[LEFT_OUT_MAX];
    unsigned count;
};

/* Finds the descendants of the processes that are not among the processes. */
void left_out_find(struct left_out_children *left_out, const struct pids *pids);
/* Says that there are such descendants, if there are any. */
void left_out_say(const struct left_out_children *left_out);
/* Says how much CPU time those used that still run, if it is more than profiled_ns, the CPU time in nanoseconds of what
 * was profiled meanwhile. Time of descendants that have ended is not known. */
void left_out_say_busy(const struct left_out_children *left_out, uint64_t profiled_ns);

#endif
