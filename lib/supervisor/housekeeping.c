/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Periodic work for all tracers. The first tracer does it. */
#include "config.h"

#include <errno.h>
#include <signal.h>

#include "base/clock.h"
#include "supervisor/budget.h"
#include "supervisor/debug-log.h"
#include "supervisor/emit.h"
#include "supervisor/follow.h"
#include "supervisor/sampling.h"
#include "supervisor/supervisor.h"
#include "supervisor/tick.h"
#include "supervisor/tracer-cpus.h"

/* with more processes than this, the statistics are made without reading the clocks of all processes */
#define STATS_EXACT_MAX 256u
#define RATE_PERIOD_NS 20000000u
#define ENDS_PERIOD_NS 500000000u
#define ALL_ENDS_PERIOD_NS 5000000000u

/* Finds out whether another thread has taken the number of the process's leader by an exec. tick-run.c finds this out,
 * too, when it cannot interrupt the leader, but not if the leader is inactive, or was interrupted before. */
static void housekeeping_find_leader(struct tracer *tracer, struct process *process)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct tracee *leader = supervisor_find(supervisor, process->pid);

    if (clock_read(CLOCK_BOOTTIME) - process->handed_over_at > UNREPORTED_ENDS_NS || leader == NULL ||
        leader->process != process || (leader->activity.active && leader->state == TRACEE_RUNNING) ||
        !handover_leader_is_replaced(leader))
        return;
    leader->inbox.may_be_replaced = true;
    tracer_post(leader);
}

/* Returns true if the process may have ended without a stop that we could see. This happens if a child ends before its
 * parent has reported it, or if a process execs while one of its threads is handed over. */
static bool housekeeping_expects_unreported_end(const struct process *process)
{
    return process->handed_over_at != 0 || process->tracees == NULL || process->tracees->state == TRACEE_STARTING;
}

static void housekeeping_find_ends(struct tracer *tracer, uint64_t now)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct housekeeping *housekeeping = &supervisor->housekeeping;
    struct process *next;

    if (now - housekeeping->ends_at < ENDS_PERIOD_NS)
        return;
    bool all = now - housekeeping->all_ends_at >= ALL_ENDS_PERIOD_NS;
    housekeeping->ends_at = now;
    if (!all && now >= housekeeping->unreported_until)
        return; /* searches no process, because with thousands of processes this would take long */
    housekeeping->all_ends_at = all ? now : housekeeping->all_ends_at;
    for (struct process *process = supervisor->processes.first; process != NULL; process = next) {
        next = process->next;
        if (!all && !housekeeping_expects_unreported_end(process))
            continue;
        if (kill(process->pid, 0) < 0 && errno == ESRCH)
            process_forget(tracer, process);
        else if (process->handed_over_at != 0)
            housekeeping_find_leader(tracer, process);
    }
}

/* If no CPU is idle and a tracee wants one, adds the time since the last call to stats.full_ns. */
static void housekeeping_count_full(struct supervisor *supervisor, uint64_t now)
{
    struct housekeeping *housekeeping = &supervisor->housekeeping;

    if (supervisor->cpus.full && cpus_full_count_runnable(supervisor) > 0 &&
        housekeeping->full_at >= supervisor->started_at)
        supervisor->stats.full_ns += now - housekeeping->full_at;
    housekeeping->full_at = now;
}

/* Adapts the sampling rate to the cost of samples, as each tick does, too. Reports a changed rate to the client, but at
 * most once in RATE_PERIOD_NS. */
static void housekeeping_follow_rate(struct tracer *tracer, uint64_t now)
{
    struct supervisor *supervisor = tracer->supervisor;

    sampling_adjust_rate(tracer, now);
    if (now < supervisor->housekeeping.rate_reported_at + RATE_PERIOD_NS || !budget_has_changed(&supervisor->budget))
        return;
    supervisor->housekeeping.rate_reported_at = now;
    debug_log(tracer, "rate %.1f", supervisor->budget.rate_hz);
    emit_rate(supervisor);
}

uint64_t housekeeping_run(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    uint64_t now = time_now(), again = now;

    if (supervisor->sampling) {
        again = active_search(tracer, now);
        housekeeping_count_full(supervisor, now);
        housekeeping_follow_rate(tracer, now);
        if (now >= supervisor->housekeeping.stats_due)
            emit_stats(supervisor, supervisor->processes.count <= STATS_EXACT_MAX);
        tick_arm(tracer);
    }
    if (tracer->new_tasks.unknown_count > 0)
        new_task_resolve(tracer);
    housekeeping_find_ends(tracer, now);
    return again;
}
