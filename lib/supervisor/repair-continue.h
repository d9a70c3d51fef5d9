/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* repair-continue: the stops of a call that goes on. These functions need no lock. */
#ifndef PPROFIL_REPAIR_CONTINUE_H
#define PPROFIL_REPAIR_CONTINUE_H

#include <stdbool.h>

struct tracee;
struct tracer;

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

#endif
