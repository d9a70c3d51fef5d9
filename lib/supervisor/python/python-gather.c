/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads many pieces of a target's memory with few system calls. */
#include "config.h"

#include <errno.h>
#include <limits.h>

#include "supervisor/python/python-internal.h"
#include "supervisor/target-memory.h"

_Static_assert(GATHER_MAX <= IOV_MAX, "one system call reads the whole list");

unsigned gather_add(struct gather *gather, uint64_t address, void *to, size_t size)
{
    unsigned i = gather->count++;

    gather->here[i] = (struct iovec){.iov_base = to, .iov_len = size};
    gather->there[i] = (struct iovec){.iov_base = (void *)(uintptr_t)address, .iov_len = size};
    gather->done[i] = false;
    return i;
}

/* Marks the pieces that a system call has read, beginning with piece `at`. got: number of bytes that it has read.
 * Returns the number of the first piece that was not read. */
static unsigned gather_mark(struct gather *gather, unsigned at, size_t got)
{
    while (at < gather->count && got >= gather->here[at].iov_len) {
        got -= gather->here[at].iov_len;
        gather->done[at++] = true;
    }
    return at;
}

void gather_read(struct gather *gather, pid_t tid, unsigned failures_max)
{
    unsigned at = 0, failures = 0;

    while (at < gather->count && failures < failures_max) {
        unsigned count = gather->count - at;
        ssize_t got = target_memory_read_pieces(tid, &gather->here[at], &gather->there[at], count);
        unsigned next = got < 0 ? at : gather_mark(gather, at, (size_t)got);
        if (got < 0 && got != -EFAULT)
            return;
        if (next < at + count) { /* piece `next` cannot be read */
            next++;
            failures++;
        }
        at = next;
    }
}
