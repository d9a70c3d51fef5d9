/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stop: handles the stops of tracees. stop.c finds out the kind of a stop. wait.c waits for stops and answers each
 * kind: interrupts, signals, group-stops (Ctrl-Z), execs, forks. at-stop.c samples and resumes a stopped tracee. */
#ifndef PPROFIL_STOP_H
#define PPROFIL_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct tracee;
struct tracer;

/* --- stop.c: converts the wait status of a tracee to a kind of stop: ptrace(2), "Stopped states" --- */

enum stop_kind {
    STOP_ENDED,     /* the thread has exited, or was killed */
    STOP_SIGNAL,    /* signal-delivery-stop: the tracee has a signal that is not delivered yet */
    STOP_GROUP,     /* group-stop: the whole process is being stopped by a signal */
    STOP_INTERRUPT, /* the stop after PTRACE_INTERRUPT, the first stop of a new tracee, or a stop after a SIGCONT */
    STOP_CALL,      /* syscall-stop: a system call begins, or has just returned; comes only after PTRACE_SYSCALL */
    STOP_EXEC,      /* PTRACE_EVENT_EXEC */
    STOP_FORK,      /* PTRACE_EVENT_FORK or _VFORK: the child is a process */
    STOP_CLONE,     /* PTRACE_EVENT_CLONE: the child is a thread, or a process */
    STOP_OTHER,
};
#define STOP_KINDS (STOP_OTHER + 1)

/* The cause of a stop. If the stop has broken a system call, the cause tells whether we must repair the call. */
enum stop_cause {
    STOP_BY_TRACEE, /* something that breaks the calls of untraced threads, too, or a stop that breaks no call */
    STOP_BY_SIGNAL, /* a signal. If the program ignores it, the call was broken only because we trace the thread */
    STOP_BY_US,     /* our PTRACE_INTERRUPT. Or a SIGCONT, because the stop of a SIGCONT looks the same */
};

struct stop {
    enum stop_kind kind;
    int signal; /* if `kind` is STOP_SIGNAL, the signal that is about to be delivered; otherwise 0 */
    int status; /* the status that wait(2) returned */
};

/* Decodes the status that wait(2) has returned for a thread that was seized with PTRACE_O_TRACESYSGOOD. */
struct stop stop_decode(int status);

/* Returns the name that a kind of stop has in the debug log, such as "INTERRUPT". */
const char *stop_kind_name(enum stop_kind kind);

/* Returns the status that waitpid(2) would give for a stop that waitid(2) has reported as *news. */
int stop_status(const siginfo_t *news);

/* --- at-stop.c: samples a stopped tracee, repairs its system call, and resumes it --- */

/* Answers a stop of a tracee. Reads the registers, and takes a sample if one is due (interrupt.pending_ns,
 * interrupt.overdue_ns). If the stop broke a system call, repairs it. Resumes the tracee with `signal` (0: none).
 * cause: what has stopped the tracee. Takes the supervisor's lock after the resume, in a few cases before it
 * (supervisor.h, invariant 2). The caller may already hold the lock, which is recursive. */
void at_stop_answer(struct tracer *tracer, struct tracee *tracee, int signal, enum stop_cause cause);
/* Needs no lock. Resumes a tracee with `signal` (0: none), and records for how long it was stopped. billed: without
 * sampling there would not have been this stop, so its time counts as a cost of sampling. */
void at_stop_resume(struct tracer *tracer, struct tracee *tracee, int signal, bool billed);

/* --- wait.c: waits for stops, and answers each --- */

/* Called without the supervisor's lock. Handles the tracees that have stopped or ended, for up to 2 ms. Returns false
 * if there were none. */
bool wait_drain(struct tracer *tracer);
/* Called without the supervisor's lock. Handles the stop or the end of a tracee that waitid(2) has reported in
 * *news. */
void wait_answer_news(struct tracer *tracer, const siginfo_t *news);
/* Called without the supervisor's lock. Polls for up to 50 us for the stops of the threads that this tick has
 * interrupted. A thread that has not stopped by then is asleep, deep in the kernel, or waiting for the CPU on which we
 * poll. So the tracer then moves to another CPU. */
void wait_for_tick_stops(struct tracer *tracer);

#endif
