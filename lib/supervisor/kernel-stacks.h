/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernel-stacks: reads the functions in which sleeping threads are in the kernel, from /proc/TID/stack.
 *
 * Nothing is stopped for this. A stack is read once for each sleep. Threads mostly sleep in the same few stacks. So
 * each stack gets an id, and is sent to the client only once. If there are too many stacks, all ids are forgotten.
 */
#ifndef PPROFIL_KERNEL_STACKS_H
#define PPROFIL_KERNEL_STACKS_H

#include <stdint.h>

#include "supervisor/proc/procfs-text.h"

struct supervisor;
struct tracee;

/* Returns 0 if this process may read kernel stacks; -EPERM if it has no CAP_SYS_ADMIN in the initial user namespace
 * (proc_pid_stack() in fs/proc/base.c); -ENOTSUP if the kernel shows no stacks, because it has no CONFIG_STACKTRACE. */
int kernel_stacks_check(void);

/* Returns the id of the kernel stack of a sleeping tracee, and sends the stack to the client before, if necessary.
 * state, cpu: what procfs_look and procfs_read_cpu have just read about the tracee. Returns 0 if the stack is not
 * known: it may not be read, reading it might wait for an exec (proc/system.c), the tracee has woken up meanwhile or is
 * stopped, it continues a call for us (repair.h), or the ring is full. The caller has set tracee->sleep.letter. */
uint16_t kernel_stack_of(struct supervisor *supervisor, struct tracee *tracee, const struct procfs_state *state,
                         const struct procfs_cpu *cpu);

#endif
