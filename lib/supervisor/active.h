/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* active: who is looked at. */
#ifndef PPROFIL_ACTIVE_H
#define PPROFIL_ACTIVE_H

#include <stdint.h>

struct supervisor;
struct tracee;
struct tracer;

/* Takes those that used no CPU for long off the tracer's list of the active. */
void active_drop_idle(struct tracer *tracer, uint64_t now);
/* The first tracer's: finds CPU time that no active tracee explains, and who used it. A call does a piece of a round,
 * for it has the lock. Returns the time when it is to be called again; sooner does no harm. */
uint64_t active_search(struct tracer *tracer, uint64_t now);
/* The tracee uses CPU time: its tracer, which may be another one, is to look at it. */
void active_note(struct tracer *tracer, struct tracee *tracee, uint64_t now);

#endif
