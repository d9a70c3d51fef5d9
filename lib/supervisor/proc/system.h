/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* system: finds out how many CPUs we may use, how many tasks of the whole system are runnable, and which is the newest
 * process id. Also finds out from the kernel's version whether a read of /proc/TID/syscall may wait for an exec. */
#ifndef PPROFIL_SUPERVISOR_SYSTEM_H
#define PPROFIL_SUPERVISOR_SYSTEM_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

/* The parsed /proc/loadavg: proc(5). */
struct system_load {
    int fd;            /* descriptor of /proc/loadavg, kept open; 0: not opened yet */
    unsigned runnable; /* how many tasks run or wait for a CPU, including the thread that reads the file */
    pid_t last_pid;    /* the process id that was assigned last in our PID namespace */
};

/* Reads /proc/loadavg through load->fd, which stays open. Takes about a microsecond. Returns 0, or -ENODATA if it
 * cannot be read; then runnable and last_pid are unchanged. */
int system_load_read(struct system_load *load);

/* Returns the smaller of two numbers: how many CPUs are in the set `cpus`, and how many whole CPUs (at least 1) the
 * quota of our control group allows. See cpu.max of Documentation/admin-guide/cgroup-v2.rst, and cpu.cfs_quota_us of
 * Documentation/scheduler/sched-bwc.rst. */
unsigned system_cpu_count(const cpu_set_t *cpus);

/* Returns true if this version of the kernel makes a read of /proc/TID/syscall wait while a thread of the same process
 * execs. release: a version as in uname(2), or a text whose last word is such a version. Also returns true if release
 * cannot be parsed. */
bool kernel_syscall_file_blocks(const char *release);
/* Returns the result of kernel_syscall_file_blocks for the kernel on which we run. */
bool kernel_syscall_file_blocks_here(void);

#endif
