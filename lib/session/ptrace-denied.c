/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Explains why a task cannot be traced, and what the user can do. PTRACE_SEIZE fails with EPERM for a dozen reasons,
 * and each reason has its own remedy. This file finds the reason in /proc. The rules are in ptrace(2), "Ptrace access
 * mode checking", and in the kernel's Documentation/admin-guide/LSM/Yama.rst.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/proc.h"
#include "session/session.h"

#define TIDS_NAMED_MAX 8

/* A process that this user may not trace. */
struct refusal {
    pid_t pid;
    struct proc_status target, own; /* `own`: the caller's */
    bool launched; /* the caller has launched it, and it permits the supervisor to trace it (PR_SET_PTRACER) */
    char *text; /* the reason */
    size_t size;
};

static bool refusal_say(const struct refusal *refusal, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refusal_say(const struct refusal *refusal, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(refusal->text, refusal->size, format, values);
    va_end(values);
    return true;
}

/* The functions below find out whether one thing is the reason. If it is, they store the text, and return true. */

static bool refusal_of_kernel_thread(const struct refusal *refusal)
{
    return refusal->target.kernel_thread &&
           refusal_say(refusal, "%d (%s) is a kernel thread: it has no user code; perf can look at it", refusal->pid,
                       refusal->target.name);
}

static bool refusal_by_tracer(const struct refusal *refusal)
{
    long tracer = refusal->target.tracer;

    return tracer != 0 &&
           refusal_say(refusal, "%d (%s) is already traced by %ld (%s): end that first, a process has one tracer",
                       refusal->pid, refusal->target.name, tracer, proc_read_status((pid_t)tracer).name);
}

static bool refusal_by_user(const struct refusal *refusal)
{
    long own = (long)geteuid();

    return own != 0 && refusal->target.uid != own &&
           refusal_say(refusal, "%d (%s) belongs to user %ld, not to you (%ld): use sudo", refusal->pid,
                       refusal->target.name, refusal->target.uid, own);
}

/* A process's files in /proc belong to its user, but to root if the process is not "dumpable": proc(5). */
static bool refusal_by_itself(const struct refusal *refusal)
{
    char path[64];
    struct stat status;

    snprintf(path, sizeof path, "/proc/%d/status", refusal->pid);
    return geteuid() != 0 && stat(path, &status) == 0 && (long)status.st_uid != refusal->target.uid &&
           refusal_say(refusal, "%d (%s) forbids tracing: it was set-user-ID, or has called PR_SET_DUMPABLE; use sudo",
                       refusal->pid, refusal->target.name);
}

static bool refusal_by_yama(const struct refusal *refusal)
{
    int scope = ptrace_limits_yama_scope();

    if (scope == 3)
        return refusal_say(refusal, "tracing is forbidden on this system until it is rebooted "
                                    "(kernel.yama.ptrace_scope = 3)");
    if (ptrace_limits_may_trace_all(&refusal->own) || !(scope == 2 || (scope == 1 && !refusal->launched)))
        return false;
    return refusal_say(refusal,
                       "%d (%s) is protected by Yama (kernel.yama.ptrace_scope = %d): use sudo, or "
                       "'sysctl kernel.yama.ptrace_scope=0'%s",
                       refusal->pid, refusal->target.name, scope,
                       scope == 1 ? ", or start it with 'pprofil PROGRAM'" : "");
}

/* If the caller may trace the process by all other rules, but the call fails, a filter refuses the call itself. The
 * supervisor has the filters of the caller. */
static bool refusal_by_filter(const struct refusal *refusal)
{
    return refusal->own.seccomp == 2 && attachable_access(refusal->pid) == 0 &&
           refusal_say(refusal,
                       "a seccomp filter refuses ptrace(2) here, as in some containers: allow it "
                       "(docker run --cap-add SYS_PTRACE), or run pprofil outside");
}

static bool refusal_by_capabilities(const struct refusal *refusal)
{
    return !ptrace_limits_may_trace_all(&refusal->own) && (refusal->target.permitted & ~refusal->own.permitted) != 0 &&
           refusal_say(refusal, "%d (%s) has capabilities that you do not have: use sudo, or add SYS_PTRACE",
                       refusal->pid, refusal->target.name);
}

static bool refusal_by_others(const struct refusal *refusal)
{
    return refusal_say(refusal,
                       "not permitted to trace %d (%s): it has more privileges than you, or a container "
                       "or security module forbids ptrace; add SYS_PTRACE, or use sudo",
                       refusal->pid, refusal->target.name);
}

/* Finds the reason. The rules of users come first, as in __ptrace_may_access() of kernel/ptrace.c. A filter comes after
 * Yama, because under Yama the caller may trace its descendants, but the supervisor may not. */
static void explain_refusal(pid_t pid, const struct proc_status *status, bool launched, char *text, size_t size)
{
    static bool (*const reasons[])(const struct refusal *refusal) = {
        refusal_of_kernel_thread, refusal_by_tracer, refusal_by_user,         refusal_by_itself,
        refusal_by_yama,          refusal_by_filter, refusal_by_capabilities, refusal_by_others,
    };
    const struct refusal refusal = {.pid = pid,
                                    .target = *status,
                                    .own = proc_read_status(getpid()),
                                    .launched = launched,
                                    .text = text,
                                    .size = size};
    size_t i = 0;

    while (!reasons[i](&refusal))
        i++;
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

void ptrace_denied_explain(pid_t pid, int error, bool launched, char *text, size_t size)
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
    else if (error == -EPERM || error == -EACCES || error == -ENOSYS)
        explain_refusal(pid, &status, launched, text, size);
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
    ptrace_denied_explain(untraced.first, -EPERM, false, why, sizeof why);
    snprintf(text, size,
             "%u of %u threads of %d (%s) cannot be traced, and nothing is seen of their time: "
             "%s; %s", untraced.count, untraced.threads, pid, status.name, untraced.tids + 2, why);
}
