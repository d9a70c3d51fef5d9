/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who is looked at on every tick: the cost must follow the threads that run, not those that
 * exist.
 *
 * The clock of a whole process is one call, whatever its threads do. While it advances by no
 * more than the hot threads account for, nobody else has run; when it does, the others are
 * searched, some at a time, for whose CPU time has grown. The clock of another process lags
 * behind by up to one tick of the kernel's scheduler (4 ms at 250 Hz), so it serves to find
 * threads that woke up and never to skip those that are hot.
 */
#include "config.h"

#include "supervisor/supervisor.h"

#define SCAN_PERIOD_NS 10000000u /* at least; it is that of the ticks too while nobody is hot */
#define LONGEST_SCAN_PERIOD_NS 100000000u
#define SCAN_SHARE 250u         /* a search may take 1 in so many of the time */
#define SCAN_AT_ONCE 256u       /* threads read in one call */
#define UNEXPLAINED_NS 50000u   /* less is not worth a search */
#define WORTH_A_LOOK_NS 200000u /* less CPU time than this in a hot span is no work */
#define SHORTEST_HOT_SPAN 200000000u

static void cool_idle(struct supervisor *supervisor, uint64_t now)
{
    struct tracee *next;

    for (struct tracee *tracee = supervisor->tracees.hot; tracee != NULL; tracee = next) {
        next = tracee->hot_next;
        if (now < tracee->hot_until)
            continue;
        uint64_t before = tracee->cpu_ns;
        struct procfs_cpu cpu;
        if (tracee_read_cpu(tracee, &cpu) && tracee->cpu_ns - before >= WORTH_A_LOOK_NS) {
            tracee->hot_until = now + tracee->hot_span;
            continue;
        }
        if (tracee->hot_span / 2 >= SHORTEST_HOT_SPAN)
            tracee->hot_span /= 2;
        tracee_cool(&supervisor->tracees, tracee);
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
        if (tracee->hot || tracee->state == TRACEE_STARTING)
            continue;
        left--;
        if (tracee_read_cpu(tracee, &cpu) && tracee->cpu_ns > before)
            tracee_heat(&supervisor->tracees, tracee, now);
    }
    if (process->scan != NULL)
        return;
    uint64_t total = process_cpu_traced(process);
    process->unexplained_ns = total > process->explained_ns ? total - process->explained_ns : 0;
}

static void refresh(struct supervisor *supervisor, struct process *process)
{
    untraced_read(&supervisor->tracees, process);
    for (struct tracee *tracee = supervisor->tracees.hot; tracee != NULL;
         tracee = tracee->hot_next) {
        struct procfs_cpu cpu;
        if (tracee->process == process)
            tracee_read_cpu(tracee, &cpu);
    }
}

/* The clock of a process sums over its threads: with thousands of them it is read less often. */
uint64_t heat_scan_period(const struct supervisor *supervisor)
{
    uint64_t period = supervisor->scan_cost_ns * SCAN_SHARE;
    if (period > LONGEST_SCAN_PERIOD_NS)
        return LONGEST_SCAN_PERIOD_NS;
    return period > SCAN_PERIOD_NS ? period : SCAN_PERIOD_NS;
}

static bool only_thread_is_hot(const struct process *process)
{
    const struct tracee *tracee = process->tracees;

    return tracee != NULL && tracee->hot && tracee->process_next == NULL;
}

void heat_check(struct supervisor *supervisor, uint64_t now)
{
    cool_idle(supervisor, now);
    bool due = supervisor->idle || now - supervisor->scanned_at >= heat_scan_period(supervisor);
    for (struct process *process = supervisor->tracees.processes; process != NULL;
         process = process->next) {
        if (process->launching || only_thread_is_hot(process))
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
