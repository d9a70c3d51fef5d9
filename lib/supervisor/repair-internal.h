/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* repair-internal: makes a piece of a call that is continued, and ends such a call; for repair-*.c only. These
 * functions need no lock. The tracee is stopped. Its repair.call, repair.request and repair.progress describe the call
 * and how far it has come. */
#ifndef PPROFIL_REPAIR_INTERNAL_H
#define PPROFIL_REPAIR_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct call_request;
struct repair;
struct tracee;

/* Prepares the tracee to make the next piece when it is resumed, or the whole call if that was begun anew. Returns 1
 * and sets the state of the tracee to CONTINUING. Returns 0 if nothing is left to do. Returns -errno if the call cannot
 * be continued: -EPERM if a filter of system calls (seccomp) forbids it, or an error of call_next_piece or
 * regs_enter_call. */
int piece_enter_next(struct tracee *tracee);
/* Returns the result of the call if it ends now. A message of which a part was moved counts as moved. */
int64_t piece_partial_result(const struct repair *repair);
/* Ends the call with result, a count or -errno; the state of the tracee becomes RUNNING. entered: the tracee is before
 * the instruction of the next piece; otherwise after the instruction of the last one. final: if result is a count, the
 * call must not be continued again. */
void piece_leave_call(struct tracee *tracee, int64_t result, bool entered, bool final);
/* If the current message of a recvmmsg(2) is incomplete (progress.part > 0), counts it as done with the bytes received
 * so far. The call continues with the next message. Returns false if no message is incomplete. */
bool piece_end_message(struct repair *repair);

/* Sets repair->error_waits if the socket keeps an error for the next call on it. do_recvmmsg in net/socket.c does that
 * if an error ends a recvmmsg(2) after some messages. result: result of the call or piece. asked: number of messages
 * that the call or piece asked for. */
void piece_note_error(struct repair *repair, int64_t result, uint64_t asked);
/* To be called when the call ends. Removes the error that our stop has left in the socket: the program must not get
 * it. */
void piece_clear_error(struct tracee *tracee);

/* Returns true if a piece of the call may raise a stray SIGPIPE (repair.h), which the whole call, having moved a part,
 * does not raise. Sends with MSG_NOSIGNAL raise none. A whole sendfile(2) does raise SIGPIPE if all that it has read
 * was just sent, but that state cannot be detected. */
bool piece_may_raise_stray_sigpipe(const struct call_request *request);

#endif
