/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out which process holds the lock of a file for which another one waits: flock(2), fcntl(2). */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/blocked/blocked.h"
#include "supervisor/supervisor.h"
#include "wire/wire.h"

/* What is read of /proc/locks, bytes. If a machine has more locks than fit, the holders of the last ones stay
 * unknown. */
#define LOCKS_SIZE 16384u

struct file_lock {
    int pid; /* -1: no process has it, for it is that of an open file */
    uint64_t inode;
};

/* Reads the rest of a line of /proc/locks, "FLOCK ADVISORY WRITE 4711 08:01:12 0 EOF". */
static bool file_lock_read(const char *text, struct file_lock *lock)
{
    return sscanf(text, "%*s %*s %*s %d %*x:%*x:%" SCNu64, &lock->pid, &lock->inode) == 2;
}

pid_t blocked_parse_locks(const char *text, pid_t waiter, uint64_t inode)
{
    struct file_lock held = {.pid = -1}, waits;
    pid_t found = 0;

    for (const char *line = text; *line != '\0'; line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        const char *kind = memchr(line, ':', length);
        kind = kind != NULL ? kind + 1 + strspn(kind + 1, " ") : line + length;
        line += length;
        if (strncmp(kind, "->", 2) != 0) {
            if (!file_lock_read(kind, &held))
                held.pid = -1;
            continue;
        }
        if (!file_lock_read(kind + 2, &waits) || waits.pid != waiter || (inode != 0 && waits.inode != inode))
            continue;
        if (found != 0 && found != held.pid)
            return 0; /* threads of the process wait for several locks */
        found = held.pid;
    }
    return found > 0 && found != waiter ? found : 0;
}

/* Reads a file of /proc as text. */
static void file_lock_read_proc(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, size - 1) : -1;

    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
}

/* Returns the inode of an open file, without asking its file system. 0: not known; Linux tells it since 5.14. */
static uint64_t file_lock_inode(pid_t pid, pid_t tid, int fd)
{
    char path[64], text[512];

    snprintf(path, sizeof path, "/proc/%d/task/%d/fdinfo/%d", pid, tid, fd);
    file_lock_read_proc(path, text, sizeof text);
    const char *inode = strstr(text, "\nino:");
    return inode != NULL ? strtoull(inode + 5, NULL, 10) : 0;
}

bool blocked_describe_file_lock(struct blocked *blocked, pid_t pid, pid_t tid, int fd)
{
    char text[LOCKS_SIZE];
    bool known = blocked_describe_file(blocked, pid, tid, fd);

    file_lock_read_proc("/proc/locks", text, sizeof text);
    blocked->kind = WIRE_WAIT_FILE_LOCK;
    blocked->holder = (uint32_t)blocked_parse_locks(text, pid, file_lock_inode(pid, tid, fd));
    return known;
}
