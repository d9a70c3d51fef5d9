/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * /proc/PID/mountinfo says which file system each device is of: "36 35 98:0 /root /mnt rw
 * master:1 - ext3 /dev/root rw" (proc(5)). The kernel uses numbers of devices without a disk again,
 * so an answer is good for a second only.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/proc/mounts.h"
#include "supervisor/proc/procfs-text.h"
#include "supervisor/supervisor.h"

#define VALID_NS UINT64_C(1000000000)
#define LINE_MAX_SIZE 16384 /* bytes; the options of an overlay may take a page or more */

/* Does a list tell of this device? It is read without stdio, which would allocate. */
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

/* A process in a chroot sees only what is mounted below its root. We may see more. */
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
