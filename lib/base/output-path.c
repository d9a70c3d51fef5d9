/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds and opens output files: see output-path.h.
 *
 * In /tmp a stranger (another user) may make a link, a FIFO or a file with the name that we are about to write. The
 * kernel refuses to open these if fs.protected_symlinks, fs.protected_fifos and fs.protected_regular are on
 * (Documentation/admin-guide/sysctl/fs.rst). But we replace a file by a rename, which these settings do not cover. So
 * if the last component of a path is a link, we follow it ourselves, and apply the kernel's rules even if the settings
 * are off. No output goes where a stranger's link points.
 *
 * Each step along the links starts at an open descriptor of a directory. A link is checked and read through one
 * descriptor, so nobody can replace it between the check and the read.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/output-path.h"

#define LINKS_MAX 40 /* largest number of links that are followed for a path, as in the kernel: path_resolution(7) */
#define ATTEMPTS_MAX 3

/* Returns true if a stranger may have made a file or link to mislead us. The rules are those of the kernel at its
 * strictest settings: may_follow_link() for links, and may_create_in_sticky() for files and FIFOs, both in
 * fs/namei.c. */
static bool output_path_is_strangers(const struct stat *directory, const struct stat *entry)
{
    bool anybodys =
        (directory->st_mode & S_IWOTH) != 0 || (S_ISREG(entry->st_mode) && (directory->st_mode & S_IWGRP) != 0);

    return (directory->st_mode & S_ISVTX) != 0 && anybodys && !S_ISDIR(entry->st_mode) && entry->st_uid != geteuid() &&
           entry->st_uid != directory->st_uid;
}

/* Opens the directory part of path. A relative path starts at found->directory. Stores the directory and the file's
 * name in found. */
static int output_path_enter(struct output_path *found, const char *path)
{
    char directory[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;

    if (path[0] == '\0')
        return -ENOENT;
    if (strlen(name) > NAME_MAX || strlen(path) >= PATH_MAX)
        return -ENAMETOOLONG;
    if (slash != NULL)
        *(char *)mempcpy(directory, path, (size_t)(name - path)) = '\0';
    int fd = openat(found->directory, directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    output_path_close(found);
    found->directory = fd;
    if (*name == '\0')
        return -EISDIR;
    strcpy(found->name, name);
    return 0;
}

/* Checks a file, directory or link. entry: an O_PATH descriptor of it. If it is a link that we follow, writes the path
 * to which it leads to the buffer `link`. Otherwise makes `link` an empty string. */
static int output_path_judge(struct output_path *found, int entry, char link[PATH_MAX])
{
    struct stat directory;
    struct statfs system;

    link[0] = '\0';
    if (fstat(found->directory, &directory) < 0 || fstat(entry, &found->status) < 0 || fstatfs(entry, &system) < 0)
        return -errno;
    found->exists = true;
    found->strangers = output_path_is_strangers(&directory, &found->status);
    if (found->strangers)
        return -EACCES;
    found->opaque = S_ISLNK(found->status.st_mode) && system.f_type == PROC_SUPER_MAGIC;
    if (!S_ISLNK(found->status.st_mode) || found->opaque)
        return 0;
    found->exists = false;
    ssize_t length = readlinkat(entry, "", link, PATH_MAX - 1);
    if (length < 0)
        return -errno;
    link[length] = '\0';
    return length == 0 ? -ENOENT : 0;
}

static int output_path_follow(const char *path, struct output_path *found)
{
    char link[PATH_MAX];

    for (unsigned links = 0; links <= LINKS_MAX; links++) {
        int error = output_path_enter(found, path);
        if (error != 0)
            return error;
        int entry = openat(found->directory, found->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (entry < 0)
            return errno == ENOENT ? 0 : -errno;
        error = output_path_judge(found, entry, link);
        close(entry);
        if (error != 0 || link[0] == '\0')
            return error;
        path = link;
    }
    return -ELOOP;
}

int output_path_find(const char *path, struct output_path *found)
{
    *found = (struct output_path){.directory = AT_FDCWD};
    int error = output_path_follow(path, found);
    if (error != 0)
        output_path_close(found);
    return error;
}

void output_path_close(struct output_path *found)
{
    if (found->directory >= 0)
        close(found->directory);
    found->directory = AT_FDCWD;
}

/* Opens the file that output_path_find found. By now the name may belong to another file. Because of O_CREAT, the
 * kernel applies fs.protected_regular and fs.protected_fifos to that file. */
static int output_path_try(const struct output_path *found)
{
    int how = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;

    if (!found->opaque)
        how |= found->exists ? O_NOFOLLOW : O_NOFOLLOW | O_EXCL;
    int fd = openat(found->directory, found->name, how, 0666);
    return fd < 0 ? -errno : fd;
}

int output_path_open_found(const struct output_path *found)
{
    struct stat status;
    int error = 0, fd = output_path_try(found);

    if (fd < 0)
        return fd == -EEXIST || (fd == -ELOOP && !found->opaque) ? -EAGAIN : fd;
    if (fstat(fd, &status) < 0)
        error = -errno;
    else if (found->exists && !found->opaque &&
             (status.st_dev != found->status.st_dev || status.st_ino != found->status.st_ino))
        error = -EAGAIN;
    else if (S_ISREG(status.st_mode) && ftruncate(fd, 0) < 0)
        error = -errno;
    if (error == 0)
        return fd;
    close(fd);
    return error;
}

static int output_path_may(const struct output_path *found, const char *name, int how)
{
    return faccessat(found->directory, name, how, AT_EACCESS) < 0 ? -errno : 0;
}

/* Returns true if the sticky bit of the directory forbids us to replace the file. In such a directory only root, the
 * owner of the file and the owner of the directory may replace the file: unlink(2), EPERM. */
static bool is_kept_by_sticky_bit(const struct output_path *found)
{
    struct stat directory;
    uid_t us = geteuid();

    return us != 0 && fstat(found->directory, &directory) == 0 && (directory.st_mode & S_ISVTX) != 0 &&
           directory.st_uid != us && found->status.st_uid != us;
}

int output_path_check(const struct output_path *found)
{
    if (found->opaque)
        return 0;
    if (found->exists && S_ISDIR(found->status.st_mode))
        return -EISDIR;
    int error = output_path_may(found, ".", W_OK | X_OK);
    bool replaced = S_ISREG(found->status.st_mode) && !is_kept_by_sticky_bit(found);
    if (!found->exists || (error == 0 && replaced))
        return error;
    return output_path_may(found, found->name, W_OK);
}

int output_path_open(const char *path)
{
    struct output_path found;
    int fd = -EAGAIN;

    for (unsigned attempt = 0; fd == -EAGAIN && attempt < ATTEMPTS_MAX; attempt++) {
        fd = output_path_find(path, &found);
        if (fd != 0)
            break;
        fd = output_path_open_found(&found);
        output_path_close(&found);
    }
    return fd;
}

int output_path_create(const char *path)
{
    struct output_path found;
    struct stat status;

    if (lstat(path, &status) == 0)
        return -EEXIST;
    int error = output_path_find(path, &found);
    if (error != 0)
        return found.strangers ? -EEXIST : error;
    int fd = found.exists ? -EEXIST : output_path_open_found(&found);
    output_path_close(&found);
    if (fd < 0)
        return fd == -EAGAIN ? -EEXIST : fd;
    close(fd);
    return 0;
}

int output_path_directory(const char *path)
{
    struct output_path found;
    char name[PATH_MAX];
    size_t length = strlen(path);

    if (length >= sizeof name)
        return -ENAMETOOLONG;
    while (length > 1 && path[length - 1] == '/')
        length--;
    *(char *)mempcpy(name, path, length) = '\0';
    if (strcmp(name, "/") == 0)
        strcpy(name, "/.");
    int fd = output_path_find(name, &found);
    if (fd < 0)
        return fd;
    fd = openat(found.directory, found.name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        fd = -errno;
    output_path_close(&found);
    return fd;
}
