/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * blocked: finds out what sleeping threads wait for: a lock and who holds it, a file, a child, a time.
 *
 * Nothing is stopped for this. The arguments of the system call are in /proc/TID/syscall, what descriptors lead to is
 * in /proc/TID/fd, and the thread that holds a lock is in the target's memory, in the lock itself. What a thread waits
 * for is found out once for each sleep; the holder of a lock is found out for each sample, because it changes while the
 * thread sleeps.
 */
#ifndef PPROFIL_BLOCKED_H
#define PPROFIL_BLOCKED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/proc/procfs.h"

struct blocked;
struct supervisor;
struct tracee;
struct waits;

/* Returns the id of what a sleeping tracee waits for, and sends that to the client before, if necessary. state, cpu:
 * what procfs_look and procfs_read_cpu have just read about the tracee. It is in no call of the 32-bit ABI. Returns 0
 * if it is not known: the arguments of the call could not be read, the call is not in the table, the tracee has woken
 * up meanwhile or is stopped, it continues a call for us (repair.h), or the ring is full. The caller has set
 * tracee->sleep.letter. */
uint16_t blocked_on(struct supervisor *supervisor, struct tracee *tracee, const struct procfs_state *state,
                    const struct procfs_cpu *cpu);

/* --- for the files of this directory ------------------------------------------------------- */

/* How the arguments of a system call say what it waits for. */
enum blocked_way {
    BLOCKED_UNKNOWN,
    BLOCKED_FILE,     /* a descriptor */
    BLOCKED_FLOCK,    /* the descriptor of a file that is to be locked */
    BLOCKED_FCNTL,    /* a descriptor, and a command of fcntl(2) */
    BLOCKED_POLL,     /* an array of struct pollfd, and its length */
    BLOCKED_SELECT,   /* the number of descriptors, and sets of them */
    BLOCKED_EPOLL,    /* a descriptor of epoll(7), and room for events */
    BLOCKED_PATH,     /* the address of a path */
    BLOCKED_FUTEX,    /* futex(2): the address of a futex, the operation, and a value */
    BLOCKED_FUTEX2,   /* futex_wait(): the address of a futex, a value, a mask, and flags */
    BLOCKED_CHILD,    /* a pid, as for waitpid(2) */
    BLOCKED_CHILD_ID, /* a type and an id, as for waitid(2) */
    BLOCKED_IPC,      /* an id of sysvipc(7) */
    BLOCKED_TIME,
    BLOCKED_SIGNAL,
};

struct blocked_call {
    enum blocked_way way;
    unsigned argument; /* index of the argument that is meant: the first of them */
};

/* Returns what is known of a system call of the machine's own ABI. */
struct blocked_call blocked_call_by_number(int32_t number);

/* Copies 1 to 4096 bytes of the memory of a sleeping thread. Returns 0 or -errno: -EFAULT if a part is neither in
 * memory nor in swap. The load of a page never ends if the file system hangs, or if nobody serves
 * userfaultfd(2). Nothing is missed by that: what the kernel has read for the call is in memory. */
int blocked_read_memory(pid_t tid, uint64_t address, void *to, size_t size);

/* These fill in *blocked, or waits->found, for one way. tid: the sleeping thread. They return false if it cannot be
 * found out. */
bool blocked_describe_file(struct blocked *blocked, pid_t pid, pid_t tid, int fd);
bool blocked_describe_poll(struct blocked *blocked, pid_t pid, pid_t tid, const uint64_t *arguments);
bool blocked_describe_select(struct blocked *blocked, pid_t pid, pid_t tid, const uint64_t *arguments);
bool blocked_describe_epoll(struct waits *waits, struct tracee *tracee, const uint64_t *arguments);
bool blocked_describe_path(struct blocked *blocked, pid_t tid, uint64_t address);
bool blocked_describe_futex(struct blocked *blocked, const struct tracee *tracee, const uint64_t *arguments);
bool blocked_describe_futex2(struct blocked *blocked, const struct tracee *tracee, const uint64_t *arguments);

/* Finds the lines "tfd: FD events: EVENTS data: DATA" in the text of /proc/PID/fdinfo of an epoll descriptor
 * (proc_pid_fdinfo(5)). Stores the first descriptors in `fds`, which has room for `room` of them, and in *marked the
 * descriptor with this DATA; -1: there is none. Returns how many lines there are, without one whose end is cut off. */
unsigned blocked_parse_epoll(const char *text, uint64_t data, int fds[], unsigned room, int *marked);

#endif
