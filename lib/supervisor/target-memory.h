/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * target-memory: reading a target's memory, and writing it. Nothing else does, but for the words of code that regs-*.c
 * read by ptrace(2).
 *
 * Memory is written for programs that profile themselves (serve/counts.c), and where a call that was cut short has to
 * leave in memory what the whole call would have left there (calls/call-progress.c).
 *
 * It also copies stacks.
 */
#ifndef PPROFIL_TARGET_MEMORY_H
#define PPROFIL_TARGET_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/proc/procfs.h"
#include "wire/wire.h"

/* Copies size bytes from the memory of task tid. Needs no lock. Returns 0 or -errno: -EFAULT where a part is not there,
 * -ESRCH, -EPERM; process_vm_readv(2). */
int target_memory_read(pid_t tid, uint64_t address, void *to, size_t size);
/* Copies size bytes into the memory of task tid; after an error a part may be written. Needs no lock. Returns 0 or
 * -errno. */
int target_memory_write(pid_t tid, uint64_t address, const void *from, size_t size);

struct regs;

struct stack {
    size_t limit;           /* the most bytes of a copy; 0: no stack is copied */
    unsigned char *bytes;   /* owned; there is room for limit bytes */
    struct wire_stack head; /* what the last copy is of, and how large it is */
};

/* Makes room for copies of up to limit bytes; 0: no stack is to be copied. Returns 0 or -ENOMEM. The owner frees
 * stack->bytes. */
int stack_init(struct stack *stack, size_t limit);
/* Copies the stack and the registers of a stopped thread. Does nothing where the limit is 0. */
void stack_take(struct stack *stack, pid_t tid, const struct regs *regs);
/* Copies the stack of a thread that sleeps, without a stop. The copy is empty if the thread did not sleep in the same
 * place all the time. state: what a look at the thread has found. Returns false if no copy is wanted. */
bool stack_take_asleep(struct stack *stack, struct procfs_task *task, const struct procfs_state *state);

#endif
