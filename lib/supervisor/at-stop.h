/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* at-stop: a tracee that stands still. */
#ifndef PPROFIL_AT_STOP_H
#define PPROFIL_AT_STOP_H

#include <stdint.h>

#include "supervisor/stop.h"

struct tracee;
struct tracer;

/* What happened at stops, not yet added to the supervisor's totals. */
struct stop_totals {
    uint64_t stopped_ns;
    uint32_t restarted, continued, cut_short; /* calls: repair.c */
    unsigned stops;   /* that a sample was wanted of */
    unsigned samples; /* of them: of threads that were on a CPU */
    uint64_t cost_ns; /* what the stops, and the ticks before them, took from targets */
    uint64_t carried_ns; /* of that, what earlier steps took that led to no sample, ... */
    unsigned condition;  /* ... under this condition: budget.h */
};

/* Without the lock, which is taken after the resume; with it where the answer to a birth or an exec has it. A tracee
 * has stopped: samples it if that was wanted, and lets it run on with signal.
 * A call that would not have been broken without us is mended. */
void at_stop_answer(struct tracer *tracer, struct tracee *tracee, int signal, enum stop_maker maker);
/* Lets a tracee run on from a stop at which no sample is to be had. */
void at_stop_resume(struct tracer *tracer, struct tracee *tracee);
/* The same, with a signal. */
void at_stop_deliver(struct tracer *tracer, struct tracee *tracee, int signal);

#endif
