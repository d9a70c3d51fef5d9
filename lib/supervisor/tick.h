/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tick: a tracer looks at its active tracees (tick-look.c), and interrupts those that run (tick.c), again and again
 * (tick-arm.c).
 */
#ifndef PPROFIL_TICK_H
#define PPROFIL_TICK_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tracee;
struct tracer;

#define AWAITED_MAX 64 /* tracees interrupted in one tick */

struct tick {
    uint64_t at;      /* time of the tick under way, or the last */
    uint64_t was_due; /* the time when that was due */
    uint64_t missed_ns; /* time before it that no tick stands for: schedule.h */
    uint64_t due;     /* time of the next; 0: none is set */
    bool late;           /* this one came too late to count for who is on our CPU */
    unsigned late_ticks; /* ticks in a row that came late */
    uint64_t leaving_at; /* time: before that no thread is stopped to be handed over */
    uint64_t carried_ns; /* sampling time of the last tick, which looked at nobody: the next one stands for it, too */
    int64_t left_ns;     /* serving: what the active tracees have used, less what their samples stand for */
    bool resumes;     /* the next is the first after a pause that has moved none: schedule_resume */
    bool idle;        /* the next is a slow one: no tracee is active */
    bool pauses;      /* the next is a slow one: all that want a CPU have yet to stop */
    unsigned running;  /* tracees that the last one found running */
    unsigned runnable; /* that it found to want a CPU: `running`, and those that wait for one */
    pid_t awaited[AWAITED_MAX]; /* interrupted, and polled for */
    unsigned awaited_count;
    uint64_t left_out_ns; /* stop_totals.stopped_ns when stopped time was last left out of the schedule */
    size_t wall_bucket;   /* wall mode: where the round through the sleepers goes on */
};

/* Gives up the lock while it waits for the occupier, while it moves to another CPU and while it polls: tracees may be
 * gone afterwards. */
void tick_run(struct tracer *tracer);

/* --- tick-look.c --- */

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
struct tick_running {
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
void tick_find_running(struct tracer *tracer, uint64_t interval, struct tick_running *running);
/* Returns how many are in running->chosen. */
unsigned tick_chosen_count(const struct tick_running *running);

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

/* --- tick-arm.c --- */

/* Sets the next tick if there is to be one. */
void tick_arm(struct tracer *tracer);
/* Sets it after a tick. */
void tick_arm_next(struct tracer *tracer);
/* A tracee has been handed over in a pause: the others need ticks. */
void tick_arm_after_pause(struct tracer *tracer);
/* A tracee that was interrupted has stopped, and runs again. */
void tick_note_stop(struct tracer *tracer, struct tracee *tracee);
/* Ends the stratum under way here. Returns what no tick covers yet: the time since the end of the last. */
uint64_t tick_end_pause(struct tracer *tracer, uint64_t now);
/* Returns true if a stop of the tracee is to come. */
bool tick_has_to_stop(const struct tracee *tracee);

#endif
