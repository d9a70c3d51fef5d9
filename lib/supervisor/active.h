/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* active: which tracees ticks look at. */
#ifndef PPROFIL_ACTIVE_H
#define PPROFIL_ACTIVE_H

#include <stdint.h>

struct supervisor;
struct tracee;
struct tracer;

/* Deactivates the tracees of this tracer that have used no CPU time for long. */
void active_drop_idle(struct tracer *tracer, uint64_t now);
/* By the first tracer. Finds CPU time that no active tracee explains, and the threads that used it. A call does one
 * piece of a round, for it holds the lock. Returns the time at which it is to be called again; an earlier call does no
 * harm. */
uint64_t active_search(struct tracer *tracer, uint64_t now);
/* Has the tracee, which uses CPU time, activated by its tracer, which may be another one than `tracer`. */
void active_note(struct tracer *tracer, struct tracee *tracee, uint64_t now);

#endif
