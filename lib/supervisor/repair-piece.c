/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes pieces (shorter calls that do the rest of a broken call), ends the broken call, and ends calls whose deadline
 * has passed: repair.h. */
#include "config.h"

#include <errno.h>
#include <sys/ptrace.h>

#include "base/clock.h"
#include "supervisor/calls/calls.h"
#include "supervisor/calls/descriptor.h"
#include "supervisor/debug-log.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/regs.h"
#include "supervisor/repair-internal.h"
#include "supervisor/repair.h"
#include "supervisor/tracer.h"

/* Builds the next piece of a call. Returns the result of call_next_piece. If the program has a filter of system calls
 * (seccomp(2)), the filter might kill the program when it makes a call with another number. So the piece must then have
 * the same number as the broken call; returns -EPERM if there is no such piece. */
static int64_t piece_make(struct tracee *tracee, struct regs_call *piece)
{
    struct repair *repair = &tracee->repair;
    struct call_request *request = &repair->request;
    int64_t left = call_next_piece(tracee->tid, &repair->call, request, &repair->progress, piece);

    if (left <= 0 || piece->number == repair->call.number || procfs_status_number(tracee->tid, "Seccomp:") == 0)
        return left;
    request->filtered = true;
    left = call_next_piece(tracee->tid, &repair->call, request, &repair->progress, piece);
    return left <= 0 || piece->number == repair->call.number ? left : -EPERM;
}

int64_t piece_partial_result(const struct repair *repair)
{
    return (int64_t)(repair->progress.done + (repair->progress.part > 0));
}

int piece_enter_next(struct tracee *tracee)
{
    struct repair *repair = &tracee->repair;
    struct regs_call piece = repair->call;
    int64_t asked = repair->restarted ? 1 : piece_make(tracee, &piece);

    if (asked <= 0)
        return (int)asked;
    int error = regs_enter_call(tracee->tid, &piece);
    if (error != 0)
        return error;
    repair->asked = (uint64_t)asked;
    repair->piece_entered = false;
    tracee->state = TRACEE_CONTINUING;
    debug_log(tracee->tracer, "%s %d %d", repair->restarted ? "restart" : "piece", tracee->tid, piece.number);
    return 1;
}

/* Records the fingerprint and the result of the call that the registers show, because we have just ended this call, and
 * must not continue it at a later stop. */
static void piece_note_end(struct tracee *tracee)
{
    struct regs regs;
    struct regs_call call;

    if (regs_read(tracee->tid, &regs) != 0 || !regs_call(tracee->tid, &regs, &call))
        return;
    tracee->repair.ended_fingerprint = call.fingerprint;
    tracee->repair.ended_result = call.result;
}

void piece_leave_call(struct tracee *tracee, int64_t result, bool entered, bool final)
{
    struct repair *repair = &tracee->repair;
    struct regs_call call = repair->call;

    call.result = result;
    /* The thread may stop again before it runs, and must not continue the call at that stop. If the machine cannot hide
     * the call from later stops, records that the call has ended */
    if (regs_leave_call(tracee->tid, &call, entered, final && result >= 0) > 0)
        piece_note_end(tracee);
    tracee->state = TRACEE_RUNNING;
    debug_log(tracee->tracer, "return %d %lld", tracee->tid, (long long)result);
}

void piece_note_error(struct repair *repair, int64_t result, uint64_t asked)
{
    const struct call_request *request = &repair->request;

    repair->error_waits = request->shape == CALL_MESSAGES && request->kind == CALL_READ && result > 0 &&
                          (uint64_t)result < asked;
}

void piece_clear_error(struct tracee *tracee)
{
    struct repair *repair = &tracee->repair;

    if (repair->error_waits)
        descriptor_clear_error(tracee->process->pid, tracee->tid, repair->request.descriptor, &repair->request.file);
    repair->error_waits = false;
}

bool piece_end_message(struct repair *repair)
{
    if (repair->request.kind != CALL_READ || repair->progress.part == 0)
        return false;
    repair->progress.done++;
    repair->progress.part = 0;
    return true;
}

bool piece_may_raise_stray_sigpipe(const struct call_request *request)
{
    return request->no_sigpipe || (request->filtered && request->kind == CALL_WRITE) ||
           (request->target.is_socket && (request->kind == CALL_COPY || request->kind == CALL_SPLICE));
}

void repair_give_up(struct tracee *tracee)
{
    tracee->repair.giving_up = true;
    debug_log(tracee->tracer, "interrupt %d", tracee->tid);
    ptrace(PTRACE_INTERRUPT, tracee->tid, NULL, NULL);
}

/* --- time limits ----------------------------------------------------------------------------- */

/* Returns true if this deadline of this thread is already in the list. This can happen because a call that is begun
 * anew may keep its deadline. */
static bool deadline_is_waited_for(const struct deadlines *deadlines, pid_t tid, uint64_t deadline)
{
    for (unsigned i = 0; i < deadlines->count; i++)
        if (deadlines->waiting[i].tid == tid && deadlines->waiting[i].time == deadline)
            return true;
    return false;
}

void deadline_set(struct tracer *tracer, struct tracee *tracee, uint64_t deadline)
{
    struct deadlines *deadlines = &tracer->deadlines;

    tracee->repair.deadline = deadline;
    if (deadline == 0 || deadline_is_waited_for(deadlines, tracee->tid, deadline) || deadlines->count == DEADLINES_MAX)
        return; /* if the list is full, the call ends when the thread first stops after the deadline */
    deadlines->waiting[deadlines->count].tid = tracee->tid;
    deadlines->waiting[deadlines->count++].time = deadline;
}

uint64_t deadline_check(struct tracer *tracer)
{
    struct deadlines *deadlines = &tracer->deadlines;
    uint64_t now = deadlines->count > 0 ? time_now() : 0, next = 0;

    for (unsigned i = 0; i < deadlines->count; i++) {
        uint64_t time = deadlines->waiting[i].time;
        struct tracee *tracee = tracee_find(&tracer->tracees, deadlines->waiting[i].tid);
        bool waits = tracee != NULL && tracee->state == TRACEE_CONTINUING && tracee->repair.deadline == time;
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
