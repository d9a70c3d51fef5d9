/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The second half of a handover: seizes a tracee that another tracer has detached, and finds out what the tracee did
 * while it had no tracer. handover.c does the first half. The comment at its beginning describes the whole handover. */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/accounting.h"
#include "supervisor/debug-log.h"
#include "supervisor/follow.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/proc/system.h"
#include "supervisor/stop.h"
#include "supervisor/supervisor.h"
#include "supervisor/tick.h"

#define SEIZE_PAUSE_US 100
/* largest number of tries to seize a thread; during an exec, each may wait 10 ms: wakeup_seize */
#define SEIZE_TIMES 100
/* for this time, ns, the kernel does not give the number of an ended task to another task */
#define NUMBERS_NS 100000000u
#define CHILDREN_MAX 256u /* the time that a thread has no tracer is too short to make more children than this */

/* Returns true if PTRACE_SEIZE, which has failed with this error, may succeed later. EPERM is an example: PTRACE_SEIZE
 * finds a thread by its number, and may then wait for an exec. If that exec ends the thread, and gives its number to
 * another thread, PTRACE_SEIZE fails with EPERM. The next PTRACE_SEIZE finds the other thread. */
static bool handover_may_succeed(pid_t pid, pid_t tid, int error)
{
    return error == -EAGAIN || (error == -EPERM && !procfs_has_ended(pid, tid) &&
                                procfs_status_number(tid, "TracerPid:") == 0);
}

static int handover_seize(struct tracer *tracer, pid_t pid, pid_t tid)
{
    int error = -EAGAIN;

    for (int i = 0; i < SEIZE_TIMES && handover_may_succeed(pid, tid, error); i++) {
        error = attach_seize(tracer, tid);
        if (error == -EPERM)
            usleep(SEIZE_PAUSE_US);
        if (error != 0)
            wait_drain(tracer); /* other tracees wait for answers, and the exec may wait until we reap a thread */
    }
    return error;
}

/* Handles a tracee that could not be seized. The caller holds the lock. There are three possible reasons. The tracee
 * has ended, perhaps by an exec. Or an exec has given its number to another thread, which another tracer of ours
 * traces. Or we are no longer permitted to seize the tracee. */
static void handover_lose(struct tracer *tracer, struct tracee *tracee)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct process *process = tracee->process;
    bool leads_others = tracee->tid == process->pid && process->tracee_count > 1;

    bool is_ours = supervisor_traces(supervisor, tracee->tid);
    if (is_ours && !tracee->dropped && process->tracee_count == 1)
        /* Keeps the tracee, so that its process is not freed. Another tracer has seized the thread to which an exec has
         * given the tracee's number. That tracer needs the process, and will drop this tracee */
        return;
    if (tracee->dropped || is_ours) {
        tracee_forget(tracer, tracee);
    } else if (leads_others) { /* the end of the last other thread will be reported as the end of the process */
        process->led = false;
        tracee_forget(tracer, tracee);
    } else if (procfs_has_ended(process->pid, tracee->tid) || process->tracee_count == 1) {
        tracee_answer_end(tracer, tracee, tracee_last_cpu(supervisor, tracee), -1);
    } else {
        untraced_add(&supervisor->processes, process, tracee->tid, tracee->time.used_ns);
        supervisor->stats.untraced++;
        tracee_forget(tracer, tracee);
    }
}

/* Returns true if the leader of the process has no tracer. This is so if a thread without a tracer has called execve,
 * and so has become the leader. The caller holds the lock. */
static bool handover_leader_is_untraced(struct supervisor *supervisor, pid_t pid)
{
    struct process *process = process_find(&supervisor->processes, pid);

    if (process == NULL || procfs_status_number(pid, "TracerPid:") != 0 || procfs_has_ended(pid, pid) ||
        procfs_start_time(pid) != process->start_time)
        return false;
    if (untraced_knows(process, pid) && procfs_status_number(pid, "Threads:") > 1)
        /* The leader is in the list of threads that could not be seized. There was no exec, because an exec would have
         * ended all other threads */
        return false;
    for (const struct tracee *tracee = process->tracees; tracee != NULL; tracee = tracee->process_next)
        if (tracee->tid == pid && tracee->state == TRACEE_RELEASED)
            return false; /* the tracer that gets the leader in a handover will seize it */
    return true;
}

/* Adds the leader of a process to our tracees. This tracer has seized the leader after an exec that no tracer saw. The
 * caller holds the lock. */
static void handover_adopt_leader(struct tracer *tracer, pid_t pid)
{
    struct processes *processes = &tracer->supervisor->processes;
    struct process *process = process_find(processes, pid);

    if (process == NULL)
        process = process_add(processes, pid);
    struct tracee *leader = process != NULL ? tracee_add(&tracer->tracees, process, pid) : NULL;
    if (leader != NULL) {
        leader->state = TRACEE_RUNNING;
        debug_log(tracer, "seize %d %d", pid, pid);
        exec_missed(tracer, leader);
    }
}

static void handover_find_leader(struct tracer *tracer, pid_t pid)
{
    struct supervisor *supervisor = tracer->supervisor;

    supervisor_lock(supervisor);
    bool lost = handover_leader_is_untraced(supervisor, pid);
    supervisor_unlock(supervisor);
    if (!lost || handover_seize(tracer, pid, pid) != 0)
        return;
    supervisor_lock(supervisor);
    handover_adopt_leader(tracer, pid);
    supervisor_unlock(supervisor);
}

static void handover_begin(struct tracer *tracer, struct tracee *tracee)
{
    uint64_t now = time_now();

    tracee->handover.done_at = now;
    tracee->handover.away_since = 0;
    debug_log(tracer, "seize %d %d", tracee->tid, tracee->process->pid);
    tracee_activate(&tracer->tracees, tracee, now);
    /* Compares the program only if the tracee is a leader. An exec ends all other threads, so they cannot have a new
     * program */
    bool leads = tracee->tid == tracee->process->pid;
    uint64_t image = leads ? procfs_exec_id(tracee->tid) : 0;
    if (image != 0 && image != tracee->handover.exec_id)
        exec_missed(tracer, tracee);
    tick_arm(tracer);
}

/* Called without the lock. Returns true if the thread has called execve while PTRACE_SEIZE waited. By the exec the
 * thread has got the number of its process. */
static bool handover_has_executed(pid_t pid, pid_t tid)
{
    return tid != pid && !procfs_is_thread(pid, tid);
}

/* --- tasks that the tracee made while it had no tracer -------------------------------------------- */

/* Returns true if the process may have been made after `time` (CLOCK_BOOTTIME, ns). The kernel reports the start of a
 * process in clock ticks only. So the answer is also true for a process that was made up to one clock tick before
 * `time`. */
static bool handover_is_younger(pid_t pid, uint64_t time)
{
    uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);

    return (procfs_start_time(pid) + 1) * tick_ns >= time;
}

/* Returns true if the kernel assigned the process number `pid` after the number `after`, and not after the number
 * `last`. It assigns numbers in ascending order, and begins again with low numbers after the largest one: alloc_pid in
 * kernel/pid.c. */
static bool handover_is_numbered_between(pid_t pid, pid_t after, pid_t last)
{
    return after < last ? pid > after && pid <= last : pid > after || pid <= last;
}

/* Called without the lock. Returns true if one of our tracers traces the child. Then the child was not missed: its
 * parent had a tracer when it made the child, and the parent's stop reports the child. */
static bool handover_has_tracer(struct supervisor *supervisor, pid_t pid)
{
    supervisor_lock(supervisor);
    bool has = supervisor_traces(supervisor, pid);
    supervisor_unlock(supervisor);
    return has;
}

static void handover_seize_child(struct tracer *tracer, pid_t parent, pid_t parent_tid, pid_t pid)
{
    struct supervisor *supervisor = tracer->supervisor;

    supervisor_lock(supervisor);
    struct process *from = process_find(&supervisor->processes, parent);
    /* skips a child that one of our tracers traces, because its parent's stop will report it */
    bool missed = from != NULL && process_find(&supervisor->processes, pid) == NULL &&
                  supervisor_find(supervisor, pid) == NULL && !supervisor_traces(supervisor, pid);
    bool added = missed && new_task_add_child(tracer, from, parent_tid, pid);
    supervisor_unlock(supervisor);
    if (added)
        attach_rest(tracer, pid);
}

/* Called without the lock. Seizes the tasks that the tracee made while it had no tracer. Does nothing if the kernel's
 * newest process number shows that there are none. */
static void handover_find_missed(struct tracer *tracer, struct tracee *tracee)
{
    pid_t children[CHILDREN_MAX], pid = tracee->process->pid, tid = tracee->tid;
    struct system_load load = {0};

    supervisor_lock(tracer->supervisor);
    int error = system_load_read(&tracer->supervisor->load);
    load = tracer->supervisor->load;
    supervisor_unlock(tracer->supervisor);
    if (error == 0 && load.last_pid == tracee->handover.last_pid)
        return;
    uint64_t released_at = tracee->handover.released_at;
    pid_t last_before = tracee->handover.last_pid;
    /* In the first NUMBERS_NS after the tracee was detached, process numbers are enough to recognize new tasks. Later,
     * start times are needed, too. To read them from "stat", we may have to wait for an exec (proc/system.c) */
    bool lately = error == 0 && clock_read(CLOCK_BOOTTIME) < released_at + NUMBERS_NS;
    attach_rest(tracer, pid); /* seizes threads that were missed; afterwards the tracee may be gone */
    unsigned count = procfs_newest_children(pid, tid, children, CHILDREN_MAX);
    for (unsigned i = 0; i < count; i++)
        if ((error != 0 || handover_is_numbered_between(children[i], last_before, load.last_pid)) &&
            !handover_has_tracer(tracer->supervisor, children[i]) &&
            (lately || handover_is_younger(children[i], released_at)))
            handover_seize_child(tracer, pid, tid, children[i]);
}

/* Puts tracee tid on a list. When the tracee has stopped the next time, handover_search_again searches once more for
 * tasks that it made. Does nothing if the list is full (RECHECKS_MAX). */
static void handover_note_recheck(struct tracer *tracer, pid_t tid)
{
    if (tracer->new_tasks.recheck_count < RECHECKS_MAX)
        tracer->new_tasks.recheck[tracer->new_tasks.recheck_count++] = tid;
}

bool handover_search_again(struct tracer *tracer)
{
    bool looked = false;

    for (unsigned i = 0; i < tracer->new_tasks.recheck_count; i++) {
        struct tracee *tracee = tracee_find(&tracer->tracees, tracer->new_tasks.recheck[i]);
        if (tracee != NULL && tracee->resumed_at <= tracee->handover.done_at)
            continue;
        tracer->new_tasks.recheck[i--] = tracer->new_tasks.recheck[--tracer->new_tasks.recheck_count];
        if (tracee == NULL || tracee->process == NULL || tracee->dropped)
            continue;
        handover_find_missed(tracer, tracee);
        looked = true;
    }
    return looked;
}

/* --- taking the tracee ----------------------------------------------------------------------------- */

void handover_take(struct tracer *tracer, struct tracee *tracee)
{
    struct supervisor *supervisor = tracer->supervisor;
    pid_t pid = tracee->process->pid, tid = tracee->tid;
    int error = supervisor->leaving ? -ECANCELED : handover_seize(tracer, pid, tid);
    bool executed = error == 0 && handover_has_executed(pid, tid);

    supervisor_lock(supervisor);
    tracee_put_in(&tracer->tracees, tracee);
    tracee->process->released_count--;
    tracee->state = TRACEE_RUNNING;
    handover_withdraw(tracee);
    bool taken = error == 0 && !executed && !tracee->dropped;
    if (taken)
        handover_begin(tracer, tracee);
    else if (executed)
        handover_adopt_leader(tracer, pid);
    else if (!supervisor->leaving)
        handover_lose(tracer, tracee);
    supervisor_unlock(supervisor);
    if (taken) {
        handover_note_recheck(tracer, tid);
        handover_find_missed(tracer, tracee);
    } else if (tid != pid && !executed && !supervisor->leaving) {
        handover_find_leader(tracer, pid);
    }
}
