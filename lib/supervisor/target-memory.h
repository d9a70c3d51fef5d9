/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * target-memory: reading a target's memory, and writing it. Nothing else writes there.
 *
 * It is written for programs that profile themselves (serve/counts.c), and where a call that was cut short has to
 * leave in memory what the whole call would have left there (calls/call-progress.c).
 */
#ifndef PPROFIL_TARGET_MEMORY_H
#define PPROFIL_TARGET_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/proc/procfs.h"
#include "wire/wire.h"

/* Copies size bytes from a task's memory. Needs no lock. 0 or -errno: -EFAULT where a part is not there, -ESRCH,
 * -EPERM; process_vm_readv(2). */
int target_memory_read(pid_t tid, uint64_t address, void *to, size_t size);
/* Copies size bytes into it; after an error a part may be written. Needs no lock. 0 or -errno. */
int target_memory_write(pid_t tid, uint64_t address, const void *from, size_t size);

struct regs;

struct stack {
    size_t limit;           /* bytes to be copied; 0: none */
    unsigned char *bytes;   /* owned; limit of them */
    struct wire_stack head; /* of the last copy */
};

/* Makes room for copies of up to limit bytes; 0: no stack is copied. 0 or -ENOMEM. The owner frees stack->bytes. */
int stack_init(struct stack *stack, size_t limit);
/* Copies a stopped thread's stack and registers; nothing where the limit is 0. */
void stack_take(struct stack *stack, pid_t tid, const struct regs *regs);
/* Copies the stack of a thread that sleeps, without a stop: nothing of it is kept if the thread did not
 * sleep in the same place all the time. Returns false if no copy is wanted. */
bool stack_take_asleep(struct stack *stack, struct procfs_task *task, const struct procfs_state *state);

#endif
