/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/emit.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/supervisor.h"
#include "supervisor/usage.h"

/* A launched process waits for the supervisor before its exec. Until then, its resident set grows by less than this. */
#define LAUNCH_GROWTH_KB 256

/* --- threads ----------------------------------------------------------------------------------- */

static uint64_t usage_sum(uint64_t one, uint64_t other)
{
    return one == WIRE_UNKNOWN || other == WIRE_UNKNOWN ? WIRE_UNKNOWN : one + other;
}

/* Reads the counts of a thread. Kernels without these statistics have files without numbers, or with zeros. */
static struct thread_usage usage_read_thread(struct tracee *tracee)
{
    struct thread_usage usage = {WIRE_UNKNOWN, WIRE_UNKNOWN, WIRE_UNKNOWN};
    struct procfs_cpu cpu;

    if (procfs_read_cpu(&tracee->files, &cpu) == 0 && cpu.turns > 0)
        usage.run_delay_ns = cpu.wait_ns;
    procfs_read_switches(tracee->tid, &usage.voluntary, &usage.involuntary);
    return usage;
}

static void usage_add_thread(struct process_usage *usage, struct tracee *tracee)
{
    const struct thread_usage now = usage_read_thread(tracee), *base = &tracee->usage.base;

    usage->ended.run_delay_ns = usage_sum(usage->ended.run_delay_ns, usage_since(now.run_delay_ns, base->run_delay_ns));
    /* in a stop the thread gives up its CPU, as in a sleep */
    usage->ended.voluntary = usage_sum(usage->ended.voluntary,
                                       usage_since(usage_since(now.voluntary, base->voluntary), tracee->usage.stops));
    usage->ended.involuntary = usage_sum(usage->ended.involuntary, usage_since(now.involuntary, base->involuntary));
    tracee->usage.counted = true;
}

void usage_note_thread(struct process *process)
{
    process->usage.threads++;
}

void usage_note_stop(struct tracee *tracee, enum stop_kind kind)
{
    if (tracee != NULL && kind != STOP_ENDED && kind != STOP_GROUP)
        tracee->usage.stops++;
}

void usage_become_leader(struct tracee *leader, const struct tracee *caller)
{
    leader->usage = caller->usage;
    leader->process->usage.incomplete = true;
}

void usage_forget(struct tracee *tracee)
{
    if (tracee->process != NULL && !tracee->usage.counted)
        tracee->process->usage.incomplete = true;
}

/* --- the beginning ------------------------------------------------------------------------------ */

static uint64_t usage_cpu(const struct process *process)
{
    struct timespec time;

    if (!process->clock.valid || clock_gettime(process->clock.id, &time) < 0)
        return WIRE_UNKNOWN;
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Reads the counts of a process that lives. Before Linux 5.7, the read of "io" might wait for an exec that waits for
 * us, if the process has several threads: proc/system.c. */
static int usage_read_process(const struct supervisor *supervisor, const struct process *process,
                              struct procfs_usage *usage)
{
    *usage = (struct procfs_usage){0};
    if (!supervisor->processes.wary || process->tracee_count == 1)
        procfs_read_io(process->pid, process->usage.io_fd, &usage->io);
    return procfs_read_usage(process->pid, usage);
}

void usage_init(struct process_usage *usage)
{
    *usage = (struct process_usage){.io_fd = -1, .base.io.known = true, .children.io.known = true};
}

void usage_free(struct process_usage *usage)
{
    if (usage->io_fd >= 0)
        close(usage->io_fd);
    usage->io_fd = -1;
}

void usage_begin_child(const struct supervisor *supervisor, struct process *process)
{
    if (supervisor->options.usage && process->usage.io_fd < 0)
        process->usage.io_fd = procfs_open_io(process->pid);
}

void usage_begin(const struct supervisor *supervisor, struct process *process)
{
    struct process_usage *usage = &process->usage;
    uint64_t launch_rss_kb = usage->launch_rss_kb;

    if (!supervisor->options.usage)
        return;
    if (process->launching) {
        long max_rss = procfs_status_number(process->pid, "VmHWM:");
        usage->launch_rss_kb = (max_rss > 0 ? (uint64_t)max_rss : 0) + LAUNCH_GROWTH_KB;
        return;
    }
    usage_free(usage);
    *usage = (struct process_usage){.io_fd = procfs_open_io(process->pid),
                                    .launch_rss_kb = launch_rss_kb,
                                    .attached = launch_rss_kb == 0,
                                    .threads = process->tracee_count,
                                    .incomplete = process->untraced != NULL,
                                    .base_cpu_ns = usage_cpu(process),
                                    .children.io.known = true};
    if (usage_read_process(supervisor, process, &usage->base) != 0)
        usage->incomplete = true;
    for (struct tracee *tracee = process->tracees; tracee != NULL; tracee = tracee->process_next) {
        tracee->usage.base = usage_read_thread(tracee);
        tracee->usage.stops = 0;
    }
}

/* --- the end ---------------------------------------------------------------------------------------- */

/* Adds a child that has ended to the sums of its parent's children. */
static void usage_add_child(struct process_usage *usage, const struct usage_sums *child)
{
    struct usage_sums *sums = &usage->children;

    sums->user_us += child->user_us;
    sums->system_us += child->system_us;
    sums->minor_faults += child->minor_faults;
    sums->major_faults += child->major_faults;
    sums->max_rss_kb = child->max_rss_kb > sums->max_rss_kb ? child->max_rss_kb : sums->max_rss_kb;
    sums->io.known = sums->io.known && child->io.known;
    sums->io.read_bytes += child->io.read_bytes;
    sums->io.written_bytes += child->io.written_bytes;
    sums->io.read_calls += child->io.read_calls;
    sums->io.write_calls += child->io.write_calls;
    sums->io.storage_read_bytes += child->io.storage_read_bytes;
    sums->io.storage_written_bytes += child->io.storage_written_bytes;
}

/* Reads what wait(2) reports for a process that has ended, without reaping it. Returns false if it has not ended. */
static bool usage_read_sums(pid_t pid, const struct procfs_io *io, struct usage_sums *sums)
{
    siginfo_t news = {0};
    struct rusage rusage;

    /* waitid(3) has no parameter for this structure */
    if (syscall(SYS_waitid, P_PID, pid, &news, WEXITED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD, &rusage) != 0 ||
        news.si_pid != pid)
        return false;
    *sums = (struct usage_sums){
        .user_us = (uint64_t)rusage.ru_utime.tv_sec * 1000000u + (uint64_t)rusage.ru_utime.tv_usec,
        .system_us = (uint64_t)rusage.ru_stime.tv_sec * 1000000u + (uint64_t)rusage.ru_stime.tv_usec,
        .minor_faults = (uint64_t)rusage.ru_minflt,
        .major_faults = (uint64_t)rusage.ru_majflt,
        .max_rss_kb = (uint64_t)rusage.ru_maxrss,
        .io = *io};
    return true;
}

void usage_read_end(const struct supervisor *supervisor, struct tracee *tracee)
{
    struct procfs_usage end;
    struct usage_sums sums;

    if (!supervisor->options.usage || tracee == NULL || tracee->process == NULL || tracee->dropped)
        return;
    struct process *process = tracee->process;
    usage_add_thread(&process->usage, tracee);
    /* the end of a leader is reported when the other threads have been reaped */
    if (tracee->tid != process->pid || procfs_read_usage(process->pid, &end) != 0)
        return;
    procfs_read_io(process->pid, process->usage.io_fd, &end.io);
    if (!usage_read_sums(process->pid, &end.io, &sums))
        return;
    usage_settle(&process->usage, &end, usage_cpu(process), &sums, 0);
    struct process *parent = process_find(&supervisor->processes, end.parent);
    if (parent != NULL)
        usage_add_child(&parent->usage, &sums);
}

void usage_read_alive(const struct supervisor *supervisor, struct process *process)
{
    struct procfs_usage now;

    if (!supervisor->options.usage || process->usage.settled)
        return;
    for (struct tracee *tracee = process->tracees; tracee != NULL; tracee = tracee->process_next)
        usage_add_thread(&process->usage, tracee);
    if (usage_read_process(supervisor, process, &now) != 0)
        return;
    long max_rss = procfs_status_number(process->pid, "VmHWM:");
    usage_settle(&process->usage, &now, usage_cpu(process), NULL, max_rss > 0 ? (uint64_t)max_rss : 0);
}

void usage_report(struct supervisor *supervisor, struct process *process, int status)
{
    struct process_usage *usage = &process->usage;
    struct wire_usage *figures = &usage->figures;

    if (!supervisor->options.usage || usage->left_out || process->launching)
        return;
    if (!usage->settled)
        usage_forget_figures(figures);
    figures->header = (struct wire_header){WIRE_USAGE, sizeof *figures};
    figures->time = time_now();
    figures->pid = (uint32_t)process->pid;
    figures->status = status;
    if (usage->settled && !usage->incomplete) {
        figures->threads = usage->threads;
        figures->run_delay_ns = usage->ended.run_delay_ns;
        figures->voluntary_switches = usage->ended.voluntary;
        figures->involuntary_switches = usage->ended.involuntary;
    }
    emit_usage(supervisor, figures);
}
