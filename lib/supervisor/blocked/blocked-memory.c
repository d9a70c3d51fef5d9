/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the memory of sleeping threads, but no page that the kernel would have to load first. */
#include "config.h"

#include <errno.h>

#include "supervisor/blocked/blocked.h"
#include "supervisor/proc/maps.h"
#include "supervisor/target-memory.h"

int blocked_read_memory(pid_t tid, uint64_t address, void *to, size_t size)
{
    if (maps_page_is_missing(tid, address) || maps_page_is_missing(tid, address + size - 1))
        return -EFAULT;
    return target_memory_read(tid, address, to, size);
}
