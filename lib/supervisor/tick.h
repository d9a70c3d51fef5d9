/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tick: at each tick, a random instant, a tracer looks at its active tracees (tick-look.c) and interrupts the running
 * ones (tick-run.c). tick-arm.c sets the time of the next tick. */
#ifndef PPROFIL_TICK_H
#define PPROFIL_TICK_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tracee;
struct tracer;

#define AWAITED_MAX 64 /* most tracees that a tick notes in one of its lists */

struct tick {
    uint64_t at;         /* time of the tick under way, or of the last one */
    uint64_t was_due;    /* time at which that tick was due */
    uint64_t missed_ns;  /* sampling time before that tick, for which no tick stands: schedule.h */
    uint64_t due;        /* time of the next tick; 0: none is set */
    bool late;           /* the tick came too late to tell which thread was on our CPU when it was due */
    unsigned late_ticks; /* number of ticks in a row that came late */
    uint64_t leaving_at; /* time until which no thread is stopped for a handover */
    /* if the last tick looked at no tracee: its sampling time, for which the next tick stands, too */
    uint64_t carried_ns;
    int64_t left_ns;     /* when serving: CPU time of the active tracees minus the sum of their samples, ns */
    bool resumes;        /* the next tick is the first after a pause, and is set by schedule_resume */
    bool idle;           /* no tracee is active: the next tick comes late or never */
    bool pauses;         /* ticks pause: all tracees that want a CPU have yet to stop */
    unsigned running;    /* number of tracees that the last tick found running */
    unsigned runnable;   /* number of tracees that the last tick found running or waiting for a CPU */
    pid_t awaited[AWAITED_MAX]; /* thread ids of interrupted tracees whose stops are polled for */
    unsigned awaited_count;
    uint64_t left_out_ns; /* value of stop_totals.stopped_ns when the schedule last left stopped time out */
    size_t wall_bucket;   /* wall mode: bucket of the tracer's table at which the round through sleepers goes on */
};

/* Runs a tick. With the lock. Gives the lock up while it waits for the occupier (preempt.c), while the tracer moves to
 * another CPU, and while it polls for stops. Tracees may be gone afterwards. */
void tick_run(struct tracer *tracer);

/* --- tick-look.c --- */

/* The longest time from when the tracer takes a thread's CPU to when it reads the clock. */
#define PREEMPTED_NS 50000u
#define INTERRUPTS_MAX 16u /* largest number of chosen threads that one tick interrupts: tick-run.c */

/* The tracees that a tick found running. */
struct tick_running {
    unsigned count;                     /* number of running tracees, without the preempted ones */
    struct tracee *chosen[AWAITED_MAX]; /* at most AWAITED_MAX of these, drawn with equal chances */
    unsigned preempted_count;
    struct tracee *preempted[AWAITED_MAX]; /* running tracees whose CPU must be taken first: preempt.c */
    /* thread ids of the first elements of chosen, which may be gone when their turn comes */
    pid_t tids[INTERRUPTS_MAX];
    unsigned unstopped; /* number of tracees that have yet to stop since an earlier tick */
    unsigned runnable;  /* number of tracees that run or wait for a CPU, including those that this tick leaves alone */
    /* valid if no CPU is idle: */
    unsigned away_count;
    struct tracee *away[AWAITED_MAX]; /* runnable tracees on another CPU than the tracer's; none is chosen */
    bool ran;                         /* a tracee is known to have had the tracer's CPU when the tick was due */
    cpu_set_t cpus;                   /* CPUs of the active tracees */
};

/* Looks at the active tracees, fills *running in, and sets tick->late. interval: sampling time that this tick stands
 * for, ns. */
void tick_find_running(struct tracer *tracer, uint64_t interval, struct tick_running *running);
/* Returns the number of elements of running->chosen. */
unsigned tick_chosen_count(const struct tick_running *running);

/* Reads the tracee's run and wait times into tracee->look. Returns false if the kernel keeps no such times. */
bool tick_read_cpu(struct tracee *tracee);
/* Reads the tracee's CPU into tracee->look. The tracee must stand still. */
void tick_note_cpu(struct tracee *tracee);
/* Returns true if a tick looks at the tracee: its state is RUNNING, INTERRUPTED or CONTINUING, its process is not
 * launching, and it is not dropped. An INTERRUPTED tracee may sleep on: an interrupt does not end the sleep of a vfork,
 * for one. */
bool tick_is_looked_at(const struct tracee *tracee);
/* Returns true if the tracer slept when this tick was due. */
bool tick_found_asleep(const struct tracer *tracer);
/* Returns the time since which this tracer may have kept tracees off its CPU. */
uint64_t tick_hindered_since(const struct tracer *tracer);

/* --- tick-arm.c --- */

/* Sets the next tick if one is wanted and none is set. */
void tick_arm(struct tracer *tracer);
/* Sets the next tick after a tick. */
void tick_arm_next(struct tracer *tracer);
/* Ends a pause because a tracee was handed over: the other tracees need ticks. */
void tick_arm_after_pause(struct tracer *tracer);
/* To be called when a tracee that was interrupted has stopped, and runs again. Ends a pause. */
void tick_note_stop(struct tracer *tracer, struct tracee *tracee);
/* Ends a pause. If the stratum of the last tick is over, the next stratum begins now. Returns the time that no tick
 * covers yet, ns: since the end of that stratum. */
uint64_t tick_end_pause(struct tracer *tracer, uint64_t now);
/* Returns true if a tick must not interrupt the tracee: it has yet to stop, or it is left alone until its call has
 * ended. */
bool tick_has_to_stop(const struct tracee *tracee);
/* Needs no lock. Returns true if the tracee stops as soon as it has a CPU. A tracee inside a piece of a call may sleep
 * first, but at the entry of a piece it stops before it can sleep. */
bool tick_stops_soon(const struct tracee *tracee);

#endif
