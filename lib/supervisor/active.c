/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who is looked at on every tick: the cost must follow the threads that run, not those that
 * exist.
 *
 * The clock of a whole process is one call, whatever its threads do. While it advances by no
 * more than the active threads account for, nobody else has run; when it does, the others are
 * searched, some at a time, for whose CPU time has grown. The clock of another process lags
 * behind by up to one tick of the kernel's scheduler (4 ms at 250 Hz), so it serves to find
 * threads that woke up and never to skip those that are active.
 */
#include "config.h"

#include "supervisor/supervisor.h"

#define SCAN_PERIOD_MIN_NS 10000000u /* at least; it is that of the ticks too while nobody is active */
#define SCAN_PERIOD_MAX_NS 100000000u
#define SCAN_SHARE 250u         /* a search may take 1 in so many of the time */
#define SCAN_AT_ONCE 256u       /* threads read in one call */
#define UNEXPLAINED_NS 50000u   /* less is not worth a search */
#define WORTH_A_LOOK_NS 200000u /* less CPU time than this in a active span is no work */
#define ACTIVE_SPAN_MIN 200000000u

static void active_drop_idle(struct supervisor *supervisor, uint64_t now)
{
    struct tracee *next;

    for (struct tracee *tracee = supervisor->tracees.active; tracee != NULL; tracee = next) {
        next = tracee->active_next;
        if (now < tracee->active_until)
            continue;
        uint64_t before = tracee->cpu_ns;
        struct procfs_cpu cpu;
        if (tracee_read_cpu(tracee, &cpu) && tracee->cpu_ns - before >= WORTH_A_LOOK_NS) {
            tracee->active_until = now + tracee->active_span;
            continue;
        }
        if (tracee->active_span / 2 >= ACTIVE_SPAN_MIN)
            tracee->active_span /= 2;
        tracee_deactivate(&supervisor->tracees, tracee);
    }
}

static bool unexplained(const struct process *process)
{
    uint64_t explained = process->explained_ns + process->unexplained_ns + UNEXPLAINED_NS;
    return process_cpu_traced(process) > explained;
}

static void search(struct supervisor *supervisor, struct process *process, uint64_t now)
{
    unsigned left = SCAN_AT_ONCE;

    for (; process->scan != NULL && left > 0; process->scan = process->scan->process_next) {
        struct tracee *tracee = process->scan;
        struct procfs_cpu cpu;
        uint64_t before = tracee->cpu_ns;
        if (tracee->active || tracee->state == TRACEE_STARTING)
            continue;
        left--;
        if (tracee_read_cpu(tracee, &cpu) && tracee->cpu_ns > before)
            tracee_activate(&supervisor->tracees, tracee, now);
    }
    if (process->scan != NULL)
        return;
    uint64_t total = process_cpu_traced(process);
    process->unexplained_ns = total > process->explained_ns ? total - process->explained_ns : 0;
}

static void refresh(struct supervisor *supervisor, struct process *process)
{
    untraced_read(&supervisor->tracees, process);
    for (struct tracee *tracee = supervisor->tracees.active; tracee != NULL;
         tracee = tracee->active_next) {
        struct procfs_cpu cpu;
        if (tracee->process == process)
            tracee_read_cpu(tracee, &cpu);
    }
}

/* The clock of a process sums over its threads: with thousands of them it is read less often. */
uint64_t active_scan_period(const struct supervisor *supervisor)
{
    uint64_t period = supervisor->scan_cost_ns * SCAN_SHARE;
    if (period > SCAN_PERIOD_MAX_NS)
        return SCAN_PERIOD_MAX_NS;
    return period > SCAN_PERIOD_MIN_NS ? period : SCAN_PERIOD_MIN_NS;
}

static bool active_is_only_thread(const struct process *process)
{
    const struct tracee *tracee = process->tracees;

    return tracee != NULL && tracee->active && tracee->process_next == NULL;
}

void active_check(struct supervisor *supervisor, uint64_t now)
{
    active_drop_idle(supervisor, now);
    bool due = supervisor->idle || now - supervisor->scanned_at >= active_scan_period(supervisor);
    for (struct process *process = supervisor->tracees.processes; process != NULL;
         process = process->next) {
        if (process->launching || active_is_only_thread(process))
            continue;
        if (due && process->scan == NULL && unexplained(process)) {
            refresh(supervisor, process);
            if (unexplained(process))
                process->scan = process->tracees;
        }
        if (process->scan != NULL)
            search(supervisor, process, now);
    }
    if (!due)
        return;
    supervisor->scanned_at = now;
    supervisor->scan_cost_ns = time_now() - now;
}
