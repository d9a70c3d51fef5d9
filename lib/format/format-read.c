/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files are recognised by what is in them. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/codec.h"
#include "format/format.h"

#define HEAD_SIZE 4096
#define LARGEST_INPUT (1u << 30) /* bytes of standard input */

static ssize_t read_head(const char *path, unsigned char head[HEAD_SIZE], uint64_t *all)
{
    struct stat status;
    int fd = bytes_open(path);

    if (fd < 0)
        return -errno;
    ssize_t got = -EINVAL;
    if (fstat(fd, &status) < 0)
        got = -errno;
    else if (S_ISDIR(status.st_mode))
        got = -EISDIR;
    else if (S_ISREG(status.st_mode) && (got = read(fd, head, HEAD_SIZE)) < 0)
        got = -errno;
    *all = got < 0 ? 0 : (uint64_t)status.st_size;
    close(fd);
    return got;
}

/* By its contents; a file without a magic number may also say by its name what it is. */
static int recognise(const char *path, const struct format **result)
{
    unsigned char head[HEAD_SIZE];
    uint64_t all = 0;
    ssize_t size = read_head(path, head, &all);

    if (size < 0)
        return (int)size;
    for (unsigned i = 0; format_at(i) != NULL; i++)
        if (format_at(i)->matches != NULL && format_at(i)->matches(head, (size_t)size, all)) {
            *result = format_at(i);
            return 0;
        }
    *result = format_by_path(path);
    return *result != NULL && (*result)->codec != NULL ? 0 : -ENOEXEC;
}

bool format_is_of_counters(const struct format *format, const char *path)
{
    return (format != NULL || recognise(path, &format) == 0) && format->codec != NULL;
}

/* Standard input may be a pipe, and a reader wants to know how much there is: a copy of it, in
 * memory. A descriptor or -errno. */
static int copy_input(void)
{
    char piece[1u << 14];
    int fd = memfd_create("pprofil-input", MFD_CLOEXEC);
    uint64_t all = 0;
    ssize_t got;

    if (fd < 0)
        return -errno;
    while ((got = read(STDIN_FILENO, piece, sizeof piece)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        int error = got < 0 ? -errno : (all += (uint64_t)got) > LARGEST_INPUT ? -EFBIG : 0;
        if (error == 0 && write(fd, piece, (size_t)got) != got)
            error = -ENOSPC;
        if (error != 0) {
            close(fd);
            return error;
        }
    }
    return fd;
}

static int read_input(const struct format *format, const struct format_options *options,
                      struct profile **result)
{
    char path[64];
    int fd = copy_input();

    if (fd < 0)
        return fd;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int error = format_read_file_as(path, format, options, result);
    close(fd);
    return error;
}

int format_read_file_as(const char *path, const struct format *format,
                        const struct format_options *options, struct profile **result)
{
    if (strcmp(path, "-") == 0)
        return read_input(format, options, result);
    int error = format == NULL ? recognise(path, &format) : 0;

    if (error != 0)
        return error;
    if (!format_readable(format))
        return -EINVAL;
    struct profile *profile = profile_new();
    if (profile == NULL)
        return -ENOMEM;
    if (format->codec != NULL)
        error = codec_read(format->codec, path, options->object, profile);
    else if (format->read_with != NULL)
        error = format->read_with(path, profile, options);
    else
        error = format->read(path, profile);
    if (error != 0) {
        profile_free(profile);
        return error;
    }
    *result = profile;
    return 0;
}

int histogram_open(const char *path, const char *name, const char *object,
                   struct histogram_file *file)
{
    const struct format *format = name != NULL ? format_by_name(name) : NULL;
    int error = name == NULL ? recognise(path, &format) : format == NULL ? -EINVAL : 0;

    if (error != 0)
        return error;
    if (format->codec == NULL)
        return -ENOEXEC;
    return codec_load(format->codec, path, object, file);
}

int format_read_file(const char *path, struct profile **profile)
{
    return format_read_file_as(path, NULL, &(struct format_options){0}, profile);
}
