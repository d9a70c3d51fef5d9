/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* affinity: on which CPU a tracer is. */
#ifndef PPROFIL_AFFINITY_H
#define PPROFIL_AFFINITY_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct tracer;

struct affinity {
    int cpu;           /* on which the tracer runs, as the tick under way found it */
    int bound_cpu;     /* that it has bound itself to; -1: to none */
    int home_cpu;      /* where CPUs are full, threads of that CPU are handed to it; -1: of none */
    cpu_set_t cpus;    /* where CPUs are full, it goes round these */
    uint64_t leave_at; /* time: it goes to the next of them */
    int shunned_cpu;   /* left out until shunned_until, time: the way there took long */
    uint64_t shunned_until;
    uint64_t moved_at; /* time: the tracer left a CPU that a tracee may need */
};

/* Where CPUs are full a tracer runs on the CPU of the tracees that it interrupts, and that CPU is its home. The two
 * take turns there: to wake each other up across CPUs takes twice as long. If it has tracees on several CPUs, it goes
 * from one to the next, and stays for some ticks each time. Returns true if it has moved: when it got
 * its new CPU was no random instant. Gives up the lock while the tracer moves. */
bool affinity_go_round(struct tracer *tracer);
/* How many CPUs it goes round, 1 or more. */
unsigned affinity_round_size(const struct tracer *tracer);
/* It may run on all CPUs again, and has no home. */
void affinity_unbind(struct tracer *tracer);
/* Needs no lock. Moves the calling tracer off the CPU that it is on, at most once in 2 ms, and lets it run on all
 * CPUs again; does nothing while the occupier has an order. The scheduler may wake a tracer on the CPU of a running
 * tracee though another CPU is idle, and leave it there for long. */
void affinity_move_away(struct tracer *tracer);

#endif
