/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/proc/system.h"

#define CGROUP_ROOT "/sys/fs/cgroup"

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

/* "MAX PERIOD", MAX a number or "max". Returns whole CPUs, or UINT32_MAX where there is no limit. */
static unsigned system_parse_quota(const char *text)
{
    unsigned long long quota, period;

    if (sscanf(text, "%llu %llu", &quota, &period) != 2 || period == 0)
        return UINT32_MAX;
    return quota < period ? 1 : (unsigned)(quota / period);
}

/* A limit of any group above counts, too. */
static unsigned system_quota(void)
{
    char text[4096], path[4096 + sizeof CGROUP_ROOT "/cpu.max"];
    unsigned least = UINT32_MAX;

    if (system_read_file("/proc/self/cgroup", text, sizeof text) <= 0)
        return least;
    char *group = strstr(text, "0::/");
    if (group == NULL)
        return least;
    group += 3;
    group[strcspn(group, "\n")] = '\0';
    for (char *end = group + strlen(group); end != NULL; end = strrchr(group, '/')) {
        char limit[64];
        *end = '\0';
        snprintf(path, sizeof path, CGROUP_ROOT "%s/cpu.max", group);
        if (system_read_file(path, limit, sizeof limit) > 0 && system_parse_quota(limit) < least)
            least = system_parse_quota(limit);
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
