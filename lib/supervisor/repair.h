/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* repair: what is kept for each tracee about a system call that a stop broke. See repair.c. */
#ifndef PPROFIL_REPAIR_H
#define PPROFIL_REPAIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/backoff.h"
#include "supervisor/calls/calls.h"
#include "supervisor/held-signal.h"

struct repair {
    struct backoff backoff;

    /* the call that is being continued */
    bool piece_entered;    /* between the entry stop and the exit stop of a piece */
    bool giving_up;        /* it is to end with what it has done */
    bool leaving;          /* it has ended, and the stop at its end is being answered */
    bool drops_sigpipe;    /* a piece has raised a SIGPIPE that the whole call would not have raised */
    struct regs_call call; /* as the program made it */
    struct call_request request;
    struct call_progress progress;
    uint64_t asked;         /* what the piece under way is to move, in units of its result */
    bool came_short;        /* the last piece has moved less, so a signal may be why */
    struct held_signal held;
    bool restarted;         /* it is made again from its beginning; else its rest is being made */
    int64_t timeout_result; /* what a restarted call returns when its deadline has passed */
    uint64_t deadline;      /* time_now() at which it ends; 0: it has no time limit */
    uint64_t signal_restart_at; /* when a call that a signal had broken was restarted last */
};

/* What stopped a tracee whose call is being continued. */
enum repair_event {
    REPAIR_CALL,      /* the beginning or the end of a piece */
    REPAIR_INTERRUPT, /* PTRACE_INTERRUPT, before a piece has begun */
    REPAIR_SIGNAL,
    REPAIR_OTHER, /* a stop of the whole process */
};

#define REPAIR_DEADLINES_MAX 64

/* The tracees whose calls end at a deadline. */
struct repair_deadlines {
    struct {
        pid_t tid;
        uint64_t time;
    } waiting[REPAIR_DEADLINES_MAX];
    unsigned count;
};

#endif
