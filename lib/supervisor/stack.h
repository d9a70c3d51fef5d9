/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stack: copies of threads' stacks. */
#ifndef PPROFIL_STACK_H
#define PPROFIL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "supervisor/proc/procfs.h"
#include "wire/wire.h"

struct regs;
struct tracee;

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
bool stack_take_asleep(struct stack *stack, struct tracee *tracee, const struct procfs_state *state);

#endif
