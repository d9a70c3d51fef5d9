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
#include <unistd.h>

#include "supervisor/proc/procfs-text.h"
#include "supervisor/proc/system.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
#define PATH_SIZE (PATH_MAX + 32)

static ssize_t system_read_text(int fd, char *text, size_t size)
{
    ssize_t got = fd >= 0 ? pread(fd, text, size - 1, 0) : -1;

    text[got > 0 ? got : 0] = '\0';
    return got;
}

static ssize_t system_read_file(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = system_read_text(fd, text, size);

    if (fd >= 0)
        close(fd);
    return got;
}

int system_load_read(struct system_load *load)
{
    char text[128];
    unsigned runnable;
    int last_pid;

    if (load->fd == 0)
        load->fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    if (system_read_text(load->fd, text, sizeof text) <= 0 ||
        sscanf(text, "%*s %*s %*s %u/%*u %d", &runnable, &last_pid) != 2)
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
    if (system_read_file(path, text, sizeof text) <= 0 || sscanf(text, "%lld %lld", &quota, &period) != 2)
        return UINT32_MAX;
    return system_cpus_of(quota, period);
}

static long long system_read_number(const char *directory, const char *name)
{
    char path[PATH_SIZE], text[32];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    return system_read_file(path, text, sizeof text) > 0 ? strtoll(text, NULL, 10) : 0;
}

/* Version 1: two files; the quota is -1 where there is no limit. */
static unsigned system_read_quota_1(const char *directory)
{
    return system_cpus_of(system_read_number(directory, "cpu.cfs_quota_us"),
                          system_read_number(directory, "cpu.cfs_period_us"));
}

/* The least of a group's and of those above: each of them counts. */
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

    if (system_read_file("/proc/self/cgroup", text, sizeof text) <= 0)
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
