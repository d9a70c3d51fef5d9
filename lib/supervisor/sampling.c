/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts and pauses sampling in all tracers, resets the totals, and changes the rate and mode of sampling. */
#include "config.h"

#include "base/clock.h"
#include "supervisor/budget.h"
#include "supervisor/cpu-time.h"
#include "supervisor/debug-log.h"
#include "supervisor/emit.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/sampling.h"
#include "supervisor/supervisor.h"
#include "supervisor/wakeup.h"

/* how long the budget's condition includes BUDGET_NEW_TASKS after a task was made, ns */
#define NEW_TASKS_NS 10000000u
/* from the start of sampling to the first statistics, ns; short, because a live view waits for them */
#define STATS_FIRST_NS 200000000u

static void sampling_begin_wall_of(struct tracee *tracee, uint64_t now)
{
    struct procfs_cpu cpu;

    if (procfs_read_cpu(&tracee->files, &cpu) == 0)
        tracee->sleep.wall.wait_ns = cpu.wait_ns;
    tracee_begin_wall(tracee, now);
}

/* From now on, the elapsed time of all threads counts (wall mode). */
static void sampling_begin_wall(struct supervisor *supervisor, uint64_t now)
{
    for (struct process *process = supervisor->processes.first; process != NULL; process = process->next)
        for (struct tracee *tracee = process->tracees; tracee != NULL; tracee = tracee->process_next)
            sampling_begin_wall_of(tracee, now);
}

/* Takes the baselines of all processes: CPU time used before does not count. Does nothing with options.serve, because
 * serve/serve.c begins and pauses the sampling of each process separately. */
static void sampling_take_baselines(struct supervisor *supervisor)
{
    if (supervisor->options.serve)
        return;
    for (struct process *process = supervisor->processes.first; process != NULL; process = process->next)
        baseline_take(supervisor, process);
}

/* Wakes all tracers up. Each tracer then sets the time of its next tick if it has none. */
static void sampling_wake_tracers(const struct supervisor *supervisor)
{
    for (unsigned i = 0; i < supervisor->tracer_count; i++)
        wakeup_send(&supervisor->tracers[i]->wakeup);
}

/* Logs the requested rate. Whoever replays the debug log needs this line before the first "cost" line, and at each
 * change of the requested rate. */
static void sampling_log_asked(const struct supervisor *supervisor)
{
    debug_log(supervisor->tracers[0], "ask %.9g %.9g", supervisor->budget.asked_hz, supervisor->budget.share);
}

void sampling_start(struct supervisor *supervisor)
{
    if (supervisor->sampling)
        return;
    supervisor->sampling = true;
    supervisor->started_at = time_now();
    sampling_log_asked(supervisor);
    for (unsigned i = 0; i < supervisor->tracer_count; i++)
        supervisor->tracers[i]->tick.at = supervisor->started_at;
    /* so that the pause does not count as time in which the rate was reduced */
    supervisor->budget.adjusted_at = supervisor->started_at;
    supervisor->housekeeping.stats_due = supervisor->started_at + STATS_FIRST_NS;
    supervisor->ended.left_ns = 0;
    sampling_take_baselines(supervisor);
    sampling_begin_wall(supervisor, supervisor->started_at);
    sampling_wake_tracers(supervisor);
}

void sampling_set_wall(struct supervisor *supervisor, bool wall)
{
    if (wall && !supervisor->options.wall)
        sampling_begin_wall(supervisor, time_now());
    supervisor->options.wall = wall;
    sampling_wake_tracers(supervisor);
}

void sampling_pause(struct supervisor *supervisor)
{
    if (!supervisor->sampling)
        return;
    supervisor->stats.elapsed_ns += time_now() - supervisor->started_at;
    for (struct process *process = supervisor->processes.first; process != NULL; process = process->next)
        process->clock.paused_ns = process_cpu_counted(process, true);
    supervisor->sampling = false;
    sampling_take_baselines(supervisor);
    sampling_wake_tracers(supervisor);
}

void sampling_clear(struct supervisor *supervisor)
{
    supervisor->stats = (struct wire_stats){.untraced = supervisor->processes.untraced_count};
    supervisor->budget.throttled_ns = 0;
    supervisor->ended.cpu_ns = 0;
    supervisor->started_at = supervisor->budget.adjusted_at = time_now();
    for (struct process *process = supervisor->processes.first; process != NULL; process = process->next)
        process->clock.paused_ns = 0;
    sampling_take_baselines(supervisor);
}

unsigned sampling_condition(const struct supervisor *supervisor, bool full)
{
    bool makes_tasks = time_now() < supervisor->born_at + NEW_TASKS_NS;

    return (full ? BUDGET_FULL : 0) | (makes_tasks ? BUDGET_NEW_TASKS : 0);
}

void sampling_adjust_rate(struct tracer *tracer, uint64_t now)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct budget *budget = &supervisor->budget;
    unsigned condition = sampling_condition(supervisor, supervisor->cpus.full);

    if (condition != budget->condition)
        debug_log(tracer, "condition %u", condition);
    budget_adjust(budget, condition, now);
}

void sampling_set_rate(struct supervisor *supervisor, double hz)
{
    budget_ask(&supervisor->budget, hz);
    sampling_log_asked(supervisor);
    emit_rate(supervisor);
    sampling_wake_tracers(supervisor);
}
