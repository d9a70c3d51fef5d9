/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <sys/uio.h>

#include "supervisor/target-memory.h"

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

int target_memory_write(pid_t tid, uint64_t address, const void *from, size_t size)
{
    struct iovec here = {.iov_base = (void *)from, .iov_len = size};
    struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};

    return target_memory_result(process_vm_writev(tid, &here, 1, &there, 1, 0), size);
}
