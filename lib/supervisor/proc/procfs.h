/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* procfs: reads files of /proc about a task, without stopping the task. */
#ifndef PPROFIL_PROCFS_H
#define PPROFIL_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/proc/procfs-text.h"

/* The files of /proc that show the state and the CPU times of a task. They are kept open if there are enough
 * descriptors. */
struct procfs_task {
    pid_t pid, tid;
    /* descriptor of "syscall", or of "stat" if `coarse` is true, or of "status" if may_exec is true; -1: not open */
    int doing_fd;
    int schedstat_fd; /* -1: not open */
    int stat_fd;      /* -1: not open */
    int sched_fd;     /* -1: not open */
    /* procfs_look reads "stat" instead of "syscall", because reading "syscall" is denied or may make us wait; not used
     * while may_exec is true */
    bool coarse;
    /* the task may soon execute a program. During an exec, reading "syscall" or "stat" may make us wait (system.c), so
     * procfs_look reads "status" */
    bool may_exec;
    /* if may_exec: procfs_look must also find out in which system call the task sleeps, although reading "syscall" may
     * make us wait */
    bool asks_calls;
    /* on this kernel, reading "syscall" may wait until an exec of another thread of the process has ended: system.c */
    bool wary;
    bool multithreaded; /* the process of the task has, or has had, more than one thread */
};

/* Initializes *task for a thread. Opens no file. */
void procfs_task_init(struct procfs_task *task, pid_t pid, pid_t tid);
void procfs_task_close(struct procfs_task *task);
/* Sets may_exec to false, and closes doing_fd. The next procfs_look opens "syscall" or "stat" instead of "status". */
void procfs_task_will_not_exec(struct procfs_task *task);
/* Returns true if a descriptor that was just opened may be kept open. Returns false if few descriptors are free,
 * because these are reserved for files that must be opened in any case. */
bool procfs_may_keep(int fd);
/* Closes the files of a task if descriptors are scarce. To be called for a task whose files will rarely be read from
 * now on. */
void procfs_task_close_if_scarce(struct procfs_task *task);

/* Reads a file of /proc, or of a control group, with one read(2). Cuts the text off at size - 1 bytes, and appends a
 * NUL. Returns the length of the text, or -errno; then text is undefined. */
ssize_t procfs_read_file(const char *path, char *text, size_t size);

/* Finds out what the task is doing, and fills *state in. state->doing is PROCFS_GONE also if /proc cannot be read.
 * Opens the file of doing_fd if it is not open. If task->wary and task->multithreaded are true, does not read
 * "syscall", and so finds out only state->doing. */
void procfs_look(struct procfs_task *task, struct procfs_state *state);

/* Reads the run and wait times of the task. Returns 0 or -errno: -ENOENT if the kernel does not keep these times. */
int procfs_read_cpu(struct procfs_task *task, struct procfs_cpu *cpu);

/* Reads when the task was last on a CPU. Returns 0 or -errno: -ENOENT if the kernel does not report it
 * (CONFIG_SCHED_DEBUG). */
int procfs_read_last_run(struct procfs_task *task, struct procfs_last_run *run);

/* Returns true if the task still sleeps as it did when *state and *cpu were read, and has not run since. */
bool procfs_sleep_goes_on(struct procfs_task *task, const struct procfs_state *state, const struct procfs_cpu *cpu);

/* Returns the CPU on which the task runs, or ran last; -1: unknown. stopped: the task is in a stop of ptrace(2), and so
 * not in the middle of an exec. If it is not stopped and task->may_exec, returns -1, because the read might wait. */
int procfs_last_cpu(struct procfs_task *task, bool stopped);

/* Reads the first argument of the system call of a task that is in a stop of ptrace(2). Returns 0 or -errno: -EBUSY if
 * the read might wait for an exec of another thread (task->wary and task->multithreaded), -ENODATA if the task is in no
 * system call. */
int procfs_first_argument(const struct procfs_task *task, uint64_t *argument);

/* Returns the letter of the state of the task, proc_pid_stat(5), or '\0' if it cannot be read. */
char procfs_state_letter(const struct procfs_task *task);

/* Reads the name of the thread, without a newline. Returns 0 or -errno. */
int procfs_read_comm(pid_t pid, pid_t tid, char comm[16]);

/* Returns the number in a field of /proc/TID/status; -1: it cannot be read. name: name of the field with the colon
 * ("Tgid:"). If the field is a list of numbers ("NSpid:"), returns the last number. */
long procfs_status_number(pid_t tid, const char *name);
/* Reads how often a thread gave up its CPU (voluntary), and how often another thread took its place. Works until the
 * thread is reaped. Returns 0 or -errno. */
int procfs_read_switches(pid_t tid, uint64_t *voluntary, uint64_t *involuntary);
/* Returns true if the task ignores a signal, by its own setting or by default (signal(7)). The first process of a PID
 * namespace ignores all signals for which it has no handler (pid_namespaces(7)). Returns false for SIGSTOP, and if
 * /proc cannot be read. Not to be called for SIGKILL, which makes no stop. */
bool procfs_ignores_signal(pid_t tid, int signal);
/* Returns true if a signal is pending that the task does not block. If with_sigcont is true, a pending SIGCONT counts
 * even if it is blocked, because it makes a traced thread stop all the same (prepare_signal in kernel/signal.c). */
bool procfs_signal_waits(pid_t tid, bool with_sigcont);
/* Returns true if the signal is in the queue for the task itself (SigPnd of proc_pid_status(5)). kill(2) puts signals
 * into another queue, which is for the whole process. */
bool procfs_signal_is_pending(pid_t tid, int signal);
/* Reads RLIMIT_FSIZE of a task: the largest size of a file that it may write, bytes; UINT64_MAX: no limit. prlimit(2)
 * reports it only for tasks of the caller's user, but /proc reports it for every task that may be traced:
 * proc_pid_limits(5). Returns 0 or -errno. */
int procfs_file_size_limit(pid_t tid, uint64_t *limit);

/* Returns a number that changes when the process executes a program; 0: the process is gone. If the kernel does not
 * randomize addresses, the number may stay the same. Takes some microseconds. */
uint64_t procfs_exec_id(pid_t pid);

/* Returns the time at which a process began, in clock ticks since boot; 0: the process is gone. */
uint64_t procfs_start_time(pid_t pid);

/* Returns true if tid is a thread of process pid. */
bool procfs_is_thread(pid_t pid, pid_t tid);

/* Returns true if the thread has ended, even if it is still a zombie. */
bool procfs_has_ended(pid_t pid, pid_t tid);

/* Reads the pids of the newest children of a thread, at most `room` of them, in no particular order. Returns how many
 * it read. Also returns 0 if the kernel has no list of children (CONFIG_PROC_CHILDREN). */
unsigned procfs_newest_children(pid_t pid, pid_t tid, pid_t children[], unsigned room);

/* Calls seen(context, tid) for each thread of process `pid`, in no particular order, until seen returns a value other
 * than 0. Returns that value; 0 if `seen` has returned 0 for all threads; or -errno (-ESRCH: there is no such process).
 * Uses malloc. */
int procfs_each_thread(pid_t pid, int (*seen)(void *context, pid_t tid), void *context);

#endif
