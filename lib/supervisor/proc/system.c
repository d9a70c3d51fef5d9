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

/* Returns whole CPUs, or UINT32_MAX where there is no limit. */
static unsigned system_cpus_of(long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return UINT32_MAX;
    return quota < period ? 1 : (unsigned)(quota / period);
}

/* cgroups(7), version 2: "MAX PERIOD", MAX a number or "max". */
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

/* Reads the quota of version 1: two files; the quota is -1 where there is no limit. */
static unsigned system_read_quota_1(const char *directory)
{
    return system_cpus_of(system_read_number(directory, "cpu.cfs_quota_us"),
                          system_read_number(directory, "cpu.cfs_period_us"));
}

/* Returns the least quota of a group and of the groups above it: each of them counts. */
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

/* /proc/self/cgroup has a line for each hierarchy: "NUMBER:CONTROLLERS:GROUP", and "0::GROUP" that of version 2. */
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
 * An exec holds cred_guard_mutex until all other threads of its process have ended, and threads that are traced end
 * only when their tracer has reaped them. Until Linux 5.7 lock_trace() in fs/proc/base.c took the same mutex, for
 * /proc/TID/syscall, and only a deadly signal ended the wait: tracer and exec would wait for each other. Since
 * 2db9dbf71bf9 ("proc: Use new infrastructure to fix deadlocks in execve") it takes exec_update_lock, which an exec
 * does not hold while it waits for others. Of the older series 5.4 has that commit too, at the latest since 5.4.88.
 *
 * That lock, too, is held for as long as it takes to free the former memory and to close descriptors (begin_new_exec()
 * and setup_new_exec() in fs/exec.c): the page tables that a fork has copied take some 25 ms a gigabyte. On 6.18.44 a
 * read of /proc/TID/stat was seen to wait as well, and a read of /proc/TID/status was not. So tasks that a fork has
 * just made are looked at by "status", until they have executed a program, or do not seem to be about to:
 * procfs_task.may_exec.
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

    /* Ubuntu's releases are all called 5.4.0; a file says from which version they are made */
    if (procfs_read_file("/proc/version_signature", signature, sizeof signature) > 0)
        return kernel_syscall_file_blocks(signature);
    return uname(&names) < 0 || kernel_syscall_file_blocks(names.release);
}
