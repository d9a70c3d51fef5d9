/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "supervisor/proc/procfs.h"
#include "supervisor/proc/system.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
#define PATH_SIZE (PATH_MAX + 32)

int system_load_read(struct system_load *load)
{
    char text[128];
    unsigned runnable;
    int last_pid;

    if (load->fd == 0)
        load->fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    ssize_t got = load->fd >= 0 ? pread(load->fd, text, sizeof text - 1, 0) : -1;
    text[got > 0 ? got : 0] = '\0';
    if (got <= 0 || sscanf(text, "%*s %*s %*s %u/%*u %d", &runnable, &last_pid) != 2)
        return -ENODATA;
    load->runnable = runnable;
    load->last_pid = last_pid;
    return 0;
}

/* Returns how many whole CPUs a quota allows, at least 1; UINT32_MAX: no limit. The quota allows the CPU time `quota`
 * in each `period`; both have the same unit. */
static unsigned system_cpus_of(long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return UINT32_MAX;
    return quota < period ? 1 : (unsigned)(quota / period);
}

/* Reads the quota of a control group of version 2, and returns how many CPUs it allows. The file contains "MAX PERIOD",
 * where MAX is a number or "max". */
static unsigned system_read_quota(const char *directory)
{
    char path[PATH_SIZE], text[64];
    long long quota = 0, period = 0;

    snprintf(path, sizeof path, "%s/cpu.max", directory);
    if (procfs_read_file(path, text, sizeof text) <= 0 || sscanf(text, "%lld %lld", &quota, &period) != 2)
        return UINT32_MAX;
    return system_cpus_of(quota, period);
}

static long long system_read_number(const char *directory, const char *name)
{
    char path[PATH_SIZE], text[32];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    return procfs_read_file(path, text, sizeof text) > 0 ? strtoll(text, NULL, 10) : 0;
}

/* Reads the quota of a control group of version 1, and returns how many CPUs it allows. cpu.cfs_quota_us contains the
 * quota, or -1 if there is no limit, and cpu.cfs_period_us contains the period. */
static unsigned system_read_quota_1(const char *directory)
{
    return system_cpus_of(system_read_number(directory, "cpu.cfs_quota_us"),
                          system_read_number(directory, "cpu.cfs_period_us"));
}

/* We are limited by the quota of our control group, and by the quotas of all groups above it. Returns how many CPUs the
 * smallest of these quotas allows. mount: directory at which the hierarchy of groups is mounted. quota_of: reads the
 * quota of one group. */
static unsigned system_least_quota(const char *mount, const char *group, unsigned (*quota_of)(const char *directory))
{
    char path[PATH_MAX];
    unsigned least = UINT32_MAX;

    snprintf(path, sizeof path, "%s%s", mount, group);
    for (char *end = path + strlen(path); end != NULL && end >= path + strlen(mount); end = strrchr(path, '/')) {
        *end = '\0';
        unsigned quota = quota_of(path);
        least = quota < least ? quota : least;
    }
    return least;
}

/* Returns how many CPUs the quotas of our control groups allow; UINT32_MAX: no limit. /proc/self/cgroup has a line for
 * each hierarchy: "NUMBER:CONTROLLERS:GROUP", or "0::GROUP" for version 2. */
static unsigned system_quota(void)
{
    char text[4096], *rest = NULL;
    unsigned least = UINT32_MAX;

    if (procfs_read_file("/proc/self/cgroup", text, sizeof text) <= 0)
        return least;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        char *list = strchr(line, ':'), *group = list != NULL ? strchr(list + 1, ':') : NULL;
        unsigned quota = UINT32_MAX;
        if (group == NULL)
            continue;
        *group++ = '\0';
        if (list[1] == '\0')
            quota = system_least_quota(CGROUP_ROOT, group, system_read_quota);
        else if (procfs_lists_cpu(list + 1))
            quota = system_least_quota(CGROUP_ROOT "/cpu", group, system_read_quota_1);
        least = quota < least ? quota : least;
    }
    return least;
}

unsigned system_cpu_count(const cpu_set_t *cpus)
{
    unsigned count = (unsigned)CPU_COUNT(cpus), quota = system_quota();

    if (count == 0)
        count = 1;
    return quota < count ? quota : count;
}

/* --- the kernel ------------------------------------------------------------------------------ */

/*
 * An exec holds cred_guard_mutex until all other threads of its process have ended, and traced threads end only when
 * their tracer has reaped them. Before Linux 5.7, a read of /proc/TID/syscall took the same mutex (lock_trace() in
 * fs/proc/base.c), and only a fatal signal ended its wait. So the exec and a tracer that read this file would wait for
 * each other. Since commit 2db9dbf71bf9 ("proc: Use new infrastructure to fix deadlocks in execve") the read takes
 * exec_update_lock, which an exec does not hold while it waits for other threads. Linux 5.4.88 and later versions of
 * the 5.4 series have that commit, too.
 *
 * But an exec also holds exec_update_lock for some time, while it frees the former memory and closes descriptors
 * (begin_new_exec() and setup_new_exec() in fs/exec.c). To free the page tables that a fork has copied takes about
 * 25 ms per gigabyte of mapped memory. During this time, on Linux 6.18.44, a read of /proc/TID/stat waited, too, but a
 * read of /proc/TID/status did not. So procfs_look reads "status" of a task that a fork has just made
 * (procfs_task.may_exec). When the task has executed a program, or an exec is no longer expected, procfs_look reads
 * "syscall" or "stat" again.
 */

bool kernel_syscall_file_blocks(const char *release)
{
    const char *last = strrchr(release, ' ');
    unsigned major, minor, patch = 0;

    if (sscanf(last != NULL ? last + 1 : release, "%u.%u.%u", &major, &minor, &patch) < 2)
        return true;
    if (major != 5 || minor >= 7)
        return major < 5;
    return minor != 4 || patch < 88;
}

bool kernel_syscall_file_blocks_here(void)
{
    struct utsname names;
    char signature[256];

    /* uname(2) shows 5.4.0 for every 5.4 kernel of Ubuntu; this file shows the version on which that kernel is based */
    if (procfs_read_file("/proc/version_signature", signature, sizeof signature) > 0)
        return kernel_syscall_file_blocks(signature);
    return uname(&names) < 0 || kernel_syscall_file_blocks(names.release);
}
