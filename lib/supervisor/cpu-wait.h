/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cpu-wait: did a thread that wants a CPU have one? Pure.
 *
 * The kernel says of a thread that it is runnable, and not whether it runs. A tracer that wakes up on the CPU of a
 * runnable thread has taken that CPU from it, or from another. proc_schedstat(5) tells which: it counts how long a
 * thread has run, how long it has waited for a CPU (a wait counts when it ends), and how often it got one, its turns.
 * At each look the thread was runnable, and the tracer had its CPU, as far as it knew. Since the last look there was
 *
 *     no turn            It still waits, unless its run time grows: then it was on another CPU at the last look.
 *     one turn           It waited, ran, and lost its CPU. The time that is in neither count is the wait that goes on.
 *     more than one      It may have slept in between. Nobody can tell.
 *
 * Interrupts, and the host of a virtual machine, take time that is in no count. That looks like a wait after one
 * turn, so a next look checks what the last one said, and few such looks in a row are believed.
 *
 * If it is certain when the thread lost its CPU before, and all the time since then is in one of the two counts, the
 * thread has just lost its CPU to the tracer, however many turns it had.
 */
#ifndef PPROFIL_CPU_WAIT_H
#define PPROFIL_CPU_WAIT_H

#include <stdbool.h>
#include <stdint.h>

struct procfs_cpu;

enum cpu_wait_verdict {
    CPU_WAIT_UNKNOWN,
    CPU_WAIT_WAITS, /* it had no CPU */
    CPU_WAIT_RAN,   /* it had the CPU that the tracer has now */
};

/* The last look. Zero: there was none. */
struct cpu_wait {
    uint64_t at;      /* time */
    uint64_t lost_at; /* time: the thread lost its CPU then */
    bool certain;     /* lost_at is certain; else it may be earlier */
    uint64_t run_ns, wait_ns, turns; /* of struct procfs_cpu */
    unsigned one_turn_waits; /* looks in a row that found a wait after one turn */
};

/* The thread has stopped, and has waited for the tracer's CPU since lost_at. cpu was read after that. */
void cpu_wait_note(struct cpu_wait *wait, uint64_t lost_at, const struct procfs_cpu *cpu);
/* Somebody else has its number now, or it had no tracer for a while. */
void cpu_wait_forget(struct cpu_wait *wait);

/* Returns true if the thread has not had a CPU, on any of them, since the last look. */
bool cpu_wait_goes_on(struct cpu_wait *wait, uint64_t now, const struct procfs_cpu *cpu);
/* Returns what a thread did at time due that is runnable, and on the tracer's CPU. due: since when the tracer may have
 * kept the thread off its CPU. now: when cpu was read. */
enum cpu_wait_verdict cpu_wait_look(struct cpu_wait *wait, uint64_t due, uint64_t now, const struct procfs_cpu *cpu);

#endif
