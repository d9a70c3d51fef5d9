/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out for which files a thread waits: one, those of poll(2) and select(2), those that epoll(7) watches, or the
 * one at a path. */
#include "config.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include "supervisor/blocked/blocked.h"
#include "supervisor/supervisor.h"
#include "wire/wire.h"

#define PAGE 4096u /* bytes; no machine has smaller pages */
#define SELECT_SETS 3u
#define LINK_MAX_SIZE                                                                                                  \
    (WIRE_WAIT_FILE_SIZE - 16) /* room for a link in a text; the number of the descriptor is before it */

/* Adds what a descriptor leads to. Returns false if that cannot be read, or if there are WIRE_WAIT_FILES_MAX. */
static bool blocked_add_file(struct blocked *blocked, pid_t pid, pid_t tid, int fd)
{
    char path[64], target[LINK_MAX_SIZE];

    if (blocked->file_count == WIRE_WAIT_FILES_MAX)
        return false;
    snprintf(path, sizeof path, "/proc/%d/task/%d/fd/%d", pid, tid, fd);
    ssize_t length = readlink(path, target, sizeof target);
    if (length <= 0)
        return false;
    char *to = blocked->files + blocked->size;
    blocked->size += (uint32_t)snprintf(to, WIRE_WAIT_FILE_SIZE, "%d %.*s", fd, (int)length, target) + 1;
    blocked->file_count++;
    return true;
}

bool blocked_describe_file(struct blocked *blocked, pid_t pid, pid_t tid, int fd)
{
    blocked->kind = WIRE_WAIT_FILE;
    blocked->number = fd;
    return blocked_add_file(blocked, pid, tid, fd);
}

/* Adds descriptors, of which there are `number` in all, and at least one. */
static bool blocked_describe_files(struct blocked *blocked, pid_t pid, pid_t tid, const int *fds, unsigned count,
                                   unsigned number)
{
    if (number == 1)
        return blocked_describe_file(blocked, pid, tid, fds[0]);
    blocked->kind = WIRE_WAIT_FILES;
    blocked->number = number;
    for (unsigned i = 0; i < count; i++)
        blocked_add_file(blocked, pid, tid, fds[i]);
    return true;
}

bool blocked_describe_poll(struct blocked *blocked, pid_t pid, pid_t tid, const uint64_t *arguments)
{
    struct pollfd polled[WIRE_WAIT_FILES_MAX];
    int fds[WIRE_WAIT_FILES_MAX];
    unsigned number = (unsigned)arguments[1], count = number < WIRE_WAIT_FILES_MAX ? number : WIRE_WAIT_FILES_MAX;

    blocked->kind = WIRE_WAIT_TIME;
    if (number == 0)
        return true;
    if (blocked_read_memory(tid, arguments[0], polled, count * sizeof *polled) != 0)
        return false;
    for (unsigned i = 0; i < count; i++)
        fds[i] = polled[i].fd;
    return blocked_describe_files(blocked, pid, tid, fds, count, number);
}

/* Reads the sets of select(2) for descriptors less than `end`. Stores the descriptors that are in one of them. Returns
 * false if there is no set. */
static bool blocked_read_sets(pid_t tid, const uint64_t *sets, unsigned end, fd_set *all)
{
    fd_set set;
    size_t size = (end + 63) / 64 * 8; /* the kernel reads whole words */
    bool found = false;

    FD_ZERO(all);
    for (unsigned i = 0; i < SELECT_SETS && end > 0; i++) {
        found |= sets[i] != 0;
        if (sets[i] == 0 || blocked_read_memory(tid, sets[i], &set, size) != 0)
            continue;
        for (unsigned fd = 0; fd < end; fd++)
            if (FD_ISSET(fd, &set))
                FD_SET(fd, all);
    }
    return found;
}

bool blocked_describe_select(struct blocked *blocked, pid_t pid, pid_t tid, const uint64_t *arguments)
{
    int fds[WIRE_WAIT_FILES_MAX];
    unsigned number = 0, end = arguments[0] < FD_SETSIZE ? (unsigned)arguments[0] : FD_SETSIZE;
    fd_set all;

    blocked->kind = WIRE_WAIT_TIME;
    if (!blocked_read_sets(tid, arguments + 1, end, &all))
        return true;
    for (unsigned fd = 0; fd < end; fd++) {
        if (!FD_ISSET(fd, &all))
            continue;
        if (number < WIRE_WAIT_FILES_MAX)
            fds[number] = (int)fd;
        number++;
    }
    if (number == 0)
        return false;
    return blocked_describe_files(blocked, pid, tid, fds, number < WIRE_WAIT_FILES_MAX ? number : WIRE_WAIT_FILES_MAX,
                                  number);
}

unsigned blocked_parse_epoll(const char *text, uint64_t data, int fds[], unsigned room, int *marked)
{
    static const char begin[] = "tfd:";
    unsigned count = 0;

    *marked = -1;
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *value = strstr(line, "data:"), *end = strchr(line, '\n');
        if (strncmp(line, begin, sizeof begin - 1) != 0 || end == NULL)
            continue;
        int fd = atoi(line + sizeof begin - 1);
        if (value != NULL && value < end && strtoull(value + 5, NULL, 16) == data)
            *marked = fd;
        if (count < room)
            fds[count] = fd;
        count++;
    }
    return count;
}

/* Reads the list of the files that a descriptor of epoll(7) watches. Returns false if it cannot be read, or is too
 * long.
 *
 * The kernel writes the whole list, however little of it is read, and the program gets no events meanwhile: 1 ms for
 * 1000 files, and 14 ms for 10000. So a long list is read once. */
static bool blocked_read_epoll(struct waits *waits, struct tracee *tracee, int epoll)
{
    char path[64];

    if (tracee->sleep.long_epoll == epoll + 1)
        return false;
    snprintf(path, sizeof path, "/proc/%d/task/%d/fdinfo/%d", tracee->process->pid, tracee->tid, epoll);
    ssize_t length = procfs_read_file(path, waits->text, sizeof waits->text);
    bool is_long = length == (ssize_t)sizeof waits->text - 1;
    if (is_long)
        tracee->sleep.long_epoll = epoll + 1;
    return length >= 0 && !is_long;
}

/* The room for events still has those that the last epoll_wait(2) stored, unless the program has overwritten them.
 * Their `data` tells which file had an event. If the list of files is too long, only the descriptor itself is known. */
bool blocked_describe_epoll(struct waits *waits, struct tracee *tracee, const uint64_t *arguments)
{
    struct blocked *blocked = &waits->found;
    struct epoll_event last;
    pid_t pid = tracee->process->pid, tid = tracee->tid;
    int fds[WIRE_WAIT_FILES_MAX], marked = -1, epoll = (int)arguments[0];

    if (!blocked_read_epoll(waits, tracee, epoll))
        return blocked_describe_file(blocked, pid, tid, epoll);
    bool happened = blocked_read_memory(tid, arguments[1], &last, sizeof last) == 0 && last.events != 0;
    unsigned count = blocked_parse_epoll(waits->text, happened ? last.data.u64 : 0, fds, WIRE_WAIT_FILES_MAX, &marked);
    blocked->kind = WIRE_WAIT_EPOLL;
    blocked->number = count;
    if (happened && marked >= 0 && blocked_add_file(blocked, pid, tid, marked))
        return true;
    for (unsigned i = 0; i < count && i < WIRE_WAIT_FILES_MAX; i++)
        blocked_add_file(blocked, pid, tid, fds[i]);
    return true;
}

bool blocked_describe_path(struct blocked *blocked, pid_t tid, uint64_t address)
{
    size_t used = 0, most = WIRE_WAIT_FILE_SIZE - 1;
    char *text = blocked->files;

    blocked->kind = WIRE_WAIT_PATH;
    while (used < most) { /* a string may end just before a page that is not mapped */
        size_t piece = PAGE - (size_t)((address + used) % PAGE);
        piece = piece < most - used ? piece : most - used;
        if (blocked_read_memory(tid, address + used, text + used, piece) != 0)
            return false;
        const char *end = memchr(text + used, '\0', piece);
        if (end != NULL) {
            used = (size_t)(end - text);
            break;
        }
        used += piece;
    }
    text[used] = '\0';
    blocked->size = (uint32_t)used + 1;
    blocked->file_count = 1;
    return used > 0;
}
