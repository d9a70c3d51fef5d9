/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* preempt: a second thread, the occupier, takes the CPU from a thread before the tracer interrupts that thread.
 * preempt.c explains why. */
#ifndef PPROFIL_PREEMPT_H
#define PPROFIL_PREEMPT_H

#include <stdbool.h>
#include <stdint.h>

struct tracee;
struct tracer;

/* Updates tracee->judgement.presence after a tick. running: the tick found the tracee running; otherwise it found the
 * tracee asleep. */
void preempt_note(struct tracee *tracee, bool running);
/* Returns true if the occupier must take the tracee's CPU before the tracee is interrupted. */
bool preempt_wanted(const struct tracee *tracee);
/* Updates tracee->judgement after a sample. entered: the thread had entered the kernel by a call or a fault
 * (regs.entered). */
void preempt_judge(struct tracee *tracee, bool entered);
/* To be called at the beginning of a tick. If the occupier was told to take a CPU for this tick, waits until it has
 * done so or is late. Releases the supervisor's lock meanwhile. Returns true if the occupier has taken that CPU. */
bool preempt_await(struct tracer *tracer);
/* Chooses which of the tracees wanted[0..count-1] this tick interrupts. Moves the chosen tracees to the front, and
 * returns their number. The sample of a chosen tracee also stands for tracees that were not chosen, so it represents
 * *stands_for times the sampling time of the tick. Returns 0 if the occupier is late; then the tracees are sampled at
 * the next tick. held: result of preempt_await. */
unsigned preempt_choose(struct tracer *tracer, struct tracee *wanted[], unsigned count, bool held,
                        unsigned *stands_for);
/* Makes the occupier take `cpu`, the CPU of a new thread, for the next tick, unless a CPU is already chosen for that
 * tick. cpu -1: not known; then does nothing. */
void preempt_expect(struct tracer *tracer, int cpu);
/* Makes the occupier give up the CPU that it took. `due` is the time of the next tick; 0: there is no next tick. If a
 * CPU is chosen for that tick, tells the occupier to take that CPU at time `due`. Returns the time at which the tracer
 * must wake up for the tick; 0 if due is 0. */
uint64_t preempt_order(struct tracer *tracer, uint64_t due);

#endif
