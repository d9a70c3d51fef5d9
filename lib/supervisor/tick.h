/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tick: at each tick, a random instant, a tracer reads what its active tracees are doing (tick-look.c) and interrupts
 * the running ones (tick-run.c). tick-arm.c sets the time of the next tick. active.c decides which tracees are active:
 * these use CPU time. */
#ifndef PPROFIL_TICK_H
#define PPROFIL_TICK_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tracee;
struct tracer;

#define AWAITED_MAX 64 /* capacity of each list of tracees of a tick */

struct tick {
    uint64_t at;         /* time of the tick under way, or of the last one */
    uint64_t was_due;    /* time at which the tick of `at` was due */
    uint64_t missed_ns;  /* sampling time before the tick of `at` that no tick represents, ns: schedule.h */
    uint64_t due;        /* time of the next tick; 0: no tick is set */
    bool late;           /* the tick came too late to find out which thread was on our CPU when the tick was due */
    unsigned late_ticks; /* number of ticks in a row that came late */
    uint64_t leaving_at; /* before this time, no thread is stopped for a handover */
    /* if the last tick found no active tracee: its sampling time, which the next tick represents, too */
    uint64_t carried_ns;
    int64_t left_ns;     /* when serving: CPU time of the active tracees minus the sum of their samples, ns */
    bool resumes;        /* the next tick is the first after a pause, and is set by schedule_resume */
    bool idle;           /* no tracee is active: ticks come rarely (wall mode) or not at all */
    bool pauses;         /* ticks pause: every tracee that wants a CPU was interrupted and has not stopped yet */
    unsigned running;    /* number of tracees that the last tick found running */
    unsigned runnable;   /* number of tracees that the last tick found running or waiting for a CPU */
    pid_t awaited[AWAITED_MAX]; /* thread ids of interrupted tracees whose stops are polled for */
    unsigned awaited_count;
    /* value of stop_totals.stopped_ns when stopped time was last left out of the schedule (schedule_leave_out) */
    uint64_t left_out_ns;
    /* wall mode: bucket of the tracer's table at which the walk through sleeping tracees continues */
    size_t wall_bucket;
};

/* Runs a tick. The caller holds the lock. Gives the lock up while it waits for the occupier (preempt.c), while the
 * tracer moves to another CPU, and while it polls for stops. Tracees may be gone afterwards. */
void tick_run(struct tracer *tracer);

/* --- tick-look.c --- */

/* The longest time from the moment when the tracer takes a thread's CPU until the tracer reads the clock, ns. */
#define PREEMPTED_NS 50000u
#define INTERRUPTS_MAX 16u /* largest number of chosen threads that one tick interrupts: tick-run.c */

/* The tracees that a tick found running, or waiting for a CPU. */
struct tick_running {
    unsigned count;                     /* number of running tracees, without the elements of preempted */
    struct tracee *chosen[AWAITED_MAX]; /* at most AWAITED_MAX of the running tracees, drawn with equal chances */
    unsigned preempted_count;
    struct tracee *preempted[AWAITED_MAX]; /* running tracees whose CPU must be taken first: preempt.c */
    /* thread ids of the first elements of chosen: a tracee may be gone before it is interrupted */
    pid_t tids[INTERRUPTS_MAX];
    unsigned unstopped; /* number of tracees that tick_has_to_stop leaves alone */
    unsigned runnable;  /* number of tracees that run or wait for a CPU, including those that this tick leaves alone */
    /* the fields below are valid if no CPU is idle: */
    unsigned away_count;
    /* runnable tracees on a CPU other than the tracer's; the tick does not sample them */
    struct tracee *away[AWAITED_MAX];
    bool ran;                         /* one of the tracees certainly had the tracer's CPU when the tick was due */
    cpu_set_t cpus;                   /* CPUs of the active tracees */
};

/* Reads what the active tracees are doing, fills *running in, and sets tick->late. interval: sampling time that this
 * tick represents, ns. */
void tick_find_running(struct tracer *tracer, uint64_t interval, struct tick_running *running);
/* Returns the number of elements of running->chosen. */
unsigned tick_chosen_count(const struct tick_running *running);

/* Reads the tracee's run and wait times into tracee->look. Returns false if the kernel keeps no such times. */
bool tick_read_cpu(struct tracee *tracee);
/* Reads the tracee's CPU into tracee->look. The tracee must be stopped. */
void tick_note_cpu(struct tracee *tracee);
/* Returns true if ticks must look at the tracee: its state is RUNNING, INTERRUPTED or CONTINUING, its process is not
 * launching, and it is not dropped. An INTERRUPTED tracee may still be asleep: for example, an interrupt does not end
 * the sleep of a vfork. */
bool tick_is_looked_at(const struct tracee *tracee);
/* Returns true if the tracer slept when this tick was due. */
bool tick_found_asleep(const struct tracer *tracer);
/* Returns the time from which on this tracer may have kept tracees off its CPU. */
uint64_t tick_hindered_since(const struct tracer *tracer);

/* --- tick-arm.c --- */

/* Sets the time of the next tick if a tick is wanted and no time is set. */
void tick_arm(struct tracer *tracer);
/* Sets the time of the next tick. To be called at the end of a tick. */
void tick_arm_next(struct tracer *tracer);
/* Ends a pause of ticks (tick->pauses) because a tracee was handed over: the other tracees need ticks. */
void tick_arm_after_pause(struct tracer *tracer);
/* To be called when an interrupted tracee has stopped, and runs again. Ends a pause of ticks (tick->pauses). */
void tick_note_stop(struct tracer *tracer, struct tracee *tracee);
/* Ends a pause of ticks (tick->pauses). If the stratum of the last tick has ended, makes the next stratum begin now.
 * Returns the gap between the two strata, ns, which no tick covers. */
uint64_t tick_end_pause(struct tracer *tracer, uint64_t now);
/* Returns true if a tick must not interrupt the tracee. Either the tracee was interrupted and has not stopped yet, or
 * its call is being continued (repair.h), or it is left alone until its call has ended (backoff of calls.h). */
bool tick_has_to_stop(const struct tracee *tracee);
/* Needs no lock. Returns true if the tracee stops as soon as it has a CPU. Inside a piece of a call (repair.h) the
 * tracee may sleep first. Before the entry stop of a piece it cannot sleep. */
bool tick_stops_soon(const struct tracee *tracee);

/* --- active.c --- */

/* Makes a tracee of this tracer inactive if it has used hardly any CPU time in activity.span. */
void active_drop_idle(struct tracer *tracer, uint64_t now);
/* Called by the first tracer. Finds processes whose CPU time has grown more than that of their active tracees, and
 * activates the threads that used the difference. A search through all processes is divided over several calls, because
 * each call holds the lock. Returns the time at which it must be called again; an earlier call does no harm. */
uint64_t active_search(struct tracer *tracer, uint64_t now);
/* Makes the tracee active. If it belongs to a tracer other than `tracer`, makes that tracer do so. To be called for a
 * tracee that uses CPU time. */
void active_note(struct tracer *tracer, struct tracee *tracee, uint64_t now);

#endif
