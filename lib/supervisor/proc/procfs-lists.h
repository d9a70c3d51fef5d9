/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* procfs-lists: reads the long lists of /proc line by line: the mappings of a process (proc_pid_maps(5)), and the
 * mounts (proc_pid_mountinfo(5)). Does not use stdio, which allocates. The list of mounts shows which files are served
 * by another process or machine. If such a file is read, the reader may hang. */
#ifndef PPROFIL_PROCFS_LISTS_H
#define PPROFIL_PROCFS_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping_details;

/* size of the buffer, bytes; a line has a path of up to 4096 bytes, and about 75 other bytes */
#define MAPS_LIST_PIECE 8192

struct maps_list {
    int fd;            /* descriptor of /proc/PID/maps; -1: it could not be opened, or is closed */
    bool owned;        /* maps_list_end must close `fd` */
    off_t at;          /* offset in the file at which the next read begins */
    size_t begin, end; /* text[begin] to text[end - 1] is not parsed yet */
    char text[MAPS_LIST_PIECE];
};

/* Begins to read the list at its first line. fd: descriptor of /proc/PID/maps, which the caller closes later; -1: this
 * function opens the file itself. The caller must call maps_list_end. */
void maps_list_begin(struct maps_list *list, int fd, pid_t pid);
/* Reads the next mapping into *details, except its build-id, which the list does not contain. Skips lines that are too
 * long. Returns false at the end of the list. */
bool maps_list_next(struct maps_list *list, struct mapping_details *details, bool *executable);
void maps_list_end(struct maps_list *list);

#define MOUNTS_CACHED_MAX 16

/* A cache of results of mounts_may_hang. The owner initializes it with zeros. */
struct mounts {
    struct mounts_device {
        uint32_t major, minor;
        uint64_t until; /* may_hang is valid until this time, CLOCK_MONOTONIC ns; 0: the element is free */
        bool may_hang;
    } known[MOUNTS_CACHED_MAX];
    unsigned next; /* index of the element of `known` that the next new device replaces */
};

/* Returns true if a process that reads a file on this device may hang. pid: process that has mapped such a file. Also
 * returns true if neither that process nor we have mounted the device. Reads /proc at most once a second for each
 * device. */
bool mounts_may_hang(struct mounts *mounts, pid_t pid, uint32_t major, uint32_t minor);

#endif
