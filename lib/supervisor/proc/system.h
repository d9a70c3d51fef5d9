/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* system: how many CPUs there are for us, how many tasks want one, and which process is the newest. */
#ifndef PPROFIL_SUPERVISOR_SYSTEM_H
#define PPROFIL_SUPERVISOR_SYSTEM_H

#include <sched.h>
#include <sys/types.h>

/* /proc/loadavg: proc(5). */
struct system_load {
    int fd;            /* kept open; 0: it was not read yet */
    unsigned runnable; /* tasks that run or wait for a CPU, the reader included */
    pid_t last_pid;    /* the number given last in our PID namespace */
};

/* Takes about a microsecond. 0 or -errno. */
int system_load_read(struct system_load *load);

/* Returns of how many CPUs the tasks of our control group get the time: those of cpus, or fewer where a
 * quota says so: cpu.max of Documentation/admin-guide/cgroup-v2.rst, cpu.cfs_quota_us of
 * Documentation/scheduler/sched-bwc.rst. At least 1. */
unsigned system_cpu_count(const cpu_set_t *cpus);

#endif
