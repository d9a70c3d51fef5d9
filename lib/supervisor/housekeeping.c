/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is to be done now and then, for all tracers, by the first. */
#include "config.h"

#include <errno.h>
#include <signal.h>

#include "supervisor/supervisor.h"

#define ENDS_PERIOD_NS 500000000u

/* The end of a process that executed another program just while a thread of it was handed over may have been
 * told to nobody. */
static void housekeeping_find_ends(struct tracer *tracer, uint64_t now)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct process *next;

    if (now - supervisor->ends_at < ENDS_PERIOD_NS)
        return;
    supervisor->ends_at = now;
    for (struct process *process = supervisor->processes.first; process != NULL; process = next) {
        next = process->next;
        if (kill(process->pid, 0) < 0 && errno == ESRCH)
            births_forget_process(tracer, process);
    }
}

uint64_t housekeeping_run(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    uint64_t now = time_now();

    if (supervisor->sampling) {
        active_search(tracer, now);
        if (supervisor->crowded && supervisor->budget.adjusted_at != 0)
            supervisor->stats.full_ns += now - supervisor->budget.adjusted_at;
        if (budget_adjust(&supervisor->budget, now))
            emit_rate(supervisor);
        if (now >= supervisor->stats_due)
            emit_stats(supervisor);
        tick_arm(tracer);
    }
    if (tracer->unknown_count > 0)
        births_resolve(tracer);
    housekeeping_find_ends(tracer, now);
    return supervisor->scan.at + active_search_period(supervisor);
}
