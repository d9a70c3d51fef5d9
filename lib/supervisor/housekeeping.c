/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is to be done now and then, for all tracers, by the first. */
#include "config.h"

#include <errno.h>
#include <signal.h>

#include "supervisor/active.h"
#include "supervisor/births.h"
#include "supervisor/budget.h"
#include "supervisor/crowd.h"
#include "supervisor/debug-log.h"
#include "supervisor/emit.h"
#include "supervisor/housekeeping.h"
#include "supervisor/supervisor.h"
#include "supervisor/tick.h"

#define ENDS_PERIOD_NS 500000000u

/* The end of a process that executed another program just while a thread of it was handed over may have been
 * told to nobody. */
static void housekeeping_find_ends(struct tracer *tracer, uint64_t now)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct process *next;

    if (now - supervisor->housekeeping.ends_at < ENDS_PERIOD_NS)
        return;
    supervisor->housekeeping.ends_at = now;
    for (struct process *process = supervisor->processes.first; process != NULL; process = next) {
        next = process->next;
        if (kill(process->pid, 0) < 0 && errno == ESRCH)
            births_forget_process(tracer, process);
    }
}

/* The time since the last round counts as full if no CPU was idle and some target wanted one. */
static void housekeeping_count_full(struct supervisor *supervisor, uint64_t now)
{
    if (supervisor->crowded && crowd_count_runnable(supervisor) > 0 &&
        supervisor->budget.adjusted_at != 0)
        supervisor->stats.full_ns += now - supervisor->budget.adjusted_at;
}

uint64_t housekeeping_run(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    uint64_t now = time_now();

    if (supervisor->sampling) {
        active_search(tracer, now);
        housekeeping_count_full(supervisor, now);
        if (budget_adjust(&supervisor->budget, now)) {
            debug_log(tracer, "rate %.0f", supervisor->budget.rate_hz);
            emit_rate(supervisor);
        }
        if (now >= supervisor->housekeeping.stats_due)
            emit_stats(supervisor);
        tick_arm(tracer);
    }
    if (tracer->unknown_count > 0)
        births_resolve(tracer);
    housekeeping_find_ends(tracer, now);
    return supervisor->scan.at + active_search_period(supervisor);
}
