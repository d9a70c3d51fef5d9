/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers the stops of a thread whose call is continued by pieces (shorter calls that do the rest), or was begun anew:
 * repair.h. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>

#include "base/clock.h"
#include "supervisor/calls/calls.h"
#include "supervisor/calls/descriptor.h"
#include "supervisor/debug-log.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/regs.h"
#include "supervisor/repair-internal.h"
#include "supervisor/repair.h"
#include "supervisor/stop.h"
#include "supervisor/supervisor.h"

/* Returns true if the call has a deadline that has passed. */
static bool continue_has_timed_out(const struct repair *repair)
{
    return repair->deadline != 0 && time_now() >= repair->deadline;
}

/* Returns the result with which a call that was begun anew must end now. if_not_over: result for the case that the
 * deadline has not passed. */
static int64_t continue_wait_result(const struct repair *repair, int64_t if_not_over)
{
    return continue_has_timed_out(repair) ? repair->timeout_result : if_not_over;
}

/* Returns true if a piece that receives data, and has returned `result`, has ended by itself, not because of a signal.
 * Urgent data, which sockatmark(3) shows, ends a message if the message already has some bytes. On a local socket
 * nothing shows why a receive ended early. But a signal that broke it is still pending, unless another thread has taken
 * that signal. had_error: an error that was left in the socket may have ended the piece. */
static bool continue_has_received_all(const struct tracee *tracee, int64_t result, bool had_error)
{
    const struct repair *repair = &tracee->repair;
    const struct call_request *request = &repair->request;

    if (request->target.hides_bounds && !had_error && result < (int64_t)repair->asked)
        return !procfs_signal_waits(tracee->tid, !repair->sigcont_waits);
    if (request->shape == CALL_MESSAGES && repair->progress.part == 0)
        return false;
    return descriptor_is_at_mark(tracee->process->pid, tracee->tid, request->descriptor, &request->file);
}

/* Returns true if another piece may be made after a piece that has returned `result`. broken: a stop or a signal has
 * broken that piece. had_error: see continue_has_received_all. */
static bool continue_may_go_on(const struct tracee *tracee, int64_t result, bool broken, bool had_error)
{
    const struct repair *repair = &tracee->repair;
    bool receives = repair->request.kind == CALL_READ && repair->request.target.is_stream;

    if (broken)
        return true;
    if (result <= 0 || repair->request.kind == CALL_RING)
        return false;
    return !receives || !continue_has_received_all(tracee, result, had_error);
}

/* Decides what to do when a piece, or a call that was begun anew, has returned `result`. Returns true if the tracee
 * will make another piece, or that call once more. Otherwise ends the call and returns false. final: if a call that was
 * begun anew has moved only a part of its data, pieces must not move the rest. */
static bool continue_next(struct tracee *tracee, int64_t result, bool final)
{
    struct repair *repair = &tracee->repair;
    bool broken = result == -EINTR || call_is_restarted_by_kernel(result);
    bool over = repair->giving_up || continue_has_timed_out(repair);

    repair->came_short = broken || result < (int64_t)repair->asked;
    if (repair->restarted) {
        if (broken && !over && piece_enter_next(tracee) == 1)
            return true;
        /* a connect(2) that was begun anew returns EALREADY when its time limit has passed */
        if (result == -EALREADY && repair->timeout_result == -EINPROGRESS)
            result = repair->timeout_result;
        if (broken)
            result = continue_wait_result(repair, CALL_RESTARTNOHAND);
        piece_leave_call(tracee, result, false, final);
        return false;
    }
    int error = 0;
    bool had_error = repair->error_waits;
    if (repair->came_short && piece_may_raise_stray_sigpipe(&repair->request) && repair->held.info.si_signo != SIGPIPE)
        stray_sigpipe_look(tracee);
    /* Finds out whether an error is still in the socket. A recvmmsg(2) returns such an error before it receives
     * anything. A piece that receives the rest of a message returns it only if there is no data. On a local socket
     * (unix_stream_read_generic), a piece that receives too little removes the error, even if it does not return it */
    if (repair->progress.part == 0)
        piece_note_error(repair, result, repair->asked);
    else if (result <= 0 || (repair->request.target.is_local && repair->came_short))
        repair->error_waits = false;
    if (result > 0)
        error = call_add_piece(tracee->tid, &repair->request, (uint64_t)result, &repair->progress);
    /* A recvmmsg(2) with a time limit ends here, because the limit would begin anew with the next piece. Exception: if
     * the piece only returned the error that was left in the socket, it has used no time */
    over = over || error != 0 || (repair->request.timeout != 0 && !(broken && had_error));
    if (!over &&
        (continue_may_go_on(tracee, result, broken, had_error) || (result >= 0 && piece_end_message(repair))) &&
        piece_enter_next(tracee) == 1)
        return true;
    tracee->tracer->totals.cut_short += repair->leaving && repair->came_short;
    piece_clear_error(tracee);
    piece_leave_call(tracee, piece_partial_result(repair), false, true);
    return false;
}

/* Returns true if the call had finished its first part when the deadline passed, and its time limit applies to each
 * part separately (call_limit_is_of_part). Then the call may go on: the next part has the whole limit again. */
static bool continue_has_part_in_time(const struct tracee *tracee, int64_t result)
{
    const struct repair *repair = &tracee->repair;

    return result > 0 && continue_has_timed_out(repair) &&
           call_limit_is_of_part(tracee->process->pid, tracee->tid, &repair->call);
}

static void continue_end_piece(struct tracer *tracer, struct tracee *tracee)
{
    struct repair *repair = &tracee->repair;
    struct regs regs;

    if (regs_read(tracee->tid, &regs) != 0) {
        at_stop_resume(tracer, tracee, 0, repair->billed);
        return;
    }
    /* mend: the call was begun anew, and may have returned less than it was asked for; then pieces must do the rest */
    bool over = repair->giving_up || continue_has_timed_out(repair);
    bool mend = repair->restarted && (!over || continue_has_part_in_time(tracee, regs.result));
    if (continue_next(tracee, regs.result, !mend)) {
        at_stop_resume(tracer, tracee, 0, repair->billed);
        return;
    }
    repair->giving_up = false;
    tracee->interrupt.at = time_now();
    repair->at_call_end = true;
    /* this also takes a sample, for the CPU time that the thread has used during the call */
    at_stop_answer(tracer, tracee, 0, mend ? STOP_BY_US : STOP_BY_TRACEE);
    repair->at_call_end = false;
}

/* Returns true if the descriptors still refer to the files of the call. One whole call works on the same files until
 * its end. But if another thread has closed or replaced a descriptor meanwhile, a piece would work on another file. */
static bool continue_has_its_files(const struct tracee *tracee)
{
    const struct call_request *request = &tracee->repair.request;
    pid_t pid = tracee->process->pid, tid = tracee->tid;

    return (request->descriptor < 0 || descriptor_is(pid, tid, request->descriptor, &request->file)) &&
           (request->source < 0 || descriptor_is(pid, tid, request->source, &request->source_file));
}

/* Changes the arguments of the piece that is being entered to invalid ones, so that it fails and does nothing. */
static void continue_fail_call(const struct tracee *tracee)
{
    struct regs regs;
    struct regs_call call;

    if (regs_read(tracee->tid, &regs) != 0 || !regs_call(tracee->tid, &regs, &call))
        return;
    memset(call.arguments, 0xff, sizeof call.arguments);
    /* on x86, rax contains this value at the entry of every call (entry_64.S). On AArch64, x0 is the register of the
     * result and of the first argument, so this value also becomes the first argument */
    call.result = -ENOSYS;
    regs_leave_call(tracee->tid, &call, false, false);
    debug_log(tracee->tracer, "fail %d", tracee->tid);
}

bool repair_needs_us(const struct tracee *tracee)
{
    const struct repair *repair = &tracee->repair;
    bool waits = repair->restarted && repair->piece_entered && !repair->giving_up;
    bool over = continue_has_timed_out(repair);

    return tracee->state == TRACEE_CONTINUING && (!waits || over || repair->held.info.si_signo != 0);
}

/* If the call must end now (giving_up), interrupts the tracee again, because the earlier interrupt may have had no
 * effect: the kernel may have dropped it at the present stop (ptrace_stop in kernel/signal.c). */
static void continue_give_up_again(struct tracee *tracee)
{
    if (tracee->repair.giving_up)
        repair_give_up(tracee);
}

/* Answers the entry stop of a piece, or of a call that was begun anew. */
static void continue_begin_piece(struct tracer *tracer, struct tracee *tracee)
{
    struct repair *repair = &tracee->repair;

    repair->piece_entered = true;
    repair->sigcont_waits = repair->request.target.hides_bounds && procfs_signal_is_pending(tracee->tid, SIGCONT);
    continue_give_up_again(tracee);
    if (!repair->restarted && !continue_has_its_files(tracee))
        continue_fail_call(tracee);
    if (repair_is_own_call(repair) && !repair->giving_up) {
        tracee->state = TRACEE_RUNNING; /* the program's own call runs, so we have nothing to do at its end */
        if (backoff_follows(&repair->backoff))
            backoff_meets_call(&repair->backoff, false, time_now());
    }
    at_stop_resume(tracer, tracee, held_signal_take(&repair->held), repair->billed);
}

/* To be called at a signal-delivery stop. Three kinds of signals do not end the call: a SIGPIPE that only a piece has
 * raised, a signal that the program ignores, and a signal that can be held until the next piece begins (repair.h). For
 * such a signal, answers the stop and returns true. Otherwise returns false. */
static bool continue_past_signal(struct tracer *tracer, struct tracee *tracee, int signal)
{
    struct repair *repair = &tracee->repair;
    bool may_hold = !repair->piece_entered && !repair->came_short && !repair->giving_up;

    if (stray_sigpipe_take(tracee, signal)) {
        continue_give_up_again(tracee);
        at_stop_resume(tracer, tracee, 0, repair->billed);
        return true;
    }
    if (procfs_ignores_signal(tracee->tid, signal)) {
        continue_give_up_again(tracee);
        at_stop_resume(tracer, tracee, signal, false);
        return true;
    }
    if (!may_hold || !held_signal_hold(&repair->held, tracee->tid, signal))
        return false;
    debug_log(tracer, "hold %d %d", tracee->tid, signal);
    at_stop_resume(tracer, tracee, 0, false);
    return true;
}

/* Ends the call at a stop that comes before the next piece has begun. interrupted: PTRACE_INTERRUPT has caused the
 * stop. */
static void continue_break_off(struct tracee *tracee, bool interrupted)
{
    struct repair *repair = &tracee->repair;
    int64_t result = piece_partial_result(repair);

    tracee->tracer->totals.cut_short += repair->leaving && !repair->restarted;
    held_signal_send(tracee, tracee->process->pid);
    if (interrupted)
        piece_clear_error(tracee);
    else
        /* if an interrupt was sent to end the call, it is not needed any more. The kernel may have dropped it at this
         * stop; otherwise it stops the thread later, which does no harm */
        repair->giving_up = false;
    if (repair->restarted)
        result = continue_wait_result(repair, interrupted ? CALL_RESTARTNOHAND : -EINTR);
    piece_leave_call(tracee, result, true, true);
}

bool repair_meets_stop(struct tracer *tracer, struct tracee *tracee, enum repair_event event, int signal)
{
    struct repair *repair = &tracee->repair;

    if (event == REPAIR_CALL) {
        if (repair->piece_entered)
            continue_end_piece(tracer, tracee);
        else
            continue_begin_piece(tracer, tracee);
        return true;
    }
    if (event == REPAIR_INTERRUPT && (!repair->giving_up || held_signal_waits(&repair->held))) {
        at_stop_answer(tracer, tracee, 0, STOP_BY_TRACEE); /* this resumes the tracee, which then makes the piece */
        return true;
    }
    if (event == REPAIR_SIGNAL && continue_past_signal(tracer, tracee, signal))
        return true;
    continue_break_off(tracee, event == REPAIR_INTERRUPT);
    return false;
}
