/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* system: how many CPUs there are for us, how many tasks want one, which process is the newest, and what has to be
 * known of the kernel's version because no system call tells it. */
#ifndef PPROFIL_SUPERVISOR_SYSTEM_H
#define PPROFIL_SUPERVISOR_SYSTEM_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

/* /proc/loadavg: proc(5). */
struct system_load {
    int fd;            /* kept open; 0: not opened yet */
    unsigned runnable; /* number of tasks that run or wait for a CPU, the reader included */
    pid_t last_pid;    /* the newest process number in our PID namespace */
};

/* Reads /proc/loadavg through load->fd, which stays open. Takes about a microsecond. Returns 0, or -ENODATA where it
 * cannot be read; runnable and last_pid are unchanged then. */
int system_load_read(struct system_load *load);

/* Returns how many CPUs' time our control group gets, at least 1: the number of CPUs in cpus, or the quota of the group
 * in whole CPUs where that is less (cpu.max of Documentation/admin-guide/cgroup-v2.rst, cpu.cfs_quota_us of
 * Documentation/scheduler/sched-bwc.rst). */
unsigned system_cpu_count(const cpu_set_t *cpus);

/* Returns true if to read /proc/TID/syscall waits for an exec in the same process to end. release: a version as in
 * uname(2), or a text whose last word is one; the answer is true if it cannot be parsed. */
bool kernel_syscall_file_blocks(const char *release);
/* Returns the same for the kernel that we run on. */
bool kernel_syscall_file_blocks_here(void);

#endif
