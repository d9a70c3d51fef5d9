/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wait: waiting for stops. Every wait status becomes a stop (stop.h), and every stop gets an answer. */
#ifndef PPROFIL_WAIT_H
#define PPROFIL_WAIT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct process;
struct supervisor;
struct tracee;
struct tracer;

/* Without the lock. Answers what has happened to tracees so far, for up to 2 ms. Returns false if nothing had
 * happened. */
bool wait_drain(struct tracer *tracer);
/* Without the lock. Answers what waitid(2) has reported. */
void wait_answer_news(struct tracer *tracer, const siginfo_t *news);
/* Without the lock. Polls for the stops of this tick. A thread whose stop does not come by then is asleep, deep in the
 * kernel, or waiting for the very CPU that we poll on: then we leave it that CPU. */
void wait_for_tick_stops(struct tracer *tracer);

#endif
