/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * procfs: what /proc says of a task without stopping it.
 */
#ifndef PPROFIL_PROCFS_H
#define PPROFIL_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/proc/procfs-text.h"

/* The files of a task that looks read, kept open where descriptors last. */
struct procfs_task {
    pid_t pid, tid;
    int doing_fd;     /* "syscall", or "stat" where that is denied, or "status"; -1 not open */
    int schedstat_fd; /* -1 not open */
    int stat_fd;      /* -1 not open */
    bool coarse;      /* doing_fd is "stat", if it is not unsettled */
    bool may_exec;    /* it may be about to execute a program, and reading "syscall" or "stat" may wait for that:
                       * kernel.h. doing_fd is "status" */
    bool asks_calls;  /* may_exec: what it sleeps in is wanted, and waits are risked for that */
    bool wary;        /* reading "syscall" may wait for an exec of another thread: kernel.h */
    bool multithreaded; /* its process has, or had, another thread */
};

void procfs_task_init(struct procfs_task *task, pid_t pid, pid_t tid);
void procfs_task_close(struct procfs_task *task);
/* The task is unsettled no longer. */
void procfs_task_will_not_exec(struct procfs_task *task);
/* Returns true if a descriptor that was just opened may be kept open: some are left for what must be opened in any
 * case. */
bool procfs_may_keep(int fd);
/* The task is rarely looked at from now on: closes its files where descriptors are scarce. */
void procfs_task_close_if_scarce(struct procfs_task *task);

/* Finds out what the task is doing; GONE also if /proc cannot be read. Opens the file if need be. If the task is wary
 * and accompanied, only state->doing is found out. */
void procfs_look(struct procfs_task *task, struct procfs_state *state);

/* 0 or -errno: -ENOENT where the kernel keeps no such figures. */
int procfs_read_cpu(struct procfs_task *task, struct procfs_cpu *cpu);

/* The CPU that the task runs on, or ran on last; -1 where it cannot be read, and if the task is unsettled. stopped: it
 * is in a stop of ptrace(2), and so not amid an exec. */
int procfs_last_cpu(struct procfs_task *task, bool stopped);

/* Reads the first argument of the call that the task is in, which is in a stop of ptrace(2). 0 or -errno: -EBUSY where
 * that may wait for an exec of another thread (wary, accompanied), -ENODATA if it is in no call. */
int procfs_first_argument(const struct procfs_task *task, uint64_t *argument);

/* Returns the letter of its state, proc_pid_stat(5), or '\0' where it cannot be read. */
char procfs_state_letter(const struct procfs_task *task);

/* The thread's name, without a newline. 0 or -errno. */
int procfs_read_comm(pid_t pid, pid_t tid, char comm[16]);

/* One number of /proc/TID/status, by its name with the colon ("Tgid:"); -1 where it cannot
 * be read. For a list (NSpid:) the last one. */
long procfs_status_number(pid_t tid, const char *name);
/* Returns true if the task ignores a signal, by its own wish or by default (signal(7)). The first process of a PID
 * namespace ignores all that it has no handler for (pid_namespaces(7)). Returns false for SIGSTOP, and if /proc
 * cannot be read. It is not to be asked about SIGKILL, which makes no stop. */
bool procfs_ignores_signal(pid_t tid, int signal);
/* Is a signal pending that the task does not block? with_sigcont: SIGCONT counts if it is blocked, too, for it makes a
 * traced thread stop all the same (prepare_signal in kernel/signal.c). */
bool procfs_signal_waits(pid_t tid, bool with_sigcont);
/* Is a signal in the task's own queue, into which kill(2) sends none: SigPnd of proc_pid_status(5)? */
bool procfs_signal_is_pending(pid_t tid, int signal);
/* The largest file that a task may make, bytes; UINT64_MAX: any: RLIMIT_FSIZE of getrlimit(2). prlimit(2) tells it
 * of one's own user's tasks only, and /proc of each that may be traced: proc_pid_limits(5). 0 or -errno. */
int procfs_file_size_limit(pid_t tid, uint64_t *limit);

/* Returns a number that tells what a process executes from what it executed before, as far as addresses are
 * drawn at random; 0: it is gone. Takes some microseconds. */
uint64_t procfs_exec_id(pid_t pid);

/* When a process began, clock ticks since the boot; 0: it is gone. */
uint64_t procfs_start_time(pid_t pid);

/* Is tid a thread of process pid? */
bool procfs_is_thread(pid_t pid, pid_t tid);

/* Has it ended, though its parent may not know yet? */
bool procfs_has_ended(pid_t pid, pid_t tid);

/* Reads the newest children of a thread, at most room of them, in no order. Returns how many it read: 0 also
 * where the kernel has no such list (CONFIG_PROC_CHILDREN). */
unsigned procfs_newest_children(pid_t pid, pid_t tid, pid_t children[], unsigned room);

/* Calls seen(context, tid) for each thread of process pid, in no order, until it returns something other than 0,
 * which is returned. 0; -ESRCH: there is no such process; or -errno. Allocates. */
int procfs_each_thread(pid_t pid, int (*seen)(void *context, pid_t tid), void *context);

#endif
