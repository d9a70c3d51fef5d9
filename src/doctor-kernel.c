/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks of pprofil doctor: features of the kernel that the supervisor uses, and what pprofil does without them. Each
 * feature is tried, by this process on itself or on a child. A filter of system calls may refuse what the kernel has.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/kernel-release.h"
#include "base/procmap-query.h"
#include "doctor.h"

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438 /* Linux 5.6 */
#endif
#ifndef SYS_openat2
#define SYS_openat2 437 /* Linux 5.6 */
#endif

/* --- attempts: each returns 0 or a negative errno -------------------------------------------------- */

static int kernel_close(int fd)
{
    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}

/* Reads the beginning of a file of /proc as text. Returns 0 or a negative errno. */
static int kernel_read(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);
    int error = got < 0 ? -errno : 0;

    text[got > 0 ? got : 0] = '\0';
    if (fd >= 0)
        close(fd);
    return error;
}

static int try_memfd(void)
{
    return kernel_close(memfd_create("pprofil-doctor", MFD_CLOEXEC));
}

static int try_procmap_query(void)
{
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    bool known = procmap_query_is_known(fd);
    close(fd);
    return known ? 0 : -ENOTTY;
}

static int try_syscall_file(void)
{
    char text[256];
    return kernel_read("/proc/self/syscall", text, sizeof text);
}

static int try_schedstat(void)
{
    char text[128];
    unsigned long long run_ns, wait_ns, turns;
    int error = kernel_read("/proc/self/schedstat", text, sizeof text);

    if (error != 0)
        return error;
    return sscanf(text, "%llu %llu %llu", &run_ns, &wait_ns, &turns) == 3 && turns > 0 ? 0 : -ENODATA;
}

static int try_process_vm_readv(void)
{
    int from = 1, to = 0;
    const struct iovec here = {&to, sizeof to}, there = {&from, sizeof from};

    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)sizeof to ? 0 : -errno;
}

static int try_pidfd_getfd(void)
{
    int process = (int)syscall(SYS_pidfd_open, getpid(), 0);

    if (process < 0)
        return -errno;
    int error = kernel_close((int)syscall(SYS_pidfd_getfd, process, STDIN_FILENO, 0));
    close(process);
    return error;
}

static int try_openat2(void)
{
    const uint64_t how[3] = {O_PATH | O_CLOEXEC}; /* struct open_how of linux/openat2.h: flags, mode, resolve */

    return kernel_close((int)syscall(SYS_openat2, AT_FDCWD, "/", how, sizeof how));
}

/* Opens the first mapping of this program's file, as the supervisor opens those of targets. */
static int try_map_files(void)
{
    char text[512], path[128];
    unsigned long start, end;
    int error = kernel_read("/proc/self/maps", text, sizeof text);

    if (error == 0 && sscanf(text, "%lx-%lx", &start, &end) != 2)
        error = -ENODATA;
    if (error != 0)
        return error;
    snprintf(path, sizeof path, "/proc/self/map_files/%lx-%lx", start, end);
    return kernel_close(open(path, O_RDONLY | O_CLOEXEC));
}

static int try_pagemap(void)
{
    return kernel_close(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
}

static int child_asks_for_real_time(void *context)
{
    const struct sched_param priority = {.sched_priority = 1};

    (void)context;
    return sched_setscheduler(0, SCHED_FIFO, &priority) == 0 ? 0 : errno;
}

static int try_real_time(void)
{
    pid_t child = child_begin(child_asks_for_real_time, NULL);

    return child < 0 ? child : -child_await(child);
}

/* --- checks ----------------------------------------------------------------------------------------- */

static const struct feature {
    const char *name;    /* that of the check */
    int (*try)(void);
    const char *what;    /* what the feature is, and what pprofil does with it */
    const char *without; /* what pprofil does without it; and the cure */
} features[] = {
    {"memfd", try_memfd, "memfd_create: samples are passed on through shared memory",
     "no session can be opened; a seccomp filter may forbid the call"},
    {"procmap-query", try_procmap_query, "PROCMAP_QUERY (Linux 6.11): each sample asks for its mapping",
     "the list of all mappings is read at intervals, so code that was just mapped gets its name some milliseconds "
     "later; use a newer kernel"},
    {"syscall-file", try_syscall_file, "/proc/PID/syscall: in which call a thread sleeps (-w)",
     "-w shows that a thread sleeps, but not where"},
    {"schedstat", try_schedstat, "/proc/PID/schedstat: how long a thread ran, and waited for a CPU",
     "-w does not show the waiting for a CPU, and times are less exact if no CPU is idle; the kernel needs "
     "CONFIG_SCHED_INFO, or before Linux 5.14 the option delayacct"},
    {"process-vm-readv", try_process_vm_readv, "process_vm_readv: stacks are copied (-g)",
     "stacks have no callers and no Python functions; a seccomp filter may forbid the call: in a container add the "
     "capability SYS_PTRACE"},
    {"pidfd-getfd", try_pidfd_getfd,
     "pidfd_getfd (Linux 5.6): time limits of sockets are known when a call is repaired",
     "a call with such a limit that a sample breaks has its whole time again; in a container add the capability "
     "SYS_PTRACE"},
    {"map-files", try_map_files, "/proc/PID/map_files: deleted and replaced files are opened for their names",
     "deleted or replaced libraries have no names; use sudo"},
    {"openat2", try_openat2, "openat2 (Linux 5.6): files in containers are opened as their processes see them",
     "some links within a container lead outside of it, and the files behind them have no names"},
    {"pagemap", try_pagemap, "/proc/PID/pagemap: page faults for code are told from others (-w)",
     "-w shows all page faults as one row"},
    {"real-time", try_real_time, "real-time priority: samples are taken in time",
     "samples may be late, and new processes of the target cost it more; use sudo, or raise the limit (ulimit -r 1)"},
};

static void kernel_try_feature(struct doctor *doctor, struct finding *finding)
{
    const struct feature *feature = features;

    while (strcmp(feature->name, doctor->check->name) != 0)
        feature++;
    int error = feature->try();
    if (error == 0) {
        finding_yes(finding, "%s", feature->what);
        return;
    }
    finding_no(finding, "%s", feature->what);
    finding_why(finding, "%s: %s", pprofil_error_text(error), feature->without);
}

static void kernel_release(struct doctor *doctor, struct finding *finding)
{
    struct utsname names;

    (void)doctor;
    if (uname(&names) < 0)
        return;
    finding_yes(finding, "%s %s, %s", names.sysname, names.release, names.machine);
    if (!kernel_release_is_before(5, 3))
        return;
    finding->verdict = VERDICT_LIMITED;
    finding_why(finding, "pprofil was made for Linux 5.3 or later; use a newer kernel");
}

static void kernel_syscall_file_waits(struct doctor *doctor, struct finding *finding)
{
    (void)doctor;
    if (!kernel_release_is_before(5, 7)) {
        finding_yes(finding, "/proc/PID/syscall: a reader does not wait for an exec (Linux 5.7)");
        return;
    }
    finding_limited(finding, "/proc/PID/syscall: a reader may wait for an exec");
    finding_why(finding,
                "before Linux 5.7 (but for 5.4.88 and later ones of 5.4) it is not read if a process has several "
                "threads, so -w does not show where they sleep; use a newer kernel");
}

static void kernel_stacks(struct doctor *doctor, struct finding *finding)
{
    const struct pprofil_options options = {.size = sizeof options,
                                            .flags = PPROFIL_KERNEL | PPROFIL_WALL | PPROFIL_CALL_GRAPH};
    pprofil_session *session;

    (void)doctor;
    if (pprofil_session_open(&options, &session) == 0) {
        finding_yes(finding, "/proc/PID/stack: where in the kernel threads sleep (--kernel)");
    } else {
        finding_no(finding, "/proc/PID/stack: where in the kernel threads sleep (--kernel)");
        finding_why(finding, "%s", pprofil_session_problem(session));
    }
    pprofil_session_close(session);
}

static const struct check checks[] = {
    {"release", kernel_release},
    {"memfd", kernel_try_feature},
    {"procmap-query", kernel_try_feature},
    {"syscall-file", kernel_try_feature},
    {"syscall-file-waits", kernel_syscall_file_waits},
    {"schedstat", kernel_try_feature},
    {"process-vm-readv", kernel_try_feature},
    {"pidfd-getfd", kernel_try_feature},
    {"map-files", kernel_try_feature},
    {"openat2", kernel_try_feature},
    {"pagemap", kernel_try_feature},
    {"real-time", kernel_try_feature},
    {"kernel-stacks", kernel_stacks},
    {0},
};

const struct check_group doctor_kernel = {"kernel", "Kernel: what pprofil uses", checks};
