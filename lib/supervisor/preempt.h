/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* preempt: a second thread, the occupier, takes the CPU from a thread before the tracer interrupts that thread.
 * preempt.c explains why. */
#ifndef PPROFIL_PREEMPT_H
#define PPROFIL_PREEMPT_H

#include <stdbool.h>
#include <stdint.h>

struct tracee;
struct tracer;

/* Updates judgement.presence with the result of a tick. running: the tracee was running; otherwise it was asleep. */
void preempt_note(struct tracee *tracee, bool running);
/* Returns true if the occupier must take the tracee's CPU before the tracee is interrupted. */
bool preempt_wanted(const struct tracee *tracee);
/* Updates tracee->judgement with a sample taken at our interrupt. entered: regs.entered of that sample. */
void preempt_judge(struct tracee *tracee, bool entered);
/* To be called at the beginning of a tick. If the occupier was ordered to take a CPU for this tick, waits for it,
 * without the lock. Returns true if the occupier has taken that CPU. */
bool preempt_await(struct tracer *tracer);
/* Chooses which of the tracees wanted[0..count-1] this tick interrupts. Moves the chosen tracees to the front, and
 * returns their number. Sets *stands_for: the sample of each chosen tracee represents *stands_for times the tick's
 * time. Returns 0 if the occupier is late: the tracees are left to the next tick. held: result of preempt_await. */
unsigned preempt_choose(struct tracer *tracer, struct tracee *wanted[], unsigned count, bool held,
                        unsigned *stands_for);
/* Makes the occupier take the CPU of a new thread for the next tick, unless another CPU is already chosen. cpu: -1: not
 * known. */
void preempt_expect(struct tracer *tracer, int cpu);
/* Has the occupier give up the CPU that it took. If a CPU is chosen for the next tick, at time `due`, orders the
 * occupier to take that CPU then. due 0: there is no next tick. Returns the time at which the tracer must wake up for
 * that tick; 0 if due is 0. */
uint64_t preempt_order(struct tracer *tracer, uint64_t due);

#endif
