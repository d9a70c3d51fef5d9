/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stop: what a wait status says of a tracee. ptrace(2), "Stopped states". Pure. */
#ifndef PPROFIL_STOP_H
#define PPROFIL_STOP_H

#include <signal.h>

enum stop_kind {
    STOP_ENDED,     /* the thread has exited, or was killed */
    STOP_SIGNAL,    /* signal-delivery-stop: a signal is about to be delivered */
    STOP_GROUP,     /* group-stop: the whole process is being stopped by a signal */
    STOP_INTERRUPT, /* PTRACE_INTERRUPT; a new tracee's first stop; any SIGCONT */
    STOP_CALL,      /* syscall-stop: a call is entered, or has returned. repair.c asks for these */
    STOP_EXEC,      /* PTRACE_EVENT_EXEC */
    STOP_FORK,      /* PTRACE_EVENT_FORK or _VFORK: the child is a process */
    STOP_CLONE,     /* PTRACE_EVENT_CLONE: the child may be a thread, or a process */
    STOP_OTHER,
};
#define STOP_KINDS (STOP_OTHER + 1)

/* Who made a thread stop, and may have broken a call by it. */
enum stop_cause {
    STOP_BY_TRACEE, /* an event of the thread itself: what it breaks is broken without us, too */
    STOP_BY_SIGNAL, /* that is ignored perhaps */
    STOP_BY_US,
};

struct stop {
    enum stop_kind kind;
    int signal; /* SIGNAL: to be delivered; else 0 */
    int status; /* as wait(2) gives it */
};

/* status: of a thread that was seized with PTRACE_O_TRACESYSGOOD. */
struct stop stop_decode(int status);

/* Returns what the debug log calls it: "INTERRUPT". */
const char *stop_kind_name(enum stop_kind kind);

/* Returns the status that waitpid(2) would give for a stop that waitid(2) has told of. */
int stop_status(const siginfo_t *news);

#endif
