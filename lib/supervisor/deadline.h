/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* deadline: calls that wait with a time limit, and that we end when their time is over. See repair.c. */
#ifndef PPROFIL_DEADLINE_H
#define PPROFIL_DEADLINE_H

#include <stdint.h>
#include <sys/types.h>

struct tracee;
struct tracer;

#define DEADLINES_MAX 64

/* The tracees whose calls end at a deadline. */
struct deadlines {
    struct {
        pid_t tid;
        uint64_t time;
    } waiting[DEADLINES_MAX];
    unsigned count;
};

/* These need no lock. */

/* The tracee's call, which goes on, is to end at time deadline; 0: it has no time limit. If DEADLINES_MAX calls wait
 * already, this one ends at the tracee's first stop after its deadline. */
void deadline_set(struct tracer *tracer, struct tracee *tracee, uint64_t deadline);
/* Calls whose time is over are ended. Returns the time at which the next is to be; 0: none. */
uint64_t deadline_check(struct tracer *tracer);

#endif
