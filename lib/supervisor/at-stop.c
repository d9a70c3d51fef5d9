/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answers the stop of a tracee: reads its registers, copies its stack, repairs a system call that the stop broke, and
 * resumes it. Then adds the length of the stop to the totals, and computes how much time the sample represents
 * (attribution.c).
 *
 * Once a thread runs, it may end or exec at any time, and then its memory is gone, or belongs to another program. So
 * its memory is accessed before the resume. Work that can wait is done after the resume. Nothing before the resume
 * allocates memory. Before the resume, the lock is taken only by at_stop_open_mappings, and to count the sample of a
 * program that profiles itself.
 */
#include "config.h"

#include <stdatomic.h>
#include <sys/ptrace.h>

#include "base/clock.h"
#include "supervisor/attribution.h"
#include "supervisor/calls/calls.h"
#include "supervisor/debug-log.h"
#include "supervisor/go-stacks.h"
#include "supervisor/preempt.h"
#include "supervisor/proc/objects.h"
#include "supervisor/python/python.h"
#include "supervisor/regs.h"
#include "supervisor/repair.h"
#include "supervisor/stop.h"
#include "supervisor/supervisor.h"
#include "supervisor/target-memory.h"
#include "supervisor/tick.h"

/* A stop takes more time from the thread than our clock shows: the kernel needs time to begin and end the stop, and
 * caches are cold afterwards. This is the largest such difference, ns, measured with a tracer that polls on another
 * CPU. */
#define UNSEEN_MAX_NS 14000u

/* Returns the CPU time that a stop takes from a thread while a CPU is idle, ns. This is the time for which the thread
 * would have run during the stop, plus the time that our clock does not show (UNSEEN_MAX_NS). stopped: length of the
 * stop, ns. */
static uint64_t at_stop_cost(const struct tracee *tracee, uint64_t stopped)
{
    uint64_t unseen = stopped < UNSEEN_MAX_NS ? stopped : UNSEEN_MAX_NS;
    double wanted = (double)(tracee->look.ran_ns + tracee->look.waited_ns);
    double share = wanted > 0 ? (double)tracee->look.ran_ns / wanted : 1;

    return (uint64_t)((double)stopped * share) + unseen;
}

/* Resumes the tracee. If its state is CONTINUING, it runs to the next stop at the beginning or the end of its system
 * call. */
static void at_stop_let_run(struct tracee *tracee, int signal)
{
    struct repair *repair = &tracee->repair;
    bool continuing = tracee->state == TRACEE_CONTINUING;

    if (!continuing)
        tracee->state = TRACEE_RUNNING;
    if (signal == 0 && repair->sigpipe.is_pending)
        stray_sigpipe_look(tracee);
    /* If we have changed the thread's signal mask (is_unblocked), the mask must be restored at the thread's next system
     * call at the latest, so the thread stops there */
    bool to_call = continuing || held_signal_waits(&repair->held) || repair->sigpipe.is_unblocked ||
                   backoff_follows(&repair->backoff);
    /* an error ESRCH needs no answer: the tracee was killed while it was stopped, and its end will be reported */
    ptrace(to_call ? PTRACE_SYSCALL : PTRACE_CONT, tracee->tid, NULL, (long)signal);
    debug_log(tracee->tracer, "%s %d %d", continuing ? "call" : to_call ? "follow" : "resume", tracee->tid, signal);
}

void at_stop_resume(struct tracer *tracer, struct tracee *tracee, int signal, bool billed)
{
    /* Reads the clock before the resume. During the resume the tracee may take our CPU, and the time until we get it
     * back is not part of the stop */
    uint64_t now = time_now(), since = tracer->news.oldest_stop_at;
    bool was_interrupted = tracee->interrupt.sent_at > tracee->resumed_at;
    if (tracee->interrupt.sent_at > since)
        since = tracee->interrupt.sent_at;
    if (tracee->resumed_at > since)
        since = tracee->resumed_at;
    uint64_t stopped = now > since ? now - since : 0;

    tracee->resumed_at = now;
    at_stop_let_run(tracee, signal);
    tracer->totals.stopped_ns += stopped;
    if (was_interrupted) /* the beginning of other stops is not known so well */
        atomic_fetch_add_explicit(&tracee->sleep.stopped_ns, stopped, memory_order_relaxed);
    if (!billed)
        return;
    tracer->totals.billed++;
    if (!tracer->billing.active)
        tracer->totals.cost_ns += at_stop_cost(tracee, stopped);
}

/* Updates the accounts after the stop of a tracee, which runs again already. */
static void at_stop_book(struct tracer *tracer, struct tracee *tracee, const struct regs *regs, bool sampled, bool ours)
{
    struct supervisor *supervisor = tracer->supervisor;

    supervisor_lock(supervisor);
    if (ours)
        tick_note_stop(tracer, tracee);
    if (sampled && ours && supervisor->cpus.may_poll)
        preempt_judge(tracee, regs->entered);
    if (sampled)
        python_settle(tracer, tracee);
    if (sampled && !supervisor->options.serve && tracee->interrupt.pending_ns + tracee->interrupt.overdue_ns > 0)
        attribution_sample(tracer, tracee, regs);
    tracee->interrupt.pending_ns = tracee->interrupt.overdue_ns = 0;
    tracee->judgement.asleep_before = tracee->interrupt.had_cpu = false;
    supervisor_unlock(supervisor);
}

/* Opens the list of the tracee's mappings. To be called before the resume: once the tracee runs, it may exec, and then
 * opening the list may wait for that exec. */
static void at_stop_open_mappings(struct tracer *tracer, const struct tracee *tracee)
{
    supervisor_lock(tracer->supervisor);
    objects_open_mappings(tracer->supervisor, tracee);
    supervisor_unlock(tracer->supervisor);
}

/* Returns true if the cost of the stop counts as a cost of sampling: the stop came only because of a sample or a
 * handover, or repairs a system call that a tick's interrupt has broken. */
static bool at_stop_is_billed(const struct tracee *tracee, bool sampled, bool ours)
{
    bool in_call = tracee->repair.at_call_end || tracee->state == TRACEE_CONTINUING;

    return in_call ? tracee->repair.billed : (sampled || tracee->handover.to != NULL) && ours;
}

void at_stop_answer(struct tracer *tracer, struct tracee *tracee, int signal, enum stop_cause cause)
{
    const struct supervisor *supervisor = tracer->supervisor;
    bool wanted = tracee->interrupt.pending_ns + tracee->interrupt.overdue_ns > 0 && supervisor->sampling &&
                  !tracee->process->launching;
    bool known = false, ours = cause == STOP_BY_US;
    struct regs regs = {0};

    tracee->interrupt.seen_at = time_now();
    if (wanted || signal != 0 || cause != STOP_BY_TRACEE)
        known = regs_read(tracee->tid, &regs) == 0;
    if (known && regs.syscall < 0 && (tracee->repair.at_call_end || tracee->state == TRACEE_CONTINUING))
        regs.syscall = tracee->repair.call.number;
    bool sampled = wanted && known;
    if (sampled && supervisor->options.serve)
        attribution_sample(tracer, tracee, &regs);
    if (sampled && tracee->files.may_exec) {
        at_stop_open_mappings(tracer, tracee);
        tick_note_cpu(tracee);
    }
    if (sampled && tracer->stack.limit > 0) {
        tracee_note_stack_end(tracee, &regs);
        struct stack_layout layout = {.library_stack_end = tracee->library_stack_end};
        if (atomic_load(&tracee->process->has_go))
            go_find_stacks(&tracee->go, tracee->tid, &regs, regs.sp, &layout);
        stack_take(&tracer->stack, tracee->tid, &regs, &layout);
        python_take(tracer, tracee);
    }
    if (known)
        repair_stop(tracer, tracee, &regs, signal, cause);
    at_stop_resume(tracer, tracee, signal, at_stop_is_billed(tracee, sampled, ours));
    if (wanted || ours || tracee->interrupt.pending_ns + tracee->interrupt.overdue_ns > 0)
        at_stop_book(tracer, tracee, &regs, sampled, ours);
}
