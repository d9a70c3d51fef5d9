/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* explain: why a task cannot be traced. */
#ifndef PPROFIL_PTRACE_DENIED_H
#define PPROFIL_PTRACE_DENIED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What /proc/PID/status says of a task. */
struct task_status {
    char name[32];
    char state;  /* 0: no such task */
    long tracer; /* 0: none */
    long uid;    /* effective */
    bool kernel_thread;
};
struct task_status explain_status(pid_t pid);

/* Says in one line why a task cannot be traced, and what can be done: error is what
 * PTRACE_SEIZE said. */
void explain_attach(pid_t pid, int error, char *text, size_t size);

/* Says in one line which threads of a process count of them cannot be traced, the first of which
 * is why: tracer traces the others. */
void explain_untraced(pid_t pid, pid_t tracer, unsigned count, char *text, size_t size);

#endif
