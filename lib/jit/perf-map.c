/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads /tmp/perf-PID.map. Its lines are "START SIZE name", with hexadecimal numbers, in the order
 * in which code was made (tools/perf/Documentation/jit-interface.txt in the kernel).
 *
 * A map has a pid in its name, and may be left over from another process that had this pid. If the process still runs,
 * the map must have been written since the process began. If the process has ended, the map must have been written
 * after the profile began, and created before the profile ended.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "jit/jit.h"

#define SECOND UINT64_C(1000000000)
/* File times may be too early by this time, ns, because the kernel takes them from a clock that advances in ticks. */
#define SLACK (SECOND / 10)
#define AFTERWARDS SECOND /* longest time that a process lives on after its last sample, ns */

/* Opens a file, but does not follow a symbolic link. If the file is a FIFO or a device, does not wait for it. */
static int perf_map_open_safely(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
}

/* A process in a pid namespace has a pid of its own there: the last number of NSpid (proc(5)). The
 * name of the map in the /tmp of the process has that pid. */
int perf_map_open(uint32_t pid)
{
    char path[96], line[256];
    unsigned long inner = pid;

    snprintf(path, sizeof path, "/proc/%u/status", pid);
    FILE *status = fopen(path, "re");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "NSpid:", 6) == 0 && strrchr(line, '\t') != NULL)
            inner = strtoul(strrchr(line, '\t') + 1, NULL, 10);
    if (status != NULL)
        fclose(status);
    snprintf(path, sizeof path, "/proc/%u/root/tmp/perf-%lu.map", pid, inner);
    int fd = perf_map_open_safely(path);
    if (fd >= 0)
        return fd;
    snprintf(path, sizeof path, "/tmp/perf-%u.map", pid);
    return perf_map_open_safely(path);
}

/* --- the process that wrote it ----------------------------------------------------------- */

/* Returns when the process that has this pid now was started, CLOCK_REALTIME, ns. 0: no process has this pid. Field 22
 * of /proc/PID/stat is the start time in clock ticks since the boot (proc(5)). */
static uint64_t process_start(uint32_t pid)
{
    char path[32], line[1024];
    unsigned long long ticks = 0;

    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    FILE *stat = fopen(path, "re");
    if (stat == NULL)
        return 0;
    size_t got = fread(line, 1, sizeof line - 1, stat);
    fclose(stat);
    line[got] = '\0';
    /* the last ')' ends field 2, which may contain any bytes */
    const char *field = strrchr(line, ')');
    for (int i = 2; field != NULL && i < 22; i++)
        field = strchr(field + 1, ' ');
    if (field == NULL || sscanf(field, "%llu", &ticks) != 1)
        return 0;
    return clock_read(CLOCK_REALTIME) - clock_read(CLOCK_BOOTTIME) + ticks * (SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
}

static uint64_t to_ns(const struct statx_timestamp *time)
{
    return (uint64_t)time->tv_sec * SECOND + time->tv_nsec;
}

bool perf_map_is_of(int fd, const struct jit_owner *owner)
{
    struct statx status;
    uint64_t start = process_start(owner->pid);

    if (statx(fd, "", AT_EMPTY_PATH, STATX_MTIME | STATX_BTIME, &status) < 0)
        return false;
    uint64_t written = to_ns(&status.stx_mtime) + SLACK;
    if (start != 0 && (owner->until == 0 || start <= owner->until + SLACK))
        return written >= start;
    if (owner->from == 0 || owner->until == 0)
        /* no times are known: the map is accepted unless another process has the pid now */
        return start == 0;
    return written >= owner->from && (!(status.stx_mask & STATX_BTIME) ||
                                      to_ns(&status.stx_btime) <= owner->until + AFTERWARDS);
}

/* --- its lines --------------------------------------------------------------------------- */

static char *perf_map_read_all(int fd, size_t size)
{
    char *text = malloc(size + 1);
    size_t got = 0;

    while (text != NULL && got < size) {
        ssize_t part = pread(fd, text + got, size - got, (off_t)got);
        if (part <= 0)
            break;
        got += (size_t)part;
    }
    if (text == NULL)
        return NULL;
    /* the last line has no end, so it is still being written */
    while (got > 0 && text[got - 1] != '\n')
        got--;
    text[got] = '\0';
    /* a file that is truncated while it is written has holes of NUL bytes */
    for (char *hole = text; (hole = memchr(hole, '\0', got - (size_t)(hole - text))) != NULL;)
        *hole = '\n';
    return text;
}

static bool perf_map_parse_line(char *line, struct jit_name *entry)
{
    char *next, *name;
    uint64_t start = strtoull(line, &next, 16);

    if (next == line || *next != ' ')
        return false;
    uint64_t size = strtoull(next, &name, 16);
    if (name == next || *name != ' ' || size == 0 || start + size < start)
        return false;
    utf8_make_harmless(++name, "");
    entry->start = start;
    entry->end = start + size;
    entry->name = name;
    return *name != '\0';
}

bool perf_map_read(int fd, size_t size, struct jit_names *names)
{
    char *text = perf_map_read_all(fd, size), *line;
    bool done = text != NULL && jit_names_keep(names, text);

    while (done && (line = strsep(&text, "\n")) != NULL) {
        struct jit_name name = {0};
        if (perf_map_parse_line(line, &name))
            done = jit_names_add(names, &name);
    }
    return done;
}
