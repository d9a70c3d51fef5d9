/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out whether a stop has broken a system call of the tracee, and begins to repair that call: repair.h. */
#include "config.h"

#include <errno.h>

#include "base/clock.h"
#include "supervisor/calls/calls.h"
#include "supervisor/debug-log.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/regs.h"
#include "supervisor/repair-internal.h"
#include "supervisor/repair.h"
#include "supervisor/stop.h"
#include "supervisor/supervisor.h"

/* If a signal has broken a call whose time limit is unknown, the call is begun anew only if the tracee's last restart
 * after a signal was longer ago than this, ns. */
#define SIGNAL_RESTART_PERIOD_MIN_NS 60000000000u

bool repair_is_own_call(const struct repair *repair)
{
    return repair->restarted && repair->deadline == 0;
}

/* --- continuing --------------------------------------------------------------------------- */

/* Returns true if the call has moved all that it was asked for. Called before call_was_cut, because that function takes
 * several system calls to look at the descriptor of the call (descriptor_look). */
static bool repair_is_whole(pid_t tid, const struct regs_call *call, const struct call_request *request)
{
    const struct call_progress progress = {.done = (uint64_t)call->result};
    struct regs_call piece;

    return request->shape != CALL_MESSAGES && call_next_piece(tid, call, request, &progress, &piece) == 0;
}

/* Returns the time at which we must end a call that has waited since time `since`; 0: never. limit: how long the whole
 * call may wait, ns; 0: no limit. The call may already have a deadline, because it was begun anew earlier and has just
 * returned only a part of its data (at_call_end). If that deadline is earlier, it is returned. */
static uint64_t repair_deadline(const struct repair *repair, uint64_t since, uint64_t limit)
{
    uint64_t deadline = limit > 0 ? since + limit : 0;

    return repair->at_call_end && repair->deadline > 0 && repair->deadline < deadline ? repair->deadline : deadline;
}

/* Returns true if it is not known how much time a recvmmsg(2) with a time limit has left. The kernel writes the
 * remaining time only after each message, and the call may have waited long since then. The time is known well enough
 * only if all of this is true:
 * - A tick's interrupt broke the call. Ticks interrupt only running threads, so the call has waited only a short time.
 * - No message is incomplete.
 * - No signal is pending. Otherwise the signal may be what broke the call: the kernel stops the thread for the tick
 *   first, and delivers the signal only afterwards (get_signal in kernel/signal.c). */
static bool repair_loses_time(const struct tracee *tracee, enum stop_cause cause)
{
    /* cause is STOP_BY_US also if a SIGCONT made the thread stop */
    bool is_tick = cause == STOP_BY_US && tracee->state == TRACEE_INTERRUPTED;

    return !is_tick || tracee->repair.progress.part > 0 || procfs_signal_waits(tracee->tid, false);
}

/* Begins to continue a call that has moved less than it was asked for. Returns false if the call must not be continued,
 * or cannot be continued. */
static bool repair_continue(struct tracer *tracer, struct tracee *tracee, struct regs_call *call, enum stop_cause cause)
{
    struct repair *repair = &tracee->repair;
    /* `since`: the time limit of the call is counted from this time. If a signal broke the call, our last interrupt
     * (interrupt.at) may have been long before, so the present time is used */
    uint64_t limit = 0, since = cause == STOP_BY_US ? tracee->interrupt.at : time_now();
    pid_t tid = tracee->tid;

    if (!call_decode(tid, call, &repair->request) || repair_is_whole(tid, call, &repair->request) ||
        regs_complete_call(&tracee->files, call) != 0 || !call_decode(tid, call, &repair->request))
        return false;
    repair->call = *call;
    repair->restarted = repair->came_short = repair->error_waits = false;
    repair->progress = (struct call_progress){.done = (uint64_t)call->result};
    int left = call_was_cut(tracee->process->pid, tid, call, &repair->request, &limit);
    if (left == 0)
        return false;
    piece_note_error(repair, call->result, repair->request.size);
    if (left > 0)
        left = call_first_progress(tid, call, &repair->request, &repair->progress);
    if (left == 0 && repair->request.target.at_bound)
        piece_end_message(repair);
    if (left == 0 && repair->request.timeout != 0 && repair_loses_time(tracee, cause))
        left = -ETIME;
    if (left == 0)
        left = piece_enter_next(tracee);
    if (left < 0) {
        tracer->totals.cut_short++;
        debug_log(tracer, "short %d %lld", tid, (long long)call->result);
    }
    if (left <= 0) {
        piece_clear_error(tracee);
        /* call_first_progress may have moved bytes from one message to another, so fewer messages may be complete than
         * the kernel counted */
        if (piece_partial_result(repair) != call->result)
            piece_leave_call(tracee, piece_partial_result(repair), false, true);
        return false;
    }
    if (piece_may_raise_stray_sigpipe(&repair->request))
        stray_sigpipe_begin(tracee);
    tracer->totals.continued++;
    deadline_set(tracer, tracee, repair_deadline(repair, since, limit));
    return true;
}

/* Prevents ticks from interrupting the thread while it makes its call anew, so that they do not break the call
 * again. */
static void repair_leave_alone(struct tracer *tracer, struct tracee *tracee)
{
    backoff_begin(&tracee->repair.backoff);
    debug_log(tracer, "backoff %d", tracee->tid);
}

/* --- beginning anew ------------------------------------------------------------------------ */

/* Returns true if a call that a signal has broken may be begun anew. Its time limit then also begins anew. If that
 * limit is known, we end the call in time. If it is not known, and signals keep coming, the call might never end, so it
 * is not begun anew too often. */
static bool repair_may_restart(struct repair *repair, bool limit_known)
{
    uint64_t now = time_now();

    if (!limit_known && now - repair->signal_restart_at <= SIGNAL_RESTART_PERIOD_MIN_NS)
        return false;
    repair->signal_restart_at = now;
    return true;
}

/* Prepares the tracee to make the call anew when it is resumed; the state of the tracee becomes CONTINUING. Returns
 * false if that is impossible. limited: the call has a time limit, after which we must end the call. If limited is
 * false, a signal that comes before the call begins need not be held (repair.h), because it has the same effect as a
 * signal just after the beginning. */
static bool repair_enter_again(struct tracee *tracee, const struct regs_call *call, bool limited,
                               int64_t timeout_result)
{
    struct repair *repair = &tracee->repair;

    repair->call = *call;
    repair->restarted = true;
    /* While came_short is true, no signal is held. If the call has just ended (at_call_end), none must be held: a
     * signal that is pending now may be the one that broke the call */
    repair->came_short = !limited || repair->at_call_end;
    repair->error_waits = false;
    repair->timeout_result = timeout_result;
    return piece_enter_next(tracee) == 1;
}

static bool repair_restart(struct tracer *tracer, struct tracee *tracee, struct regs_call *call, enum stop_cause cause,
                           bool alone)
{
    struct repair *repair = &tracee->repair;
    uint64_t limit;
    int64_t timeout_result;

    if (regs_complete_call(&tracee->files, call) != 0) {
        tracer->totals.cut_short++;
        debug_log(tracer, "short %d %lld", tracee->tid, (long long)call->result);
        return false;
    }
    if (!call_is_interrupted(call))
        return false;
    bool known = call_time_limit(tracee->process->pid, tracee->tid, call, &limit, &timeout_result);
    bool limited = known && limit != CALL_NO_LIMIT;
    if (cause == STOP_BY_SIGNAL && !repair_may_restart(repair, known))
        return false;
    bool continuing = limited || regs_restart_call(tracee->tid) != 0;
    if (!continuing)
        debug_log(tracer, "restart %d %d", tracee->tid, call->number);
    else if (!repair_enter_again(tracee, call, limited, timeout_result))
        return false;
    else
        deadline_set(tracer, tracee, limited ? time_now() + limit : 0);
    tracer->totals.restarted++;
    if (alone && !limited)
        repair_leave_alone(tracer, tracee);
    return continuing;
}

/* --- what a stop has broken ---------------------------------------------------------------- */

/* To be called when a signal that has broken the call is being delivered, so that a handler may run. If the registers
 * do not show the first argument of the call, finds it out and records the call (struct handled_call). */
static void repair_note_handler(struct tracee *tracee, struct regs_call *call)
{
    struct repair *repair = &tracee->repair;

    if (!call->lacks_first || regs_complete_call(&tracee->files, call) != 0)
        return;
    repair->handled[repair->next_handled] =
        (struct handled_call){.fingerprint = call->fingerprint, .first_argument = call->arguments[0]};
    repair->next_handled = (repair->next_handled + 1) % HANDLED_CALLS;
}

/* Returns true if a signal with a handler has broken this call earlier, and the thread has just returned from that
 * handler, so it has not made the call again. */
static bool repair_follows_handler(struct tracee *tracee, struct regs_call *call)
{
    for (unsigned i = 0; i < HANDLED_CALLS && call->lacks_first; i++) {
        struct handled_call *handled = &tracee->repair.handled[i];
        if (handled->fingerprint != call->fingerprint)
            continue;
        handled->fingerprint = 0;
        return regs_complete_call(&tracee->files, call) == 0 && call->arguments[0] != handled->first_argument;
    }
    return false;
}

/* Returns true if we have already ended this call at an earlier stop, and the thread has not run since. This happens
 * because a thread may stop several times before it runs. */
static bool repair_has_ended(struct repair *repair, const struct regs_call *call)
{
    bool ended = call->lacks_first && call->fingerprint == repair->ended_fingerprint &&
                 call->result == repair->ended_result;

    if (!ended)
        repair->ended_fingerprint = 0;
    return ended;
}

/* Records in repair->backoff whether our stop has broken the call. Returns true if stops have broken the call so often
 * that ticks must not interrupt the thread when it makes the call anew. */
static bool repair_note_place(struct repair *repair, const struct regs *regs, const struct regs_call *call)
{
    if (call_is_interrupted(call) || call_is_restarted_by_kernel(call->result))
        return backoff_note(&repair->backoff, regs->syscall, regs->call_end, regs->sp) && !call_undoes_nothing(call);
    backoff_reset(&repair->backoff);
    return false;
}

bool repair_stop(struct tracer *tracer, struct tracee *tracee, const struct regs *regs,
                 int signal, enum stop_cause cause)
{
    struct repair *repair = &tracee->repair;
    struct regs_call call;
    bool ours = cause == STOP_BY_US;

    if (tracee->state == TRACEE_CONTINUING)
        return true; /* repair_meets_stop has prepared the next piece */
    bool in_call = regs_call(tracee->tid, regs, &call), ended = in_call && repair_has_ended(repair, &call);
    if (ours && (!in_call || ended))
        backoff_reset(&repair->backoff);
    if (!in_call || ended || repair->giving_up || cause == STOP_BY_TRACEE) {
        repair->giving_up = false;
        if (in_call && signal != 0)
            repair_note_handler(tracee, &call);
        return false;
    }
    if (!repair->at_call_end)
        /* INTERRUPTED: a tick has broken the call; any other state: a signal has broken it, possibly a SIGCONT */
        repair->billed = tracee->state == TRACEE_INTERRUPTED;
    bool interrupted = call_is_interrupted(&call);
    bool alone = ours && repair_note_place(repair, regs, &call);
    if (alone && call_is_restarted_by_kernel(call.result))
        repair_leave_alone(tracer, tracee);
    bool broken = interrupted || call.result > 0;
    /* a signal that the program does not ignore would also have broken the call if we did not trace the thread; then
     * nothing is repaired */
    bool mends = broken && (ours || procfs_ignores_signal(tracee->tid, signal));
    if (!ours && !mends)
        repair_note_handler(tracee, &call);
    if (!mends || repair_follows_handler(tracee, &call))
        return false;
    return interrupted ? repair_restart(tracer, tracee, &call, cause, alone)
                       : repair_continue(tracer, tracee, &call, cause);
}
