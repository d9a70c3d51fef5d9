/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counting into a target's own memory, for programs that call profil(2) and its relatives.
 * A buffer that cannot be written is found out by the write, and ends the counting as the
 * dialect has it; the target notices nothing.
 */
#include "config.h"

#include <stdlib.h>

#include "supervisor/serve/count-sample.h"
#include "supervisor/supervisor.h"
#include "supervisor/target-memory.h"

static int count_read(void *context, uint64_t address, void *to, size_t size)
{
    const pid_t *tid = context;

    return target_memory_read(*tid, address, to, size);
}

static int count_write(void *context, uint64_t address, const void *from, size_t size)
{
    const pid_t *tid = context;

    return target_memory_write(*tid, address, from, size);
}

void count_sample(struct tracee *tracee, const struct wire_sample *sample)
{
    pid_t tid = tracee->tid; /* it is stopped: no other thread is sure to be there still */
    const struct dialect_memory memory = {
        .read = count_read, .write = count_write, .context = &tid};

    if (tracee->process->count != NULL)
        dialect_count_cpu(tracee->process->count, &memory, sample->pc, sample->syscall >= 0,
                          sample->cpu_ns);
}

struct dialect_count *count_inherited(const struct process *parent)
{
    const struct dialect_count *count = parent->count;

    if (count == NULL || count->dialect->fork == DIALECT_CHILD_STOPS)
        return NULL;
    /* a child is owed the number of samples stored before, too */
    return count->on || count->pcsample.count > 0 ? dialect_count_copy(count) : NULL;
}
