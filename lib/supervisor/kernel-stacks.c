/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "supervisor/emit.h"
#include "supervisor/kernel-stacks.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/supervisor.h"

int kernel_stacks_check(void)
{
    char text[64];
    ssize_t got = procfs_read_file("/proc/self/stack", text, sizeof text);

    if (got >= 0)
        return 0;
    return got == -ENOENT ? -ENOTSUP : -EPERM;
}

/* Returns the index in the table of the stack with this hash, or of the free slot for it. */
static unsigned kernel_stack_slot(const struct kernel_stacks *stacks, uint64_t hash)
{
    unsigned slot = (unsigned)(hash % WIRE_KERNEL_STACKS_MAX);

    while (stacks->hashes[slot] != 0 && stacks->hashes[slot] != hash)
        slot = (slot + 1) % WIRE_KERNEL_STACKS_MAX;
    return slot;
}

/* Gives a stack its id. names: `count` names, `size` bytes with their NULs. Returns the id; 0: the ring is full. */
static uint16_t kernel_stack_intern(struct supervisor *supervisor, const char *names, unsigned count, size_t size)
{
    struct kernel_stacks *stacks = &supervisor->kernel_stacks;
    uint64_t hash = hash_fnv(HASH_FNV_START, names, size) | 1; /* 0 marks a free slot */
    unsigned slot = kernel_stack_slot(stacks, hash);

    if (stacks->hashes[slot] == hash)
        return (uint16_t)(slot + 1);
    if (stacks->count == WIRE_KERNEL_STACKS_MAX / 2) { /* the other half stays free, so that searches are short */
        memset(stacks->hashes, 0, sizeof stacks->hashes);
        stacks->count = 0;
        stacks->generation++;
        slot = kernel_stack_slot(stacks, hash);
    }
    if (!emit_kernel_stack(supervisor, slot + 1, names, count, size))
        return 0;
    stacks->hashes[slot] = hash;
    stacks->count++;
    return (uint16_t)(slot + 1);
}

/* Returns true if the tracee still sleeps as it did when *state and *cpu were read, and has not run since. */
static bool kernel_stack_is_of_sleep(struct tracee *tracee, const struct procfs_state *state,
                                     const struct procfs_cpu *cpu)
{
    struct procfs_state after;
    struct procfs_cpu turns = {0};

    procfs_look(&tracee->files, &after);
    procfs_read_cpu(&tracee->files, &turns);
    return procfs_state_equals(&after, state) && turns.turns == cpu->turns;
}

static uint16_t kernel_stack_read(struct supervisor *supervisor, struct tracee *tracee,
                                  const struct procfs_state *state, const struct procfs_cpu *cpu)
{
    char path[64], *text = supervisor->kernel_stacks.text;
    size_t size;

    snprintf(path, sizeof path, "/proc/%d/task/%d/stack", tracee->process->pid, tracee->tid);
    if (procfs_read_file(path, text, sizeof supervisor->kernel_stacks.text) <= 0)
        return 0;
    unsigned count = procfs_parse_kernel_stack(text, WIRE_KERNEL_FRAMES_MAX, &size);
    if (count == 0 || !kernel_stack_is_of_sleep(tracee, state, cpu))
        return 0;
    return kernel_stack_intern(supervisor, text, count, size);
}

uint16_t kernel_stack_of(struct supervisor *supervisor, struct tracee *tracee, const struct procfs_state *state,
                         const struct procfs_cpu *cpu)
{
    uint32_t generation = supervisor->kernel_stacks.generation;
    bool known = cpu->turns != 0 && tracee->sleep.kernel_stack.turns == cpu->turns &&
                 tracee->sleep.kernel_stack.generation == generation;

    /* the stack of a stopped tracee would only show the stop, and that of a continued call the call of a piece */
    if ((tracee->sleep.letter != 'S' && tracee->sleep.letter != 'D') || tracee->state == TRACEE_CONTINUING)
        return 0;
    if (known)
        return tracee->sleep.kernel_stack.id;
    /* the pc is known only if "syscall" was read, and reading "stack" waits for an exec only if reading "syscall" does:
     * both call lock_trace() of fs/proc/base.c */
    uint16_t id = state->pc != 0 ? kernel_stack_read(supervisor, tracee, state, cpu) : 0;
    tracee->sleep.kernel_stack.id = id;
    tracee->sleep.kernel_stack.turns = id != 0 ? cpu->turns : 0;
    tracee->sleep.kernel_stack.generation = supervisor->kernel_stacks.generation;
    return id;
}
