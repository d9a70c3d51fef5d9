/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* repair: what is kept for each tracee about a system call that a stop broke. See repair.c. */
#ifndef PPROFIL_REPAIR_H
#define PPROFIL_REPAIR_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/calls/calls.h"
#include "supervisor/regs.h"
#include "supervisor/stop.h"

struct tracee;
struct tracer;

/* A call that a signal has broken whose handler was to run. When that returns, the thread stands behind the call again,
 * with the same registers. Where a stop shows no more than that (regs_call.lacks_first), only the first argument tells
 * whether the thread has made the call again: the handler's return, rt_sigreturn(2), is a call with another one, as a
 * rule. */
struct handled_call {
    uint64_t fingerprint; /* regs_call.fingerprint; 0: there was none */
    uint64_t first_argument;
};
#define HANDLED_CALLS 4u /* handlers that interrupt each other */

struct held_signal {
    siginfo_t info;   /* as it was sent first; si_signo 0: none is held, and none was sent again */
    bool is_queued;   /* it has been sent again, and has not been delivered yet */
};

struct stray_sigpipe {
    bool was_pending;  /* before the rest was begun, the thread's own queue had a SIGPIPE */
    bool is_pending;   /* the stray one is in that queue */
    bool is_unblocked; /* the thread blocks SIGPIPE, and has been made to take this one only: mask is its own */
    uint64_t mask;     /* of blocked signals: bit signal - 1 */
};

struct repair {
    struct backoff backoff;
    struct handled_call handled[HANDLED_CALLS];
    unsigned next_handled;      /* the oldest of these */
    uint64_t ended_fingerprint; /* of a call that we have ended, and that stops may show before the thread runs; or 0 */
    int64_t ended_result;

    /* the call that is being continued */
    bool piece_entered;    /* between the entry stop and the exit stop of a piece */
    bool giving_up;        /* it is to end with what it has done */
    bool leaving;          /* because we leave; it is counted as cut short if it has not done all */
    bool at_call_end;      /* it has ended, and the stop at its end is being answered */
    bool billed;           /* a tick's interrupt broke it, so its stops came only because of sampling */
    struct regs_call call; /* as the program made it */
    struct call_request request;
    struct call_progress progress;
    uint64_t asked;         /* what the piece under way is to move, in units of its result */
    bool came_short;        /* the last piece has moved less, so a signal may be why */
    bool sigcont_waits;     /* one was pending when the piece was entered, so it is not what broke the piece */
    bool error_waits;       /* the socket keeps an error for the next call on it: recvmmsg(2) */
    struct held_signal held;
    struct stray_sigpipe sigpipe;
    bool restarted;         /* it is made again from its beginning; else its rest is being made */
    int64_t timeout_result; /* what a restarted call returns when its deadline has passed */
    uint64_t deadline;      /* time_now() at which it ends; 0: it has no time limit */
    uint64_t signal_restart_at; /* when a call that a signal had broken was restarted last */
};

/* Is the call that goes on one that is made again as the program made it, and that ends as the kernel ends it? */
bool repair_is_own_call(const struct repair *repair);
/* Needs no lock. Before a tracee runs on with signal (0: none) from a stop: mends what the stop has broken of the call
 * that it is in. True: the call goes on, and the tracee's state is CONTINUING. */
bool repair_stop(struct tracer *tracer, struct tracee *tracee, const struct regs *regs, int signal,
                 enum stop_cause cause);

/* What stopped a tracee whose call is being continued. */
enum repair_event {
    REPAIR_CALL,      /* the beginning or the end of a piece */
    REPAIR_INTERRUPT, /* PTRACE_INTERRUPT, before a piece has begun */
    REPAIR_SIGNAL,
    REPAIR_OTHER, /* any other stop */
};

/* A stop of a tracee whose state is CONTINUING. True: it has been answered. False: the call has been
 * given up for what it has done, and the stop is to be answered as any other. */
bool repair_meets_stop(struct tracer *tracer, struct tracee *tracee, enum repair_event event, int signal);
/* Is a call of the tracee being mended that would return something else if nobody traced it any more? One that was
 * begun anew, and waits, is the call that the program made, and needs nobody; only its time may have begun anew. */
bool repair_needs_us(const struct tracee *tracee);
/* Makes the tracee stop, so that its call is given up. */
void repair_give_up(struct tracee *tracee);

/* --- time limits --- */

/* These need no lock. */

/* The tracee's call, which goes on, is to end at time deadline; 0: it has no time limit. If DEADLINES_MAX calls wait
 * already, this one ends at the tracee's first stop after its deadline. */
void deadline_set(struct tracer *tracer, struct tracee *tracee, uint64_t deadline);
/* Calls whose time is over are ended. Returns the time at which the next is to be; 0: none. */
uint64_t deadline_check(struct tracer *tracer);

/* --- signals that are kept back --- */

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

/* --- SIGPIPE --- */

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
