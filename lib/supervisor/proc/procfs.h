/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* procfs: what /proc says about a task, without stopping the task. */
#ifndef PPROFIL_PROCFS_H
#define PPROFIL_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/proc/procfs-text.h"

/* The files of a task that looks at it read. They are kept open where there are enough descriptors. */
struct procfs_task {
    pid_t pid, tid;
    int doing_fd;     /* "syscall", or "stat" where that is denied, or "status"; -1: not open */
    int schedstat_fd; /* -1 not open */
    int stat_fd;      /* -1 not open */
    bool coarse;      /* doing_fd is "stat", unless may_exec */
    /* it may be about to execute a program, and to read "syscall" or "stat" may wait for that (system.c): doing_fd is
     * "status" */
    bool may_exec;
    bool asks_calls;    /* may_exec: the call in which it sleeps is wanted, and waits are risked for that */
    bool wary;          /* to read "syscall" may wait for an exec of another thread: system.c */
    bool multithreaded; /* its process has, or had, another thread */
};

/* Sets the numbers; no file is open yet. */
void procfs_task_init(struct procfs_task *task, pid_t pid, pid_t tid);
void procfs_task_close(struct procfs_task *task);
/* Ends may_exec. */
void procfs_task_will_not_exec(struct procfs_task *task);
/* Returns true if a descriptor that was just opened may be kept open. Some descriptors are left for what must be opened
 * in any case. */
bool procfs_may_keep(int fd);
/* To be called for a task that is rarely looked at from now on: closes its files if descriptors are scarce. */
void procfs_task_close_if_scarce(struct procfs_task *task);

/* Reads a file of /proc, or of a control group, at once. The text, cut off at size - 1 bytes, ends with NUL. Returns
 * its length, or -errno; the text is not set then. */
ssize_t procfs_read_file(const char *path, char *text, size_t size);

/* Finds out what the task is doing; GONE also if /proc cannot be read. Opens the file if it is not open. If the task is
 * wary and multithreaded, only state->doing is found out. */
void procfs_look(struct procfs_task *task, struct procfs_state *state);

/* Reads the run and wait times of the task. Returns 0 or -errno: -ENOENT where the kernel keeps no such figures. */
int procfs_read_cpu(struct procfs_task *task, struct procfs_cpu *cpu);

/* Returns the CPU that the task runs on, or ran on last; -1 where it cannot be read, and if the task may_exec. stopped:
 * the task is in a stop of ptrace(2), and so not amid an exec. */
int procfs_last_cpu(struct procfs_task *task, bool stopped);

/* Reads the first argument of the call that the task is in; the task is in a stop of ptrace(2). Returns 0 or -errno:
 * -EBUSY where that may wait for an exec of another thread (wary, multithreaded), -ENODATA if the task is in no
 * call. */
int procfs_first_argument(const struct procfs_task *task, uint64_t *argument);

/* Returns the letter of the state of the task, proc_pid_stat(5), or '\0' where it cannot be read. */
char procfs_state_letter(const struct procfs_task *task);

/* Reads the name of the thread, without a newline. Returns 0 or -errno. */
int procfs_read_comm(pid_t pid, pid_t tid, char comm[16]);

/* Returns a number of /proc/TID/status, by the name of its field with the colon ("Tgid:"); -1 where it cannot be read.
 * Returns the last number of a list (NSpid:). */
long procfs_status_number(pid_t tid, const char *name);
/* Returns true if the task ignores a signal, by its own wish or by default (signal(7)). The first process of a PID
 * namespace ignores all that it has no handler for (pid_namespaces(7)). Returns false for SIGSTOP, and if /proc cannot
 * be read. It is not to be asked about SIGKILL, which makes no stop. */
bool procfs_ignores_signal(pid_t tid, int signal);
/* Returns true if a signal is pending that the task does not block. with_sigcont: SIGCONT counts even if it is blocked,
 * for it makes a traced thread stop all the same (prepare_signal in kernel/signal.c). */
bool procfs_signal_waits(pid_t tid, bool with_sigcont);
/* Returns true if a signal is in the task's own queue, to which kill(2) does not send: SigPnd of proc_pid_status(5). */
bool procfs_signal_is_pending(pid_t tid, int signal);
/* Reads the size of the largest file that a task may make, bytes; UINT64_MAX: no limit: RLIMIT_FSIZE of getrlimit(2).
 * prlimit(2) reports it only for tasks of one's own user, and /proc for each that may be traced: proc_pid_limits(5).
 * Returns 0 or -errno. */
int procfs_file_size_limit(pid_t tid, uint64_t *limit);

/* Returns a number that differs between the programs that a process executes one after the other, as far as addresses
 * are drawn at random; 0: the process is gone. Takes some microseconds. */
uint64_t procfs_exec_id(pid_t pid);

/* Returns when a process began, clock ticks since the boot; 0: it is gone. */
uint64_t procfs_start_time(pid_t pid);

/* Returns true if tid is a thread of process pid. */
bool procfs_is_thread(pid_t pid, pid_t tid);

/* Returns true if the thread has ended, though its parent may not know that yet. */
bool procfs_has_ended(pid_t pid, pid_t tid);

/* Reads the numbers of the newest children of a thread, at most `room`, in no order. Returns how many it read: 0 also
 * where the kernel has no such list (CONFIG_PROC_CHILDREN). */
unsigned procfs_newest_children(pid_t pid, pid_t tid, pid_t children[], unsigned room);

/* Calls seen(context, tid) for each thread of process pid, in no order, until seen returns something other than 0,
 * which is returned then. Returns 0; -ESRCH: there is no such process; or -errno. Allocates. */
int procfs_each_thread(pid_t pid, int (*seen)(void *context, pid_t tid), void *context);

#endif
