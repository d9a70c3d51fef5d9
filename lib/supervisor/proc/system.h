/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* system: reads figures of the whole system: the CPUs that we may use, the tasks that want a CPU, the newest process
 * number, and a property of the kernel that only its version shows. */
#ifndef PPROFIL_SUPERVISOR_SYSTEM_H
#define PPROFIL_SUPERVISOR_SYSTEM_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

/* /proc/loadavg: proc(5). */
struct system_load {
    int fd;            /* descriptor of /proc/loadavg, kept open; 0: not opened yet */
    unsigned runnable; /* number of tasks that run or wait for a CPU, the reader included */
    pid_t last_pid;    /* the newest process number in our PID namespace */
};

/* Reads /proc/loadavg through load->fd, which stays open. Takes about a microsecond. Returns 0, or -ENODATA if it
 * cannot be read; then runnable and last_pid are unchanged. */
int system_load_read(struct system_load *load);

/* Returns the number of CPUs in cpus, or less if our control group has a quota: the number of whole CPUs whose time the
 * quota allows, at least 1. See cpu.max of Documentation/admin-guide/cgroup-v2.rst, and cpu.cfs_quota_us of
 * Documentation/scheduler/sched-bwc.rst. */
unsigned system_cpu_count(const cpu_set_t *cpus);

/* Returns true if a read of /proc/TID/syscall waits until an exec in the same process has ended, on this version of the
 * kernel. release: a version as in uname(2), or a text that ends in such a word. Returns true if it cannot be
 * parsed. */
bool kernel_syscall_file_blocks(const char *release);
/* Returns the same for the kernel that we run on. */
bool kernel_syscall_file_blocks_here(void);

#endif
