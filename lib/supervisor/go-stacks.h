/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * go-stacks: finds the stacks of a thread that executes Go code.
 *
 * A goroutine has a stack of its own. For work of the Go runtime, the thread switches to its scheduler stack (g0), and
 * back afterwards. The frames that have called the runtime are then on the goroutine's stack. Each stack belongs to a
 * structure of the runtime (struct g, runtime/runtime2.go).
 *
 * All stacks of goroutines, and most scheduler stacks, are in the heap of the runtime. So the end of the mapping is not
 * their end, and the structure says where they end.
 */
#ifndef PPROFIL_GO_STACKS_H
#define PPROFIL_GO_STACKS_H

#include <stdint.h>
#include <sys/types.h>

struct regs;
struct stack_layout;

/* What is known about a thread. The thread may get other structures, so this is checked at each use. */
struct go_thread {
    uint64_t m;         /* address of its struct m */
    uint64_t scheduler; /* address of the struct g of its scheduler stack */
    uint64_t low, high; /* the scheduler stack is at addresses [low, high); both 0: not known */
};

/* Finds the stacks of a thread that is stopped or asleep. Called without the lock. Allocates no memory, and reads the
 * target's memory up to six times. regs: registers of the thread; NULL: not known, then only the scheduler stack is
 * recognized, and only if it is known. The caller has set all fields of *layout except library_stack_end to 0. They
 * remain 0 if the thread is on no stack of Go, or its scheduler stack is not in use yet. */
void go_find_stacks(struct go_thread *thread, pid_t tid, const struct regs *regs, uint64_t sp,
                    struct stack_layout *layout);

#endif
