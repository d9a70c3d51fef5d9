/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* procfs-usage: what the kernel has counted for a process, from files of /proc. They can also be read after the end of
 * the process, until it is reaped. But then "io" belongs to root, and others can read it only if they have opened it
 * before. */
#ifndef PPROFIL_PROCFS_USAGE_H
#define PPROFIL_PROCFS_USAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The fields of /proc/PID/io, proc_pid_io(5). They contain those of all children that the process has waited for. */
struct procfs_io {
    bool known;
    uint64_t read_bytes, written_bytes; /* by all calls, from and to files of any kind */
    uint64_t read_calls, write_calls;
    uint64_t storage_read_bytes, storage_written_bytes;
};

/* Fields of /proc/PID/stat, proc_pid_stat(5), and of /proc/PID/io. */
struct procfs_usage {
    pid_t parent;
    char comm[16];
    uint64_t user_ticks, system_ticks; /* CPU time of all threads, clock ticks */
    uint64_t minor_faults, major_faults;
    uint64_t children_minor_faults, children_major_faults; /* of the children that the process has waited for */
    struct procfs_io io;
};

/* Parses the text of /proc/PID/stat. Leaves usage->io as it is. Returns false if a field is missing. */
bool procfs_parse_usage(const char *text, struct procfs_usage *usage);
/* Parses the text of /proc/PID/io. Returns false if a field is missing. */
bool procfs_parse_io(const char *text, struct procfs_io *io);

/* Reads "stat". Leaves usage->io as it is. Returns 0 or -errno. */
int procfs_read_usage(pid_t pid, struct procfs_usage *usage);
/* Opens "io" for procfs_read_io. Returns a descriptor, which the caller closes; -1: it cannot be opened, or few
 * descriptors are free. */
int procfs_open_io(pid_t pid);
/* Reads "io". fd: what procfs_open_io returned; if that is -1, opens the file. io->known is false if it cannot be read.
 * The read may wait for an exec of the process: supervisor/proc/system.c. */
void procfs_read_io(pid_t pid, int fd, struct procfs_io *io);

#endif
