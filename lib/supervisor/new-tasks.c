/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Follows the tasks that tracees make: threads, and processes if children are followed.
 *
 * A new task is traced from its beginning, by its parent's tracer. The kernel reports it by two stops: a FORK or CLONE
 * stop of the parent, and the first stop of the task itself. Either stop may come first. In these two examples, 42 is
 * the task, and RUNNING, STARTING and UNKNOWN are its states (enum tracee_state):
 *
 *     parent: CLONE of 42      announced: STARTING      |   42: first stop     held: UNKNOWN
 *     42: first stop           resumed: RUNNING         |   parent: CLONE of 42     resumed: RUNNING
 *
 * If the parent is killed before its stop, /proc shows to which process the task belongs.
 *
 * While a tracee is handed over to another tracer, it has no tracer for some microseconds. A task that it makes in that
 * time has no tracer, either. handover-take.c finds such tasks.
 */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ptrace.h>

#include "base/clock.h"
#include "supervisor/accounting.h"
#include "supervisor/debug-log.h"
#include "supervisor/emit.h"
#include "supervisor/follow.h"
#include "supervisor/preempt.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/python/python.h"
#include "supervisor/regs.h"
#include "supervisor/schedule.h"
#include "supervisor/serve/serve.h"
#include "supervisor/stop.h"
#include "supervisor/supervisor.h"
#include "supervisor/tick.h"
#include "supervisor/usage.h"
#include "wire/wire.h"

/* how long we remember that a task ended before its parent reported it, ns. Later, another task may have its number */
#define ENDED_EARLY_NS 1000000000u
/* a new task that uses no CPU time stays active for this time, ns. It is short, because most threads of a pool begin by
 * going to sleep */
#define NEWBORN_ACTIVE_NS 5000000u

static bool new_task_is_followed(const struct supervisor *supervisor, const struct process *process)
{
    return supervisor->options.serve ? process->counts != NULL : supervisor->options.inherit;
}

/* In wall mode, the stack of a thread may be copied before a tick stops the thread for the first time. */
static void new_task_note_stack_end(const struct tracer *tracer, struct tracee *tracee)
{
    bool is_thread = tracee->tid != tracee->process->pid;
    struct regs regs;

    if (is_thread && tracer->supervisor->options.wall && tracer->stack.limit > 0 && regs_read(tracee->tid, &regs) == 0)
        tracee_note_stack_end(tracee, &regs);
}

void new_task_start(struct tracer *tracer, struct tracee *tracee, enum stop_kind kind)
{
    struct supervisor *supervisor = tracer->supervisor;

    if (tracee->tid == tracee->process->pid && !new_task_is_followed(supervisor, tracee->process)) {
        tracee_detach(tracer, tracee);
        return;
    }
    if (kind == STOP_GROUP) {
        tracee->state = TRACEE_LISTENING;
        debug_log(tracer, "listen %d", tracee->tid);
        ptrace(PTRACE_LISTEN, tracee->tid, NULL, 0L);
    } else {
        /* Only with options.serve, because these reads take time. With options.serve, there are few programs, and none
         * of them makes tasks all the time */
        if (supervisor->options.serve) {
            tick_note_cpu(tracee);
            preempt_expect(tracer, tracee->look.cpu);
        }
        new_task_note_stack_end(tracer, tracee);
        at_stop_resume(tracer, tracee, 0, false);
    }
    uint64_t now = time_now();
    tracee_begin_wall(tracee, now);
    tracee_activate(&tracer->tracees, tracee, now);
    tracee->activity.until = now + NEWBORN_ACTIVE_NS;
    tick_arm(tracer);
}

/* Adds a new task of `process`: a stop of its parent, or /proc, has shown that it belongs to this process. If the task
 * is held already (an UNKNOWN tracee), completes its tracee. parent: process that made the task; 0: not known. */
static void new_task_announce(struct tracer *tracer, struct process *process, pid_t parent, pid_t tid)
{
    struct tracees *tracees = &tracer->tracees;
    struct tracee *tracee = tracee_find(tracees, tid);
    bool new_process = process->pid == tid;

    tracer->supervisor->born_at = time_now();
    process_expect_unreported_ends(tracer->supervisor);
    if (tracee != NULL && tracee->state != TRACEE_UNKNOWN) {
        tracee_forget(tracer, tracee); /* the tracee belongs to an earlier task with the same number */
        tracee = NULL;
    }
    bool stopped = tracee != NULL;
    if (stopped) {
        tracer->new_tasks.unknown_count--;
        tracee_adopt(tracee, process);
    } else {
        tracee = tracee_add(tracees, process, tid);
    }
    if (tracee != NULL) {
        debug_log(tracer, "born %d %d", tid, process->pid);
        usage_note_thread(process);
        if (new_process)
            usage_begin_child(tracer->supervisor, process);
        tracee->files.may_exec = new_process;
        tracee->born_at = new_process ? time_now() : 0;
    }
    if (new_process && !new_task_is_followed(tracer->supervisor, process))
        process->usage.left_out = process->end_reported = true; /* the client learns of neither its birth nor its end */
    else if (new_process)
        emit_fork(tracer->supervisor, tid, parent);
    else
        emit_task(tracer->supervisor, WIRE_THREAD, process->pid, tid);
    if (stopped)
        new_task_start(tracer, tracee, tracee->born_stopped ? STOP_GROUP : STOP_INTERRUPT);
}

/* Adds a process. counts: its histograms, which it owns from now on. Returns the process. If memory is short, frees
 * `counts` and returns NULL. */
static struct process *new_task_add_process(struct tracer *tracer, pid_t pid, struct counts *counts)
{
    struct processes *processes = &tracer->supervisor->processes;
    struct process *process = process_find(processes, pid);

    if (process != NULL)
        process_forget(tracer, process);
    process = process_add(processes, pid);
    if (process == NULL) {
        counts_free(counts);
        return NULL;
    }
    counts_give(process, counts);
    counts_draw_owed(process, schedule_random(&tracer->schedule, UINT32_MAX));
    return process;
}

bool new_task_add_child(struct tracer *tracer, const struct process *parent, pid_t parent_tid, pid_t pid)
{
    if (!new_task_is_followed(tracer->supervisor, parent))
        return false;
    struct process *child = new_task_add_process(tracer, pid, counts_inherited(parent, parent_tid));
    if (child == NULL)
        return false;
    python_inherit(child, parent);
    atomic_store(&child->has_go, atomic_load(&parent->has_go));
    emit_fork(tracer->supervisor, pid, parent->pid);
    return true;
}

/* Returns true if the task has ended before its parent reported it. Returns true only once for a task, because another
 * task may get the number. */
static bool new_task_has_ended_early(struct tracer *tracer, pid_t tid)
{
    for (unsigned i = 0; i < ENDED_EARLY_MAX; i++) {
        struct ended_early *ended = &tracer->new_tasks.ended_early[i];
        if (ended->tid != tid)
            continue;
        ended->tid = 0;
        return time_now() - ended->at < ENDED_EARLY_NS;
    }
    return false;
}

/* Returns true if this child became known before its parent reported it, even if the child has ended since. Returns
 * true only once for a child, because another task may get the number. */
static bool new_task_was_seen_early(struct tracer *tracer, pid_t tid)
{
    struct tracee *tracee = tracee_find(&tracer->tracees, tid);
    bool early = tracee != NULL && tracee->seen_before_parent;

    if (early)
        tracee->seen_before_parent = false;
    return tracee != NULL ? early : new_task_has_ended_early(tracer, tid);
}

void new_task_answer_parent(struct tracer *tracer, struct tracee *parent, enum stop_kind kind)
{
    struct process *process = parent->process;
    pid_t parent_pid = process->pid;
    unsigned long message = 0;

    ptrace(PTRACE_GETEVENTMSG, parent->tid, NULL, &message);
    pid_t tid = (pid_t)message;
    bool known = tid > 0 && new_task_was_seen_early(tracer, tid);
    /* Copies the parent's histograms before at_stop_answer, which may add a sample to them: the child must inherit them
     * as they were at the fork */
    struct counts *inherited = known ? NULL : counts_inherited(process, parent->tid);
    at_stop_answer(tracer, parent, 0, STOP_BY_TRACEE);
    if (tid <= 0 || known) {
        counts_free(inherited);
        return;
    }
    if (kind == STOP_FORK || !procfs_is_thread(parent_pid, tid))
        process = new_task_add_process(tracer, tid, inherited);
    else
        counts_free(inherited);
    if (process != NULL)
        new_task_announce(tracer, process, parent_pid, tid);
}

void new_task_hold(struct tracer *tracer, pid_t tid, const struct stop *stop)
{
    if (stop->kind == STOP_ENDED)
        return; /* ignores the end: an exec has ended this thread, and our tables need no entry for it */
    bool first = stop->kind == STOP_INTERRUPT || stop->kind == STOP_GROUP;
    struct tracee *tracee = first ? tracee_add(&tracer->tracees, NULL, tid) : NULL;
    if (tracee == NULL) {
        int signal = stop->kind == STOP_SIGNAL ? stop->signal : 0;
        debug_log(tracer, "resume %d %d", tid, signal);
        ptrace(PTRACE_CONT, tid, NULL, (long)signal);
        return;
    }
    usage_note_stop(tracee, stop->kind);
    debug_log(tracer, "held %d", tid);
    tracee->born_stopped = stop->kind == STOP_GROUP;
    tracer->new_tasks.unknown_count++;
}

static void new_task_resolve_one(struct tracer *tracer, struct tracee *tracee, pid_t pid)
{
    struct processes *processes = &tracer->supervisor->processes;
    pid_t parent = (pid_t)procfs_status_number(tracee->tid, "PPid:");
    struct process *process = process_find(processes, pid);
    const struct process *from = parent > 0 ? process_find(processes, parent) : NULL;

    tracee->seen_before_parent = true; /* the parent may still report this task */
    /* we do not know which thread of the parent has made the child, so the child does not inherit a histogram of a
     * single thread */
    if (process == NULL)
        process = new_task_add_process(tracer, pid, from != NULL ? counts_inherited(from, parent) : NULL);
    if (process != NULL)
        new_task_announce(tracer, process, parent > 0 ? parent : 0, tracee->tid);
}

void new_task_resolve(struct tracer *tracer)
{
    struct tracees *tracees = &tracer->tracees;

    for (size_t i = 0; tracer->new_tasks.unknown_count > 0 && i < tracees->bucket_count; i++)
        for (struct tracee *tracee = tracees->buckets[i]; tracee != NULL; tracee = tracee->hash_next) {
            if (tracee->state != TRACEE_UNKNOWN)
                continue;
            pid_t pid = (pid_t)procfs_status_number(tracee->tid, "Tgid:");
            if (pid <= 0)
                continue;
            new_task_resolve_one(tracer, tracee, pid);
            return; /* ends the walk, because the tables may have changed; the next call continues with another task */
        }
}
