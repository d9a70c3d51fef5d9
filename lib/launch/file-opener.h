/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* file-opener: opens files for callers that must not hang. Their paths come from a profile or from another file, and
 * may lead to any file system. wire/open-request.h says why that takes a process. */
#ifndef PPROFIL_FILE_OPENER_H
#define PPROFIL_FILE_OPENER_H

#include <stdint.h>

/* Opens a regular file for reading. A file that another process serves (FUSE) is copied. The call waits up to five
 * seconds for the first file that hangs, and less for others. If the opener cannot be started, or the path is not
 * absolute, the file is opened in this process, which may hang. inode: what the file must have; 0: any. Returns the
 * descriptor, which is the caller's, or a negative error: those of regular_file_open; -ETIMEDOUT: it hangs; -EFBIG:
 * it is served and too large to be copied. */
int file_opener_open(const char *path, uint64_t inode);

#endif
