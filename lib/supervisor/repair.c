/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A call returns under us what it returns without us.
 *
 * A stop makes the kernel end a call that waits, as a signal does, and so does a signal that the
 * program ignores, which wakes only a traced thread up. Three things can have become of the call:
 *
 * It says EINTR and has done nothing: it is begun anew. One that is broken again and again, for it
 * takes longer than we leave it alone and loses what it did, is left alone for longer and longer.
 *
 * It waits with a time limit and says EINTR: begun anew it would wait for all of its time again. So we
 * follow it to its end, and end it ourselves when its time is over.
 *
 * It has moved a part and says how much: the calls that do the rest are made in its place, one after
 * the other, until all is moved or one of them moves nothing more. Then the registers become what they
 * are after one whole call.
 *
 *     our stop -> enter a piece -> [entry stop] -> inside -> [exit stop] -> enter the next, or leave
 *
 * A signal that the program cares for ends the call as it ends a whole one: with what could be moved
 * before it would have waited.
 *
 * While a tracee is inside a piece, it sleeps and is not interrupted, but its registers are those of
 * the piece. If the supervisor is killed just then the program gets the result of that piece, which is
 * less than was moved. A supervisor that ends in order waits, and then gives the calls up, so that they
 * return what they have done.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>

#include "supervisor/at-stop.h"
#include "supervisor/backoff.h"
#include "supervisor/debug-log.h"
#include "supervisor/held-signal.h"
#include "supervisor/regs.h"
#include "supervisor/repair.h"
#include "supervisor/supervisor.h"

/* A call whose time limit is unknown is restarted after a signal once in so long. */
#define UNKNOWN_LIMIT_MAX_NS 60000000000u
#define KERNEL_RESTARTS_FIRST (-512) /* include/linux/errno.h: the kernel begins such calls anew, */
#define KERNEL_RESTARTS_LAST (-516)
#define RESTART_UNLESS_HANDLED (-514) /* -ERESTARTNOHAND: EINTR if a handler runs, else a restart */

static bool is_begun_anew_by_kernel(int64_t result)
{
    return result <= KERNEL_RESTARTS_FIRST && result >= KERNEL_RESTARTS_LAST;
}

/* --- deadlines -------------------------------------------------------------------------- */

static void set_deadline(struct tracer *tracer, struct tracee *tracee, uint64_t deadline)
{
    struct repair_deadlines *deadlines = &tracer->deadlines;

    tracee->repair.deadline = deadline;
    if (deadline == 0 || deadlines->count == REPAIR_DEADLINES_MAX)
        return; /* too many at once: this one waits for a little longer */
    deadlines->waiting[deadlines->count].tid = tracee->tid;
    deadlines->waiting[deadlines->count++].time = deadline;
}

void repair_give_up(struct tracee *tracee)
{
    tracee->repair.giving_up = true;
    debug_log(tracee->tracer, "interrupt %d", tracee->tid);
    ptrace(PTRACE_INTERRUPT, tracee->tid, NULL, NULL);
}

uint64_t repair_check_deadlines(struct tracer *tracer)
{
    struct repair_deadlines *deadlines = &tracer->deadlines;
    uint64_t now = deadlines->count > 0 ? time_now() : 0, next = 0;

    for (unsigned i = 0; i < deadlines->count; i++) {
        uint64_t time = deadlines->waiting[i].time;
        struct tracee *tracee = tracee_find(&tracer->tracees, deadlines->waiting[i].tid);
        bool waits = tracee != NULL && tracee->state == TRACEE_CONTINUING &&
                     tracee->repair.deadline == time;
        if (waits && now < time) {
            next = next == 0 || time < next ? time : next;
            continue;
        }
        if (waits)
            repair_give_up(tracee);
        deadlines->waiting[i--] = deadlines->waiting[--deadlines->count];
    }
    return next;
}

/* --- continuing --------------------------------------------------------------------------- */

/* The next piece of a call. A filter of system calls (seccomp(2)) may kill a program that makes a call
 * with another number, so there the piece has the call's own, or cannot be made. Returns what
 * call_next_piece returns. */
static int64_t make_piece(struct tracee *tracee, struct regs_call *piece)
{
    struct repair *repair = &tracee->repair;
    struct call_request *request = &repair->request;
    int64_t left = call_next_piece(tracee->tid, &repair->call, request, &repair->progress, piece);

    if (left <= 0 || piece->number == repair->call.number ||
        procfs_status_number(tracee->tid, "Seccomp:") == 0)
        return left;
    request->filtered = true;
    left = call_next_piece(tracee->tid, &repair->call, request, &repair->progress, piece);
    return left <= 0 || piece->number == repair->call.number ? left : -EPERM;
}

/* What the call returns if it ends now. A message that was moved in part counts as moved. */
static int64_t partial_result(const struct repair *repair)
{
    return (int64_t)(repair->progress.done + (repair->progress.part > 0));
}

/* Returns 1; 0 if nothing is left to be done; or -errno if the call cannot go on. */
static int enter_next_piece(struct tracee *tracee)
{
    struct repair *repair = &tracee->repair;
    struct regs_call piece = repair->call;
    int64_t asked = repair->restarted ? 1 : make_piece(tracee, &piece);

    if (asked <= 0)
        return (int)asked;
    int error = regs_enter_call(tracee->tid, &piece);
    if (error != 0)
        return error;
    repair->asked = (uint64_t)asked;
    repair->piece_entered = false;
    tracee->state = TRACEE_CONTINUING;
    return 1;
}

static void leave_call(struct tracee *tracee, int64_t result, bool entered)
{
    struct repair *repair = &tracee->repair;
    struct regs_call call = repair->call;

    call.result = result;
    /* the thread may stop again before it runs, and a call that we have ended must not be continued */
    if (!repair->restarted && result >= 0)
        call.number = WIRE_NO_SYSCALL;
    regs_leave_call(tracee->tid, &call, entered);
    tracee->state = TRACEE_RUNNING;
}

/* Returns true if the call has moved all that it was asked for. Asked first, because descriptor_look()
 * takes several system calls. */
static bool is_whole(pid_t tid, const struct regs_call *call, const struct call_request *request)
{
    const struct call_progress progress = {.done = (uint64_t)call->result};
    struct regs_call piece;

    return request->shape != CALL_MESSAGES &&
           call_next_piece(tid, call, request, &progress, &piece) == 0;
}

/* A recvmmsg(2) that ends after some messages leaves its error for the next call on the socket: do_recvmmsg in
 * net/socket.c. result: of the call, or of a piece that asked for so many messages. */
static void note_error(struct repair *repair, int64_t result, uint64_t asked)
{
    const struct call_request *request = &repair->request;

    repair->error_waits = request->shape == CALL_MESSAGES && request->kind == CALL_READ && result > 0 &&
                          (uint64_t)result < asked;
}

/* The call ends. The error that our stop has left is not for the program. */
static void clear_error(struct tracee *tracee)
{
    struct repair *repair = &tracee->repair;

    if (repair->error_waits)
        descriptor_clear_error(tracee->process->pid, tracee->tid, repair->request.descriptor,
                               &repair->request.file);
    repair->error_waits = false;
}

/* The message that is under way ends where the receive has ended, and recvmmsg(2) goes on with the next. */
static bool end_message(struct repair *repair)
{
    if (repair->request.kind != CALL_READ || repair->progress.part == 0)
        return false;
    repair->progress.done++;
    repair->progress.part = 0;
    return true;
}

/* The whole call raises no SIGPIPE once it has moved a part (a sendfile(2) does, if what it has read last has just
 * been sent, which cannot be seen). Its pieces do, if they are no sends with MSG_NOSIGNAL. */
static bool raises_no_sigpipe(const struct call_request *request)
{
    return request->no_sigpipe || (request->filtered && request->kind == CALL_WRITE) ||
           (request->is_socket && (request->kind == CALL_COPY || request->kind == CALL_SPLICE));
}

/* Continues a call that came back with less than it was asked for. Returns false if that is its result. */
static bool continue_short(struct tracer *tracer, struct tracee *tracee,
                           const struct regs_call *call, enum stop_maker maker)
{
    struct repair *repair = &tracee->repair;
    /* a signal may come long after our last interrupt */
    uint64_t limit = 0, since = maker == STOP_IS_OURS ? tracee->interrupted_at : time_now();
    pid_t tid = tracee->tid;

    if (!call_decode(tid, call, &repair->request) || is_whole(tid, call, &repair->request))
        return false;
    repair->call = *call;
    repair->restarted = repair->came_short = repair->error_waits = false;
    repair->progress = (struct call_progress){.done = (uint64_t)call->result};
    int left = call_was_cut(tracee->process->pid, tid, call, &repair->request, &limit);
    if (left == 0)
        return false;
    note_error(repair, call->result, repair->request.size);
    if (left > 0)
        left = call_first_progress(tid, call, &repair->request, &repair->progress);
    if (left == 0 && repair->request.at_bound)
        end_message(repair);
    /* a recvmmsg(2) may have waited for long since its last message, or would go on waiting for the rest of one */
    if (left == 0 && repair->request.timeout != 0 && (maker != STOP_IS_OURS || repair->progress.part > 0))
        left = -ETIME;
    if (left == 0)
        left = enter_next_piece(tracee);
    if (left < 0)
        tracer->totals.cut_short++;
    if (left <= 0) {
        clear_error(tracee);
        if (partial_result(repair) != call->result) /* call_first_progress has moved what came */
            leave_call(tracee, partial_result(repair), false);
        return false;
    }
    if (raises_no_sigpipe(&repair->request))
        stray_sigpipe_begin(&repair->sigpipe, tid);
    tracer->totals.continued++;
    set_deadline(tracer, tracee, limit > 0 ? since + limit : 0);
    return true;
}

/* --- beginning anew ------------------------------------------------------------------------ */

/* A restarted call has all its time again. If signals kept coming and we did not know its time limit, it
 * would never end. */
static bool may_restart_after_signal(struct repair *repair, bool limit_known)
{
    uint64_t now = time_now();

    if (!limit_known && now - repair->signal_restart_at <= UNKNOWN_LIMIT_MAX_NS)
        return false;
    repair->signal_restart_at = now;
    return true;
}

static bool restart(struct tracer *tracer, struct tracee *tracee, const struct regs_call *call,
                    enum stop_maker maker)
{
    struct repair *repair = &tracee->repair;
    uint64_t limit;
    int64_t timeout_result;
    bool known =
        call_time_limit(tracee->process->pid, tracee->tid, call, &limit, &timeout_result);

    if (maker == STOP_IS_A_SIGNAL && !may_restart_after_signal(repair, known))
        return false;
    if (!known || limit == CALL_NO_LIMIT) {
        tracer->totals.restarted += regs_restart_call(tracee->tid) == 0;
        return false;
    }
    repair->call = *call;
    repair->restarted = true;
    repair->came_short = repair->error_waits = false;
    repair->timeout_result = timeout_result;
    if (enter_next_piece(tracee) != 1)
        return false;
    tracer->totals.restarted++;
    set_deadline(tracer, tracee, time_now() + limit);
    return true;
}

bool repair_stop(struct tracer *tracer, struct tracee *tracee, const struct regs *regs,
                 int signal, enum stop_maker maker)
{
    struct repair *repair = &tracee->repair;
    struct regs_call call;
    bool ours = maker == STOP_IS_OURS;

    if (repair->giving_up || maker == STOP_IS_ITS_OWN || !regs_call(tracee->tid, regs, &call)) {
        repair->giving_up = false;
        if (ours)
            backoff_reset(&repair->backoff);
        return false;
    }
    bool interrupted = call_is_interrupted(&call);
    if (ours && (interrupted || is_begun_anew_by_kernel(call.result)))
        backoff_note(&repair->backoff, regs->syscall, regs->pc, regs->sp, time_now());
    else if (ours)
        backoff_reset(&repair->backoff);
    if (!interrupted && call.result <= 0)
        return false;
    if (!ours && !procfs_ignores_signal(tracee->tid, signal))
        return false; /* it would have broken the call without us */
    return interrupted ? restart(tracer, tracee, &call, maker)
                       : continue_short(tracer, tracee, &call, maker);
}

/* --- stops of a call that goes on ------------------------------------------------------------ */

/* What a restarted call returns when it is broken off. */
static int64_t wait_result(const struct repair *repair, int64_t if_not_over)
{
    bool over = repair->deadline != 0 && time_now() >= repair->deadline;

    return over ? repair->timeout_result : if_not_over;
}

/* A receive has returned result. Has it come to an end of its own? Urgent data can be seen, and ends no message that has
 * not begun. What ends a receive on a local socket cannot be seen; but a signal that broke the receive still waits, if
 * no other thread has taken it, and an error that was left for it is known. */
static bool has_received_all(const struct tracee *tracee, int64_t result, bool had_error)
{
    const struct repair *repair = &tracee->repair;
    const struct call_request *request = &repair->request;

    if (request->hides_bounds && !had_error && result < (int64_t)repair->asked)
        return !procfs_signal_waits(tracee->tid, !repair->sigcont_waits);
    if (request->shape == CALL_MESSAGES && repair->progress.part == 0)
        return false;
    return descriptor_is_at_mark(tracee->process->pid, tracee->tid, request->descriptor, &request->file);
}

/* A piece has returned result. May another one be made? */
static bool may_go_on(const struct tracee *tracee, int64_t result, bool broken, bool had_error)
{
    const struct repair *repair = &tracee->repair;
    bool receives = repair->request.kind == CALL_READ && repair->request.is_stream;

    if (broken)
        return true;
    if (result <= 0 || repair->request.kind == CALL_RING)
        return false;
    return !receives || !has_received_all(tracee, result, had_error);
}

/* A piece has returned result. Returns whether another one has been entered. */
static bool go_on(struct tracee *tracee, int64_t result)
{
    struct repair *repair = &tracee->repair;
    bool broken = result == -EINTR || is_begun_anew_by_kernel(result);
    bool over = repair->giving_up || (repair->deadline != 0 && time_now() >= repair->deadline);

    repair->came_short = broken || result < (int64_t)repair->asked;
    if (repair->restarted) {
        if (broken && !over && enter_next_piece(tracee) == 1)
            return true;
        /* a connect(2) that is begun anew says at the end of its time that it is under way already */
        if (result == -EALREADY && repair->timeout_result == -EINPROGRESS)
            result = repair->timeout_result;
        leave_call(tracee, broken ? wait_result(repair, RESTART_UNLESS_HANDLED) : result, false);
        return false;
    }
    int error = 0;
    bool had_error = repair->error_waits;
    if (repair->came_short && raises_no_sigpipe(&repair->request) && repair->held.info.si_signo != SIGPIPE)
        stray_sigpipe_look(&repair->sigpipe, tracee->tid);
    /* a recvmmsg(2) takes the error that waited before anything else; the rest of a message takes it if there is no
     * data, on a local socket also if there is no more: unix_stream_read_generic */
    if (repair->progress.part == 0)
        note_error(repair, result, repair->asked);
    else if (result <= 0 || (repair->request.is_local && repair->came_short))
        repair->error_waits = false;
    if (result > 0)
        error = call_add_piece(tracee->tid, &repair->request, (uint64_t)result,
                               &repair->progress);
    /* the time limit of a recvmmsg(2) would begin again; a piece that met the error at once has used none of it */
    over = over || error != 0 || (repair->request.timeout != 0 && !(broken && had_error));
    if (!over && (may_go_on(tracee, result, broken, had_error) || (result >= 0 && end_message(repair))) &&
        enter_next_piece(tracee) == 1)
        return true;
    clear_error(tracee);
    leave_call(tracee, partial_result(repair), false);
    return false;
}

/* The time of the first part is over, which came in time: the next has all of it again. */
static bool has_part_in_time(const struct tracee *tracee, int64_t result)
{
    const struct repair *repair = &tracee->repair;

    return result > 0 && repair->deadline != 0 && time_now() >= repair->deadline &&
           call_limit_is_of_part(tracee->process->pid, tracee->tid, &repair->call);
}

static void end_piece(struct tracer *tracer, struct tracee *tracee)
{
    struct regs regs;

    if (regs_read(tracee->tid, &regs) != 0 || go_on(tracee, regs.result)) {
        at_stop_resume(tracer, tracee);
        return;
    }
    /* a restarted call may come back short, and is continued then */
    bool mend = tracee->repair.restarted &&
                (!tracee->repair.giving_up || has_part_in_time(tracee, regs.result));
    tracee->repair.giving_up = false;
    tracee->interrupted_at = time_now();
    tracee->repair.leaving = true;
    /* a sample of what it has run meanwhile */
    at_stop_answer(tracer, tracee, 0, mend ? STOP_IS_OURS : STOP_IS_ITS_OWN);
    tracee->repair.leaving = false;
}

/* A call works on the files that it began with. A piece would work on others if another thread has closed or replaced
 * a descriptor meanwhile. */
static bool has_its_files(const struct tracee *tracee)
{
    const struct call_request *request = &tracee->repair.request;
    pid_t pid = tracee->process->pid, tid = tracee->tid;

    return (request->descriptor < 0 || descriptor_is(pid, tid, request->descriptor, &request->file)) &&
           (request->source < 0 || descriptor_is(pid, tid, request->source, &request->source_file));
}

/* Changes the piece that is being entered so that it fails and does nothing: no argument is valid. */
static void fail_call(pid_t tid)
{
    struct regs regs;
    struct regs_call call;

    if (regs_read(tid, &regs) != 0 || !regs_call(tid, &regs, &call))
        return;
    memset(call.arguments, 0xff, sizeof call.arguments);
    call.result = -ENOSYS; /* as it stands at every entry: arch/x86/entry/entry_64.S */
    regs_leave_call(tid, &call, false);
}

/* The interrupt that was to end the call has met another stop, which has taken it away: ptrace_stop in
 * kernel/signal.c. */
static void give_up_again(struct tracee *tracee)
{
    if (tracee->repair.giving_up)
        repair_give_up(tracee);
}

bool repair_meets_stop(struct tracer *tracer, struct tracee *tracee, enum repair_event event,
                       int signal)
{
    struct repair *repair = &tracee->repair;

    if (event == REPAIR_CALL && repair->piece_entered) {
        end_piece(tracer, tracee);
        return true;
    }
    if (event == REPAIR_CALL) {
        repair->piece_entered = true;
        repair->sigcont_waits = repair->request.hides_bounds && procfs_signal_is_pending(tracee->tid, SIGCONT);
        give_up_again(tracee);
        if (!repair->restarted && !has_its_files(tracee))
            fail_call(tracee->tid);
        at_stop_deliver(tracer, tracee, held_signal_take(&repair->held));
        return true;
    }
    if (event == REPAIR_INTERRUPT && (!repair->giving_up || held_signal_waits(&repair->held))) {
        at_stop_answer(tracer, tracee, 0, STOP_IS_ITS_OWN); /* the piece is made afterwards */
        return true;
    }
    if (event == REPAIR_SIGNAL && stray_sigpipe_take(&repair->sigpipe, tracee->tid, signal)) {
        give_up_again(tracee);
        at_stop_resume(tracer, tracee);
        return true;
    }
    if (event == REPAIR_SIGNAL && procfs_ignores_signal(tracee->tid, signal)) {
        give_up_again(tracee);
        at_stop_deliver(tracer, tracee, signal);
        return true;
    }
    bool may_hold = !repair->piece_entered && !repair->came_short && !repair->giving_up;
    if (event == REPAIR_SIGNAL && may_hold && held_signal_hold(&repair->held, tracee->tid, signal)) {
        at_stop_resume(tracer, tracee);
        return true;
    }
    held_signal_send(&repair->held, tracee->process->pid, tracee->tid);
    if (event == REPAIR_INTERRUPT)
        clear_error(tracee);
    int64_t if_not_over = event == REPAIR_INTERRUPT ? RESTART_UNLESS_HANDLED : -EINTR;
    leave_call(tracee, repair->restarted ? wait_result(repair, if_not_over) : partial_result(repair), true);
    return false;
}
