/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * target-memory: reads and writes a target's memory, and copies stacks. No other source files access that memory,
 * except that regs-*.c read a few words of code by ptrace(2).
 *
 * Only two source files write to that memory. serve/counts.c writes the histograms of programs that profile themselves.
 * If a system call was cut short, further calls do the rest of its work; then calls/call-progress.c writes the results
 * that one uninterrupted call would have written.
 */
#ifndef PPROFIL_TARGET_MEMORY_H
#define PPROFIL_TARGET_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "supervisor/proc/procfs.h"
#include "wire/wire.h"

/* Copies `size` bytes from the memory of task `tid` to `to`. Needs no lock. Returns 0 or -errno: -EFAULT if a part of
 * the memory is not mapped, else an error of process_vm_readv(2). */
int target_memory_read(pid_t tid, uint64_t address, void *to, size_t size);
/* Copies `count` pieces, at most IOV_MAX, of the memory of task `tid`: there[i] to here[i], whose sizes are equal. The
 * order is that of the pieces; the copy ends at the first byte that is not mapped. Needs no lock. Returns how many
 * bytes it has copied, or -errno: an error of process_vm_readv(2), -EFAULT if not even the first byte is mapped. */
ssize_t target_memory_read_pieces(pid_t tid, const struct iovec *here, const struct iovec *there, unsigned count);
/* Copies `size` bytes at `from` into the memory of task `tid`. Needs no lock. Returns 0 or -errno. If it returns an
 * error, it may have written a part. */
int target_memory_write(pid_t tid, uint64_t address, const void *from, size_t size);

struct regs;

struct stack {
    size_t limit;           /* largest size of a copy, bytes; 0: no stack is copied */
    unsigned char *bytes;   /* owned; has room for `limit` bytes */
    uint64_t allowance;     /* bytes that may be copied, as of the time allowance_at */
    uint64_t allowance_at;
    struct wire_stack head; /* addresses, sizes and registers of the last copy */
    const struct wire_python *python; /* borrowed; the Python frames of the last copy; NULL: none */
};

/* What is known about the stacks of a thread. All fields but the first are only known for threads that can switch their
 * stack: go-stacks.h. */
struct stack_layout {
    /* address at the upper end of the stack that the C library has made for the thread; 0: not known. The thread may be
     * on another stack, above or below this address */
    uint64_t library_stack_end;
    uint64_t end; /* end of the stack on which the thread is; 0: not known */
    /* the stack pointer with which the thread came to this stack, when it left another one; 0: it has left none */
    uint64_t base;
    uint64_t left_low, left_high; /* the stack that it has left; both 0: not known */
    uint64_t left_sp;             /* the stack pointer with which it has left that stack; 0: not known */
};

/* Allocates the buffer for copies of up to `limit` bytes; 0: no stack will be copied. Returns 0 or -ENOMEM. The owner
 * frees stack->bytes. */
int stack_init(struct stack *stack, size_t limit);
/* Copies the stack and the registers of a stopped thread. Does nothing if the limit is 0. layout: all fields may be
 * 0. */
void stack_take(struct stack *stack, pid_t tid, const struct regs *regs, const struct stack_layout *layout);
/* Copies the stack of a sleeping thread, without stopping it. state: what procfs_look has just read about the thread.
 * If the thread's system call, pc or sp has changed since then, the copy is empty. Returns false if the limit is 0. */
bool stack_take_asleep(struct stack *stack, struct procfs_task *task, const struct procfs_state *state,
                       const struct stack_layout *layout);

#endif
