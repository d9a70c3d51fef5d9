/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens and copies regular files: see regular-file.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifdef HAVE_LINUX_OPENAT2_H
#include <linux/openat2.h>
#endif

#include "base/kernel-release.h"
#include "base/regular-file.h"
#include "pprofil/error.h"

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546 /* in <linux/magic.h> since Linux 5.18 */
#endif
#define PIECE_SIZE 32768 /* how many bytes are copied at once */
#define ATTEMPTS_MAX 16

/* Returns true if /proc/PID/maps and stat(2) may show different inodes for the same file. This happens on an overlayfs,
 * which shows files of several layers. Up to Linux 6.7, /proc/PID/maps shows the inode in the layer from which the file
 * was mapped. But stat(2) shows the inode in the lower layer, even after the file was copied to the upper layer. See
 * commit 3efdc78fdc21 ("fs/proc: show correct device and inode numbers in /proc/pid/maps"). */
static bool regular_file_hides_inode(int place)
{
    struct statfs system;

    return fstatfs(place, &system) == 0 && system.f_type == OVERLAYFS_SUPER_MAGIC && kernel_release_is_before(6, 8);
}

/* Opens a file for reading by its path, because /proc is not mounted. `found` is what fstat(2) has shown of the file.
 * Returns a descriptor, or a negative errno; -ESTALE if the path leads to another file by now. O_NONBLOCK is needed
 * because that may be a FIFO. */
static int regular_file_open_again(const char *path, int how, const struct stat *found)
{
    struct stat status;
    int fd = open(path, how | O_NONBLOCK);

    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) == 0 && status.st_dev == found->st_dev && status.st_ino == found->st_ino)
        return fd;
    close(fd);
    return -ESTALE;
}

/* Opens a file for reading. place: an O_PATH descriptor of the file, which this function closes, or a negative error,
 * which it returns. path, which may be NULL, is only used if /proc is not mounted. */
static int regular_file_open_found(int place, const char *path, uint64_t inode)
{
    const int how = O_RDONLY | O_CLOEXEC | O_NOCTTY;
    struct stat status;
    char through[64];
    int fd;

    if (place < 0)
        return place;
    if (fstat(place, &status) < 0) {
        fd = -errno;
    } else if (!S_ISREG(status.st_mode)) {
        fd = S_ISDIR(status.st_mode) ? -EISDIR : PPROFIL_ERROR_NOT_REGULAR;
    } else if (inode != 0 && status.st_ino != inode && !regular_file_hides_inode(place)) {
        fd = -ESTALE;
    } else {
        snprintf(through, sizeof through, "/proc/self/fd/%d", place);
        fd = open(through, how);
        if (fd < 0)
            fd = errno == ENOENT && path != NULL ? regular_file_open_again(path, how, &status) : -errno;
    }
    close(place);
    return fd;
}

int regular_file_open(const char *path, uint64_t inode)
{
    int place = open(path, O_PATH | O_CLOEXEC);

    return regular_file_open_found(place < 0 ? -errno : place, path, inode);
}

/* Opens a path with O_PATH. Returns -ENOSYS if the kernel has no openat2(2), or if a filter of system calls refuses the
 * call with EPERM, as the seccomp filters of containers do. */
static int regular_file_find_below(int root, const char *path)
{
#if defined(HAVE_LINUX_OPENAT2_H) && defined(SYS_openat2)
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    long place;
    int attempts = 0;

    do /* EAGAIN: a directory was moved during the call, so the kernel cannot tell where ".." leads */
        place = syscall(SYS_openat2, root, path, &how, sizeof how);
    while (place < 0 && errno == EAGAIN && ++attempts < ATTEMPTS_MAX);
    if (place >= 0)
        return (int)place;
    return errno == EPERM ? -ENOSYS : -errno;
#else
    (void)root;
    (void)path;
    return -ENOSYS;
#endif
}

int regular_file_open_below(int root, const char *path, uint64_t inode)
{
    int place = regular_file_find_below(root, path);

    if (place == -ENOSYS) {
        while (*path == '/')
            path++;
        place = openat(root, path, O_PATH | O_CLOEXEC);
        if (place < 0)
            place = -errno;
    }
    return regular_file_open_found(place, NULL, inode);
}

bool regular_file_is_served(int fd)
{
    struct statfs system;

    /* fstatfs fails if a FUSE process serves the file, and does not implement this call */
    return fstatfs(fd, &system) < 0 || system.f_type == FUSE_SUPER_MAGIC;
}

int regular_file_load(int fd, char **bytes, size_t *size)
{
    struct stat status;
    ssize_t got = 1;
    size_t used = 0;

    if (fstat(fd, &status) < 0)
        return -errno;
    *size = (size_t)status.st_size;
    *bytes = malloc(*size + 1);
    if (*bytes == NULL)
        return -ENOMEM;
    while (used < *size && (got = pread(fd, *bytes + used, *size - used, (off_t)used)) > 0)
        used += (size_t)got;
    if (used == *size)
        return 0;
    int error = got < 0 ? -errno : -EIO;
    free(*bytes);
    *bytes = NULL;
    return error;
}

static int regular_file_write(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t wrote = write(fd, bytes, size);
        if (wrote < 0)
            return -errno;
        bytes += wrote;
        size -= (size_t)wrote;
    }
    return 0;
}

static int regular_file_copy_bytes(int from, int to, off_t most)
{
    char piece[PIECE_SIZE];
    off_t at = 0;
    ssize_t got;

    while ((got = pread(from, piece, sizeof piece, at)) > 0) {
        at += got;
        int error = at > most ? -EFBIG : regular_file_write(to, piece, (size_t)got);
        if (error != 0)
            return error;
    }
    return got < 0 ? -errno : 0;
}

int regular_file_copy(int fd, off_t most)
{
    struct stat status;

    if (fstat(fd, &status) < 0)
        return -errno;
    if (status.st_size > most)
        return -EFBIG;
    int copy = memfd_create("copy", MFD_CLOEXEC);
    if (copy < 0)
        return -errno;
    const struct timespec times[] = {status.st_atim, status.st_mtim};
    int error = regular_file_copy_bytes(fd, copy, most);
    if (error == 0 && futimens(copy, times) < 0)
        error = -errno;
    if (error == 0)
        return copy;
    close(copy);
    return error;
}
