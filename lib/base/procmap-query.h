/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* procmap-query: PROCMAP_QUERY, the ioctl on /proc/PID/maps that finds the mapping of an address, since Linux 6.11.
 * Declares what include/uapi/linux/fs.h does, for builds with older headers. */
#ifndef PPROFIL_BASE_PROCMAP_QUERY_H
#define PPROFIL_BASE_PROCMAP_QUERY_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* struct procmap_query of Linux */
struct procmap_query_arguments {
    uint64_t size;
    uint64_t flags;
    uint64_t address;
    uint64_t start, end;
    uint64_t vma_flags;
    uint64_t page_size;
    uint64_t offset;
    uint64_t inode;
    uint32_t dev_major, dev_minor;
    /* before the ioctl: size of the buffer for the name; after it: size of the name including its NUL, 0: there is no
     * name */
    uint32_t name_size;
    uint32_t build_id_size;
    uint64_t name;
    uint64_t build_id;
};

#define PROCMAP_QUERY_IOCTL _IOWR('f', 17, struct procmap_query_arguments)

#define PROCMAP_QUERY_EXECUTABLE 0x04u
#define PROCMAP_QUERY_THIS_OR_NEXT 0x10u

/* Returns true if the kernel has the ioctl. fd: an open file /proc/PID/maps. */
static inline bool procmap_query_is_known(int fd)
{
    struct procmap_query_arguments query = {.size = sizeof query};

    return ioctl(fd, PROCMAP_QUERY_IOCTL, &query) == 0 || (errno != ENOTTY && errno != EINVAL);
}

#endif
