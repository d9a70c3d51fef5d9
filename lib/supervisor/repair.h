/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* repair: what is kept for each tracee about a system call that a stop broke. See repair.c. */
#ifndef PPROFIL_REPAIR_H
#define PPROFIL_REPAIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/calls/calls.h"
#include "supervisor/held-signal.h"
#include "supervisor/regs.h"
#include "supervisor/stop.h"
#include "supervisor/stray-sigpipe.h"

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
                 enum stop_maker maker);

#endif
