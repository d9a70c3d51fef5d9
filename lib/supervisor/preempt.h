/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* preempt: taking the CPU from a thread before it is interrupted. preempt.c says why. */
#ifndef PPROFIL_PREEMPT_H
#define PPROFIL_PREEMPT_H

#include <stdbool.h>
#include <stdint.h>

struct tracee;
struct tracer;

/* Notes that a tick found the tracee running, or asleep. */
void preempt_note(struct tracee *tracee, bool running);
/* Returns true if the tracee's CPU is to be taken before it is interrupted. */
bool preempt_wanted(const struct tracee *tracee);
/* Judges the tracee by a sample that was taken at our interrupt. entered: the tracee was found just leaving the
 * kernel. */
void preempt_judge(struct tracee *tracee, bool entered);
/* At the beginning of a tick. Gives up the lock, and waits for the occupier. Returns true if the occupier holds its
 * CPU. */
bool preempt_await(struct tracer *tracer);
/* Moves the tracees that this tick looks at to the front of wanted[0..count-1], and returns their number; each of them
 * stands for *stands_for times the tick's time. Returns 0 if the occupier is late: all of them are left to the next
 * tick. held: what preempt_await returned. */
unsigned preempt_choose(struct tracer *tracer, struct tracee *wanted[], unsigned count, bool held,
                        unsigned *stands_for);
/* Sends the occupier to the CPU on which a thread begins, if it has nowhere to go. cpu: -1: not known. */
void preempt_expect(struct tracer *tracer, int cpu);
/* Gives up the CPU that was taken, and orders the occupier for the next tick, at time `due`, where that is wanted. due:
 * 0: there is no tick. Returns the time at which the tracer is to wake up for that tick. */
uint64_t preempt_order(struct tracer *tracer, uint64_t due);

#endif
