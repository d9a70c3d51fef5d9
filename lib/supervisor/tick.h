/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tick: a tick is a random instant at which a tracer reads what its active tracees are doing (tick-look.c), and
 * interrupts those that run (tick-run.c). tick-arm.c sets the time of the next tick. active.c decides which tracees are
 * active, that is, use CPU time. */
#ifndef PPROFIL_TICK_H
#define PPROFIL_TICK_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tracee;
struct tracer;

#define AWAITED_MAX 64 /* capacity of each of the lists of tracees that a tick makes */

struct tick {
    uint64_t at;         /* time at which the present tick began; between ticks, "present" means the last tick */
    uint64_t was_due;    /* time for which the present tick was set */
    uint64_t missed_ns;  /* sampling time before the present tick that no tick represents, ns: schedule.h */
    uint64_t due;        /* time of the next tick; 0: no tick is set */
    bool late;           /* the tick came too late to show which thread had the tracer's CPU when the tick was due */
    unsigned late_ticks; /* how many ticks in a row came too late */
    /* The four fields below are valid if no CPU is idle: tick-taken.c */
    uint64_t taken_at; /* when the tracer got its CPU, on the scheduler's clock, ns; 0: not known */
    bool lost_cpu;     /* the tracer had no CPU for some time since it woke up for this tick */
    bool from_others;  /* the tracer has taken its CPU from a program that is no target */
    /* how long after a tick is due the tracer usually gets its CPU, ns; one tick in eight is faster. 0: not known */
    uint64_t usual_delay_ns;
    uint64_t leaving_at; /* until this time, no thread is stopped in order to hand it over */
    /* If the tracer moved to another CPU at the last tick, it looked at no tracee. This is the time that the last tick
     * should have represented; the next tick represents it, too. Otherwise 0 */
    uint64_t carried_ns;
    /* for programs that profile themselves: CPU time of the active tracees that samples still have to represent,
     * ns; negative if the samples so far represent more than the CPU time */
    int64_t left_ns;
    bool resumes;        /* the next tick is the first after a pause; schedule_resume must choose its time */
    bool idle;           /* no tracee is active, so ticks come rarely (wall mode) or not at all */
    bool pauses;         /* ticks pause, because each tracee that wants a CPU was interrupted and has not stopped yet */
    unsigned running;    /* how many tracees the last tick found running */
    unsigned runnable;   /* how many tracees the last tick found running or waiting for a CPU */
    pid_t awaited[AWAITED_MAX]; /* ids of interrupted threads for whose stops the tracer polls */
    unsigned awaited_count;
    /* value of stop_totals.stopped_ns when ticks were last delayed because of it (schedule_leave_out) */
    uint64_t left_out_ns;
    /* wall mode: ticks look at sleeping tracees in turn. The last tick ended at this bucket of the tracer's table */
    size_t wall_bucket;
};

/* Runs a tick. The caller holds the lock. Gives the lock up while it waits for the occupier (the second thread of
 * preempt.c), while the tracer moves to another CPU, and while it polls for stops. So tracees may be gone
 * afterwards. */
void tick_run(struct tracer *tracer);
/* To be called when the tracer got no CPU for silence_ns, before the next look at its tracees. If this is 0.25 s or
 * more, reports the CPU time that the tracees have used meanwhile: attribution_report_unsampled. Later samples must not
 * represent it, because they show other code. The caller holds the lock. */
void tick_end_silence(struct tracer *tracer, uint64_t silence_ns);

/* --- tick-look.c --- */

/* If the tracer takes a thread's CPU, it reads the clock at most this long afterwards, ns. */
#define PREEMPTED_NS 50000u
#define INTERRUPTS_MAX 16u /* one tick interrupts at most this many of the tracees in the array `chosen` (tick-run.c) */

/* The tracees that run or wait for a CPU, as a tick has found them. */
struct tick_running {
    /* how many tracees may be interrupted in the usual way, that is, without the occupier */
    unsigned count;
    struct tracee *chosen[AWAITED_MAX]; /* those tracees; if there are more than AWAITED_MAX, a random choice of them */
    unsigned preempted_count;
    /* the tracees whose CPU the occupier takes before they are interrupted: preempt.c */
    struct tracee *preempted[AWAITED_MAX];
    /* The thread ids of the first elements of chosen. Needed because the elements may become invalid: while one tracee
     * is being interrupted, others may be freed */
    pid_t tids[INTERRUPTS_MAX];
    unsigned unstopped; /* how many tracees must not be interrupted: tick_has_to_stop */
    unsigned runnable;  /* how many tracees run or wait for a CPU, including those that this tick does not interrupt */
    /* the fields below are valid if no CPU is idle: */
    unsigned away_count;
    /* tracees that run or wait for a CPU other than the tracer's; the tick does not sample them */
    struct tracee *away[AWAITED_MAX];
    cpu_set_t cpus;                   /* the CPUs on which the active tracees last ran or waited */
};

/* Reads what the active tracees are doing, fills in *running, and sets tick->late. interval: length of the sampling
 * time that this tick represents, ns. */
void tick_find_running(struct tracer *tracer, uint64_t interval, struct tick_running *running);
/* Wall mode: finds out what some of the inactive tracees are doing, and attributes the time of those that sleep. Each
 * call goes on where the last call ended. */
void tick_look_at_sleepers(struct tracer *tracer);
/* Returns how many elements of running->chosen are used. */
unsigned tick_chosen_count(const struct tick_running *running);

/* Reads the run and wait times of the tracee into tracee->look. Returns false if the kernel keeps no such times. */
bool tick_read_cpu(struct tracee *tracee);
/* To be called when a tick interrupts or samples the tracee. pending_ns: the sampling time that this tick represents
 * for the tracee, ns. Adds it to interrupt.pending_ns, together with the times of earlier ticks that led to no sample.
 * Reads the run and wait times of the tracee unless this tick has read them. */
void tick_add_pending(struct tracee *tracee, uint64_t pending_ns);
/* Stores in tracee->look on which CPU the tracee last ran. If the tracee may soon exec, it must be stopped. */
void tick_note_cpu(struct tracee *tracee);

/* --- tick-taken.c --- */

/* To be called at the beginning of a tick, while no CPU is idle: sets tick->taken_at and tick->lost_cpu. */
void tick_note_taken(struct tracer *tracer);
/* Finds out whether the tracer has taken its CPU from the tracee: look.taken. Returns true if the tracee certainly
 * still waits for a CPU: it wanted one at the last look, and has not run since. */
bool tick_judge_taken(const struct tracer *tracer, struct tracee *tracee);
/* To be called while no CPU is idle. Sets tick->late: the instant at which the tracer got its CPU is not random, so the
 * tick must sample no tracee of this CPU. */
void tick_judge_lateness(struct tracer *tracer);
/* Leaves a tracee on the tracer's CPU to the next tick, because this tick is late. If the tracer had its CPU when the
 * tick was due, the tracee had no CPU at that time. Otherwise its next sample must also represent the time of this
 * tick. interval: length of the sampling time that this tick represents, ns. */
void tick_leave_out(struct tracer *tracer, struct tracee *tracee, uint64_t interval);
/* Returns true if the tracer was asleep at the time for which this tick was set. */
bool tick_found_asleep(const struct tracer *tracer);
/* Returns the time since which this tracer may have kept tracees off its CPU. */
uint64_t tick_hindered_since(const struct tracer *tracer);

/* --- tick-arm.c --- */

/* Sets the time of the next tick if a tick is wanted and its time is not set yet. */
void tick_arm(struct tracer *tracer);
/* Sets the time of the next tick. To be called at the end of a tick. */
void tick_arm_next(struct tracer *tracer);
/* Ends a pause of ticks (tick->pauses). To be called when a tracee was handed over, because the other tracees need
 * ticks. */
void tick_arm_after_pause(struct tracer *tracer);
/* To be called when a tracee that was interrupted has stopped and runs again. If ticks pause (tick->pauses), ends the
 * pause. */
void tick_note_stop(struct tracer *tracer, struct tracee *tracee);
/* Ends a pause of ticks (tick->pauses). Each tick stands for a stratum, that is, one period of time (schedule.h). If
 * the stratum of the last tick has ended, makes the next stratum begin now, and returns the length of the gap between
 * these two strata, ns; no tick stands for the gap. Otherwise returns 0. */
uint64_t tick_end_pause(struct tracer *tracer, uint64_t now);
/* Returns true if a tick must not interrupt the tracee. There are three cases: the tracee was interrupted and has not
 * stopped yet; its system call is being continued (repair.h); or it is left alone until its system call has ended
 * (backoff of calls.h). */
bool tick_has_to_stop(const struct tracee *tracee);
/* Needs no lock. Returns true if the tracee stops as soon as it gets a CPU. If its system call is being continued by
 * pieces (repair.h), returns true until it has entered the next piece. Inside a piece it may sleep before it stops. */
bool tick_stops_soon(const struct tracee *tracee);

/* --- active.c --- */

/* Makes the tracees of this tracer inactive that have used hardly any CPU time in activity.span. */
void active_drop_idle(struct tracer *tracer, uint64_t now);
/* Called by the first tracer. Finds processes whose CPU time has grown more than the CPU time of their active tracees.
 * Makes those tracees active that have used the difference. A search through all processes is divided over several
 * calls, because each call holds the lock. Returns the time at which it must be called again; an earlier call does no
 * harm. */
uint64_t active_search(struct tracer *tracer, uint64_t now);
/* To be called for a tracee that uses CPU time. Makes the tracee active. If the tracee belongs to another tracer than
 * `tracer`, the other tracer does that. */
void active_note(struct tracer *tracer, struct tracee *tracee, uint64_t now);

#endif
