/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * repair: a call returns under us what it returns without us.
 *
 * A stop makes the kernel end a call that waits, as a signal does. So does a signal that the program ignores, for it
 * wakes up a thread that is traced. One of three things has then become of the call:
 *
 * It returns EINTR and has done nothing: it is begun anew. A call that takes longer than the time between two stops,
 * and loses its work at each, is left alone until it has ended: backoff of calls.h.
 *
 * It waits with a time limit and returns EINTR: begun anew it would wait for all of its time again. So we follow it to
 * its end, and end it ourselves when its time is over.
 *
 * It has moved a part and returns how much: calls that do the rest, its pieces, are made in its place, one after the
 * other, until all is moved or one of them moves nothing more. Then the registers become what they are after one whole
 * call.
 *
 *     our stop -> enter a piece -> [entry stop] -> inside -> [exit stop] -> enter the next, or leave
 *
 * A signal that the program handles ends the call as it ends a whole one: with what could be moved before the call
 * would have waited.
 *
 * While a tracee is inside a piece, it sleeps and is not interrupted, but its registers are those of the piece. If the
 * supervisor is killed just then the program gets the result of that piece, which is less than was moved. A supervisor
 * that ends in order waits, and then gives up the calls whose rest is being made, so that they return what they have
 * done. A call that was begun anew is left to itself: it waits for what the program asked for.
 *
 * repair-stop.c finds out what a stop has broken, repair-continue.c answers the stops of a call that goes on,
 * repair-piece.c makes pieces and keeps time limits, repair-signal.c has the signals that come in between. Which calls
 * can be continued, and how, is in calls/.
 */
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

/* A call that was broken by a signal whose handler was to run. When the handler returns, the thread stands behind the
 * call again, with the same registers. Where a stop shows no more than that (regs_call.lacks_first), only the first
 * argument tells whether the thread has made the call again: the handler returns by rt_sigreturn(2), a call whose first
 * argument is usually another one. */
struct handled_call {
    uint64_t fingerprint; /* regs_call.fingerprint; 0: no call */
    uint64_t first_argument;
};
#define HANDLED_CALLS 4u /* the most handlers that interrupt each other */

/* A signal that is kept back: held_signal_hold. */
struct held_signal {
    siginfo_t info; /* as it was first sent; si_signo 0: none is held, and none was sent again */
    bool is_queued; /* it has been sent again, and is not delivered yet */
};

/* A SIGPIPE that only a piece has raised: stray_sigpipe_look. */
struct stray_sigpipe {
    bool was_pending;  /* the thread's own queue had a SIGPIPE before the rest of the call was begun */
    bool is_pending;   /* the stray SIGPIPE is in that queue */
    bool is_unblocked; /* the thread blocks SIGPIPE, and has been made to take this one only; mask is its own mask */
    uint64_t mask;     /* blocked signals: bit signal - 1 */
};

/* What is kept for each tracee about a system call that a stop broke. */
struct repair {
    struct backoff backoff;
    struct handled_call handled[HANDLED_CALLS];
    unsigned next_handled; /* index of the oldest of these */
    /* fingerprint of a call that we have ended, and that stops may show before the thread runs; 0: none */
    uint64_t ended_fingerprint;
    int64_t ended_result;

    /* the call that is being continued: */
    bool piece_entered;    /* the tracee is between the entry stop and the exit stop of a piece */
    bool giving_up;        /* the call is to end with what it has done */
    bool leaving;          /* it gives up because we leave: it is counted as cut short if it has not done all */
    bool at_call_end;      /* it has ended, and the stop at its end is being answered */
    bool billed;           /* a tick's interrupt broke it, so its stops came only because of sampling */
    struct regs_call call; /* as the program made it */
    struct call_request request;
    struct call_progress progress;
    uint64_t asked;     /* what the piece under way is to move, in units of its result */
    bool came_short;    /* the last piece has moved less than that, perhaps because of a signal */
    bool sigcont_waits; /* a SIGCONT was pending when the piece was entered, so it is not what broke the piece */
    bool error_waits;   /* the socket keeps an error for the next call on it: recvmmsg(2) */
    struct held_signal held;
    struct stray_sigpipe sigpipe;
    bool restarted;             /* the call is made again from its beginning; else its rest is being made */
    int64_t timeout_result;     /* what a restarted call returns when its deadline has passed */
    uint64_t deadline;          /* time at which the call ends; 0: it has no time limit */
    uint64_t signal_restart_at; /* time at which a call that a signal had broken was last restarted */
};

/* Returns true if the call that goes on is made again as the program made it, and ends as the kernel ends it. */
bool repair_is_own_call(const struct repair *repair);
/* Needs no lock. To be called before a tracee is resumed with signal (0: none) from a stop: repairs the call that the
 * stop has broken. cause: what made the tracee stop. Returns true if the call goes on; the state of the tracee is
 * CONTINUING then. */
bool repair_stop(struct tracer *tracer, struct tracee *tracee, const struct regs *regs, int signal,
                 enum stop_cause cause);

/* What stopped a tracee whose call is being continued. */
enum repair_event {
    REPAIR_CALL,      /* the beginning or the end of a piece */
    REPAIR_INTERRUPT, /* PTRACE_INTERRUPT, before a piece has begun */
    REPAIR_SIGNAL,
    REPAIR_OTHER, /* any other stop */
};

/* Needs no lock. Answers a stop of a tracee whose state is CONTINUING, and returns true. Or gives the call up for what
 * it has done, and returns false: the stop is to be answered as any other. */
bool repair_meets_stop(struct tracer *tracer, struct tracee *tracee, enum repair_event event, int signal);
/* Returns true if a call of the tracee is being repaired that would return something else if we ended now. A call that
 * was begun anew, and waits, is the call that the program made, and does not need us; only its time may have begun
 * anew. */
bool repair_needs_us(const struct tracee *tracee);
/* Interrupts the tracee, so that its call is given up. */
void repair_give_up(struct tracee *tracee);

/* --- time limits --- */

/* The functions below need no lock. */

/* Has the tracee's call, which goes on, end at time `deadline`; 0: it has no time limit. If DEADLINES_MAX calls wait
 * already, this one ends at the tracee's first stop after its deadline. */
void deadline_set(struct tracer *tracer, struct tracee *tracee, uint64_t deadline);
/* Ends the calls whose time is over. Returns the time at which the next call is to end; 0: none. */
uint64_t deadline_check(struct tracer *tracer);

/* --- signals that are kept back --- */

/*
 * A signal may meet a thread between two pieces of a call that is continued. In one whole call the kernel looks for
 * signals only where it would have to wait, after all that can be moved at once. Between two pieces it looks for them,
 * too, and the call would end with less. So the signal is kept back there, and the entry of the next piece raises it
 * again.
 *
 * A signal that is held is in no queue of the kernel's. If the supervisor is killed before the next piece begins, it is
 * lost.
 */

/* Returns true if no signal is held, and none is pending that was sent again. */
bool held_signal_is_free(struct held_signal *held, pid_t tid);
/* Holds the signal at whose stop the thread tid stands. Returns false if it has to be delivered. */
bool held_signal_hold(struct held_signal *held, pid_t tid, int signal);
/* Returns true if a signal is held that has not been sent again. */
bool held_signal_waits(const struct held_signal *held);
/* Returns the signal with which the thread is to leave the entry stop of a call, whatever call it is: ptrace(2) sends
 * the signal then. 0: none. */
int held_signal_take(struct held_signal *held);
/* Sends the held signal to the tracee, a thread of process pid, which is to enter no more pieces. If that is not
 * permitted the signal stays held until the next call. */
void held_signal_send(struct tracee *tracee, pid_t pid);
/* To be called at each stop that a signal makes, before it is answered. Gives a signal that was sent again the
 * siginfo_t that it first had. Returns true if the signal was given another siginfo_t. */
bool held_signal_restore(struct held_signal *held, pid_t tid, int signal);

/* --- SIGPIPE --- */

/*
 * The rest of a call may raise a SIGPIPE that the whole call would not have raised: a stray one.
 *
 * The kernel sends SIGPIPE to the thread that writes to a pipe or a socket that nobody reads. A call that has moved a
 * part before it meets that returns the part, and some calls raise no SIGPIPE then (tcp_sendmsg_locked in
 * net/ipv4/tcp.c). The rest of such a call, made as a call of its own, has moved nothing, and raises one.
 *
 * The stray SIGPIPE is told from others by its queue: the thread's own, which kill(2) does not use, but
 * held_signal_send does. The kernel takes signals from that queue first (dequeue_signal in kernel/signal.c), so the
 * stray SIGPIPE is the next SIGPIPE that the thread gets.
 */

/* To be called at a stop of the tracee, before the rest of a call is begun. */
void stray_sigpipe_begin(struct tracee *tracee);
/* To be called at the exit stop of a piece that may have raised a stray SIGPIPE, unless a SIGPIPE is held. If the piece
 * has raised one, the thread meets it as soon as it is resumed, even if it blocks SIGPIPE: otherwise it would find a
 * signal pending that the whole call does not leave. To be called again at each later stop from which the thread is
 * resumed without a signal: a sigaction(2) of another thread may have taken the SIGPIPE away. */
void stray_sigpipe_look(struct tracee *tracee);
/* To be called at each stop that a signal makes. Returns true if the program must not get that signal. */
bool stray_sigpipe_take(struct tracee *tracee, int signal);
/* To be called at a stop from which the thread is detached, or stays stopped. Gives the thread its own signal mask
 * back. */
void stray_sigpipe_restore_mask(struct tracee *tracee);

#endif
