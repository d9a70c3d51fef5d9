/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* file-opener: opens files for callers that must not hang. The paths come from a profile or from another file, and may
 * lead to any file system. wire/open-request.h explains why a separate process opens them. */
#ifndef PPROFIL_FILE_OPENER_H
#define PPROFIL_FILE_OPENER_H

#include <stdint.h>

/* Opens a regular file for reading. If another process serves the file (FUSE), the file is copied. The call waits up to
 * 5 seconds for the first file that hangs, and up to 0.3 seconds for each later one. If the opener cannot be started,
 * or the path is not absolute, this process opens the file itself, and may hang. inode: inode that the file must have;
 * 0: any. Returns a descriptor, which the caller closes, or a negative error of regular_file_open, or one of these:
 * -ETIMEDOUT: the file hangs; -EFBIG: another process serves the file, and it is too large to be copied. */
int file_opener_open(const char *path, uint64_t inode);

#endif
