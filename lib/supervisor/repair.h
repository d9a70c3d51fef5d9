/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is kept of a tracee whose call a stop has broken: repair.c. */
#ifndef PPROFIL_REPAIR_H
#define PPROFIL_REPAIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/backoff.h"
#include "supervisor/calls.h"

struct repair {
    struct backoff backoff;

    /* the call that is being continued */
    bool inside;           /* its next piece has been entered; else it is about to be */
    bool giving_up;        /* it is to end with what it has done */
    bool leaving;          /* it has ended, and the stop at its end is being answered */
    bool drops_sigpipe;    /* a piece has raised a SIGPIPE that the whole call would not have raised */
    struct regs_call call; /* as the program made it */
    struct call_request request;
    struct call_progress progress;
    bool waits;             /* it has moved nothing, and only waits: with a time limit */
    int64_t timeout_result; /* what it returns then */
    uint64_t deadline;      /* time; 0: it may wait for ever */
    uint64_t restarted_at;  /* time: a call that a signal had broken was begun anew */
};

/* What stopped a tracee whose call is being continued. */
enum repair_event {
    REPAIR_CALL,      /* the beginning or the end of a piece */
    REPAIR_INTERRUPT, /* PTRACE_INTERRUPT, before a piece has begun */
    REPAIR_SIGNAL,
    REPAIR_OTHER, /* a stop of the whole process */
};

#define REPAIR_DEADLINES_MAX 64

/* Tracees that wait in a call which was mended, and until when it was to wait. */
struct repair_deadlines {
    struct {
        pid_t tid;
        uint64_t time;
    } waiting[REPAIR_DEADLINES_MAX];
    unsigned count;
};

#endif
