/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is kept of a tracee whose call a stop has broken: repair.c. */
#ifndef PPROFIL_REPAIR_H
#define PPROFIL_REPAIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/calls.h"

/* A call that is begun anew again and again, for it takes longer than we leave it alone. */
struct repair_again {
    int32_t syscall;
    uint64_t pc, sp;
    unsigned times;
    uint64_t left_until; /* time: until then its thread is not interrupted */
};

struct repair {
    struct repair_again again;

    /* the call that is being continued */
    bool inside;           /* its next piece has been entered; else it is about to be */
    bool giving_up;        /* it is to end with what it has done */
    struct regs_call call; /* as the program made it */
    struct call_request request;
    struct call_progress progress;
    bool waits;             /* it has moved nothing, and only waits: with a time limit */
    int64_t timeout_result; /* what it returns then */
    uint64_t deadline;      /* time; 0: it may wait for ever */
    uint64_t restarted_at;  /* time: a call that a signal had broken was begun anew */
};

/* A stop at time now has broken a call, which is begun anew. Returns until when its thread is to be left
 * alone: time, or 0. */
uint64_t repair_note_again(struct repair_again *again, int32_t syscall, uint64_t pc, uint64_t sp,
                           uint64_t now);

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
