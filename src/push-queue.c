/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The folder in which pprofil push keeps what it could not deliver.
 *
 * The name of a file begins with the time when it was added, so the order of names is the order of age. A file is added
 * with a rename, which needs no lock. It is sent and removed by the process that has locked the file "lock". The kernel
 * unlocks this file when the process ends, however it ends. The time of modification of this file is the time before
 * which the server wants no further request: it is in the past, unless a server has asked for a pause.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/output-path.h"
#include "base/regular-file.h"
#include "push.h"

#define PUSH_ENTRY_END ".push"
#define PUSH_LOCK_NAME "lock"
#define PUSH_LOCK_PAUSE_MS 20
#define PUSH_PART_AGE_MAX 3600 /* s; no file takes so long to be written */
#define SECOND_NS 1000000000

/* --- the folder --------------------------------------------------------------------------------- */

static int push_queue_path(const struct push_queue *queue, const char *name, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%s/%s", queue->path, name) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* A file of the queue says where it is sent, and which file has the token. So others must not write files there. */
static int push_queue_check_owner(const char *path)
{
    struct stat status;

    if (stat(path, &status) < 0)
        return -errno;
    if (!S_ISDIR(status.st_mode))
        return -ENOTDIR;
    return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 ? 0 : -EPERM;
}

/* The requests may have secrets in their headers, so only the user can enter a new folder. */
int push_queue_open(struct push_queue *queue, const char *path)
{
    char lock[PATH_MAX];

    *queue = (struct push_queue){.path = path, .lock = -1};
    int error = push_queue_path(queue, PUSH_LOCK_NAME, lock);
    if (error != 0)
        return error;
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return -errno;
    error = push_queue_check_owner(path);
    if (error != 0)
        return error;
    queue->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    return queue->lock < 0 ? -errno : 0;
}

void push_queue_close(struct push_queue *queue)
{
    if (queue->lock >= 0)
        close(queue->lock);
    queue->lock = -1;
}

int push_queue_lock(const struct push_queue *queue, double seconds)
{
    const struct timespec pause = {.tv_nsec = PUSH_LOCK_PAUSE_MS * 1000000};
    int64_t end = time_now_ms() + (int64_t)(seconds * 1e3);

    while (flock(queue->lock, LOCK_EX | LOCK_NB) < 0) {
        if ((errno != EAGAIN && errno != EINTR) || time_now_ms() >= end)
            return -errno;
        nanosleep(&pause, NULL);
    }
    return 0;
}

int64_t push_queue_not_before(const struct push_queue *queue)
{
    struct stat status;

    return fstat(queue->lock, &status) == 0 ? (int64_t)status.st_mtime : 0;
}

void push_queue_set_not_before(const struct push_queue *queue, int64_t when)
{
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = (time_t)when}};

    /* if it cannot be set, the next push comes too early for the server, which then says so again */
    (void)futimens(queue->lock, times);
}

/* --- its files ---------------------------------------------------------------------------------- */

static int push_is_entry(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), end = strlen(PUSH_ENTRY_END);

    return length > end && entry->d_name[0] != '.' && strcmp(entry->d_name + length - end, PUSH_ENTRY_END) == 0;
}

int push_queue_list(const struct push_queue *queue, struct dirent ***entries)
{
    int count = scandir(queue->path, entries, push_is_entry, alphasort);

    return count < 0 ? -errno : count;
}

void push_queue_free_list(struct dirent **entries, int count)
{
    for (int i = 0; i < count; i++)
        free(entries[i]);
    if (count >= 0)
        free(entries);
}

int push_queue_add(const struct push_queue *queue, const struct push_request *request, size_t size_max)
{
    char name[64], path[PATH_MAX], *bytes;
    size_t size;
    int error = push_entry_pack(request, &bytes, &size);

    if (error != 0)
        return error;
    /* all times up to the year 2554 have as many digits */
    snprintf(name, sizeof name, "%020" PRIu64 "-%d" PUSH_ENTRY_END, clock_read(CLOCK_REALTIME), (int)getpid());
    error = size > size_max ? -EFBIG : push_queue_path(queue, name, path);
    if (error == 0) {
        mode_t before = umask(077);
        error = pprofil_write_file(path, bytes, size);
        umask(before);
    }
    free(bytes);
    return error;
}

int push_queue_read(const struct push_queue *queue, const char *name, struct push_request *request)
{
    char path[PATH_MAX], *bytes = NULL;
    size_t size;
    int error = push_queue_path(queue, name, path);
    int fd = error == 0 ? regular_file_open(path, 0) : error;

    if (fd < 0)
        return fd;
    error = regular_file_load(fd, &bytes, &size);
    if (error == 0)
        error = push_entry_unpack(bytes, size, request);
    free(bytes);
    close(fd);
    return error;
}

int push_queue_remove(const struct push_queue *queue, const char *name)
{
    char path[PATH_MAX];
    int error = push_queue_path(queue, name, path);

    return error == 0 && unlink(path) < 0 ? -errno : error;
}

static uint64_t push_entry_size(const struct push_queue *queue, const char *name)
{
    char path[PATH_MAX];
    struct stat status;

    return push_queue_path(queue, name, path) == 0 && stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static int push_is_part(const struct dirent *entry)
{
    return strncmp(entry->d_name, OUTPUT_PART_PREFIX, strlen(OUTPUT_PART_PREFIX)) == 0;
}

/* Removes old temporary files of pprofil_write_file, whose processes were killed. */
static void push_remove_parts(const struct push_queue *queue)
{
    struct dirent **parts;
    int count = scandir(queue->path, &parts, push_is_part, NULL);
    int64_t now = clock_read(CLOCK_REALTIME) / SECOND_NS;
    char path[PATH_MAX];
    struct stat status;

    for (int i = 0; i < count; i++)
        if (push_queue_path(queue, parts[i]->d_name, path) == 0 && lstat(path, &status) == 0 &&
            (int64_t)status.st_mtime + PUSH_PART_AGE_MAX < now)
            unlink(path);
    push_queue_free_list(parts, count);
}

size_t push_queue_trim(const struct push_queue *queue, uint64_t size_max, size_t *removed)
{
    struct dirent **entries;
    int count = push_queue_list(queue, &entries);
    uint64_t all = 0;
    size_t left = 0;

    *removed = 0;
    push_remove_parts(queue);
    for (int i = count - 1; i >= 0; i--) {
        all += push_entry_size(queue, entries[i]->d_name);
        if (all > size_max && push_queue_remove(queue, entries[i]->d_name) == 0)
            ++*removed;
        else
            left++;
    }
    push_queue_free_list(entries, count);
    return left;
}
