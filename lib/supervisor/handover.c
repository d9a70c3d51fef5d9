/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Handing a tracee over to another tracer.
 *
 * ptrace has no way to hand a tracee over. So its tracer detaches it where it stands still, outside of any system call,
 * and the other one seizes it as soon as it is woken up:
 *
 *     old tracer   stop, PTRACE_DETACH, wake up the other
 *     new tracer                                   PTRACE_SEIZE, look for what was missed
 *     tracee       ====== runs, untraced for 20 to 50 us ==== runs
 *
 * In that gap the tracee may make tasks: new_task_find_missed finds them by the kernel's newest process number, at once
 * and again after the next stop, for a clone(2) may have begun in the gap. It may execute another program: its
 * auxiliary vector shows that (procfs_exec_id). It may end. Signals are delivered as usual. A thread that was made in
 * the gap may execute another program before it is found. Then it takes the number of its leader, whose tracer has lost
 * its tracee (handover_regain).
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
#include "supervisor/supervisor.h"
#include "supervisor/target-memory.h"
#include "supervisor/tick.h"
#include "supervisor/wait.h"

#define SEIZE_PAUSE_US 100
#define SEIZE_TIMES 100 /* an exec under way may keep us waiting: wakeup_seize */

void handover_withdraw(struct tracee *tracee)
{
    if (tracee->handover.to != NULL)
        tracee->handover.to->expected--;
    tracee->handover.to = NULL;
}

/* Returns true if another thread of ours may seize the tracee. Yama forgets who may trace a process when the first
 * thread of that process has gone. To copy from its memory needs the same permission (ptrace(2), "Ptrace access mode
 * checking"). */
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

/* Sends the tracee, which has no tracer now, to another tracer, or back to the same one. */
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
        return false; /* the tracee must not wait for the lock */
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
    tracee->handover.exec_id = 0; /* the program is another one, whatever it is */
    handover_send(tracer, tracee, tracer);
    tracee->handover.released_at = tracee->process->handed_over_at; /* it may have made tasks since then */
}

/* Returns true if PTRACE_SEIZE, which has failed with this error, may succeed later. It also says EPERM if it had to
 * wait for an exec that has given the number to its caller: it has looked at the thread that had the number before. */
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
            wait_drain(tracer); /* other tracees wait for answers; the exec may wait for us to reap an end */
    }
    return error;
}

/* With the lock. The tracee could not be seized, for one of three reasons: it has ended (perhaps by an exec); an exec
 * has given its number to a thread of another tracer of ours; or it may not be seized any more. */
static void handover_lose(struct tracer *tracer, struct tracee *tracee)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct process *process = tracee->process;
    bool leads_others = tracee->tid == process->pid && process->tracee_count > 1;

    bool is_ours = attach_is_ours(supervisor, tracee->tid);
    if (is_ours && !tracee->dropped && process->tracee_count == 1)
        return; /* the tracer that has seized it is about to drop the tracee, and goes on with its process */
    if (tracee->dropped || is_ours) {
        tracee_forget(tracer, tracee);
    } else if (leads_others) { /* the last of the others will report the end */
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

/* With the lock. Returns true if a thread without a tracer has executed another program, and so has become the leader
 * of its process. That leader has no tracer then, and the tracee that stands for it is gone. */
static bool handover_leader_is_untraced(struct supervisor *supervisor, pid_t pid)
{
    struct process *process = process_find(&supervisor->processes, pid);

    if (process == NULL || procfs_status_number(pid, "TracerPid:") != 0 || procfs_has_ended(pid, pid) ||
        procfs_start_time(pid) != process->start_time)
        return false;
    if (untraced_knows(process, pid) && procfs_status_number(pid, "Threads:") > 1)
        return false; /* it refused before; an exec would have ended all others */
    for (const struct tracee *tracee = process->tracees; tracee != NULL; tracee = tracee->process_next)
        if (tracee->tid == pid && tracee->state == TRACEE_RELEASED)
            return false; /* its new tracer is about to seize it */
    return true;
}

/* With the lock. Makes a tracee of the leader that this tracer has seized: a thread of the process has executed a
 * program. */
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
    bool leads = tracee->tid == tracee->process->pid; /* else the exec of another thread is about to end it */
    uint64_t image = leads ? procfs_exec_id(tracee->tid) : 0;
    if (image != 0 && image != tracee->handover.exec_id)
        exec_missed(tracer, tracee);
    tick_arm(tracer);
}

/* Without the lock. Returns true if PTRACE_SEIZE had to wait for an exec of the thread itself, which then has its
 * process's number. */
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
