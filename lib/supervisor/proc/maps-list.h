/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* maps-list: /proc/PID/maps as text, proc_pid_maps(5), line by line. */
#ifndef PPROFIL_MAPS_LIST_H
#define PPROFIL_MAPS_LIST_H

#include <stdbool.h>
#include <stddef.h>
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

#endif
