/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* proc: what /proc says of processes and threads. Reading it does not touch them. */
#ifndef PPROFIL_PROC_H
#define PPROFIL_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads a small file as text. path is relative to an open directory, as in openat(2). Returns its length or a negative
 * errno. */
ssize_t proc_read(int directory, const char *path, char *text, size_t size);

/* What a task's "stat" says: proc(5). */
struct proc_stat {
    char comm[32];
    char state;
    uint32_t ppid, threads;
    uint64_t cpu_ns;
};

/* 0, or -EPROTO: the text is not of this form. */
int proc_parse_stat(const char *text, struct proc_stat *stat);

/* What /proc/PID/status says of a task: proc(5). */
struct proc_status {
    char name[32];
    char state;  /* 0: there is no such task */
    long tracer; /* process number; 0: none */
    long uid;    /* effective; -1: not known */
    bool kernel_thread;
};

struct proc_status proc_read_status(pid_t pid);

/* Stores the arguments of a process, with spaces between them and without control characters; "": it has none. */
void proc_command(uint32_t pid, char *text, size_t size);

#endif
