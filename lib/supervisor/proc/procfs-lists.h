/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* procfs-lists: the long lists of /proc, read line by line without stdio, which would allocate: the mappings of a
 * process (proc_pid_maps(5)), and the mounts (proc_pid_mountinfo(5)). The mounts tell which files may hang a process
 * that looks into them, because another process or machine answers for their contents. */
#ifndef PPROFIL_PROCFS_LISTS_H
#define PPROFIL_PROCFS_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping_details;

#define MAPS_LIST_PIECE 8192 /* bytes; a line has up to 4096 bytes of a path, and some 75 others */

struct maps_list {
    int fd;            /* -1: there is nothing to read */
    bool owned;        /* fd is closed at the end */
    off_t at;          /* where fd is read next */
    size_t begin, end; /* the part of text that was read, and is not used yet */
    char text[MAPS_LIST_PIECE];
};

/* Begins at the first line. fd: the open file, which is borrowed; -1: the file of pid is opened. maps_list_end has to
 * follow. */
void maps_list_begin(struct maps_list *list, int fd, pid_t pid);
/* Reads the next mapping, without a build-id. Returns false at the end. A line that is too long is left out. */
bool maps_list_next(struct maps_list *list, struct mapping_details *details, bool *executable);
void maps_list_end(struct maps_list *list);

#define MOUNTS_CACHED_MAX 16

/* Answers that were found before; all 0 at the beginning. */
struct mounts {
    struct mounts_device {
        uint32_t major, minor;
        uint64_t until; /* time after which it is looked up again; 0: the element is free */
        bool may_hang;
    } known[MOUNTS_CACHED_MAX];
    unsigned next; /* the element that is replaced next */
};

/* Returns true if a file may hang that a process has mapped, and that is on this device; true also where neither the
 * process nor we see such a device mounted. Reads /proc at most once a second for each device. */
bool mounts_may_hang(struct mounts *mounts, pid_t pid, uint32_t major, uint32_t minor);

#endif
