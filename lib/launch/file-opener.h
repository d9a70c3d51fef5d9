/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* file-opener: opens files by paths that a profile or another file names and that may lead
 * anywhere, for callers that must not hang. wire/open-request.h says why that takes a process. */
#ifndef PPROFIL_FILE_OPENER_H
#define PPROFIL_FILE_OPENER_H

#include <stdint.h>

/* Opens a regular file for reading. A file that another process serves (FUSE) is copied. Waits up
 * to five seconds for the first file that hangs, and less for others. Where the opener cannot be
 * started, and for a path that is not absolute, the file is opened here, which may hang.
 *
 * Returns the descriptor, which is the caller's, or a negative error: those of
 * regular_file_open; -ETIMEDOUT: it hangs; -EFBIG: it is served and too large to be copied. */
int file_opener_open(const char *path, uint64_t inode);

#endif
