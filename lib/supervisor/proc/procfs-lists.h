/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* procfs-lists: reads the long lists of /proc line by line: the mappings of a process (proc_pid_maps(5)), and the
 * mounts (proc_pid_mountinfo(5)). Does not use stdio, which allocates. The mounts show which files may hang their
 * reader, because another process or machine serves these files. */
#ifndef PPROFIL_PROCFS_LISTS_H
#define PPROFIL_PROCFS_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping_details;

#define MAPS_LIST_PIECE 8192 /* bytes; a line has a path of up to 4096 bytes, and about 75 other bytes */

struct maps_list {
    int fd;            /* /proc/PID/maps; -1: it could not be opened, or is closed */
    bool owned;        /* maps_list_end closes fd */
    off_t at;          /* offset of the next read of fd */
    size_t begin, end; /* the part of text that is not parsed yet */
    char text[MAPS_LIST_PIECE];
};

/* Begins at the first line. fd: the open file, which is borrowed; -1: opens /proc/PID/maps. The caller must call
 * maps_list_end. */
void maps_list_begin(struct maps_list *list, int fd, pid_t pid);
/* Reads the next mapping, without a build-id. Returns false at the end. Skips lines that are too long. */
bool maps_list_next(struct maps_list *list, struct mapping_details *details, bool *executable);
void maps_list_end(struct maps_list *list);

#define MOUNTS_CACHED_MAX 16

/* A cache of results of mounts_may_hang. Initialized with zeros. */
struct mounts {
    struct mounts_device {
        uint32_t major, minor;
        uint64_t until; /* time up to which may_hang is valid, CLOCK_MONOTONIC ns; 0: the element is free */
        bool may_hang;
    } known[MOUNTS_CACHED_MAX];
    unsigned next; /* index of the element that is overwritten next */
};

/* Returns true if files on this device, which process pid has mapped, may hang their reader. Also returns true if the
 * device is mounted neither for that process nor for us. Reads /proc at most once a second for each device. */
bool mounts_may_hang(struct mounts *mounts, pid_t pid, uint32_t major, uint32_t minor);

#endif
