/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Explains why a task cannot be traced, and what the user can do. PTRACE_SEIZE fails with EPERM for a dozen reasons,
 * and each reason has its own remedy. This file finds the reason in /proc. The rules are in ptrace(2), "Ptrace access
 * mode checking", and in the kernel's Documentation/admin-guide/LSM/Yama.rst.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/proc.h"
#include "session/session.h"

#define TIDS_NAMED_MAX 8

static long yama_scope(void)
{
    char text[16];
    return proc_read(AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope", text, sizeof text) > 0 ? strtol(text, NULL, 10)
                                                                                            : 0;
}

static void explain_refusal(pid_t pid, const struct proc_status *status, char *text, size_t size)
{
    long scope = yama_scope();
    long own = (long)geteuid();

    if (status->kernel_thread) {
        snprintf(text, size, "%d (%s) is a kernel thread: it has no user code; perf can look at it", pid, status->name);
    } else if (status->tracer != 0) {
        struct proc_status tracer = proc_read_status((pid_t)status->tracer);
        snprintf(text, size, "%d (%s) is already traced by %ld (%s): end that first, a process has one tracer", pid,
                 status->name, status->tracer, tracer.name);
    } else if (own != 0 && status->uid != own) {
        snprintf(text, size, "%d (%s) belongs to user %ld, not to you (%ld): use sudo", pid,
                 status->name, status->uid, own);
    } else if (scope == 1 || scope == 2) {
        snprintf(text, size,
                 "%d (%s) is protected by Yama (kernel.yama.ptrace_scope = %ld): use sudo, or "
                 "'sysctl kernel.yama.ptrace_scope=0', or start it with 'pprofil PROGRAM'",
                 pid, status->name, scope);
    } else if (scope == 3) {
        snprintf(text, size,
                 "tracing is forbidden on this system until it is rebooted "
                 "(kernel.yama.ptrace_scope = 3)");
    } else {
        snprintf(text, size,
                 "not permitted to trace %d (%s): it has more privileges than you, or a container "
                 "or security module forbids ptrace; add SYS_PTRACE, or use sudo",
                 pid, status->name);
    }
}

static void each_thread(pid_t pid, void (*visit)(void *context, pid_t tid), void *context)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *directory = opendir(path);
    if (directory == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (entry->d_name[0] != '.')
            visit(context, (pid_t)strtol(entry->d_name, NULL, 10));
    closedir(directory);
}

static void note_tracer(void *context, pid_t tid)
{
    long *tracer = context;

    if (*tracer == 0)
        *tracer = proc_read_status(tid).tracer;
}

/* Explains why an exec does not end. An exec waits until all other threads of the process have ended. If another
 * process traces such a thread, the thread ends only after its tracer has called wait(2) for it: de_thread() in
 * fs/exec.c. */
static void explain_exec(pid_t pid, const struct proc_status *status, char *text, size_t size)
{
    long tracer = 0;

    each_thread(pid, note_tracer, &tracer);
    if (tracer != 0)
        snprintf(text, size,
                 "%d (%s) executes another program, and waits for %ld (%s), which traces one of its "
                 "threads: end that first", pid, status->name, tracer,
                 proc_read_status((pid_t)tracer).name);
    else
        snprintf(text, size, "%d (%s) executes another program, and the kernel has not ended that yet: try again later",
                 pid, status->name);
}

void ptrace_denied_explain(pid_t pid, int error, char *text, size_t size)
{
    struct proc_status status = proc_read_status(pid);

    if (access("/proc/self/stat", F_OK) != 0)
        snprintf(text, size, "/proc is not mounted: pprofil needs it; mount -t proc proc /proc");
    else if (error == -EPIPE || error == -ETIMEDOUT)
        snprintf(text, size, "the supervisor does not answer: %s", strerror(-error));
    else if (status.state == 0)
        snprintf(text, size, "no process %d: it has ended, or the number is wrong", pid);
    else if (error == -EBUSY)
        explain_exec(pid, &status, text, size);
    else if (status.state == 'Z')
        snprintf(text, size, "%d (%s) is a zombie: it has ended, and only waits for its parent to notice", pid,
                 status.name);
    else if (error == -EPERM || error == -EACCES)
        explain_refusal(pid, &status, text, size);
    else if (error == -ESRCH && status.tracer == 0)
        snprintf(text, size, "no process %d: %d is a thread of another", pid, pid);
    else
        snprintf(text, size, "cannot trace %d (%s): %s", pid, status.name, strerror(-error));
}

struct untraced {
    pid_t tracer;
    unsigned threads; /* number of all threads of the process */
    unsigned count;   /* number of threads that the process `tracer` does not trace */
    pid_t first;    /* the first of these threads */
    /* ", TID" for each of these threads; only TIDS_NAMED_MAX threads are named, and ", ..." stands for the others */
    char tids[128];
};

static void note_untraced(void *context, pid_t tid)
{
    struct untraced *untraced = context;
    struct proc_status status = proc_read_status(tid);
    size_t used = strlen(untraced->tids);

    if (status.state == 0 || status.state == 'Z')
        return;
    untraced->threads++;
    if (status.tracer == untraced->tracer)
        return;
    if (untraced->count++ == 0)
        untraced->first = tid;
    if (untraced->count <= TIDS_NAMED_MAX)
        snprintf(untraced->tids + used, sizeof untraced->tids - used, ", %d", tid);
    else if (untraced->count == TIDS_NAMED_MAX + 1)
        snprintf(untraced->tids + used, sizeof untraced->tids - used, ", ...");
}

void ptrace_denied_threads(pid_t pid, pid_t tracer, unsigned count, char *text, size_t size)
{
    struct proc_status status = proc_read_status(pid);
    struct untraced untraced = {.tracer = tracer};
    char why[256];

    each_thread(pid, note_untraced, &untraced);
    if (untraced.count == 0) { /* all threads that could not be traced have ended, or are traced now */
        snprintf(text, size, "threads of %d (%s) that could not be traced, and of whose time "
                 "nothing was seen: %u", pid, status.name, count);
        return;
    }
    ptrace_denied_explain(untraced.first, -EPERM, why, sizeof why);
    snprintf(text, size,
             "%u of %u threads of %d (%s) cannot be traced, and nothing is seen of their time: "
             "%s; %s", untraced.count, untraced.threads, pid, status.name, untraced.tids + 2, why);
}
