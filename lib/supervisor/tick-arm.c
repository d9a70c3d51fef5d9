/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sets the time of a tracer's next tick.
 *
 * A program that profiles itself may turn profiling off and on again, and it may sleep. Meanwhile there are no ticks.
 * After such a pause, the next tick comes when it would have come without the pause (schedule_resume).
 *
 * Ticks also pause if every tracee that wants a CPU was interrupted and has not stopped yet, because there is no other
 * thread to interrupt. The time of this pause is credited to these tracees.
 *
 * If no CPU is idle, the times of two ticks are chosen, and their timers are set: the next tick, and the tick after it,
 * called the tick ahead. This saves time. To set a timer that will be the first to expire on its CPU, the kernel writes
 * to the CPU's timer hardware, which takes 9 us on a virtual machine. When a timer expires, the kernel makes this write
 * anyway, for the timer that expires next. In a pause, the timer of the tick ahead stays set. Most pauses end before
 * this timer expires. In other pauses, the timer wakes the tracer for nothing.
 */
#include "config.h"

#include "base/clock.h"
#include "supervisor/budget.h"
#include "supervisor/calls/calls.h"
#include "supervisor/preempt.h"
#include "supervisor/schedule.h"
#include "supervisor/supervisor.h"
#include "supervisor/tick.h"
#include "supervisor/tracer-cpus.h"

/* While no tracee is active, ticks come only in wall mode. This is their shortest period then, ns. */
#define WALL_PERIOD_NS 10000000u
/* If all threads that run were interrupted and have not stopped yet, the next tick comes after PAUSE_NS, ns, because
 * other threads may have woken up by then. */
#define PAUSE_NS 5000000u
/* If ticks are further apart than this, ns, only the time of the next tick is chosen. If that of the tick after it
 * were chosen, too, a change of the rate would take effect too late. */
#define AHEAD_PERIOD_MAX_NS 10000000u

/* Delays the next tick by the time for which targets were stopped: the period of ticks is a period of the targets' CPU
 * time, which does not grow while they are stopped. Without this delay, a high rate would give targets a fifth more
 * samples than requested. */
static void tick_leave_out_stops(struct tracer *tracer)
{
    struct tick *tick = &tracer->tick;
    uint64_t stopped = tracer->totals.stopped_ns - tick->left_out_ns;

    /* At most half a period: otherwise a very large number of stops with other causes than ticks would delay the next
     * tick again and again */
    if (stopped > tracer->schedule.covered_ns / 2)
        stopped = tracer->schedule.covered_ns / 2;
    if (tick->running > 0)
        schedule_leave_out(&tracer->schedule, stopped / tick->running / affinity_cpu_count(tracer));
    tick->left_out_ns = tracer->totals.stopped_ns;
}

/* Takes the next tick from the schedule, and returns its time. Returns 0 if no tick is wanted. While no tracee is
 * active, ticks are wanted only in wall mode, for the threads that sleep. */
static uint64_t tick_next(struct tracer *tracer, uint64_t now)
{
    const struct supervisor *supervisor = tracer->supervisor;
    /* The period is divided by the number of CPUs that the tracer visits: each tick samples only the threads of one of
     * them */
    uint64_t period = budget_period(&supervisor->budget) / affinity_cpu_count(tracer);

    if (tracer->tick.idle && !supervisor->options.wall)
        return 0;
    if (tracer->tick.idle && period < WALL_PERIOD_NS)
        period = WALL_PERIOD_NS;
    uint64_t due = tracer->tick.resumes ? schedule_resume(&tracer->schedule, now, period)
                                        : schedule_next(&tracer->schedule, now, period);
    tracer->tick.resumes = false;
    bool has_ahead = tracer->schedule.ahead.at != 0; /* true if schedule_resume has returned the same tick as before */
    if (supervisor->cpus.full && !tracer->tick.idle && period <= AHEAD_PERIOD_MAX_NS && !has_ahead)
        schedule_draw_ahead(&tracer->schedule, now, period);
    return due;
}

bool tick_has_to_stop(const struct tracee *tracee)
{
    return tracee->state == TRACEE_INTERRUPTED || tracee->state == TRACEE_CONTINUING ||
           backoff_holds(&tracee->repair.backoff, tracee->tracer->tick.at);
}

bool tick_stops_soon(const struct tracee *tracee)
{
    return tracee->state == TRACEE_INTERRUPTED || (tracee->state == TRACEE_CONTINUING && !tracee->repair.piece_entered);
}

/* Returns true if each active tracee stops as soon as it gets a CPU. Then a stop will end the pause of ticks, and no
 * tick is needed to end it. */
static bool tick_all_stop_soon(const struct tracer *tracer)
{
    const struct tracee *tracee = tracer->tracees.active;

    while (tracee != NULL && tick_stops_soon(tracee))
        tracee = tracee->activity.next;
    return tracee == NULL && tracer->tracees.active != NULL;
}

void tick_arm_next(struct tracer *tracer)
{
    struct tick *tick = &tracer->tick;
    uint64_t now = time_now();

    tick->idle = tracer->tracees.active_count == 0;
    tick_leave_out_stops(tracer);
    if (!tick->pauses)
        tick->due = preempt_order(tracer, tick_next(tracer, now));
    else if (tick_all_stop_soon(tracer))
        tick->due = 0;
    else
        tick->due = now + PAUSE_NS;
}

void tick_arm(struct tracer *tracer)
{
    struct tick *tick = &tracer->tick;
    bool wanted = tracer->tracees.active_count > 0 || tracer->supervisor->options.wall;

    if (!tracer->supervisor->sampling || tracer->tracees.count == 0 || !wanted) {
        tick->due = 0;
        tick->running = tick->runnable = 0;
        tick->pauses = false;
        return;
    }
    bool waits = tick->due != 0 || (tick->pauses && tick_all_stop_soon(tracer));
    if (waits && !(tick->idle && tracer->tracees.active_count > 0))
        return;
    tick->pauses = false;
    /* programs that profile themselves may turn profiling on for less than a period each time, so their ticks must come
     * as if there were no pauses (schedule_resume) */
    if (tracer->supervisor->options.serve)
        tick->resumes = true;
    else
        schedule_restart(&tracer->schedule, time_now());
    tick_arm_next(tracer);
}

uint64_t tick_end_pause(struct tracer *tracer, uint64_t now)
{
    tracer->tick.pauses = false;
    return schedule_end_gap(&tracer->schedule, now);
}

/* Ends a pause of ticks. Adds the length of the pause to overdue_ns of all tracees that were interrupted and had not
 * stopped in the pause. stopped: the tracee whose stop ends the pause; NULL: a handover ends it. */
static void tick_book_pause(struct tracer *tracer, struct tracee *stopped)
{
    uint64_t paused = tick_end_pause(tracer, time_now());

    if (stopped != NULL)
        stopped->interrupt.overdue_ns += paused;
    for (struct tracee *tracee = tracer->tracees.active; tracee != NULL; tracee = tracee->activity.next)
        if (tracee != stopped && tick_has_to_stop(tracee))
            tracee->interrupt.overdue_ns += paused;
    tick_arm_next(tracer);
}

void tick_arm_after_pause(struct tracer *tracer)
{
    tick_book_pause(tracer, NULL);
}

void tick_note_stop(struct tracer *tracer, struct tracee *tracee)
{
    if (tracer->tick.pauses)
        tick_book_pause(tracer, tracee);
}
