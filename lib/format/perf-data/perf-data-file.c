/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads parts of a perf.data file. Only a window, a part of the file, is in memory. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular-file.h"
#include "format/perf-data/perf-data-read.h"

#define WINDOW (4u << 20)
#define BEHIND (1u << 20) /* the window begins this number of bytes before the requested offset */
#define SECTION_SIZE_MAX (1u << 24)

int perf_file_open(struct perf_file *file, const char *path)
{
    struct stat status;

    *file = (struct perf_file){.fd = regular_file_open(path, 0)};
    if (file->fd < 0)
        return file->fd;
    if (fstat(file->fd, &status) < 0)
        return -errno;
    file->size = (uint64_t)status.st_size;
    file->window = malloc(WINDOW);
    return file->window == NULL ? -ENOMEM : 0;
}

void perf_file_close(struct perf_file *file)
{
    free(file->window);
    if (file->fd >= 0)
        close(file->fd);
}

const unsigned char *perf_file_at(struct perf_file *file, uint64_t offset, size_t size)
{
    if (size > WINDOW - BEHIND || offset > file->size || size > file->size - offset)
        return NULL;
    if (offset < file->window_at || offset + size > file->window_at + file->window_size) {
        uint64_t from = offset > BEHIND ? offset - BEHIND : 0;
        file->window_at = from;
        file->window_size = 0;
        while (file->window_size < WINDOW) {
            ssize_t got = pread(file->fd, file->window + file->window_size,
                                WINDOW - file->window_size, (off_t)(from + file->window_size));
            if (got <= 0)
                break;
            file->window_size += (size_t)got;
        }
        if (offset + size > from + file->window_size)
            return NULL; /* the file has become shorter since it was opened */
    }
    return file->window + (offset - file->window_at);
}

bool perf_file_bytes(struct perf_file *file, uint64_t offset, size_t size, struct bytes *bytes)
{
    const unsigned char *found = perf_file_at(file, offset, size);

    if (found != NULL)
        *bytes = bytes_of(found, size, 8, false);
    return found != NULL;
}

int perf_file_load(const struct perf_file *file, const struct perf_section *section, unsigned char **copy)
{
    if (section->size > SECTION_SIZE_MAX || section->offset > file->size ||
        section->size > file->size - section->offset)
        return PPROFIL_ERROR_DAMAGED;
    *copy = calloc(1, section->size + 1);
    if (*copy == NULL)
        return -ENOMEM;
    ssize_t got = pread(file->fd, *copy, section->size, (off_t)section->offset);
    if (got == (ssize_t)section->size)
        return 0;
    free(*copy);
    return got < 0 ? -errno : PPROFIL_ERROR_DAMAGED;
}

struct perf_section perf_get_section(struct bytes *bytes)
{
    struct perf_section section = {.offset = bytes_get(bytes, 8)};

    section.size = bytes_get(bytes, 8);
    return section;
}
