/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wait: every wait status becomes a stop, and every stop an answer. */
#ifndef PPROFIL_WAIT_H
#define PPROFIL_WAIT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct process;
struct supervisor;
struct tracee;
struct tracer;

/* Without the lock. Answers what has happened to tracees so far, for up to 2 ms. Returns false
 * if nothing had. */
bool wait_drain(struct tracer *tracer);
/* Without the lock. Answers what waitid(2) has told. */
void wait_answer_news(struct tracer *tracer, const siginfo_t *news);
/* Without the lock. Answers the stop of one tracee. Returns true if there was one; the tracee may be freed
 * then. */
bool wait_poll(struct tracer *tracer, struct tracee *tracee);
/* Lets a stopped tracee go for good, and forgets it. */
void wait_detach(struct tracer *tracer, struct tracee *tracee);

/* Frees the tracee. If it is the last of its process, the end is told (if it was not yet) and the process is freed. */
void wait_forget(struct tracer *tracer, struct tracee *tracee);
/* A tracee has ended. cpu_ns: of its process, if that ends with it. */
void wait_answer_end(struct tracer *tracer, struct tracee *tracee, uint64_t cpu_ns, int status);
/* Tells the client, once, that the process has ended: it would wait for ever otherwise. Later calls do nothing.
 * cpu_ns: CPU time while it was sampled, ns. status: of wait(2); -1: not known. */
void wait_tell_end(struct supervisor *supervisor, struct process *process, uint64_t cpu_ns, int status);
/* Returns the CPU time of the tracee's process, ns, if that ends with it; else 0. tracee may be NULL. To be asked
 * before the tracee is reaped. */
uint64_t wait_last_cpu(const struct supervisor *supervisor, struct tracee *tracee);

#endif
