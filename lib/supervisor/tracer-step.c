/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One round of a tracer: the tracer sleeps, answers news (stops and ends of tracees), runs a tick if one is due, and
 * adds up what this has cost the targets. */
#include "config.h"

#include "base/clock.h"
#include "supervisor/budget.h"
#include "supervisor/debug-log.h"
#include "supervisor/follow.h"
#include "supervisor/repair.h"
#include "supervisor/sampling.h"
#include "supervisor/schedule.h"
#include "supervisor/stop.h"
#include "supervisor/supervisor.h"
#include "supervisor/tick.h"
#include "supervisor/tracer-cpus.h"
#include "supervisor/wakeup.h"

/* Approximate time from a stop of a tracee to the wake-up of its tracer, ns. */
#define WAKE_LATENCY_NS 30000u
/* After news (stops or ends of tracees) the tracer polls for more. It stops polling when no news has come for
 * POLL_QUIET_NS, and at the latest POLL_MAX_NS after it woke up. */
#define POLL_QUIET_NS 60000u
#define POLL_MAX_NS 2000000u
#define DRAIN_CREDIT_MAX 8u
/* The parent of a held task (an UNKNOWN tracee) may never report it. So the processes of held tasks are looked up in
 * /proc at this interval, ns: new_task_resolve. */
#define UNKNOWN_PERIOD_NS 20000000u
/* If a tracer has slept longer than CAUGHT_UP_NS, it had answered all news (stops and ends of tracees) before it fell
 * asleep: news that was left would have woken it up sooner. */
#define CAUGHT_UP_NS 20000u
/* While no CPU is idle, the CPU time of a tracer is taken from targets. At each step, they lose UNSEEN_NS more than the
 * tracer's own clock shows: the time of a timer interrupt, two context switches, and the cold caches after them. */
#define UNSEEN_NS 7000u

/* --- the inbox ----------------------------------------------------------------------------- */

static struct tracee *tracer_take_from_inbox(struct tracer *tracer)
{
    struct tracee *tracee = tracer->tracees.inbox;

    if (tracee != NULL) {
        tracer->tracees.inbox = tracee->inbox.next;
        tracee->inbox.queued = false;
    }
    return tracee;
}

static void tracer_read_inbox(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct tracee *tracee;

    supervisor_lock(supervisor);
    while ((tracee = tracer_take_from_inbox(tracer)) != NULL) {
        if (tracee->state == TRACEE_RELEASED) {
            supervisor_unlock(supervisor);
            handover_take(tracer, tracee);
            supervisor_lock(supervisor);
        } else if (tracee->dropped) {
            tracee_forget(tracer, tracee);
        } else {
            if (tracee->inbox.may_be_replaced)
                handover_regain(tracee);
            if (tracee->inbox.activate && tracee->state != TRACEE_RELEASED)
                tracee_activate(&tracer->tracees, tracee, time_now());
            tracee->inbox.activate = false;
        }
    }
    supervisor_unlock(supervisor);
}

/* --- one round ------------------------------------------------------------------------------ */

static void tracer_book_cost(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    const struct stop_totals *totals = &tracer->totals;
    unsigned condition = sampling_condition(supervisor, tracer->billing.active);

    if (totals->samples == 0 && totals->cost_ns == 0)
        return;
    budget_note(&supervisor->budget, condition, totals->samples, totals->cost_ns);
    debug_log(tracer, "cost %u %u %llu", condition, totals->samples, (unsigned long long)totals->cost_ns);
    if (totals->samples > 0)
        sampling_adjust_rate(tracer, time_now());
}

/* Adds to the supervisor's totals what the tracer has counted since the last call. The caller holds the lock. */
static void tracer_book(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct stop_totals *totals = &tracer->totals;

    supervisor->stats.stopped_ns += totals->stopped_ns - tracer->billing.booked_stopped_ns;
    tracer->billing.booked_stopped_ns = totals->stopped_ns;
    supervisor->stats.repaired += totals->restarted;
    supervisor->stats.continued += totals->continued;
    supervisor->stats.cut_short += totals->cut_short;
    tracer_book_cost(tracer);
    *totals = (struct stop_totals){.stopped_ns = totals->stopped_ns};
}

/* Polls for more news (stops and ends of tracees), because news often comes in pairs: a parent's stop and its child's
 * stop, or an end and the parent's SIGCHLD. If the tracer slept and woke up in between, this would cost the target more
 * than the stop itself. */
static void tracer_poll_for_more(struct tracer *tracer)
{
    uint64_t deadline = time_now() + POLL_QUIET_NS;
    unsigned *credit = &tracer->news.poll_credit;

    if (!tracer->supervisor->cpus.may_poll || tracer->supervisor->cpus.full)
        return;
    if (*credit == 0 && schedule_random(&tracer->schedule, DRAIN_CREDIT_MAX) != 0)
        return;
    *credit -= *credit > 0;
    do {
        tracer->news.oldest_stop_at = time_now();
        if (!wait_drain(tracer))
            continue;
        deadline = time_now() + POLL_QUIET_NS;
        *credit = *credit + 2 < DRAIN_CREDIT_MAX ? *credit + 2 : DRAIN_CREDIT_MAX;
    } while (time_now() < deadline && deadline < tracer->sleep.ended_at + POLL_MAX_NS &&
             (tracer->tick.due == 0 || time_now() < tracer->tick.due));
}

static void tracer_take_earlier(uint64_t *time, uint64_t other)
{
    if (other != 0 && (*time == 0 || other < *time))
        *time = other;
}

/* The time of the tick after the next one may be chosen, too (tick-arm.c). Returns this time if a timer must be set for
 * it; otherwise 0. */
static uint64_t tracer_ahead(const struct tracer *tracer)
{
    uint64_t ahead = tracer->schedule.ahead.at;
    bool wanted = tracer->tick.due != 0 || tracer->tick.pauses;

    return wanted && ahead > time_now() ? ahead : 0;
}

/* Sleeps until a tracee stops or ends (news), a timer expires, or another thread wakes the tracer up. Returns true if
 * there is news. */
static bool tracer_sleep(struct tracer *tracer, uint64_t until, siginfo_t *news)
{
    uint64_t due = deadline_check(tracer);

    debug_log_flush(tracer);
    tracer_take_earlier(&due, tracer->tick.due);
    wakeup_set_slow(&tracer->wakeup, until);
    if (tracer->new_tasks.unknown_count > 0)
        tracer_take_earlier(&due, time_now() + UNKNOWN_PERIOD_NS);
    wakeup_set(&tracer->wakeup, due, tracer_ahead(tracer));
    tracer_take_earlier(&due, until);
    tracer->sleep.began_at = time_now();
    tracer->asleep = true;
    bool any = wakeup_sleep(&tracer->wakeup, news);
    tracer->asleep = false;
    tracer->sleep.ended_at = time_now();
    tracer->sleep.late_ns = due != 0 && tracer->sleep.ended_at > due ? tracer->sleep.ended_at - due : 0;
    if (tracer->billing.active)
        tracer_note_cpu(tracer);
    else
        tracer->sleep.cpu_at = 0;
    tracer->news.oldest_stop_at = tracer->sleep.ended_at - WAKE_LATENCY_NS;
    if (tracer->sleep.ended_at - tracer->sleep.began_at > CAUGHT_UP_NS) {
        tracer->news.caught_up_at = tracer->sleep.ended_at;
        tracer->news.none_at = tracer->sleep.began_at;
    }
    return any;
}

/* Answers the news that woke the tracer up, and news that comes soon after. While no CPU is idle, answers only the
 * first news; if there is more, the next sleep ends immediately. */
static void tracer_answer_news(struct tracer *tracer, const siginfo_t *news)
{
    wait_answer_news(tracer, news);
    if (!tracer->supervisor->cpus.full && wait_drain(tracer))
        tracer_poll_for_more(tracer);
}

/* Only while no CPU is idle: measures the CPU time that the tracer has used since the last call. billed: this time was
 * taken from targets for sampling, so it is added to the cost of samples. */
static void tracer_bill(struct tracer *tracer, bool billed)
{
    tracer_read_clock(tracer);
    uint64_t cpu_ns = tracer->clock.cpu_ns;
    if (billed && tracer->billing.up_to_ns != 0)
        tracer->totals.cost_ns += cpu_ns - tracer->billing.up_to_ns + UNSEEN_NS;
    tracer->billing.up_to_ns = cpu_ns;
}

/* Returns true if targets have lost the CPU time of this step for sampling. The time of a tick that has taken the CPU
 * from another program is that program's loss. The targets may wait for this CPU, and get it later because of the tick.
 * But they lose no more than that in the mean, because the scheduler divides the loss among all that want the CPU, and
 * the targets had the CPU at the same share of the ticks. If there are few other programs, a target that is not active
 * yet had the CPU more probably than one of these. */
static bool tracer_step_is_billed(struct tracer *tracer, bool ticked, bool for_tick)
{
    const struct tick *tick = &tracer->tick;

    if (tracer->totals.billed > 0)
        return true;
    if (ticked && tick->from_others && !tick->late && cpus_full_by_others(tracer))
        return false;
    return for_tick && cpus_full_count_runnable(tracer->supervisor) > 0;
}

/* Answers the news that has ended the sleep, if there is any, and takes over tracees from the inbox. */
static void tracer_answer(struct tracer *tracer, bool any, const siginfo_t *news)
{
    if (tracer->tracees.inbox != NULL) {
        if (any)
            wait_answer_news(tracer, news); /* first, because a tracee is stopped, and waits for this answer */
        tracer_read_inbox(tracer);
        wait_drain(tracer);
    } else if (any) {
        tracer_answer_news(tracer, news);
    }
    if (tracer->billing.active && any && tracer->totals.billed == 0)
        tracer_bill(tracer, false); /* false: these stops would also have come without sampling */
}

/* Runs a tick if one is due, bills the step, and sets the time of the next tick. any: news has ended the sleep. The
 * caller holds the lock. */
static void tracer_tick(struct tracer *tracer, bool any)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct tick *tick = &tracer->tick;
    bool ticked = supervisor->sampling && tick->due != 0 && time_now() >= tick->due;

    if (supervisor->sampling)
        tick_end_silence(tracer, tracer->sleep.late_ns);
    if (ticked)
        tick_run(tracer);
    /* in a pause of ticks, the sleep may have been ended by the timer that is set in spite of the pause: tick-arm.c */
    bool for_tick = ticked || (tick->pauses && !any);
    if (tracer->billing.active)
        tracer_bill(tracer, tracer_step_is_billed(tracer, ticked, for_tick));
    tick_arm(tracer);
    if (!supervisor->cpus.full)
        tracer->clock.at = 0;
    if (!supervisor->cpus.full || tracer->new_tasks.unknown_count > 0)
        tracer->billing.up_to_ns = 0; /* the CPU time that new tasks need must not count as a cost of samples */
}

void tracer_step(struct tracer *tracer, uint64_t until)
{
    struct supervisor *supervisor = tracer->supervisor;
    siginfo_t news;

    tracer->billing.active = supervisor->cpus.full;
    if (tracer->billing.active && tracer->billing.up_to_ns == 0)
        tracer_bill(tracer, false);
    bool any = tracer_sleep(tracer, until, &news);
    tracer_answer(tracer, any, &news);
    supervisor_lock(supervisor);
    tracer_tick(tracer, any);
    if (tracer->new_tasks.unknown_count > 0)
        new_task_resolve(tracer);
    tracer_book(tracer);
    bool realtime = priority_realtime_is_best(tracer);
    if (!supervisor->cpus.full)
        affinity_unbind(tracer);
    bool requests_wait = tracer->number != 0 && supervisor->openers.requests != supervisor->openers.served;
    supervisor_unlock(supervisor);
    priority_follow(tracer, realtime);
    if (requests_wait)
        wakeup_send(&supervisor->tracers[0]->wakeup);
    if (tracer->new_tasks.recheck_count > 0 && handover_search_again(tracer))
        tracer->billing.up_to_ns = 0;
}
