/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* preempt: taking the CPU from a thread before it is interrupted. preempt.c says why. */
#ifndef PPROFIL_PREEMPT_H
#define PPROFIL_PREEMPT_H

#include <stdbool.h>
#include <stdint.h>

struct tracee;
struct tracer;

/* Is a tracee found in the kernel so often that its CPU is to be taken before it is interrupted? */
struct preempt_judgement {
    unsigned presence;      /* 0..256: part of the recent ticks that found it running */
    unsigned judged_looks, judged_entries;
    unsigned preempt_looks; /* ticks still to come at which its CPU is taken */
    bool asleep_before;     /* just before the CPU was taken */
};

/* Shared by a tracer and its occupier thread. */
struct preempt {
    _Atomic uint32_t orders;   /* given to the occupier */
    _Atomic uint32_t arrived;  /* the order for which it holds, or held, its CPU */
    _Atomic uint64_t due;      /* of the last order: time */
    _Atomic int cpu;           /* of the last order */
    _Atomic bool waits;        /* the occupier waits for an order */
    _Atomic bool cancelled;    /* it is to let go though no order follows */
    /* the tracer's */
    bool started, refused; /* the occupier */
    bool ordered;          /* an order is to be served */
    bool has_room; /* the tracer keeps off the CPU of the last order: affinity.c takes that back */
    bool taken;            /* this tick's CPU was taken from a thread that it looks at */
    int next;              /* CPU for the next tick; -1: none */
    unsigned cpu_choices;  /* CPUs from which it was drawn */
    unsigned missed_ticks; /* in a row that looked at nobody on its CPU */
    unsigned late_ticks;   /* in a row for which the occupier came late */
    uint64_t early_ns;     /* so long before a tick the tracer wakes up for it */
};

/* A new thread is taken for one that runs. */
#define PREEMPT_PRESENCE_FIRST 256
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
