/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wait: waits for the stops of tracees, decodes them (stop.h), and answers each. */
#ifndef PPROFIL_WAIT_H
#define PPROFIL_WAIT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct process;
struct supervisor;
struct tracee;
struct tracer;

/* Without the lock. Answers all news of tracees that is there, for up to 2 ms. Returns false if there was none. */
bool wait_drain(struct tracer *tracer);
/* Without the lock. Answers the news that waitid(2) has reported. */
void wait_answer_news(struct tracer *tracer, const siginfo_t *news);
/* Without the lock. Polls for the stops of this tick, up to 50 us. A thread that has not stopped by then is asleep,
 * deep in the kernel, or waiting for the CPU that we poll on. So the tracer then leaves that CPU. */
void wait_for_tick_stops(struct tracer *tracer);

#endif
