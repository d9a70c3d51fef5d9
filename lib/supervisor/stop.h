/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stop: decodes the wait status of a tracee into a kind of stop: ptrace(2), "Stopped states". Pure. */
#ifndef PPROFIL_STOP_H
#define PPROFIL_STOP_H

#include <signal.h>

enum stop_kind {
    STOP_ENDED,     /* the thread has exited, or was killed */
    STOP_SIGNAL,    /* signal-delivery-stop: a signal is about to be delivered */
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
    STOP_BY_TRACEE, /* an event of the thread itself: a call that it breaks is also broken without us */
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

/* Returns the name of the kind in the debug log: "INTERRUPT". */
const char *stop_kind_name(enum stop_kind kind);

/* Returns the status that waitpid(2) would give for a stop that waitid(2) has reported. */
int stop_status(const siginfo_t *news);

#endif
