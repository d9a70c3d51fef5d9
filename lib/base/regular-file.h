/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * regular-file: opens files for reading that somebody else named. A FIFO or a device is never
 * opened, because that may wait for ever or do something. A file that another process serves (FUSE)
 * may still hang every call below.
 */
#ifndef PPROFIL_BASE_REGULAR_FILE_H
#define PPROFIL_BASE_REGULAR_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define REGULAR_FILE_COPY_MAX ((off_t)256 << 20) /* bytes */

/* Returns a descriptor, which is the caller's, or a negative error. -EISDIR, PPROFIL_ERROR_NOT_REGULAR: it is a
 * directory, or something else that is no regular file; -ESTALE: it does not have this inode (0: any will do). */
int regular_file_open(const char *path, uint64_t inode);
/* The same for a path in the tree below a directory, as a process sees it that has this directory
 * as its root: absolute links lead to places in the tree. Before Linux 5.6 they do not. */
int regular_file_open_below(int root, const char *path, uint64_t inode);

/* Does another process answer for what is in the file? */
bool regular_file_is_served(int fd);
/* Copies a file, with its times, into memory. Returns the copy's descriptor, which is the caller's,
 * or -errno; -EFBIG: it has more than most bytes. fd stays open. */
int regular_file_copy(int fd, off_t most);

#endif
