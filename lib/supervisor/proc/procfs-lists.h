/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * procfs-lists: the long lists of /proc, read line by line without stdio, which would allocate: the mappings of a process
 * (proc_pid_maps(5)), and what is mounted where (proc_pid_mountinfo(5)), which tells the files that may hang whoever
 * looks into them, because another process or machine answers for what is in them.
 */
#ifndef PPROFIL_PROCFS_LISTS_H
#define PPROFIL_PROCFS_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping_details;

#define MAPS_LIST_PIECE 8192 /* bytes; a line has up to 4096 of a path, and some 75 others */

struct maps_list {
    int fd;            /* -1: there is nothing to read */
    bool owned;        /* fd is closed at the end */
    off_t at;          /* where fd is read next */
    size_t begin, end; /* what of text has been read, and is not yet used */
    char text[MAPS_LIST_PIECE];
};

/* Begins at the first line. fd: the open file, which is borrowed; -1: that of pid is opened. */
void maps_list_begin(struct maps_list *list, int fd, pid_t pid);
/* The next mapping, without a build-id. Returns false at the end. A line that is too long is left out. */
bool maps_list_next(struct maps_list *list, struct mapping_details *details, bool *executable);
void maps_list_end(struct maps_list *list);

#define MOUNTS_CACHED_MAX 16

/* What was found out before; zero at the beginning. */
struct mounts {
    struct mounts_device {
        uint32_t major, minor;
        uint64_t until; /* time: it is looked up again after that; 0: the place is free */
        bool may_hang;
    } known[MOUNTS_CACHED_MAX];
    unsigned next; /* the place that is replaced next */
};

/* May a file hang that a process has mapped, and that is on this device? True also where neither
 * the process nor we see such a device mounted. Reads /proc at most once a second for each device.
 */
bool mounts_may_hang(struct mounts *mounts, pid_t pid, uint32_t major, uint32_t minor);

#endif
