/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* preempt: taking the CPU from a thread before it is interrupted. preempt.c says why. */
#ifndef PPROFIL_PREEMPT_H
#define PPROFIL_PREEMPT_H

#include <stdbool.h>
#include <stdint.h>

struct tracee;
struct tracer;

/* A tick found the tracee running, or asleep. */
void preempt_note(struct tracee *tracee, bool running);
/* Returns true if the tracee's CPU is to be taken before it is interrupted. */
bool preempt_wanted(const struct tracee *tracee);
/* A sample of the tracee was taken at our interrupt. entered: it was found just leaving the kernel. */
void preempt_judge(struct tracee *tracee, bool entered);
/* At a tick: gives up the lock, and waits for the occupier. Returns true if it holds its CPU. */
bool preempt_await(struct tracer *tracer);
/* Moves those of count running tracees that this tick looks at to the front, and returns their number;
 * each stands for *stands_for times the tick's time. 0: the occupier is late, and all of them are left to
 * the next tick. held: what preempt_await returned. */
unsigned preempt_choose(struct tracer *tracer, struct tracee *wanted[], unsigned count, bool held,
                        unsigned *stands_for);
/* A thread begins on that CPU: if the occupier has nowhere to go, it is to go there. cpu: -1: it is not known. */
void preempt_expect(struct tracer *tracer, int cpu);
/* Lets the CPU go, and orders the occupier for the next tick where that is wanted. Returns when the tracer
 * is to wake up for a tick that is due then. */
uint64_t preempt_order(struct tracer *tracer, uint64_t due);

#endif
