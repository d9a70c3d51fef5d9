/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tick-arm: when the next tick is. */
#ifndef PPROFIL_TICK_ARM_H
#define PPROFIL_TICK_ARM_H

#include <stdbool.h>
#include <stdint.h>

struct tracee;
struct tracer;

/* Sets the next tick if there is to be one. */
void tick_arm(struct tracer *tracer);
/* Sets it after a tick. */
void tick_arm_next(struct tracer *tracer);
/* A tracee has been handed over in a pause: the others need ticks. */
void tick_arm_after_pause(struct tracer *tracer);
/* A tracee that was interrupted has stopped, and runs again. */
void tick_note_stop(struct tracer *tracer, struct tracee *tracee);
/* Ends the stratum under way here. Returns what no tick covers yet: the time since the end of the last. */
uint64_t tick_end_pause(struct tracer *tracer, uint64_t now);
/* Returns true if a stop of the tracee is to come. */
bool tick_has_to_stop(const struct tracee *tracee);

#endif
