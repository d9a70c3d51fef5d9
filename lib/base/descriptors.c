/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Closes descriptors, with close_range(2) or one by one: see descriptors.h. */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/descriptors.h"

#ifndef SYS_close_range
#define SYS_close_range 436 /* Linux 5.9; the same number on all architectures except alpha and MIPS */
#endif
#define CLOSE_RANGE_AT_EXEC 4u /* CLOSE_RANGE_CLOEXEC of close_range(2), since Linux 5.11 */
/* if neither close_range(2) nor /proc works, only descriptors below this number are closed */
#define DESCRIPTORS_MAX 1024

/* Calls `act` for each open descriptor whose number is `first` or higher. Allocates no memory, because the process may
 * be a forked child: if another thread held the lock of the allocator during the fork, an allocation would wait
 * forever. */
static void descriptors_each(int first, void (*act)(int fd))
{
    _Alignas(struct dirent64) char entries[1024];
    int directory = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long size;

    for (int fd = first; directory < 0 && fd < DESCRIPTORS_MAX; fd++)
        act(fd);
    while (directory >= 0 && (size = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0)
        for (long at = 0; at < size;) {
            const struct dirent64 *entry = (const void *)(entries + at);
            int fd = atoi(entry->d_name);
            if (entry->d_name[0] != '.' && fd >= first && fd != directory)
                act(fd);
            at += entry->d_reclen;
        }
    if (directory >= 0)
        close(directory);
}

static void descriptors_close_one(int fd)
{
    close(fd);
}

static void descriptors_mark_one(int fd)
{
    fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void descriptors_close(int first)
{
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) < 0)
        descriptors_each(first, descriptors_close_one);
}

void descriptors_close_at_exec(int first)
{
    if (syscall(SYS_close_range, (unsigned)first, ~0u, CLOSE_RANGE_AT_EXEC) < 0)
        descriptors_each(first, descriptors_mark_one);
}
