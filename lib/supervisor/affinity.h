/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* affinity: on which CPU a tracer is. */
#ifndef PPROFIL_AFFINITY_H
#define PPROFIL_AFFINITY_H

#include <stdint.h>

struct tracer;

struct affinity {
    int cpu;           /* on which the tracer runs, as the tick under way found it */
    int bound_cpu;     /* that it has bound itself to; -1: to none */
    int home_cpu;      /* where CPUs are full, threads of that CPU are handed to it; -1: of none */
    uint64_t move_ns;  /* how long the tracer took at this tick to move to another CPU; 0: it did not move */
    uint64_t moved_at; /* time: the tracer left a CPU that a tracee may need */
};

/* Where CPUs are full a tracer runs on the CPU of a tracee that it is about to interrupt, and that CPU is its home.
 * The two then take turns there: to wake each other up across CPUs takes twice as long. cpu: -1, or one that we may
 * not use, for none. Gives up the lock while the tracer moves. */
void affinity_settle(struct tracer *tracer, int cpu);
/* The tracer goes to that CPU for this tick, and keeps its home. Gives up the lock while the tracer moves. */
void affinity_visit(struct tracer *tracer, int cpu);
/* It may run on all CPUs again, and has no home. */
void affinity_unbind(struct tracer *tracer);
/* Needs no lock. Moves the calling tracer off the CPU that it is on, at most once in 2 ms, and lets it run on all
 * CPUs again; does nothing while the occupier has an order. The scheduler may wake a tracer on the CPU of a running
 * tracee though another CPU is idle, and leave it there for long. */
void affinity_move_away(struct tracer *tracer);

#endif
