/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tick-look: the first half of a tick: which tracees run, and which of them are to be interrupted? */
#ifndef PPROFIL_TICK_LOOK_H
#define PPROFIL_TICK_LOOK_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/tick.h"

struct tracee;
struct tracer;

/* The longest time from taking a thread's CPU to reading the clock. */
#define PREEMPTED_NS 50000u
/* A tracer that wakes up later than LATE_NS had to wait for its CPU. */
#define LATE_NS 150000u
/* After LATE_TICKS_MAX late ticks in a row one counts: a share that is wrong is better than none. */
#define LATE_TICKS_MAX 8
/* One tick interrupts at most INTERRUPTS_MAX threads where the tracer polls. It does so one after the other:
 * each is held as short as if it were alone. Where the tracer sleeps, one tick interrupts at most
 * INTERRUPTS_FULL_MAX threads, unless ticks are few. */
#define INTERRUPTS_MAX 16u
#define INTERRUPTS_FULL_MAX 2u

/* The tracees found running at a tick. */
struct running {
    unsigned count;                     /* but for the preempted ones */
    struct tracee *chosen[AWAITED_MAX]; /* at most AWAITED_MAX, all with the same chance */
    unsigned preempted_count;
    struct tracee *preempted[AWAITED_MAX]; /* whose CPU is to be taken first: preempt.c */
    pid_t tids[INTERRUPTS_MAX];         /* of the first of these: they may be gone when their turn comes */
    unsigned unstopped; /* that have yet to stop since an earlier tick */
    unsigned runnable; /* all that want a CPU: these, and those left alone this time */
    /* where no CPU is idle */
    unsigned away_count;
    struct tracee *away[AWAITED_MAX]; /* that want another CPU than the tracer's; none of them is chosen */
    bool ran; /* it is known who had the tracer's CPU */
    cpu_set_t cpus; /* of the runnable ones */
};

/* Looks at the active tracees. interval: the sampling time, ns, that this tick stands for. tick->late tells whether it
 * is too late to count. */
void tick_find_running(struct tracer *tracer, uint64_t interval, struct running *running);
/* Returns how many are in running->chosen. */
unsigned tick_chosen_count(const struct running *running);

/* Reads what the kernel tells of a tracee's waits. Returns false where it does not. */
bool tick_read_cpu(struct tracee *tracee);
/* Reads on which CPU the tracee is. It stands still. */
void tick_note_cpu(struct tracee *tracee);
/* Returns true if a tick looks at the tracee: its state is RUNNING, INTERRUPTED (an interrupt does not end every
 * sleep: vfork) or CONTINUING, its process is not launching, and it is not dropped. */
bool tick_is_looked_at(const struct tracee *tracee);
/* Returns true if the tracer slept when this tick was due. */
bool tick_found_asleep(const struct tracer *tracer);
/* Returns the time since which a tracee may have had to wait for the tracer that looks at it now. */
uint64_t tick_hindered_since(const struct tracer *tracer);

#endif
