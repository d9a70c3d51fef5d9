/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hands a tracee over to another tracer.
 *
 * ptrace cannot hand a tracee over. So the old tracer detaches it at a stop outside of any system call, and the new
 * tracer seizes it as soon as the old one has woken it up:
 *
 *     old tracer   stop, PTRACE_DETACH, wake up the other
 *     new tracer                                   PTRACE_SEIZE, look for what was missed
 *     tracee       ====== runs, untraced for 20 to 50 us ==== runs
 *
 * In that gap the tracee may make tasks. new_task_find_missed detects them by the kernel's newest process number. It is
 * called at once, and again after the next stop, because a clone(2) may have begun in the gap. The tracee may execute
 * another program, which its auxiliary vector shows (procfs_exec_id). It may end. Signals are delivered as usual. A
 * thread that was made in the gap may execute another program before it is found. Then that thread takes the number of
 * its leader, and the leader's tracer has lost its tracee (handover_regain).
 */
#include "config.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/accounting.h"
#include "supervisor/debug-log.h"
#include "supervisor/follow.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/proc/system.h"
#include "supervisor/regs.h"
#include "supervisor/repair.h"
#include "supervisor/stop.h"
#include "supervisor/supervisor.h"
#include "supervisor/target-memory.h"
#include "supervisor/tick.h"

#define SEIZE_PAUSE_US 100
#define SEIZE_TIMES 100 /* while an exec is under way, each try may wait: wakeup_seize */

void handover_withdraw(struct tracee *tracee)
{
    if (tracee->handover.to != NULL)
        tracee->handover.to->expected--;
    tracee->handover.to = NULL;
}

/* Returns true if another thread of ours is permitted to seize the tracee. Permission may be lost: Yama forgets the
 * permitted tracer of a process when the leader of that process has ended. The test is a read of the tracee's memory,
 * which needs the same permission (ptrace(2), "Ptrace access mode checking"). */
static bool handover_is_permitted(const struct tracee *tracee, const struct regs *regs)
{
    unsigned char byte;

    return target_memory_read(tracee->tid, regs->sp, &byte, 1) == 0;
}

static bool handover_can_go_now(struct tracee *tracee, struct regs *regs)
{
    struct repair *repair = &tracee->repair;

    return tracee->state == TRACEE_INTERRUPTED && !repair->sigpipe.is_pending && !repair->giving_up &&
           held_signal_is_free(&repair->held, tracee->tid) && regs_read(tracee->tid, regs) == 0 && regs->syscall < 0;
}

/* Sends a detached tracee to tracer `to`, which may be the same as `from`. */
static void handover_send(struct tracer *from, struct tracee *tracee, struct tracer *to)
{
    tracee->handover.released_at = clock_read(CLOCK_BOOTTIME);
    tracee_take_out(&from->tracees, tracee);
    tracee->state = TRACEE_RELEASED;
    tracee->process->released_count++;
    process_expect_unreported_ends(from->supervisor);
    tracee->tracer = to;
    tracer_post(tracee);
    if (from->tick.pauses)
        tick_arm_after_pause(from);
}

bool handover_release(struct tracer *tracer, struct tracee *tracee)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct regs regs;
    bool released = false;

    if (!handover_can_go_now(tracee, &regs) || !tracee->handover.to->asleep)
        return false;
    tracee->handover.never = !handover_is_permitted(tracee, &regs);
    if (!supervisor_try_lock(supervisor))
        return false; /* the stopped tracee must not wait for the lock */
    struct tracer *to = tracee->handover.to;
    bool knows = system_load_read(&supervisor->load) == 0;
    tracee->handover.last_pid = supervisor->load.last_pid;
    if (tracee->handover.never || supervisor->leaving || !knows) {
        handover_withdraw(tracee);
    } else if (!tracee->dropped && ptrace(PTRACE_DETACH, tracee->tid, NULL, 0L) == 0) {
        debug_log(tracer, "release %d %u", tracee->tid, to->number);
        tracee->interrupt.skipped_ns += tracee->interrupt.pending_ns + tracee->interrupt.overdue_ns;
        tracee->interrupt.pending_ns = tracee->interrupt.overdue_ns = 0;
        tracer->tick.running -= tracer->tick.running > 0;
        handover_send(tracer, tracee, to);
        tracee->process->handed_over_at = tracee->handover.released_at;
        released = true;
    }
    supervisor_unlock(supervisor);
    return released;
}

bool handover_leader_is_replaced(const struct tracee *tracee)
{
    pid_t pid = tracee->process->pid, tid = tracee->tid;

    return tid == pid && tracee->process->handed_over_at != 0 && !tracee->dropped &&
           tracee->state != TRACEE_RELEASED && procfs_status_number(tid, "TracerPid:") == 0 &&
           !procfs_has_ended(pid, tid) && procfs_start_time(pid) == tracee->process->start_time;
}

void handover_regain(struct tracee *tracee)
{
    struct tracer *tracer = tracee->tracer;

    tracee->inbox.may_be_replaced = false;
    if (!handover_leader_is_replaced(tracee))
        return;
    debug_log(tracer, "forget %d", tracee->tid);
    handover_withdraw(tracee);
    held_signal_send(tracee, tracee->tid);
    tracee->repair = (struct repair){0};
    tracee->interrupt.pending_ns = tracee->interrupt.overdue_ns = 0;
    tracee->interrupt.skipped_ns = tracee->interrupt.late_ns = 0;
    tracee->handover.exec_id = 0; /* 0: the thread has executed another program */
    handover_send(tracer, tracee, tracer);
    /* the thread may have made tasks since the last handover of a thread of its process */
    tracee->handover.released_at = tracee->process->handed_over_at;
}

/* Returns true if PTRACE_SEIZE, which has failed with this error, may succeed later. One case is an EPERM after the
 * call had to wait for an exec. If the caller of that exec took the number tid, PTRACE_SEIZE has checked the thread
 * that had the number before. */
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

/* Handles a tracee that could not be seized; the caller holds the lock. There are three reasons: the tracee has ended,
 * perhaps by an exec; an exec has given its number to a thread of another tracer of ours; or we are not permitted to
 * seize it any more. */
static void handover_lose(struct tracer *tracer, struct tracee *tracee)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct process *process = tracee->process;
    bool leads_others = tracee->tid == process->pid && process->tracee_count > 1;

    bool is_ours = attach_is_ours(supervisor, tracee->tid);
    if (is_ours && !tracee->dropped && process->tracee_count == 1)
        /* the tracer that has seized the thread with this number will drop this tracee, and needs its process */
        return;
    if (tracee->dropped || is_ours) {
        tracee_forget(tracer, tracee);
    } else if (leads_others) { /* the last of the other threads will report the end of the process */
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

/* Returns true if the leader of the process has no tracer because an untraced thread has become the leader by an exec.
 * The caller holds the lock. */
static bool handover_leader_is_untraced(struct supervisor *supervisor, pid_t pid)
{
    struct process *process = process_find(&supervisor->processes, pid);

    if (process == NULL || procfs_status_number(pid, "TracerPid:") != 0 || procfs_has_ended(pid, pid) ||
        procfs_start_time(pid) != process->start_time)
        return false;
    if (untraced_knows(process, pid) && procfs_status_number(pid, "Threads:") > 1)
        /* the leader could not be seized before. There was no exec, which would have ended all other threads */
        return false;
    for (const struct tracee *tracee = process->tracees; tracee != NULL; tracee = tracee->process_next)
        if (tracee->tid == pid && tracee->state == TRACEE_RELEASED)
            return false; /* the leader's new tracer will seize the leader */
    return true;
}

/* Makes a tracee of a leader that this tracer has seized after a thread of the process has executed a program. The
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
    cpu_wait_forget(&tracee->look.cpu_wait);
    debug_log(tracer, "seize %d %d", tracee->tid, tracee->process->pid);
    tracee_activate(&tracer->tracees, tracee, now);
    /* the program of a thread other than the leader is not compared: if the program has changed, an exec under way will
     * end that thread */
    bool leads = tracee->tid == tracee->process->pid;
    uint64_t image = leads ? procfs_exec_id(tracee->tid) : 0;
    if (image != 0 && image != tracee->handover.exec_id)
        exec_missed(tracer, tracee);
    tick_arm(tracer);
}

/* Returns true if the thread has executed a program while PTRACE_SEIZE waited, and so has the number of its process
 * now. Called without the lock. */
static bool handover_has_executed(pid_t pid, pid_t tid)
{
    return tid != pid && !procfs_is_thread(pid, tid);
}

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
        tracer_note_recheck(tracer, tid);
        new_task_find_missed(tracer, tracee);
    } else if (tid != pid && !executed && !supervisor->leaving) {
        handover_find_leader(tracer, pid);
    }
}
