/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * regular-file: opens files for reading, by paths that come from other users or programs. The functions never open a
 * FIFO or a device, because that may block forever, or have side effects. If another process serves a file (FUSE),
 * every call below may still hang.
 */
#ifndef PPROFIL_BASE_REGULAR_FILE_H
#define PPROFIL_BASE_REGULAR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define REGULAR_FILE_COPY_MAX ((off_t)256 << 20) /* largest size of a copy, bytes */

/* Opens a file. Returns a descriptor, which the caller closes, or a negative error: -EISDIR for a directory,
 * PPROFIL_ERROR_NOT_REGULAR for anything else that is no regular file, -ESTALE for a file with another inode. inode:
 * the inode that the file must have; 0: any. */
int regular_file_open(const char *path, uint64_t inode);
/* Does what regular_file_open does, for a path below `root`, which is a descriptor of the root directory of a process.
 * An absolute link leads to a path below `root`. Before Linux 5.6 it may lead out of `root`. */
int regular_file_open_below(int root, const char *path, uint64_t inode);

/* Returns true if another process serves the file (FUSE). */
bool regular_file_is_served(int fd);
/* Reads a whole file. *bytes, which the caller frees, is never NULL after success. Returns 0 or -errno; -EIO: the file
 * became shorter meanwhile. fd stays open. */
int regular_file_load(int fd, char **bytes, size_t *size);
/* Copies the contents and the times of a file to a memfd. Returns a descriptor of the copy, which the caller closes, or
 * -errno; -EFBIG: the file has more than `most` bytes. fd stays open. */
int regular_file_copy(int fd, off_t most);

#endif
