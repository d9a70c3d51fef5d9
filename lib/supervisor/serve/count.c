/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counting into a target's own memory, for programs that call profil(2) and its relatives.
 * A buffer that cannot be written is found out by the write, and ends the counting as the
 * dialect has it; the target notices nothing.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "supervisor/serve/count.h"
#include "supervisor/supervisor.h"

static int transferred(ssize_t done, size_t size)
{
    if (done < 0)
        return -errno;
    return (size_t)done == size ? 0 : -EFAULT;
}

static int read_target(void *context, uint64_t address, void *to, size_t size)
{
    const pid_t *tid = context;
    struct iovec here = {.iov_base = to, .iov_len = size};
    struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};

    return transferred(process_vm_readv(*tid, &here, 1, &there, 1, 0), size);
}

static int write_target(void *context, uint64_t address, const void *from, size_t size)
{
    const pid_t *tid = context;
    struct iovec here = {.iov_base = (void *)from, .iov_len = size};
    struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};

    return transferred(process_vm_writev(*tid, &here, 1, &there, 1, 0), size);
}

int count_read(pid_t tid, uint64_t address, void *to, size_t size)
{
    return read_target(&tid, address, to, size);
}

int count_write(pid_t tid, uint64_t address, const void *from, size_t size)
{
    return write_target(&tid, address, from, size);
}

void count_sample(struct tracee *tracee, const struct wire_sample *sample)
{
    pid_t tid = tracee->tid; /* it is stopped: no other thread is sure to be there still */
    const struct dialect_memory memory = {
        .read = read_target, .write = write_target, .context = &tid};

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
