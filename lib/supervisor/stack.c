/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a thread's stack holds, for others to make frames of.
 *
 * One call copies it while the thread stands still, from the stack pointer up; where the
 * mapping ends before the size asked for, the kernel copies what there is. What lies below the
 * stack pointer is of no use for finding callers.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "supervisor/regs.h"
#include "supervisor/supervisor.h"

int stack_init(struct stack *stack, size_t limit)
{
    *stack = (struct stack){.limit = limit};
    if (limit == 0)
        return 0;
    stack->bytes = malloc(limit);
    return stack->bytes != NULL ? 0 : -ENOMEM;
}

static void copy(struct stack *stack, pid_t tid, uint64_t sp)
{
    struct iovec local = {.iov_base = stack->bytes, .iov_len = stack->limit};
    struct iovec remote = {.iov_base = (void *)(uintptr_t)sp, .iov_len = stack->limit};
    ssize_t got = process_vm_readv(tid, &local, 1, &remote, 1, 0);

    stack->head.start = sp;
    stack->head.size = got < 0 ? 0 : (uint32_t)got;
    stack->head.cut = stack->head.size == stack->limit;
}

void stack_take(struct stack *stack, pid_t tid, const struct regs *regs)
{
    if (stack->limit == 0)
        return;
    copy(stack, tid, regs->sp);
    stack->head.known = regs->known;
    memcpy(stack->head.regs, regs->general, sizeof stack->head.regs);
}

bool stack_take_asleep(struct stack *stack, struct tracee *tracee,
                       const struct procfs_state *state)
{
    struct procfs_state after;

    if (stack->limit == 0)
        return false;
    copy(stack, tracee->tid, state->sp);
    procfs_look(&tracee->files, &after);
    if (after.doing != state->doing || after.syscall != state->syscall || after.sp != state->sp ||
        after.pc != state->pc)
        stack->head.size = 0;
    stack->head.known = 0; /* but for those that the sample has */
    return true;
}
