/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* at-stop: samples a tracee that stands still, repairs its system call, and resumes it. */
#ifndef PPROFIL_AT_STOP_H
#define PPROFIL_AT_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/stop.h"

struct tracee;
struct tracer;

/* Answers a stop: reads the registers, samples the tracee if a sample is wanted (pending_ns, overdue_ns), repairs a
 * call that the stop broke, and resumes the tracee with signal (0: none). cause: what made it stop. Takes the lock
 * after the resume; a few cases need it before the resume (supervisor.h, invariant 2). The caller may hold the lock,
 * which is recursive. */
void at_stop_answer(struct tracer *tracer, struct tracee *tracee, int signal, enum stop_cause cause);
/* Needs no lock. Resumes a tracee with signal (0: none), and books how long it stood still. billed: the stop came only
 * because of sampling. */
void at_stop_resume(struct tracer *tracer, struct tracee *tracee, int signal, bool billed);

#endif
