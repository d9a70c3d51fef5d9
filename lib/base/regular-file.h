/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * regular-file: opens files for reading, by names that come from somebody else. It never opens a FIFO or a device,
 * because that may block forever, or have side effects. If another process serves a file (FUSE), every call below may
 * still hang.
 */
#ifndef PPROFIL_BASE_REGULAR_FILE_H
#define PPROFIL_BASE_REGULAR_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define REGULAR_FILE_COPY_MAX ((off_t)256 << 20) /* bytes */

/* Opens a file. Returns a descriptor, which the caller closes, or a negative error: -EISDIR for a directory,
 * PPROFIL_ERROR_NOT_REGULAR for anything else that is no regular file, -ESTALE for a file with another inode. inode 0:
 * any inode will do. */
int regular_file_open(const char *path, uint64_t inode);
/* Does the same for a path below root, a descriptor of the root directory of a process. Absolute links are followed
 * within root. Before Linux 5.6 they may lead out of root. */
int regular_file_open_below(int root, const char *path, uint64_t inode);

/* Returns true if another process serves the file (FUSE). */
bool regular_file_is_served(int fd);
/* Copies a file, with its times, to a memfd. Returns the copy's descriptor, which the caller closes, or -errno; -EFBIG:
 * the file is larger than the limit most, in bytes. fd stays open. */
int regular_file_copy(int fd, off_t most);

#endif
