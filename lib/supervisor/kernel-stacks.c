/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>

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

/* Gives a stack its id. names: `count` names, `size` bytes with their NULs. Returns the id; 0: the ring is full. */
static uint16_t kernel_stack_intern(struct supervisor *supervisor, const char *names, unsigned count, size_t size)
{
    uint64_t hash = hash_fnv(HASH_FNV_START, names, size);
    bool known;
    uint16_t id = wire_ids_find(&supervisor->kernel_stacks.ids, hash, &known);

    if (known)
        return id;
    if (!emit_kernel_stack(supervisor, id, names, count, size))
        return 0;
    wire_ids_add(&supervisor->kernel_stacks.ids, hash, id);
    return id;
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
    if (count == 0 || !procfs_sleep_goes_on(&tracee->files, state, cpu))
        return 0;
    return kernel_stack_intern(supervisor, text, count, size);
}

uint16_t kernel_stack_of(struct supervisor *supervisor, struct tracee *tracee, const struct procfs_state *state,
                         const struct procfs_cpu *cpu)
{
    const struct wire_ids *ids = &supervisor->kernel_stacks.ids;

    /* the stack of a stopped tracee would only show the stop, and that of a continued call the call of a piece */
    if ((tracee->sleep.letter != 'S' && tracee->sleep.letter != 'D') || tracee->state == TRACEE_CONTINUING)
        return 0;
    if (wire_sleep_id_holds(&tracee->sleep.kernel_stack, ids, cpu->turns))
        return tracee->sleep.kernel_stack.id;
    /* the pc is known only if "syscall" was read, and reading "stack" waits for an exec only if reading "syscall" does:
     * both call lock_trace() of fs/proc/base.c */
    uint16_t id = state->pc != 0 ? kernel_stack_read(supervisor, tracee, state, cpu) : 0;
    wire_sleep_id_set(&tracee->sleep.kernel_stack, ids, id, cpu->turns);
    return id;
}
