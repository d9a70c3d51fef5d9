/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handles the end of a tracee or of a process. Also stops following a task that goes on (tracee_detach). Reports the
 * end to the client, and frees the structures. */
#include "config.h"

#include <sys/ptrace.h>

#include "base/clock.h"
#include "supervisor/attribution.h"
#include "supervisor/cpu-time.h"
#include "supervisor/debug-log.h"
#include "supervisor/emit.h"
#include "supervisor/follow.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/repair.h"
#include "supervisor/supervisor.h"
#include "supervisor/usage.h"

void tracee_detach(struct tracer *tracer, struct tracee *tracee)
{
    stray_sigpipe_restore_mask(tracee);
    ptrace(PTRACE_DETACH, tracee->tid, NULL, 0L);
    debug_log(tracer, "detach %d", tracee->tid);
    tracee_forget(tracer, tracee);
}

/* Returns true if the process ends when the tracee ends, as far as we can see: we do not see the end of a leader that
 * is not a tracee. */
static bool tracee_ends_process(const struct tracee *tracee)
{
    const struct process *process = tracee->process;

    return process->pid == tracee->tid || (!process->led && process->tracee_count == 1);
}

void process_report_end(struct supervisor *supervisor, struct process *process, uint64_t cpu_ns, int status)
{
    if (process->end_reported)
        return;
    process->end_reported = true;
    supervisor->ended.cpu_ns += cpu_ns;
    usage_report(supervisor, process, status);
    emit_exit(supervisor, process->pid, process->pid, cpu_ns, status);
    if (process->root)
        emit_wake(supervisor);
}

/* Notes that a task has ended, or is forgotten, before its parent reported it. The parent's report will come later, and
 * must not be taken for a new task. */
static void tracee_note_early_end(struct tracer *tracer, pid_t tid)
{
    tracer->new_tasks.ended_early[tracer->new_tasks.ended_early_next++ % ENDED_EARLY_MAX] =
        (struct ended_early){.tid = tid, .at = time_now()};
}

void tracee_forget(struct tracer *tracer, struct tracee *tracee)
{
    struct process *process = tracee->process;

    if (process != NULL && process->tracee_count == 1)
        process_report_end(tracer->supervisor, process, 0, -1);
    if (tracee->handover.to != NULL)
        tracee->handover.to->expected--;
    if (tracee->seen_before_parent)
        tracee_note_early_end(tracer, tracee->tid);
    usage_forget(tracee);
    debug_log(tracer, "forget %d", tracee->tid);
    tracee_remove(&tracer->tracees, tracee);
}

void tracee_answer_end(struct tracer *tracer, struct tracee *tracee, uint64_t cpu_ns, int status)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct process *process = tracee->process;

    if (process == NULL) {
        tracer->new_tasks.unknown_count--;
        tracee->seen_before_parent = true; /* the parent may still report this task */
    } else if (!tracee->dropped) {
        bool whole = tracee_ends_process(tracee);
        if (whole && process->pid != tracee->tid && !procfs_has_ended(process->pid, process->pid))
            status = -1; /* the process has not ended: its leader, which we do not trace, continues */
        if (whole) {
            attribution_note_end(supervisor, process);
            process_report_end(supervisor, process, cpu_ns, status);
        } else {
            emit_exit(supervisor, process->pid, tracee->tid, cpu_ns, status);
        }
    }
    tracee_forget(tracer, tracee);
}

/* Called before the task is reaped, because its CPU time cannot be read afterwards. */
uint64_t tracee_last_cpu(const struct supervisor *supervisor, struct tracee *tracee)
{
    struct procfs_cpu cpu;

    if (tracee == NULL || tracee->process == NULL || tracee->dropped)
        return 0;
    if (tracee_ends_process(tracee))
        return process_cpu_counted(tracee->process, supervisor->sampling);
    if (tracee->files.schedstat_fd >= 0)
        tracee_read_cpu(tracee, &cpu);
    return 0;
}

void tracee_drop(struct tracer *tracer, struct tracee *tracee)
{
    if (tracee->tracer == tracer && tracee->state != TRACEE_RELEASED) {
        tracee_forget(tracer, tracee);
    } else {
        tracee->dropped = true;
        tracer_post(tracee);
    }
}

void process_forget(struct tracer *tracer, struct process *process)
{
    struct tracee *next;

    process_report_end(tracer->supervisor, process, 0, -1);
    process_unlist(&tracer->supervisor->processes, process);
    if (process->tracees == NULL) {
        process_remove(&tracer->supervisor->processes, process);
        return;
    }
    for (struct tracee *tracee = process->tracees; tracee != NULL; tracee = next) {
        bool last = tracee->process_next == NULL;
        next = tracee->process_next;
        tracee_drop(tracer, tracee);
        if (last)
            return;
    }
}

void process_expect_unreported_ends(struct supervisor *supervisor)
{
    supervisor->housekeeping.unreported_until = time_now() + UNREPORTED_ENDS_NS;
}
