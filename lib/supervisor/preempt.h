/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* preempt: takes the CPU from a thread before the thread is interrupted, by a second thread, the occupier. preempt.c
 * explains why. */
#ifndef PPROFIL_PREEMPT_H
#define PPROFIL_PREEMPT_H

#include <stdbool.h>
#include <stdint.h>

struct tracee;
struct tracer;

/* Notes that a tick found the tracee running, or asleep. */
void preempt_note(struct tracee *tracee, bool running);
/* Returns true if the tracee's CPU must be taken before the tracee is interrupted. */
bool preempt_wanted(const struct tracee *tracee);
/* Judges the tracee by a sample that was taken at our interrupt. entered: struct regs, at that sample. */
void preempt_judge(struct tracee *tracee, bool entered);
/* To be called at the beginning of a tick. Waits for the occupier, if it has an order, without the lock. Returns true
 * if the occupier holds its CPU. */
bool preempt_await(struct tracer *tracer);
/* Chooses the tracees of wanted[0..count-1] that this tick interrupts. Moves them to the front, and returns their
 * number. Sets *stands_for: each of them stands for *stands_for times the tick's time. Returns 0 if the occupier is
 * late: all are left to the next tick. held: result of preempt_await. */
unsigned preempt_choose(struct tracer *tracer, struct tracee *wanted[], unsigned count, bool held,
                        unsigned *stands_for);
/* Sends the occupier to the CPU of a new thread if no other CPU is chosen for it. cpu: -1: not known. */
void preempt_expect(struct tracer *tracer, int cpu);
/* Gives up the CPU that was taken. Orders the occupier for the next tick, at time `due`, if a CPU is chosen for it. due
 * 0: there is no next tick. Returns the time at which the tracer must wake up for that tick; 0 if due is 0. */
uint64_t preempt_order(struct tracer *tracer, uint64_t due);

#endif
