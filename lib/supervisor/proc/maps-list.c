/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel prints a page of this file at a time, and takes the lock of the mappings for each (fs/seq_file.c,
 * m_start() in fs/proc/task_mmu.c). So it is read in pieces of a page and more. The pieces of stdio would be smaller:
 * the file's st_blksize is 1024.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/proc/maps-list.h"
#include "supervisor/proc/procfs-text.h"

void maps_list_begin(struct maps_list *list, int fd, pid_t pid)
{
    char path[64];

    list->owned = fd < 0;
    list->fd = fd;
    list->at = 0;
    list->begin = list->end = 0;
    if (list->owned) {
        snprintf(path, sizeof path, "/proc/%d/maps", pid);
        list->fd = open(path, O_RDONLY | O_CLOEXEC);
    }
}

/* Reads on, behind what is not yet used. Returns false at the end of the file. */
static bool maps_list_read(struct maps_list *list)
{
    size_t unused = list->end - list->begin;

    memmove(list->text, list->text + list->begin, unused);
    ssize_t got = pread(list->fd, list->text + unused, sizeof list->text - unused, list->at);
    list->begin = 0;
    list->end = unused + (got > 0 ? (size_t)got : 0);
    list->at += got > 0 ? got : 0;
    return got > 0;
}

/* The next line, which ends with NUL in place of its newline; NULL at the end. */
static char *maps_list_line(struct maps_list *list)
{
    for (bool whole = true;;) {
        char *line = list->text + list->begin;
        char *end = memchr(line, '\n', list->end - list->begin);
        if (end != NULL) {
            *end = '\0';
            list->begin = (size_t)(end + 1 - list->text);
            if (whole)
                return line;
            whole = true; /* that was the rest of one that is too long */
            continue;
        }
        if (list->end - list->begin == sizeof list->text) {
            list->begin = list->end;
            whole = false;
        }
        if (!maps_list_read(list))
            return NULL;
    }
}

bool maps_list_next(struct maps_list *list, struct mapping_details *details, bool *executable)
{
    const char *line;

    while (list->fd >= 0 && (line = maps_list_line(list)) != NULL)
        if (procfs_parse_mapping(line, details, executable))
            return true;
    return false;
}

void maps_list_end(struct maps_list *list)
{
    if (list->owned && list->fd >= 0)
        close(list->fd);
    list->fd = -1;
}
