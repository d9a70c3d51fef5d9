/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stop: the stops of tracees. stop.c finds the kind of a stop. wait.c waits for stops and answers each kind:
 * interrupts, signals, group-stops (Ctrl-Z), execs, forks. at-stop.c samples and resumes a stopped tracee. */
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
    STOP_INTERRUPT, /* after PTRACE_INTERRUPT; the first stop of a new tracee; after any SIGCONT */
    STOP_CALL,      /* syscall-stop: a call is entered, or has returned; comes only after PTRACE_SYSCALL */
    STOP_EXEC,      /* PTRACE_EVENT_EXEC */
    STOP_FORK,      /* PTRACE_EVENT_FORK or _VFORK: the child is a process */
    STOP_CLONE,     /* PTRACE_EVENT_CLONE: the child is a thread, or a process */
    STOP_OTHER,
};
#define STOP_KINDS (STOP_OTHER + 1)

/* The cause of a stop, which may have broken a system call. */
enum stop_cause {
    STOP_BY_TRACEE, /* an event of the thread itself, which would break the call without us, too */
    STOP_BY_SIGNAL, /* a signal, which the program may ignore */
    STOP_BY_US,     /* an interrupt of ours */
};

struct stop {
    enum stop_kind kind;
    int signal; /* if kind is SIGNAL: the signal about to be delivered; else 0 */
    int status; /* the status of wait(2) */
};

/* Decodes the status of wait(2) for a thread that was seized with PTRACE_O_TRACESYSGOOD. */
struct stop stop_decode(int status);

/* Returns the name of the kind in the debug log, such as "INTERRUPT". */
const char *stop_kind_name(enum stop_kind kind);

/* Returns the status that waitpid(2) would give for a stop that waitid(2) has reported as *news. */
int stop_status(const siginfo_t *news);

/* --- at-stop.c: samples a stopped tracee, repairs its system call, and resumes it --- */

/* Answers a stop: reads the registers, samples the tracee if a sample is wanted (pending_ns, overdue_ns), repairs a
 * call that the stop broke, and resumes the tracee with signal (0: none). cause: what stopped the tracee. Takes the
 * lock after the resume; a few cases need it before the resume (supervisor.h, invariant 2). The caller may hold the
 * lock, which is recursive. */
void at_stop_answer(struct tracer *tracer, struct tracee *tracee, int signal, enum stop_cause cause);
/* Needs no lock. Resumes a tracee with signal (0: none), and books how long it was stopped. billed: the stop came only
 * because of sampling. */
void at_stop_resume(struct tracer *tracer, struct tracee *tracee, int signal, bool billed);

/* --- wait.c: waits for stops, and answers each --- */

/* Called without the lock. Answers the pending stops and ends of tracees, for up to 2 ms. Returns false if there were
 * none. */
bool wait_drain(struct tracer *tracer);
/* Called without the lock. Answers the stop or end that waitid(2) has reported in *news. */
void wait_answer_news(struct tracer *tracer, const siginfo_t *news);
/* Called without the lock. Polls for the stops of this tick, up to 50 us. A thread that has not stopped by then is
 * asleep, deep in the kernel, or waiting for the CPU on which we poll. So the tracer then leaves that CPU. */
void wait_for_tick_stops(struct tracer *tracer);

#endif
