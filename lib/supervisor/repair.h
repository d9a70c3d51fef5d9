/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * repair: repairs system calls that a stop broke, so that each call returns what it would return without us.
 *
 * A stop makes the kernel end a call that waits, as a signal does. A signal that the program ignores also makes the
 * kernel end the call, because it wakes up a traced thread. The call then ends in one of three ways:
 *
 * The call returns EINTR and has done nothing. Then we make the thread begin the call anew. A call that takes longer
 * than the time between two stops, and loses its work at each stop, would never end. So no tick interrupts such a call
 * until it has ended: struct backoff of calls.h.
 *
 * The call waits with a time limit and returns EINTR. If it is begun anew, its time limit also begins anew. So we let
 * it begin anew, but end it when the original time limit is over.
 *
 * The call has moved a part of its data and returns the size of that part. Then we make the thread do further, shorter
 * calls, the pieces, which move the rest. The last piece is the one that moves the end of the data, or moves nothing.
 * Then we set the thread's registers as after one whole call.
 *
 *     our stop -> enter a piece -> [entry stop] -> inside -> [exit stop] -> enter the next, or leave
 *
 * If a signal comes that the program handles, the call ends as one whole call would end: it returns the size of what it
 * could move without waiting.
 *
 * While a tracee sleeps inside a piece, ticks do not interrupt it. If the supervisor is killed just then, the program
 * gets the result of that piece, which is less than the whole call has moved. A supervisor that ends normally waits
 * some time for calls that are being continued. Then it gives them up: it interrupts them, and sets their results to
 * what they have moved. A call that was begun anew is not interrupted, because it is the call that the program itself
 * made.
 *
 * repair-stop.c finds out whether a stop has broken a call. repair-continue.c answers the stops of a call that is
 * continued by pieces or begun anew. repair-piece.c makes pieces and watches time limits. repair-signal.c handles
 * signals that come between pieces. calls/ decides which calls can be continued, and builds the pieces.
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

/* A call that was broken by a signal with a handler. When the handler returns, the thread is again just after the
 * call's instruction, with the same registers. On a machine whose registers do not show the first argument
 * (regs_call.lacks_first), a stop at that point looks as if the thread had made the call once more. Only the first
 * argument shows what happened: a handler returns by rt_sigreturn(2), whose first argument usually differs from that of
 * the broken call. */
struct handled_call {
    uint64_t fingerprint; /* regs_call.fingerprint of the broken call; 0: this element is free */
    uint64_t first_argument;
};
/* how many broken calls are remembered; there may be several, because signal handlers may interrupt each other */
#define HANDLED_CALLS 4u

/* A signal whose delivery is delayed: held_signal_hold. */
struct held_signal {
    /* siginfo_t with which the signal first came; si_signo 0: there is no signal that is held or was sent again */
    siginfo_t info;
    bool is_queued; /* we have sent the held signal again, but it is not delivered yet */
};

/* A SIGPIPE that a piece (a shorter call that does the rest of a call) has raised. One whole call would not have raised
 * it: stray_sigpipe_look. */
struct stray_sigpipe {
    bool was_pending;  /* a SIGPIPE was in the thread's own queue of signals before the first piece began */
    bool is_pending;   /* the SIGPIPE of a piece is in the thread's own queue of signals */
    /* the thread blocked SIGPIPE, so we have changed its signal mask to block all signals except SIGPIPE; the field
     * `mask` contains the original mask */
    bool is_unblocked;
    uint64_t mask;     /* signals that the thread blocked before; bit N - 1 is signal N */
};

/* The state of a tracee's system call that a stop broke. */
struct repair {
    struct backoff backoff;
    struct handled_call handled[HANDLED_CALLS];
    unsigned next_handled; /* index of the oldest element of handled */
    /* regs_call.fingerprint and result of a call that we have ended. Until the thread runs, further stops may look as
     * if this call had just returned. ended_fingerprint 0: there is no such call */
    uint64_t ended_fingerprint;
    int64_t ended_result;

    /* the fields below describe the call that is being continued: */
    bool piece_entered;    /* the tracee is between the entry stop and the exit stop of a piece */
    bool giving_up;        /* the call must end now, and return what it has done so far */
    /* the call must end now because the supervisor ends; if it is then incomplete, it is counted in totals.cut_short */
    bool leaving;
    bool at_call_end;      /* the call has ended, and the stop at its end is being answered */
    /* a tick's interrupt broke the call, so the stops of the repair count as a cost of sampling */
    bool billed;
    struct regs_call call; /* the call as the program made it */
    struct call_request request;
    struct call_progress progress;
    uint64_t asked;     /* how much the present piece should move, in the units of its result */
    bool came_short;    /* the last piece moved less than it was asked for, perhaps because of a signal */
    /* a SIGCONT was already pending when the piece began, so a pending SIGCONT does not mean that it has broken the
     * piece */
    bool sigcont_waits;
    /* an error that ended a recvmmsg(2) is still in the socket, and the next call on the socket will return it */
    bool error_waits;
    struct held_signal held;
    struct stray_sigpipe sigpipe;
    bool restarted;             /* the whole call was begun anew; otherwise pieces do the rest of the call */
    int64_t timeout_result;     /* what a call that was begun anew must return if its deadline has passed */
    uint64_t deadline;          /* time at which we must end the call, CLOCK_MONOTONIC ns; 0: no time limit */
    uint64_t signal_restart_at; /* time at which a call was last begun anew because a signal had broken it */
};

/* Returns true if the call was begun anew as the program made it, and has no time limit. The kernel can end such a call
 * without our help. */
bool repair_is_own_call(const struct repair *repair);
/* Needs no lock. Repairs the call that a stop has broken. To be called at that stop, before the tracee is resumed with
 * `signal` (0: none). cause: what made the tracee stop. Returns true if the tracee will make a piece, or the call
 * again, under our control; its state is then CONTINUING. */
bool repair_stop(struct tracer *tracer, struct tracee *tracee, const struct regs *regs, int signal,
                 enum stop_cause cause);

/* What stopped a tracee whose call is being continued. */
enum repair_event {
    REPAIR_CALL,      /* the entry stop or the exit stop of a piece */
    REPAIR_INTERRUPT, /* the stop of a PTRACE_INTERRUPT, before a piece has begun */
    REPAIR_SIGNAL,
    REPAIR_OTHER, /* any other stop */
};

/* Needs no lock. Answers a stop of a tracee whose state is CONTINUING. Returns true if the stop has been answered, so
 * that the tracee runs again. Otherwise ends the call, which then returns what it has done so far, and returns false.
 * Then the caller must answer the stop, like any other stop. */
bool repair_meets_stop(struct tracer *tracer, struct tracee *tracee, enum repair_event event, int signal);
/* Returns true if the result of the tracee's call would be wrong if the supervisor ended now. A call that was begun
 * anew and waits does not need us, because it is the program's own call. At worst it waits too long, because its time
 * limit has begun anew. */
bool repair_needs_us(const struct tracee *tracee);
/* Interrupts the tracee. At the stop of this interrupt, the tracee's call is ended, and returns what it has done so
 * far. */
void repair_give_up(struct tracee *tracee);

/* --- time limits --- */

/* The functions below need no lock. */

/* Sets the time at which the tracee's call must end; 0: the call has no time limit. The call is continued by pieces, or
 * was begun anew. Only DEADLINES_MAX calls can be watched at a time. Any further call ends when its tracee first stops
 * after the deadline. */
void deadline_set(struct tracer *tracer, struct tracee *tracee, uint64_t deadline);
/* Interrupts the tracees whose calls have a deadline that has passed, so that these calls end. Returns the earliest
 * deadline of the other calls; 0: none. */
uint64_t deadline_check(struct tracer *tracer);

/* --- signals that are held --- */

/*
 * A signal may reach a thread between two pieces, that is, shorter calls that do the rest of a system call. During one
 * whole call, the kernel looks for signals only when it has moved all that it can move without waiting. If it delivered
 * a signal between two pieces, the call would end although more could be moved without waiting. So we hold the signal,
 * and send it again when the next piece begins.
 *
 * A held signal is in no queue of the kernel. If the supervisor is killed before the next piece begins, the signal is
 * lost.
 */

/* Returns true if another signal can be held: none is held now, and no held signal that we have sent again is still
 * pending. */
bool held_signal_is_free(struct held_signal *held, pid_t tid);
/* To be called if thread `tid` is in the signal-delivery stop of `signal`. Holds the signal. Returns false if this
 * signal must be delivered instead. */
bool held_signal_hold(struct held_signal *held, pid_t tid, int signal);
/* Returns true if a signal is held, and we have not sent it again yet. */
bool held_signal_waits(const struct held_signal *held);
/* Returns the held signal; 0: none. The thread must be at the entry stop or exit stop of a call, and the caller must
 * resume it with this signal. Then ptrace(2) sends the signal to the thread again. */
int held_signal_take(struct held_signal *held);
/* Sends the held signal to the tracee. To be called only if no further piece of the tracee's call follows. pid: process
 * of the tracee. If we are not permitted to send the signal, it stays held until a later call of the tracee is
 * continued. */
void held_signal_send(struct tracee *tracee, pid_t pid);
/* To be called at each signal-delivery stop, before the stop is answered. If the signal was held and sent again, gives
 * it the siginfo_t with which it first came. Returns true if the siginfo_t was changed. */
bool held_signal_restore(struct held_signal *held, pid_t tid, int signal);

/* --- SIGPIPE --- */

/*
 * If a call is continued by pieces (shorter calls that do the rest), a piece may raise a SIGPIPE that the whole call
 * would not have raised. We call it a stray SIGPIPE.
 *
 * The kernel sends SIGPIPE to a thread that writes to a pipe or a socket without a reader. If a call has moved a part
 * before the reader goes away, it returns the size of that part, and some calls then raise no SIGPIPE
 * (tcp_sendmsg_locked in net/ipv4/tcp.c). But a piece is a call of its own for the kernel, and has moved nothing when
 * it finds that the reader is gone. So the piece raises SIGPIPE.
 *
 * A process has a queue of signals, and each of its threads has a queue of its own. The kernel puts a stray SIGPIPE
 * into the thread's queue. held_signal_send also puts signals there, but kill(2) puts them into the queue of the
 * process. The kernel takes signals from the thread's queue first (dequeue_signal in kernel/signal.c), so the stray
 * SIGPIPE is the next SIGPIPE that the thread gets.
 */

/* Records whether a SIGPIPE is already pending. To be called at a stop of the tracee, before the first piece of a call
 * begins. */
void stray_sigpipe_begin(struct tracee *tracee);
/* If a stray SIGPIPE is pending and blocked, unblocks it and blocks all other signals. Then the SIGPIPE is delivered
 * right after the resume, and stray_sigpipe_take can remove it. If it stayed pending, the program could find it. If no
 * stray SIGPIPE is pending any more (another thread's sigaction(2) may have removed it), restores the signal mask.
 * To be called at the exit stop of a piece that may have raised a stray SIGPIPE, unless a SIGPIPE is held. After that,
 * while the SIGPIPE is pending, to be called at each stop from which the thread is resumed without a signal. */
void stray_sigpipe_look(struct tracee *tracee);
/* To be called at each signal-delivery stop. Returns true if the signal is a stray SIGPIPE (one that only a piece has
 * raised). Then it must not be delivered. */
bool stray_sigpipe_take(struct tracee *tracee, int signal);
/* If stray_sigpipe_look has changed the signal mask of the thread, restores the mask. To be called at a stop if the
 * thread will be detached, or will stay stopped. */
void stray_sigpipe_restore_mask(struct tracee *tracee);

#endif
