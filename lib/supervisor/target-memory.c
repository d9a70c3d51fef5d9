/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/regs.h"
#include "supervisor/target-memory.h"

/* how many bytes of a stack are searched for the frame of a signal handler, at most */
#define SEARCH_SIZE_MAX 65536u
/* Largest size of an alternate stack, bytes. If memory that looks like the frame of a signal handler states a larger
 * size of that stack, it is not such a frame. */
#define ALTERNATE_SIZE_MAX (UINT64_C(1) << 26)
/* So many frame pointers are followed, through C code that runs on a scheduler stack of Go, such as the vDSO's */
#define CHAIN_MAX 16u
/* DWARF number of the frame pointer, in the machine's 64-bit ABI */
#ifdef __aarch64__
#define FRAME_POINTER 29u
#else
#define FRAME_POINTER 6u
#endif

static int target_memory_result(ssize_t done, size_t size)
{
    if (done < 0)
        return -errno;
    return (size_t)done == size ? 0 : -EFAULT;
}

int target_memory_read(pid_t tid, uint64_t address, void *to, size_t size)
{
    struct iovec here = {.iov_base = to, .iov_len = size};
    struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};

    return target_memory_result(process_vm_readv(tid, &here, 1, &there, 1, 0), size);
}

ssize_t target_memory_read_pieces(pid_t tid, const struct iovec *here, const struct iovec *there, unsigned count)
{
    ssize_t got = process_vm_readv(tid, here, count, there, count, 0);

    return got < 0 ? -errno : got;
}

int target_memory_write(pid_t tid, uint64_t address, const void *from, size_t size)
{
    struct iovec here = {.iov_base = (void *)from, .iov_len = size};
    struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};

    return target_memory_result(process_vm_writev(tid, &here, 1, &there, 1, 0), size);
}

/* --- copies of stacks ------------------------------------------------------------------------ */

/*
 * One system call copies a stack, beginning at the stack pointer. Bytes below the stack pointer are not needed to find
 * callers. If the requested size reaches beyond readable memory, the kernel copies what is readable. There is none
 * above the main thread's stack, nor above the stacks of most other threads, so the copy ends with the stack. But above
 * the stack of the thread that a program made first, the libraries follow with no gap. So a copy also ends where the C
 * library's stack ends, if this is known.
 *
 * Large copies take time from the target, which the budget sees, and also from the client and from the memory. So the
 * copies of a tracer have an allowance: VOLUME bytes a second. What is not used is saved, up to VOLUME_SAVED. If too
 * little is left, only STACK_SMALL bytes are copied.
 *
 * Some threads switch between stacks (struct stack_layout). If the layout is known, a stack is copied no further than
 * to its end, and the stack that the thread has left is copied, too.
 *
 * If a signal handler runs on an alternate stack, a frame at the end of that stack contains the bounds of that stack,
 * and the stack pointer of the code that the signal has interrupted. Then the stack of that code is copied, too,
 * beginning at that stack pointer. The two copies together are not larger than the limit.
 */

#define VOLUME (256u << 20)      /* bytes a second */
#define VOLUME_SAVED (32u << 20) /* bytes */
#define STACK_SMALL 32768u       /* bytes */

int stack_init(struct stack *stack, size_t limit)
{
    *stack = (struct stack){.limit = limit, .allowance = VOLUME_SAVED, .allowance_at = time_now()};
    if (limit == 0)
        return 0;
    stack->bytes = malloc(limit);
    return stack->bytes != NULL ? 0 : -ENOMEM;
}

/* Copies up to `most` bytes, beginning at `address`, but only up to the first byte that is not mapped. Returns how many
 * bytes it copied. */
static size_t stack_copy_memory(pid_t tid, uint64_t address, unsigned char *bytes, size_t most)
{
    struct iovec local = {.iov_base = bytes, .iov_len = most};
    struct iovec remote = {.iov_base = (void *)(uintptr_t)address, .iov_len = most};
    ssize_t got = process_vm_readv(tid, &local, 1, &remote, 1, 0);

    return got < 0 ? 0 : (size_t)got;
}

static uint64_t stack_word_at(const unsigned char *bytes, unsigned word)
{
    uint64_t wide;
    uint32_t narrow;

    if (word == sizeof wide) {
        memcpy(&wide, bytes, sizeof wide);
        return wide;
    }
    memcpy(&narrow, bytes, sizeof narrow);
    return narrow;
}

/* Returns true if `bytes` are the struct ucontext of a signal handler that runs on an alternate stack, and has
 * interrupted code on another stack. Returns false if that code was on the same alternate stack. sp: a stack pointer,
 * which must be in the alternate stack. Sets *end to the end of the alternate stack, and *below to the stack pointer of
 * the interrupted code. */
static bool stack_left_stack(const unsigned char *bytes, struct regs_context context, uint64_t sp,
                             uint64_t *end, uint64_t *below)
{
    uint64_t start = stack_word_at(bytes + 2 * context.word, context.word);
    uint64_t size = stack_word_at(bytes + 4 * context.word, context.word);
    uint64_t link = stack_word_at(bytes + context.word, context.word);

    if (sp - start >= size || size > ALTERNATE_SIZE_MAX || link != 0)
        return false;
    *end = start + size;
    *below = stack_word_at(bytes + context.sp, context.word);
    return *below - start > size;
}

/* If the copied stack is the alternate stack of a signal handler, sets *end to the end of that stack, and *below to the
 * stack pointer of the code that the signal has interrupted, and returns true. Otherwise returns false. The stack of an
 * i386 handler without SA_SIGINFO is not recognized, because it contains no struct ucontext. */
static bool stack_find_below(const struct stack *stack, bool compat, uint64_t *end, uint64_t *below)
{
    struct regs_context context = regs_context(compat);
    uint64_t sp = stack->head.start;
    size_t size = stack->head.size < SEARCH_SIZE_MAX ? stack->head.size : SEARCH_SIZE_MAX;

    for (size_t at = (context.rest - sp) & 15; at + context.size <= size; at += 16) {
        const unsigned char *bytes = stack->bytes + at;
        if (regs_is_context(compat, bytes) &&
            sp - stack_word_at(bytes + 2 * context.word, context.word) < ALTERNATE_SIZE_MAX &&
            stack_left_stack(bytes, context, sp, end, below))
            return true;
    }
    return false;
}

/* Returns how many bytes the next copy may have. */
static size_t stack_allowed(struct stack *stack)
{
    uint64_t now = time_now(), elapsed = now - stack->allowance_at;
    uint64_t more = elapsed < 1000000000u ? elapsed * VOLUME / 1000000000u : VOLUME_SAVED;

    stack->allowance_at = now;
    stack->allowance = stack->allowance + more < VOLUME_SAVED ? stack->allowance + more : VOLUME_SAVED;
    size_t allowed = stack->allowance > STACK_SMALL ? (size_t)stack->allowance : STACK_SMALL;
    return allowed < stack->limit ? allowed : stack->limit;
}

/* Follows the frame pointers in the copy. Returns the first one that points out of it. If there are too many, or they
 * lead in a circle, returns one that does not. */
static uint64_t stack_follow_frame_pointers(const struct stack *stack, uint64_t fp)
{
    for (unsigned i = 0; i < CHAIN_MAX && fp - stack->head.start < stack->head.size; i++) {
        uint64_t at = fp - stack->head.start;
        if (stack->head.size - at < sizeof fp)
            break;
        fp = stack_word_at(stack->bytes + at, sizeof fp);
    }
    return fp;
}

/* Returns the address from which on the stack that the thread has left is copied. 0: not known. */
static uint64_t stack_find_left(const struct stack *stack, uint64_t fp, const struct stack_layout *layout)
{
    uint64_t left = layout->left_sp;

    fp = stack_follow_frame_pointers(stack, fp);
    if (fp > layout->left_low && fp < layout->left_high && (left == 0 || fp < left))
        left = fp;
    return left;
}

/* Returns the first address above `sp` to which the stack of `sp` does not extend, as far as the C library's stack
 * shows it; UINT64_MAX: not known. */
static uint64_t stack_end_above(const struct stack_layout *layout, uint64_t sp)
{
    return layout->library_stack_end > sp ? layout->library_stack_end : UINT64_MAX;
}

/* most: limit of the size of both copies together, bytes. */
static void stack_copy_second(struct stack *stack, pid_t tid, uint64_t start, uint64_t end, size_t most)
{
    uint64_t size = most - stack->head.size;

    if (start == 0)
        return;
    stack->head.below_start = start;
    stack->head.below_size = (uint32_t)stack_copy_memory(tid, start, stack->bytes + stack->head.size,
                                                         end - start < size ? end - start : size);
}

/* fp: the frame pointer; 0: not known. */
static void stack_copy_both(struct stack *stack, pid_t tid, uint64_t sp, uint64_t fp, bool compat,
                            const struct stack_layout *layout)
{
    uint64_t end, below, known_end = layout->end > sp ? layout->end : stack_end_above(layout, sp);
    size_t most = stack_allowed(stack), first = most;

    stack->head.start = sp;
    stack->head.size = stack->head.below_size = 0;
    stack->head.switch_base = layout->base;
    stack->head.switch_sp = layout->left_sp;
    stack->head.goroutine_end = layout->base == 0 ? layout->end : layout->left_high;
    if (!regs_are_unwound(compat))
        return;
    if (known_end - sp < most)
        first = (size_t)(known_end - sp);
    stack->head.size = (uint32_t)stack_copy_memory(tid, sp, stack->bytes, first);
    if (layout->base != 0)
        return stack_copy_second(stack, tid, stack_find_left(stack, fp, layout), layout->left_high, most);
    if (!stack_find_below(stack, compat, &end, &below))
        return;
    if (stack->head.size > end - sp)
        stack->head.size = (uint32_t)(end - sp);
    stack_copy_second(stack, tid, below, stack_end_above(layout, below), most);
}

static void stack_copy(struct stack *stack, pid_t tid, uint64_t sp, uint64_t fp, bool compat,
                       const struct stack_layout *layout)
{
    stack_copy_both(stack, tid, sp, fp, compat, layout);
    uint64_t used = (uint64_t)stack->head.size + stack->head.below_size;
    stack->allowance -= used < stack->allowance ? used : stack->allowance;
}

void stack_take(struct stack *stack, pid_t tid, const struct regs *regs, const struct stack_layout *layout)
{
    if (stack->limit == 0)
        return;
    stack_copy(stack, tid, regs->sp, regs->general[FRAME_POINTER], regs->compat, layout);
    stack->head.known = regs->known;
    memcpy(stack->head.regs, regs->general, sizeof stack->head.regs);
}

bool stack_take_asleep(struct stack *stack, struct procfs_task *task, const struct procfs_state *state,
                       const struct stack_layout *layout)
{
    struct procfs_state after;

    if (stack->limit == 0)
        return false;
    stack_copy(stack, task->tid, state->sp, 0, state->sp <= UINT32_MAX, layout);
    procfs_look(task, &after);
    if (!procfs_state_equals(&after, state))
        stack->head.size = stack->head.below_size = 0;
    /* head.regs is not filled in, because only pc and sp are known, and the sample itself contains these */
    stack->head.known = 0;
    return true;
}
