/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decides which tracees are active. Each tick looks at all active tracees, and at only a few others. So its cost
 * depends on the number of threads that run, not on the number of threads that exist.
 *
 * One system call reads the clock of a whole process. If this clock has advanced by no more than the CPU time of the
 * active threads, no other thread has run. If it has advanced by more, the other threads are searched, some at a time,
 * for threads whose CPU time has grown. The clock of another process lags behind by up to one tick of the kernel's
 * scheduler (4 ms at 250 Hz). So the clock is used only to find threads that woke up, not to skip active threads.
 */
#include "config.h"

#include "base/clock.h"
#include "supervisor/cpu-time.h"
#include "supervisor/follow.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/supervisor.h"
#include "supervisor/tick.h"

#define SEARCH_PERIOD_MIN_NS 10000000u
/* shortest period of searches while no CPU is idle, ns. It is longer than SEARCH_PERIOD_MIN_NS, because the search
 * takes a CPU from a target */
#define SEARCH_PERIOD_FULL_NS 40000000u
#define SEARCH_PERIOD_MAX_NS 1500000000u /* longest period of searches, ns; needed only with thousands of processes */
#define SEARCH_SHARE 500u /* period of searches, divided by the CPU time of reading the clocks of all processes */
/* one piece of a round (struct search) looks at no more processes and threads than this */
#define SEARCH_PIECE_MAX 256u
#define SEARCH_PIECE_NS 1000000u /* time from one piece of a search round to the next, ns */
/* a process is searched if its inactive threads have used more CPU time than this, ns */
#define UNEXPLAINED_NS 50000u
#define WORTH_A_LOOK_NS 200000u /* a tracee that uses at least this CPU time in activity.span, ns, stays active */
#define ACTIVE_SPAN_MIN_NS 200000000u

void active_drop_idle(struct tracer *tracer, uint64_t now)
{
    struct tracee *next;

    for (struct tracee *tracee = tracer->tracees.active; tracee != NULL; tracee = next) {
        next = tracee->activity.next;
        if (now < tracee->activity.until)
            continue;
        uint64_t before = tracee->time.used_ns;
        struct procfs_cpu cpu;
        if (tracee_read_cpu(tracee, &cpu) && tracee->time.used_ns - before >= WORTH_A_LOOK_NS) {
            tracee->activity.until = now + tracee->activity.span;
            continue;
        }
        /* cancels a handover, which would never take place: an inactive tracee is not interrupted */
        handover_withdraw(tracee);
        if (tracee->activity.span / 2 >= ACTIVE_SPAN_MIN_NS)
            tracee->activity.span /= 2;
        tracee_deactivate(&tracer->tracees, tracee);
    }
}

void active_note(struct tracer *tracer, struct tracee *tracee, uint64_t now)
{
    if (tracee->tracer == tracer) {
        tracee_activate(&tracer->tracees, tracee, now);
        return;
    }
    tracee->inbox.activate = true;
    tracer_post(tracee);
}

static bool active_is_unexplained(struct process *process)
{
    uint64_t explained = process->search.explained_ns + process->search.unexplained_ns + UNEXPLAINED_NS;
    return process_cpu_traced(process) > explained;
}

/* Returns true if the thread has used CPU time since the last call. Some kernels do not count the CPU time of single
 * threads (without CONFIG_SCHED_INFO, or, before Linux 5.14, without the option delayacct). On these kernels the file
 * schedstat is missing, or contains zeros. Then the function returns true if the thread is running now. */
static bool active_has_run(struct tracee *tracee)
{
    uint64_t before = tracee->time.used_ns;
    struct procfs_state state;
    struct procfs_cpu cpu;

    if (tracee_read_cpu(tracee, &cpu) && cpu.turns > 0)
        return tracee->time.used_ns > before;
    procfs_look(&tracee->files, &state);
    return state.doing == PROCFS_RUNNING;
}

/* Searches up to `left` threads of the process. Returns `left` minus the number of threads searched. */
static unsigned active_search_threads(struct tracer *tracer, struct process *process, uint64_t now, unsigned left)
{
    for (; process->search.next != NULL && left > 0; process->search.next = process->search.next->process_next) {
        struct tracee *tracee = process->search.next;
        if (tracee->activity.active || tracee->state == TRACEE_STARTING)
            continue;
        left--;
        if (active_has_run(tracee))
            active_note(tracer, tracee, now);
        else
            procfs_task_close_if_scarce(&tracee->files);
    }
    if (process->search.next == NULL) {
        uint64_t total = process_cpu_traced(process);
        uint64_t explained = process->search.explained_ns;
        process->search.unexplained_ns = total > explained ? total - explained : 0;
    }
    return left;
}

static void active_read_clocks(struct supervisor *supervisor, struct process *process)
{
    untraced_read(&supervisor->processes, process);
    for (struct tracee *tracee = process->tracees; tracee != NULL; tracee = tracee->process_next) {
        struct procfs_cpu cpu;
        if (tracee->activity.active)
            tracee_read_cpu(tracee, &cpu);
    }
}

/* Returns the time from the beginning of one round (struct search) to the beginning of the next, ns. To read the clock
 * of a process, the kernel adds up the times of its threads. So all clocks are read less often if there are thousands
 * of threads. */
static uint64_t active_search_period(const struct supervisor *supervisor)
{
    uint64_t period = supervisor->search.cost_ns * SEARCH_SHARE;
    uint64_t least = supervisor->cpus.full ? SEARCH_PERIOD_FULL_NS : SEARCH_PERIOD_MIN_NS;

    if (period > SEARCH_PERIOD_MAX_NS)
        return SEARCH_PERIOD_MAX_NS;
    return period > least ? period : least;
}

static bool active_is_only_thread(const struct process *process)
{
    const struct tracee *tracee = process->tracees;

    return tracee != NULL && tracee->activity.active && tracee->process_next == NULL;
}

static bool active_is_to_be_searched(struct supervisor *supervisor, struct process *process)
{
    if (process->launching || !active_is_unexplained(process) || active_is_only_thread(process))
        return false;
    active_read_clocks(supervisor, process);
    return active_is_unexplained(process);
}

/* Does one piece of a round (struct search), beginning at processes->searched. */
static void active_search_piece(struct tracer *tracer, uint64_t now)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct processes *processes = &supervisor->processes;
    /* measures CPU time and not elapsed time: while no CPU is idle, elapsed time would include the time of other
     * tasks */
    uint64_t began = clock_read(CLOCK_THREAD_CPUTIME_ID);
    unsigned left = SEARCH_PIECE_MAX, visited = 0;

    while (processes->searched != NULL && left > 0) {
        struct process *process = processes->searched;
        left--;
        visited++;
        if (process->search.next == NULL && active_is_to_be_searched(supervisor, process))
            process->search.next = process->tracees;
        if (process->search.next != NULL)
            left = active_search_threads(tracer, process, now, left);
        if (process->search.next == NULL)
            processes->searched = process->next;
    }
    /* Only the cost of reading clocks counts, because a cost that counts delays the next round. The search for threads
     * that have woken up must not delay it */
    uint64_t cost_ns = clock_read(CLOCK_THREAD_CPUTIME_ID) - began;
    supervisor->search.cost_ns += cost_ns * visited / (SEARCH_PIECE_MAX - left + 1);
}

uint64_t active_search(struct tracer *tracer, uint64_t now)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct processes *processes = &supervisor->processes;
    struct search *scan = &supervisor->search;
    uint64_t due = processes->searched != NULL ? scan->piece_at + SEARCH_PIECE_NS
                                               : scan->at + active_search_period(supervisor);

    if (now < due)
        return due;
    if (processes->searched == NULL) {
        processes->searched = processes->first;
        *scan = (struct search){.at = now};
    }
    scan->piece_at = now;
    active_search_piece(tracer, now);
    return processes->searched != NULL ? now + SEARCH_PIECE_NS : scan->at + active_search_period(supervisor);
}
