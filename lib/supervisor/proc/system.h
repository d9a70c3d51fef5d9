/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* system: reads figures of the whole system: the CPUs that we may use, the number of runnable tasks, and the newest
 * process number. It also finds out a property of the kernel that only its version shows. */
#ifndef PPROFIL_SUPERVISOR_SYSTEM_H
#define PPROFIL_SUPERVISOR_SYSTEM_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

/* The parsed /proc/loadavg: proc(5). */
struct system_load {
    int fd;            /* descriptor of /proc/loadavg, kept open; 0: not opened yet */
    unsigned runnable; /* number of tasks that run or wait for a CPU, the reader included */
    pid_t last_pid;    /* the newest process number in our PID namespace */
};

/* Reads /proc/loadavg through load->fd, which stays open. Takes about a microsecond. Returns 0, or -ENODATA if it
 * cannot be read; then runnable and last_pid are unchanged. */
int system_load_read(struct system_load *load);

/* Returns the number of CPUs in cpus, or less if our control group has a quota. A quota counts as the number of whole
 * CPUs whose time it allows, at least 1. See cpu.max of Documentation/admin-guide/cgroup-v2.rst, and cpu.cfs_quota_us
 * of Documentation/scheduler/sched-bwc.rst. */
unsigned system_cpu_count(const cpu_set_t *cpus);

/* Returns true if, on this version of the kernel, a read of /proc/TID/syscall waits until an exec in the same process
 * has ended. release: a version as in uname(2), or a text whose last word is such a version. Also returns true if
 * release cannot be parsed. */
bool kernel_syscall_file_blocks(const char *release);
/* Does the same for the running kernel. */
bool kernel_syscall_file_blocks_here(void);

#endif
