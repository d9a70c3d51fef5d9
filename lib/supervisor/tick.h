/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tick: at random instants a tracer looks at its active tracees (tick-look.c) and interrupts those that run
 * (tick-run.c). tick-arm.c sets the time of the next tick. */
#ifndef PPROFIL_TICK_H
#define PPROFIL_TICK_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tracee;
struct tracer;

#define AWAITED_MAX 64 /* room for the tracees that one tick may interrupt */

struct tick {
    uint64_t at;         /* time of the tick under way, or of the last one */
    uint64_t was_due;    /* time at which that tick was due */
    uint64_t missed_ns;  /* sampling time before it that no tick stands for: schedule.h */
    uint64_t due;        /* time of the next tick; 0: none is set */
    bool late;           /* it came too late to tell who was on our CPU */
    unsigned late_ticks; /* number of ticks in a row that came late */
    uint64_t leaving_at; /* time before which no thread is stopped for a handover */
    uint64_t carried_ns; /* sampling time of the last tick, which looked at nobody; the next tick stands for it, too */
    int64_t left_ns;     /* serving: CPU time of the active tracees, less what their samples stand for */
    bool resumes;        /* the next tick is the first after a pause, which has moved no tick: schedule_resume */
    bool idle;           /* the next tick is a slow one: no tracee is active */
    bool pauses;         /* the next tick is a slow one: all tracees that want a CPU have yet to stop */
    unsigned running;    /* number of tracees that the last tick found running */
    unsigned runnable;   /* number of tracees that it found to want a CPU: those, and those that wait for one */
    pid_t awaited[AWAITED_MAX]; /* tracees that were interrupted, and are polled for */
    unsigned awaited_count;
    uint64_t left_out_ns; /* stop_totals.stopped_ns when stopped time was last left out of the schedule */
    size_t wall_bucket;   /* wall mode: the bucket at which the round through the sleepers goes on */
};

/* Runs a tick. With the lock; gives it up while it waits for the occupier (preempt.c), while the tracer moves to
 * another CPU and while it polls: tracees may be gone afterwards. */
void tick_run(struct tracer *tracer);

/* --- tick-look.c --- */

/* The longest time from taking a thread's CPU to reading the clock. */
#define PREEMPTED_NS 50000u
#define INTERRUPTS_MAX 16u /* the most of the chosen threads that one tick interrupts: tick-run.c */

/* The tracees that a tick found running. */
struct tick_running {
    unsigned count;                     /* all but the preempted ones */
    struct tracee *chosen[AWAITED_MAX]; /* AWAITED_MAX of them at most, drawn with equal chances */
    unsigned preempted_count;
    struct tracee *preempted[AWAITED_MAX]; /* those whose CPU is to be taken first: preempt.c */
    pid_t tids[INTERRUPTS_MAX];            /* numbers of the first of chosen, which may be gone when their turn comes */
    unsigned unstopped; /* number of tracees that an earlier tick interrupted, and that have not stopped yet */
    unsigned runnable;  /* number of tracees that want a CPU: all of these, and those that are left alone this time */
    /* where no CPU is idle: */
    unsigned away_count;
    struct tracee *away[AWAITED_MAX]; /* those on another CPU than the tracer; none of them is chosen */
    bool ran;                         /* it is known who had the tracer's CPU when the tick was due */
    cpu_set_t cpus;                   /* the CPUs of the runnable tracees */
};

/* Looks at the active tracees, and fills *running in. interval: the sampling time, ns, that this tick stands for. Sets
 * tick->late. */
void tick_find_running(struct tracer *tracer, uint64_t interval, struct tick_running *running);
/* Returns the number of elements of running->chosen. */
unsigned tick_chosen_count(const struct tick_running *running);

/* Reads the tracee's run and wait times into tracee->look. Returns false where the kernel keeps none. */
bool tick_read_cpu(struct tracee *tracee);
/* Reads on which CPU the tracee is. The tracee must stand still. */
void tick_note_cpu(struct tracee *tracee);
/* Returns true if a tick looks at the tracee: its state is RUNNING, INTERRUPTED (an interrupt does not end every sleep:
 * vfork) or CONTINUING, its process is not launching, and it is not dropped. */
bool tick_is_looked_at(const struct tracee *tracee);
/* Returns true if the tracer slept when this tick was due. */
bool tick_found_asleep(const struct tracer *tracer);
/* Returns the time since which a tracee may have had to wait for the tracer that looks at it now. */
uint64_t tick_hindered_since(const struct tracer *tracer);

/* --- tick-arm.c --- */

/* Sets the next tick if one is wanted and none is set. */
void tick_arm(struct tracer *tracer);
/* Sets the next tick after a tick. */
void tick_arm_next(struct tracer *tracer);
/* Ends a pause in which a tracee was handed over: the others need ticks. */
void tick_arm_after_pause(struct tracer *tracer);
/* To be called when a tracee that was interrupted has stopped, and runs again. Ends a pause. */
void tick_note_stop(struct tracer *tracer, struct tracee *tracee);
/* Ends a pause, and the stratum under way. Returns the time that no tick covers yet, ns: since the end of the last
 * stratum. */
uint64_t tick_end_pause(struct tracer *tracer, uint64_t now);
/* Returns true if the tracee need not be interrupted: a stop of it is to come, or it is left alone until its call has
 * ended. */
bool tick_has_to_stop(const struct tracee *tracee);
/* Needs no lock. Returns true if the tracee stops as soon as it has a CPU. Within a call it may sleep first; a piece of
 * a call that goes on stops at its entry, before it can sleep. */
bool tick_stops_soon(const struct tracee *tracee);

#endif
