/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* repair-internal: makes a piece of a call that is continued, and ends such a call; for repair-*.c only. These
 * functions need no lock. The tracee stands still. Its repair.call, .request and .progress describe the call and how
 * far it has come. */
#ifndef PPROFIL_REPAIR_INTERNAL_H
#define PPROFIL_REPAIR_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct call_request;
struct repair;
struct tracee;

/* Prepares the tracee to make the next piece when it is resumed, or the whole call if that was begun anew. Returns 1,
 * and the state of the tracee is CONTINUING; 0 if nothing is left to do; or -errno if the call cannot go on: -EPERM if
 * a filter of system calls (seccomp) stands in the way, or an error of call_next_piece or regs_enter_call. */
int piece_enter_next(struct tracee *tracee);
/* Returns the result of the call if it ends now. A message of which a part was moved counts as moved. */
int64_t piece_partial_result(const struct repair *repair);
/* Ends the call with result, a count or -errno; the state of the tracee becomes RUNNING. entered: the tracee stands
 * before the instruction of the next piece; else behind the instruction of the last one. final: a result that is a
 * count must not be continued again. */
void piece_leave_call(struct tracee *tracee, int64_t result, bool entered, bool final);
/* Counts the message under way as done, with the bytes received so far; recvmmsg(2) goes on with the next message.
 * Returns false if no message is under way. */
bool piece_end_message(struct repair *repair);

/* Notes whether the socket keeps an error. A recvmmsg(2) that an error ends after some messages leaves this error for
 * the next call on the socket: do_recvmmsg in net/socket.c. result: result of the call or piece. asked: number of
 * messages that the call or piece asked for. */
void piece_note_error(struct repair *repair, int64_t result, uint64_t asked);
/* To be called when the call ends. Removes the error that our stop has left in the socket: the program must not get
 * it. */
void piece_clear_error(struct tracee *tracee);

/* Returns true if a piece of the call may raise a stray SIGPIPE (repair.h): one that the whole call, which has moved a
 * part, does not raise. Sends with MSG_NOSIGNAL raise none. A whole sendfile(2) does raise SIGPIPE if all that it has
 * read was just sent, but that state cannot be seen. */
bool piece_may_raise_stray_sigpipe(const struct call_request *request);

#endif
