/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* proc: reads the files of processes and threads in /proc. Reading these files does not affect the processes. */
#ifndef PPROFIL_PROC_H
#define PPROFIL_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads at most size - 1 bytes of a file as text. path is relative to an open directory, as in openat(2). Returns the
 * length of the text or a negative errno. */
ssize_t proc_read(int directory, const char *path, char *text, size_t size);

/* Contents of a task's file "stat": proc(5). */
struct proc_stat {
    char comm[32];
    char state;
    uint32_t ppid, threads;
    uint64_t cpu_ns;
};

/* Parses the text of a "stat" file. Returns 0, or -EPROTO if the text does not have the form of such a file. */
int proc_parse_stat(const char *text, struct proc_stat *stat);

/* What /proc/PID/status says about a process: proc(5). */
struct proc_status {
    char name[32];
    char state;  /* 0: there is no such task */
    long tracer; /* pid of the process that traces the task; 0: none */
    long uid;    /* id of the task's effective user; -1: not known */
    bool kernel_thread;
    uint64_t permitted, effective; /* sets of capabilities: capabilities(7); 0 also if they are not known */
    int seccomp;       /* mode of seccomp(2); -1: not known */
    bool no_new_privs; /* prctl(2), PR_SET_NO_NEW_PRIVS */
};

struct proc_status proc_read_status(pid_t pid);

/* Stores the arguments of a process, separated by spaces and without control characters; "": no arguments. */
void proc_command(uint32_t pid, char *text, size_t size);

#endif
