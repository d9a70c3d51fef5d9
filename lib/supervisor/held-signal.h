/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * held-signal: a signal that meets a thread between two pieces of a call that is continued.
 *
 * In one whole call the kernel looks for signals only where it would have to wait, after all that can be
 * moved at once. Between two pieces it looks for them, too, and the call would end with less. So the
 * signal is held back there, and the entry of the next piece raises it again.
 *
 * A signal that is held is in no queue of the kernel's. If the supervisor is killed before the next piece
 * begins, it is lost.
 *
 * These functions need no lock.
 */
#ifndef PPROFIL_HELD_SIGNAL_H
#define PPROFIL_HELD_SIGNAL_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct tracee;

struct held_signal {
    siginfo_t info;   /* as it was sent first; si_signo 0: none is held, and none was sent again */
    bool is_queued;   /* it has been sent again, and has not been delivered yet */
};

/* Returns true if no signal is held, and none that was sent again is pending. */
bool held_signal_is_free(struct held_signal *held, pid_t tid);
/* Holds back the signal at whose stop the thread tid stands. Returns false if it has to be delivered. */
bool held_signal_hold(struct held_signal *held, pid_t tid, int signal);
/* Returns true if a signal is held that has not been sent again. */
bool held_signal_waits(const struct held_signal *held);
/* Returns the signal with which the thread is to leave the entry stop of a call, whatever call it is: ptrace(2)
 * sends it then. 0: none. */
int held_signal_take(struct held_signal *held);
/* Sends what is held to the tracee, a thread of process pid, which is to enter no more pieces. If that is not permitted
 * it goes on waiting, for the next call. */
void held_signal_send(struct tracee *tracee, pid_t pid);
/* Gives a signal that was sent again the siginfo_t that it had first. To be called at each stop that a
 * signal makes, before it is answered. Returns true if the signal was given another siginfo_t. */
bool held_signal_restore(struct held_signal *held, pid_t tid, int signal);

#endif
