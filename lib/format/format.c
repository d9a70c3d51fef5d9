/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of formats, and the two rules for all of them: a file is recognised by what is in
 * it, and written so that nobody ever sees half of it.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/format.h"

#define HEAD_SIZE 64

static const struct format *const formats[] = {&format_pprof, &format_events};

const struct format *format_at(unsigned i)
{
    return i < sizeof formats / sizeof *formats ? formats[i] : NULL;
}

const struct format *format_by_name(const char *name)
{
    for (unsigned i = 0; format_at(i) != NULL; i++)
        if (strcmp(format_at(i)->name, name) == 0)
            return format_at(i);
    return NULL;
}

static bool ends_with_one_of(const char *path, const char *extensions)
{
    size_t length = strlen(path);

    while (*extensions != '\0') {
        size_t size = strcspn(extensions, " ");
        if (length > size && strncmp(path + length - size, extensions, size) == 0)
            return true;
        extensions += size + (extensions[size] == ' ');
    }
    return false;
}

const struct format *format_by_path(const char *path)
{
    for (unsigned i = 0; format_at(i) != NULL; i++)
        if (ends_with_one_of(path, format_at(i)->extensions))
            return format_at(i);
    return NULL;
}

/* --- reading ------------------------------------------------------------------------- */

static ssize_t read_head(const char *path, unsigned char head[HEAD_SIZE])
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return -errno;
    ssize_t got = -EINVAL;
    if (fstat(fd, &status) < 0)
        got = -errno;
    else if (S_ISDIR(status.st_mode))
        got = -EISDIR;
    else if (S_ISREG(status.st_mode) && (got = read(fd, head, HEAD_SIZE)) < 0)
        got = -errno;
    close(fd);
    return got;
}

int format_read_file(const char *path, struct profile **result)
{
    unsigned char head[HEAD_SIZE];
    ssize_t size = read_head(path, head);
    const struct format *format = NULL;

    if (size < 0)
        return (int)size;
    for (unsigned i = 0; format == NULL && format_at(i) != NULL; i++)
        if (format_at(i)->read != NULL && format_at(i)->matches(head, (size_t)size))
            format = format_at(i);
    if (format == NULL)
        return -ENOEXEC;
    struct profile *profile = profile_new();
    if (profile == NULL)
        return -ENOMEM;
    int error = format->read(path, profile);
    if (error != 0) {
        profile_free(profile);
        return error;
    }
    *result = profile;
    return 0;
}

/* --- writing ------------------------------------------------------------------------- */

/* The descriptor of ours that a path stands for, or -1. Opening such a path again would start
 * at the beginning of the file behind it, and fails for a socket. */
static int own_descriptor(const char *path)
{
    static const char *const prefixes[] = {"/dev/fd/", "/proc/self/fd/"};

    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        const char *digits = path + length;
        if (strncmp(path, prefixes[i], length) == 0 && *digits != '\0' && strlen(digits) < 9 &&
            strspn(digits, "0123456789") == strlen(digits))
            return atoi(digits);
    }
    return -1;
}

static int write_directly(const struct format *format, const char *path,
                          const struct profile *profile)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return -errno;

    int error = format->write(fd, profile);
    if (close(fd) < 0 && error == 0)
        error = -errno;
    return error;
}

/* Creates a file beside path, with the permissions that path has or would get. The name does
 * not grow with path's, which may be as long as names can be. */
static int create_beside(const char *path, const struct stat *old, char temporary[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    int directory = slash == NULL ? 0 : (int)(slash - path) + 1, fd = -1;

    for (unsigned attempt = 0; fd < 0 && attempt < 1000; attempt++) {
        int length = snprintf(temporary, PATH_MAX, "%.*s.pprofil-%d-%u", directory, path,
                              (int)getpid(), attempt);
        if (length < 0 || length >= PATH_MAX)
            return -ENAMETOOLONG;
        fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  old == NULL ? 0666 : old->st_mode & 0777);
        if (fd < 0 && errno != EEXIST)
            return -errno;
    }
    if (fd < 0)
        return -EEXIST;
    /* what the umask took away; a file system without permissions may refuse */
    if (old != NULL && fchmod(fd, old->st_mode & 0777) < 0 && errno != EPERM) {
        int error = -errno;
        close(fd);
        unlink(temporary);
        return error;
    }
    return fd;
}

static int write_atomically(const struct format *format, const char *path, const struct stat *old,
                            const struct profile *profile)
{
    char temporary[PATH_MAX];
    int fd = create_beside(path, old, temporary);
    if (fd < 0)
        return fd;

    int error = format->write(fd, profile);
    if (error == 0 && fsync(fd) < 0)
        error = -errno;
    if (close(fd) < 0 && error == 0)
        error = -errno;
    if (error == 0 && rename(temporary, path) < 0)
        error = -errno;
    if (error != 0)
        unlink(temporary);
    return error;
}

int format_write_file(const struct format *format, const char *path, const struct profile *profile)
{
    char real[PATH_MAX];
    struct stat status;

    if (format->write == NULL)
        return -EINVAL;
    if (own_descriptor(path) >= 0)
        return format->write(own_descriptor(path), profile);
    if (realpath(path, real) != NULL)
        path = real; /* a link keeps pointing at what is written */
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return -EISDIR;
    if (exists && !S_ISREG(status.st_mode))
        return write_directly(format, path, profile);
    return write_atomically(format, path, exists ? &status : NULL, profile);
}
