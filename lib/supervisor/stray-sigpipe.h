/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stray-sigpipe: a SIGPIPE that the rest of a call raises, and the whole call would not have raised.
 *
 * The kernel sends SIGPIPE to the thread that writes to a pipe or a socket that nobody reads. A call that has moved
 * a part before it meets that returns the part, and some calls raise no SIGPIPE then (tcp_sendmsg_locked in
 * net/ipv4/tcp.c). The rest of such a call, made as a call of its own, has moved nothing, and raises one.
 *
 * It is told from others by the queue that it is in: the thread's own, which kill(2) does not use, but held-signal.c
 * does. The kernel takes signals from that queue first (dequeue_signal in kernel/signal.c), so it is the next SIGPIPE
 * that the thread gets.
 *
 * These functions need no lock.
 */
#ifndef PPROFIL_STRAY_SIGPIPE_H
#define PPROFIL_STRAY_SIGPIPE_H

#include <stdbool.h>
#include <stdint.h>

struct tracee;

struct stray_sigpipe {
    bool was_pending;  /* before the rest was begun, the thread's own queue had a SIGPIPE */
    bool is_pending;   /* the stray one is in that queue */
    bool is_unblocked; /* the thread blocks SIGPIPE, and has been made to take this one only: mask is its own */
    uint64_t mask;     /* of blocked signals: bit signal - 1 */
};

/* To be called at a stop of the tracee, before the rest of a call is begun. */
void stray_sigpipe_begin(struct tracee *tracee);
/* To be called at the exit stop of a piece that may have raised a stray SIGPIPE, if held-signal.c keeps no SIGPIPE
 * back. If the piece has raised one, the thread meets it as soon as it is resumed, even if it blocks SIGPIPE: otherwise
 * it would find a signal pending that the whole call does not leave. Then to be called again at each later stop from
 * which the thread is resumed without a signal: a sigaction(2) of another thread may have taken the SIGPIPE away. */
void stray_sigpipe_look(struct tracee *tracee);
/* To be called at each stop that a signal makes. Returns true if the program must not get that signal. */
bool stray_sigpipe_take(struct tracee *tracee, int signal);
/* To be called at a stop from which the thread is let go, or stays stopped. It has its own mask then. */
void stray_sigpipe_restore_mask(struct tracee *tracee);

#endif
