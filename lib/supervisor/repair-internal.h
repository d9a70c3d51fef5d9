/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* repair-internal: makes pieces (shorter calls that do the rest of a system call that a stop has broken), and ends the
 * broken call. Only repair-*.c include this header. The functions need no lock. They are called while the tracee is
 * stopped. tracee->repair.call and repair.request describe the broken call, and repair.progress describes how much of
 * it is done. */
#ifndef PPROFIL_REPAIR_INTERNAL_H
#define PPROFIL_REPAIR_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct call_request;
struct repair;
struct tracee;

/* Prepares the tracee to make the next piece when it is resumed. If the whole call is to be begun anew
 * (repair->restarted), prepares the tracee to make that call instead. Returns 1 and sets the state of the tracee to
 * CONTINUING. Returns 0 if nothing is left to do. Returns -errno if the call cannot be continued: -EPERM if a filter of
 * system calls (seccomp) forbids it, or an error of call_next_piece or regs_enter_call. */
int piece_enter_next(struct tracee *tracee);
/* Returns what the broken call must return if it ends now. If a part of a message was moved, this message counts as
 * moved. */
int64_t piece_partial_result(const struct repair *repair);
/* Ends the broken call, so that it returns `result`: how much it has done, or -errno. The state of the tracee becomes
 * RUNNING. entered: the tracee was prepared for another piece, and is before the instruction of that piece; otherwise
 * it is after the instruction of the previous piece. final: if result is 0 or more, the call must not be continued at a
 * later stop. */
void piece_leave_call(struct tracee *tracee, int64_t result, bool entered, bool final);
/* If the current message of a recvmmsg(2) is incomplete (progress.part > 0), counts it as done, although it has only
 * the bytes received so far. The call then continues with the next message. Returns false if no message is
 * incomplete. */
bool piece_end_message(struct repair *repair);

/* Sets repair->error_waits to true if an error may be left in the socket, and to false otherwise. If an error ends a
 * recvmmsg(2) after some messages, do_recvmmsg in net/socket.c stores it in the socket, and the next call on the socket
 * returns it. result: result of the call or piece. asked: how many messages that call or piece was to receive. */
void piece_note_error(struct repair *repair, int64_t result, uint64_t asked);
/* To be called when the call ends. If our stop has left an error in the socket (repair->error_waits), removes it,
 * because the program must not get it. */
void piece_clear_error(struct tracee *tracee);

/* Returns true if a piece may raise a stray SIGPIPE, that is, one that the whole call would not raise (repair.h). A
 * send with MSG_NOSIGNAL raises none. We cannot detect one exception: a whole sendfile(2) also raises SIGPIPE if
 * everything that it has read so far has just been sent. */
bool piece_may_raise_stray_sigpipe(const struct call_request *request);

#endif
