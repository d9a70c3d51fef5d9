/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the lists of mappings and of mounts. At each read(2) of /proc/PID/maps, the kernel locks the mappings of the
 * process, and returns at most a page of text (fs/seq_file.c, m_start() in fs/proc/task_mmu.c). So we use a large
 * buffer, to make few reads. stdio would use a buffer of only 1024 bytes, the st_blksize of the file.
 *
 * /proc/PID/mountinfo shows the type of the file system on each device: "36 35 98:0 /root /mnt rw master:1 - ext3
 * /dev/root rw" (proc(5)). The kernel reuses device numbers that do not belong to a disk, so what we know about a
 * device is valid for only a second.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/proc/procfs-lists.h"
#include "supervisor/proc/procfs-text.h"

#define VALID_NS UINT64_C(1000000000)
/* size of the buffer for a line of mountinfo, bytes; the mount options of an overlay may take a page or more */
#define LINE_MAX_SIZE 16384

/* --- mappings -------------------------------------------------------------------------------- */

void maps_list_begin(struct maps_list *list, int fd, pid_t pid)
{
    char path[64];

    list->owned = fd < 0;
    list->fd = fd;
    list->at = 0;
    list->begin = list->end = 0;
    if (list->owned) {
        snprintf(path, sizeof path, "/proc/%d/maps", pid);
        list->fd = open(path, O_RDONLY | O_CLOEXEC);
    }
}

/* Moves the text that is not parsed yet to the front of the buffer, and reads more text behind it. Returns false at the
 * end of the file. */
static bool maps_list_read(struct maps_list *list)
{
    size_t unused = list->end - list->begin;

    memmove(list->text, list->text + list->begin, unused);
    ssize_t got = pread(list->fd, list->text + unused, sizeof list->text - unused, list->at);
    list->begin = 0;
    list->end = unused + (got > 0 ? (size_t)got : 0);
    list->at += got > 0 ? got : 0;
    return got > 0;
}

/* Returns the next line, with a NUL instead of its newline; NULL at the end of the list. Skips lines that are too
 * long. */
static char *maps_list_line(struct maps_list *list)
{
    for (bool whole = true;;) {
        char *line = list->text + list->begin;
        char *end = memchr(line, '\n', list->end - list->begin);
        if (end != NULL) {
            *end = '\0';
            list->begin = (size_t)(end + 1 - list->text);
            if (whole)
                return line;
            whole = true; /* the text up to here was the rest of a line that is too long; the next line is whole */
            continue;
        }
        if (list->end - list->begin == sizeof list->text) {
            list->begin = list->end;
            whole = false;
        }
        if (!maps_list_read(list))
            return NULL;
    }
}

bool maps_list_next(struct maps_list *list, struct mapping_details *details, bool *executable)
{
    const char *line;

    while (list->fd >= 0 && (line = maps_list_line(list)) != NULL)
        if (procfs_parse_mapping(line, details, executable))
            return true;
    return false;
}

void maps_list_end(struct maps_list *list)
{
    if (list->owned && list->fd >= 0)
        close(list->fd);
    list->fd = -1;
}

/* --- mounts ---------------------------------------------------------------------------------- */

/* If the file of mounts at `path` (a /proc/PID/mountinfo) contains this device, sets *may_hang and returns true.
 * Otherwise returns false. */
static bool mounts_read_list(const char *path, uint32_t major, uint32_t minor, bool *may_hang)
{
    char text[LINE_MAX_SIZE], *end;
    bool found = false;
    size_t used = 0;
    ssize_t got;

    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while (!found && (got = read(fd, text + used, sizeof text - 1 - used)) > 0) {
        char *line = text;
        text[used + (size_t)got] = '\0';
        for (; !found && (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = '\0';
            found = procfs_parse_mount(line, major, minor, may_hang);
        }
        used = strlen(line);
        memmove(text, line, used);
    }
    close(fd);
    return found;
}

/* Returns true if reading a file on the device may hang. If the process's list of mounts does not contain the device,
 * searches our own list. A process in a chroot sees only mounts below its root, so we may see more. */
static bool mounts_look_up(pid_t pid, uint32_t major, uint32_t minor)
{
    char path[64];
    bool may_hang = true;

    snprintf(path, sizeof path, "/proc/%d/mountinfo", pid);
    if (!mounts_read_list(path, major, minor, &may_hang))
        mounts_read_list("/proc/self/mountinfo", major, minor, &may_hang);
    return may_hang;
}

bool mounts_may_hang(struct mounts *mounts, pid_t pid, uint32_t major, uint32_t minor)
{
    uint64_t now = time_now();
    unsigned place = mounts->next;

    for (unsigned i = 0; i < MOUNTS_CACHED_MAX; i++) {
        const struct mounts_device *known = &mounts->known[i];
        if (known->until == 0 || known->major != major || known->minor != minor)
            continue;
        if (known->until > now)
            return known->may_hang;
        place = i;
        break;
    }
    mounts->known[place] = (struct mounts_device){.major = major,
                                                  .minor = minor,
                                                  .until = now + VALID_NS,
                                                  .may_hang = mounts_look_up(pid, major, minor)};
    if (place == mounts->next)
        mounts->next = (place + 1) % MOUNTS_CACHED_MAX;
    return mounts->known[place].may_hang;
}
