/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* repair-internal: one piece of a call that goes on, and the end of such a call; for repair-*.c only. These functions
 * need no lock. The tracee stands still, and its repair.call, .request and .progress say what the call was and what is
 * done. */
#ifndef PPROFIL_REPAIR_INTERNAL_H
#define PPROFIL_REPAIR_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct call_request;
struct repair;
struct tracee;

/* Makes the tracee make the next piece when it is resumed, or, if the call is restarted, the call itself. Returns 1,
 * and the state of the tracee is CONTINUING; 0 if nothing is left to be done; or -errno if the call cannot go on:
 * -EPERM where a filter of system calls forbids the piece, or what regs_enter_call returns. */
int piece_enter_next(struct tracee *tracee);
/* Returns what the call returns if it ends now. A message that was moved in part counts as moved. */
int64_t piece_partial_result(const struct repair *repair);
/* Ends the call with result, a count or -errno; the state of the tracee becomes RUNNING. entered: the tracee stands at
 * the beginning of a piece, or in it; else at its end. final: a result that is a count is not to be continued. */
void piece_leave_call(struct tracee *tracee, int64_t result, bool entered, bool final);
/* Ends the message under way where the receive has ended; recvmmsg(2) goes on with the next one. Returns false if no
 * message is under way. */
bool piece_end_message(struct repair *repair);

/* Notes whether the socket keeps an error. A recvmmsg(2) that ends after some messages leaves its error for the next
 * call on the socket: do_recvmmsg in net/socket.c. result: of the call, or of a piece of it. asked: the number of
 * messages that the call, or the piece, asked for. */
void piece_note_error(struct repair *repair, int64_t result, uint64_t asked);
/* To be called when the call ends. Takes the error away that our stop has left, for it is not for the program. */
void piece_clear_error(struct tracee *tracee);

/* Returns true if a piece of the call may raise a SIGPIPE that the whole call does not raise once it has moved a part:
 * repair.h. Sends with MSG_NOSIGNAL raise none. A sendfile(2) does raise one if what it read last has just been sent;
 * that cannot be seen. */
bool piece_may_raise_stray_sigpipe(const struct call_request *request);

#endif
