/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hands a tracee over to another tracer.
 *
 * ptrace has no function for this. So the old tracer waits until the tracee stops outside of any system call, detaches
 * it, and wakes up the new tracer, which then seizes it:
 *
 *     old tracer   stop, PTRACE_DETACH, wake up the other
 *     new tracer                                   PTRACE_SEIZE, look for what was missed
 *     tracee       ====== runs, untraced for 20 to 50 us ==== runs
 *
 * While the tracee is untraced, it may do the following:
 *  - It may make tasks. The newest process number that the kernel has assigned shows this. Then handover-take.c
 *    searches for the tasks. It searches again after the tracee's next stop, because a clone(2) may still be under way
 *    at the first search.
 *  - It may execute another program, which its auxiliary vector shows (procfs_exec_id).
 *  - It may end.
 *  - A thread that it has made may execute another program before we find that thread. Then that thread gets the number
 *    of the leader of the process, and the tracer of the former leader has lost its tracee (handover_regain).
 * Signals are delivered as usual.
 */
#include "config.h"

#include <sys/ptrace.h>

#include "base/clock.h"
#include "supervisor/debug-log.h"
#include "supervisor/follow.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/proc/system.h"
#include "supervisor/regs.h"
#include "supervisor/repair.h"
#include "supervisor/supervisor.h"
#include "supervisor/target-memory.h"
#include "supervisor/tick.h"

void handover_withdraw(struct tracee *tracee)
{
    if (tracee->handover.to != NULL)
        tracee->handover.to->expected--;
    tracee->handover.to = NULL;
}

/* Returns true if our other tracers are permitted to seize the tracee. Under Yama, the permission ends when the leader
 * of the tracee's process has ended. To find out, reads a byte of the tracee's memory, which needs the same permission
 * (ptrace(2), "Ptrace access mode checking"). */
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

/* Sends a tracee to tracer `to`, which may be the same as `from`. The tracee has no tracer at this time: it was
 * detached, or an exec has given its number to another thread. */
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
        return false; /* without waiting for the lock, because the tracee is stopped */
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
    tracee->handover.exec_id = 0; /* 0, because the number now belongs to a thread that has executed another program */
    handover_send(tracer, tracee, tracer);
    /* handover-take.c looks for tasks that were made after released_at. The thread that now has the number may have
     * made tasks since a thread of its process was last handed over */
    tracee->handover.released_at = tracee->process->handed_over_at;
}
