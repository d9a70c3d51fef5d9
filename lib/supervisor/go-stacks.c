/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The offsets of the fields below are those of 64-bit Go from 1.5 on (runtime/runtime2.go). Only one of them differs
 * between versions. No version is asked for: structures of another layout do not refer to each other as these must.
 */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/go-stacks.h"
#include "supervisor/regs.h"
#include "supervisor/target-memory.h"

/* DWARF number of the register that holds the address of the struct g of the present stack, in all code of Go 1.17 and
 * later: cmd/compile/abi-internal.md */
#ifdef __aarch64__
#define GO_REGISTER 28u
#else
#define GO_REGISTER 14u
#endif

/* The beginning of struct g. */
struct go_g {
    uint64_t low, high; /* the stack is at addresses [low, high) */
    uint64_t guards[2];
    uint64_t panics, defers;
    uint64_t m;
    uint64_t sp; /* sched.sp: the stack pointer with which the stack was left; 0 or out of date while it is used */
};

/* The beginning of struct m. */
#define GO_M_WORDS 25u
struct go_m {
    uint64_t words[GO_M_WORDS]; /* the first one is the address of the struct g of the scheduler stack */
};

/* Indexes of words of struct m, one of which is the address of the struct g of the current goroutine (m.curg): up to
 * Go 1.24, and from 1.25 on. */
static const unsigned go_current_words[] = {24, 23};

/* If the thread is on its scheduler stack, it may be C code that has called Go. The stack of C code goes on above the
 * end that Go knows, so at least this much is copied, bytes. */
#define SCHEDULER_COPY_MIN 32768u

static bool go_is_on(uint64_t low, uint64_t high, uint64_t sp)
{
    return sp > low && sp <= high;
}

static bool go_read_g(pid_t tid, uint64_t address, struct go_g *g)
{
    return address != 0 && address % sizeof address == 0 && target_memory_read(tid, address, g, sizeof *g) == 0;
}

/* Reads what is known about the thread anew. Returns false if it has changed. */
static bool go_read_thread(const struct go_thread *thread, pid_t tid, struct go_g *scheduler, struct go_m *m)
{
    const struct iovec here[] = {{scheduler, sizeof *scheduler}, {m, sizeof *m}};
    const struct iovec there[] = {{(void *)(uintptr_t)thread->scheduler, sizeof *scheduler},
                                  {(void *)(uintptr_t)thread->m, sizeof *m}};

    return target_memory_read_pieces(tid, here, there, 2) == (ssize_t)(sizeof *scheduler + sizeof *m) &&
           m->words[0] == thread->scheduler && scheduler->m == thread->m && scheduler->low == thread->low &&
           scheduler->high == thread->high;
}

/* The thread is on its scheduler stack. Finds the goroutine whose stack it has left. */
static void go_find_left(struct go_thread *thread, pid_t tid, uint64_t sp, struct stack_layout *layout)
{
    struct go_g scheduler, left;
    struct go_m m;

    if (!go_read_thread(thread, tid, &scheduler, &m)) {
        *thread = (struct go_thread){0};
        return;
    }
    if (!go_is_on(scheduler.low, scheduler.high, scheduler.sp))
        return;
    layout->end = scheduler.high - sp > SCHEDULER_COPY_MIN ? scheduler.high : sp + SCHEDULER_COPY_MIN;
    layout->base = scheduler.sp;
    for (size_t i = 0; i < sizeof go_current_words / sizeof *go_current_words; i++) {
        uint64_t address = m.words[go_current_words[i]];
        if (address == thread->scheduler || !go_read_g(tid, address, &left) || left.m != thread->m)
            continue;
        layout->left_low = left.low;
        layout->left_high = left.high;
        layout->left_sp = go_is_on(left.low, left.high, left.sp) ? left.sp : 0;
        return;
    }
}

/* Finds the scheduler stack of the thread to which a struct m belongs. */
static void go_know_thread(struct go_thread *thread, pid_t tid, uint64_t m)
{
    struct go_thread found = {.m = m};
    struct go_g scheduler;

    *thread = (struct go_thread){0};
    if (target_memory_read(tid, m, &found.scheduler, sizeof found.scheduler) != 0 ||
        !go_read_g(tid, found.scheduler, &scheduler) || scheduler.m != m)
        return;
    found.low = scheduler.low;
    found.high = scheduler.high;
    *thread = found;
}

void go_find_stacks(struct go_thread *thread, pid_t tid, const struct regs *regs, uint64_t sp,
                    struct stack_layout *layout)
{
    struct go_g g;

    if (go_is_on(thread->low, thread->high, sp))
        return go_find_left(thread, tid, sp, layout);
    if (regs == NULL || regs->compat || !go_read_g(tid, regs->general[GO_REGISTER], &g))
        return;
    if (g.m != thread->m)
        go_know_thread(thread, tid, g.m);
    if (go_is_on(thread->low, thread->high, sp))
        go_find_left(thread, tid, sp, layout);
    else if (go_is_on(g.low, g.high, sp))
        layout->end = g.high;
}
