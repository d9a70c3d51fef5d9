/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * regular-file: opens files for reading that somebody else named. It never opens a FIFO or a device: that may wait for
 * ever, or have an effect. With a file that another process serves (FUSE) every call below may still hang.
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
/* The same for a path below the directory root, as a process would see it whose root directory this is: absolute links
 * stay in the tree. Before Linux 5.6 they leave it. */
int regular_file_open_below(int root, const char *path, uint64_t inode);

/* Is the file served by another process (FUSE)? */
bool regular_file_is_served(int fd);
/* Copies a file, with its times, to a memfd. Returns the copy's descriptor, which the caller closes, or -errno; -EFBIG:
 * the file has more than most bytes. fd stays open. */
int regular_file_copy(int fd, off_t most);

#endif
