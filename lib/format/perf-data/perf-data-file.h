/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-data-file: pieces of a file of perf, which may be far larger than memory. */
#ifndef PPROFIL_PERF_DATA_FILE_H
#define PPROFIL_PERF_DATA_FILE_H

#include "format/bytes.h"

/* A file of which only a window is in memory. */
struct perf_file {
    int fd; /* owned; -1: none */
    uint64_t size;
    unsigned char *window; /* owned */
    uint64_t window_at;
    size_t window_size;
};

/* Where something is in the file, in bytes. */
struct perf_section {
    uint64_t offset, size;
};

/* 0 or -errno: PPROFIL_ERROR_NOT_REGULAR where the path is of no regular file. To be closed in any case. */
int perf_file_open(struct perf_file *file, const char *path);
void perf_file_close(struct perf_file *file);

/* size bytes of the file, good until the next call, or NULL: they are not there, or are more than
 * a window holds (3 MiB). */
const unsigned char *perf_file_look(struct perf_file *file, uint64_t offset, size_t size);
/* The same to be read as numbers, little-endian; false: they are not there. */
bool perf_file_bytes(struct perf_file *file, uint64_t offset, size_t size, struct bytes *bytes);

/* A copy of a section, for the caller to free, with a zero behind it. 0, -ENOMEM, PPROFIL_ERROR_DAMAGED (it is
 * not in the file, or larger than 16 MiB), or -errno. */
int perf_file_load(const struct perf_file *file, const struct perf_section *section,
                   unsigned char **copy);
/* A section as the file says it: offset, size. */
struct perf_section perf_get_section(struct bytes *bytes);

#endif
