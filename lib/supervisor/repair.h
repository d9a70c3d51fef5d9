/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * repair: repairs system calls that a stop broke, so that each call returns what it would return without us.
 *
 * A stop makes the kernel end a call that waits, as a signal does. A signal that the program ignores also makes the
 * kernel end the call, because it wakes up a traced thread. The call then ends in one of three ways:
 *
 * It returns EINTR and has done nothing. Then the call is begun anew. A call may take longer than the time between two
 * stops, and lose its work at each stop. Such a call is left alone until it has ended: backoff of calls.h.
 *
 * It waits with a time limit and returns EINTR. Begun anew, the call would wait for the whole time again. So we begin
 * it anew, follow it, and end it when the original time is over.
 *
 * It has moved a part and returns the size of that part. Then the thread makes further calls, the pieces, which move
 * the rest. This ends when all is moved or a piece moves nothing. Then the registers are set as after one whole call.
 *
 *     our stop -> enter a piece -> [entry stop] -> inside -> [exit stop] -> enter the next, or leave
 *
 * A signal that the program handles ends such a call as it ends one whole call: the call returns what it could move
 * without waiting.
 *
 * While a tracee sleeps inside a piece, ticks do not interrupt it, but its registers are those of the piece. If the
 * supervisor is killed just then, the program gets the result of that piece, which is less than was moved. A supervisor
 * that ends in order waits for such calls, and then gives them up, so that they return what they have moved. A call
 * that was begun anew is left alone, because it is the call that the program made.
 *
 * repair-stop.c finds out what a stop has broken. repair-continue.c answers the stops of a call that is continued.
 * repair-piece.c makes pieces and keeps time limits. repair-signal.c handles signals that come between pieces. calls/
 * decides which calls can be continued, and builds the pieces.
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

/* A call that was broken by a signal with a handler. When the handler returns, the thread is after the call's
 * instruction again, with the same registers. If the registers lack the first argument (regs_call.lacks_first), a stop
 * there looks as if the thread had made the call again. Then the first argument decides: the handler returned by
 * rt_sigreturn(2), whose first argument usually differs from that of the call. */
struct handled_call {
    uint64_t fingerprint; /* fingerprint of struct regs_call; 0: no call */
    uint64_t first_argument;
};
#define HANDLED_CALLS 4u /* largest depth of handlers that interrupt each other */

/* A signal whose delivery is delayed: held_signal_hold. */
struct held_signal {
    /* siginfo_t of a signal that is held or was sent again, as first sent; si_signo 0: no such signal */
    siginfo_t info;
    bool is_queued; /* the signal was sent again, and is not delivered yet */
};

/* A SIGPIPE that only a piece has raised: stray_sigpipe_look. */
struct stray_sigpipe {
    bool was_pending;  /* the thread's own queue had a SIGPIPE before the rest of the call was begun */
    bool is_pending;   /* the stray SIGPIPE is in the thread's own queue */
    /* the thread blocked SIGPIPE, and its mask was changed to unblock only SIGPIPE; `mask` contains the original
     * mask */
    bool is_unblocked;
    uint64_t mask;     /* set of blocked signals; bit N - 1 is signal N */
};

/* The state of a tracee's system call that a stop broke. */
struct repair {
    struct backoff backoff;
    struct handled_call handled[HANDLED_CALLS];
    unsigned next_handled; /* index of the oldest element of handled */
    /* fingerprint of a call that we have ended; until the thread runs, stops may show this call; 0: none */
    uint64_t ended_fingerprint;
    int64_t ended_result;

    /* the fields below describe the call that is being continued: */
    bool piece_entered;    /* the tracee is between the entry stop and the exit stop of a piece */
    bool giving_up;        /* the call must end now, with what it has done */
    /* the call is given up because the supervisor ends; an incomplete call then counts as cut short */
    bool leaving;
    bool at_call_end;      /* the call has ended, and the stop at its end is being answered */
    bool billed;           /* a tick's interrupt broke the call, so its stops are billed to sampling */
    struct regs_call call; /* the call as the program made it */
    struct call_request request;
    struct call_progress progress;
    uint64_t asked;     /* amount that the piece under way should move, in the units of its result */
    bool came_short;    /* the last piece moved less than asked, perhaps because of a signal */
    bool sigcont_waits; /* a SIGCONT was pending when the piece was entered, so this SIGCONT did not break the piece */
    bool error_waits;   /* the socket keeps an error for the next call on it: recvmmsg(2) */
    struct held_signal held;
    struct stray_sigpipe sigpipe;
    bool restarted;             /* the call was begun anew; else its rest is made in pieces */
    int64_t timeout_result;     /* result of a restarted call when its deadline has passed */
    uint64_t deadline;          /* time at which the call is ended, CLOCK_MONOTONIC ns; 0: no time limit */
    uint64_t signal_restart_at; /* time of the last restart of a call that a signal had broken */
};

/* Returns true if the call was begun anew as the program made it, and the kernel can end it without our help. */
bool repair_is_own_call(const struct repair *repair);
/* Needs no lock. Repairs the call that a stop has broken. To be called before the tracee is resumed with signal (0:
 * none). cause: what made the tracee stop. Returns true if the call is continued; then the state of the tracee is
 * CONTINUING. */
bool repair_stop(struct tracer *tracer, struct tracee *tracee, const struct regs *regs, int signal,
                 enum stop_cause cause);

/* What stopped a tracee whose call is being continued. */
enum repair_event {
    REPAIR_CALL,      /* the beginning or the end of a piece */
    REPAIR_INTERRUPT, /* PTRACE_INTERRUPT, before a piece has begun */
    REPAIR_SIGNAL,
    REPAIR_OTHER, /* any other stop */
};

/* Needs no lock. Answers a stop of a tracee whose state is CONTINUING. Returns true if the call is continued. Otherwise
 * ends the call with what it has done and returns false. The caller then answers the stop like any other. */
bool repair_meets_stop(struct tracer *tracer, struct tracee *tracee, enum repair_event event, int signal);
/* Returns true if the result of the tracee's call would be wrong if the supervisor ended now. A call that was begun
 * anew and waits does not need us, because it is the program's own call. Its time limit may have begun again. */
bool repair_needs_us(const struct tracee *tracee);
/* Interrupts the tracee. Its call is given up at the stop of this interrupt. */
void repair_give_up(struct tracee *tracee);

/* --- time limits --- */

/* The functions below need no lock. */

/* Makes the tracee's call, which is continued, end at time `deadline`; 0: no time limit. If DEADLINES_MAX calls are in
 * the list already, this call ends at the tracee's first stop after its deadline. */
void deadline_set(struct tracer *tracer, struct tracee *tracee, uint64_t deadline);
/* Ends calls whose deadline has passed. Returns the next deadline; 0: none. */
uint64_t deadline_check(struct tracer *tracer);

/* --- signals that are held --- */

/*
 * A signal may reach a thread between two pieces of a continued call. In one whole call the kernel looks for signals
 * only when it would have to wait, after it has moved all that it can. Between two pieces it looks for signals, too,
 * and the call would end with less. So the signal is held there, and sent again at the entry of the next piece.
 *
 * A held signal is in no queue of the kernel. If the supervisor is killed before the next piece begins, the signal is
 * lost.
 */

/* Returns true if no signal is held, and no signal that was sent again is still pending. */
bool held_signal_is_free(struct held_signal *held, pid_t tid);
/* Holds the signal in whose delivery stop the thread tid is. Returns false if the signal has to be delivered
 * instead. */
bool held_signal_hold(struct held_signal *held, pid_t tid, int signal);
/* Returns true if a signal is held and was not sent again yet. */
bool held_signal_waits(const struct held_signal *held);
/* Returns the held signal; 0: none. The caller must resume the thread with this signal from the entry or exit stop of a
 * call: ptrace(2) then sends the signal to the thread again. */
int held_signal_take(struct held_signal *held);
/* Sends the held signal to the tracee. Call this only if no further piece of the tracee's call follows. pid: process of
 * the tracee. If we may not send the signal, it stays held until the tracee's next call. */
void held_signal_send(struct tracee *tracee, pid_t pid);
/* To be called at each signal-delivery stop, before the stop is answered. If the signal is one that was sent again,
 * gives it its first siginfo_t. Returns true if it has changed the siginfo_t. */
bool held_signal_restore(struct held_signal *held, pid_t tid, int signal);

/* --- SIGPIPE --- */

/*
 * The rest of a call may raise a SIGPIPE that the whole call would not have raised: a stray SIGPIPE.
 *
 * The kernel sends SIGPIPE to a thread that writes to a pipe or a socket without a reader. If a call has moved a part
 * before the reader goes away, it returns the size of that part, and some calls then raise no SIGPIPE
 * (tcp_sendmsg_locked in net/ipv4/tcp.c). The rest of such a call, made as a call of its own, has moved nothing, so it
 * raises SIGPIPE.
 *
 * A stray SIGPIPE is recognized by its queue, which is the thread's own. kill(2) does not use that queue, though
 * held_signal_send does. The kernel takes signals from that queue first (dequeue_signal in kernel/signal.c), so the
 * stray SIGPIPE is the next SIGPIPE that the thread gets.
 */

/* Stores whether a SIGPIPE is pending already. To be called at a stop of the tracee, before the rest of a call is
 * begun. */
void stray_sigpipe_begin(struct tracee *tracee);
/* To be called at the exit stop of a piece that may have raised a stray SIGPIPE, unless a SIGPIPE is held. If the piece
 * has raised one, lets the thread get it right after the resume, even if the thread blocks SIGPIPE. Otherwise the
 * thread would find a pending signal that one whole call does not leave. To be called again at each later stop from
 * which the thread is resumed without a signal: a sigaction(2) of another thread may have removed the SIGPIPE. */
void stray_sigpipe_look(struct tracee *tracee);
/* To be called at each signal-delivery stop. Returns true if the signal is a stray SIGPIPE, which must not be
 * delivered. */
bool stray_sigpipe_take(struct tracee *tracee, int signal);
/* If the signal mask of the thread was changed, restores it. To be called at a stop from which the thread is detached,
 * or in which it stays. */
void stray_sigpipe_restore_mask(struct tracee *tracee);

#endif
