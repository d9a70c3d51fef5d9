/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines "START SIZE name", hexadecimal, in the order in which code was made
 * (tools/perf/Documentation/jit-interface.txt in the kernel). A later line takes over the
 * addresses of earlier ones that it overlaps: code was thrown away and made again.
 *
 * Anyone can write to /tmp, so the file must be a regular one, belong to us, to root or to
 * the process, and have a bearable size.
 */
#include "config.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/perf-map.h"

#define LARGEST (256u << 20) /* bytes */

struct entry {
    uint64_t start, end;
    size_t order;
    char *name; /* in text */
};

struct perf_map {
    char *text;
    struct entry *entries; /* sorted by start, then order */
    size_t count;
};

static int open_safely(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
}

static int open_for(uint32_t pid)
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
    int fd = open_safely(path);
    if (fd >= 0)
        return fd;
    snprintf(path, sizeof path, "/tmp/perf-%u.map", pid);
    return open_safely(path);
}

static bool trusted(int fd, uint32_t pid, size_t *size)
{
    struct stat status, process;
    char path[32];

    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size > (off_t)LARGEST)
        return false;
    *size = (size_t)status.st_size;
    if (status.st_uid == 0 || status.st_uid == geteuid())
        return true;
    snprintf(path, sizeof path, "/proc/%u", pid);
    return stat(path, &process) == 0 && process.st_uid == status.st_uid;
}

static char *read_all(int fd, size_t size)
{
    char *text = malloc(size + 1);
    size_t got = 0;

    while (text != NULL && got < size) {
        ssize_t part = pread(fd, text + got, size - got, (off_t)got);
        if (part <= 0)
            break;
        got += (size_t)part;
    }
    if (text != NULL)
        text[got] = '\0';
    return text;
}

static bool parse_line(char *line, struct entry *entry)
{
    char *next, *name;
    uint64_t start = strtoull(line, &next, 16);

    if (next == line || *next != ' ')
        return false;
    uint64_t size = strtoull(next, &name, 16);
    if (name == next || *name != ' ' || size == 0 || start + size < start)
        return false;
    for (char *at = ++name; *at != '\0'; at++)
        if (iscntrl((unsigned char)*at))
            *at = '?';
    entry->start = start;
    entry->end = start + size;
    entry->name = name;
    return *name != '\0';
}

static int compare(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool parse(struct perf_map *map)
{
    size_t lines = 1;

    for (const char *at = map->text; *at != '\0'; at++)
        lines += *at == '\n';
    map->entries = malloc(lines * sizeof *map->entries);
    if (map->entries == NULL)
        return false;
    char *rest = map->text, *line;
    while ((line = strsep(&rest, "\n")) != NULL) {
        map->entries[map->count].order = map->count;
        if (parse_line(line, &map->entries[map->count]))
            map->count++;
    }
    if (map->count > 0)
        qsort(map->entries, map->count, sizeof *map->entries, compare);
    return true;
}

struct perf_map *perf_map_open(int fd, uint32_t pid)
{
    struct perf_map *map = NULL;
    size_t size;
    int own = fd >= 0 ? fd : open_for(pid);

    if (own < 0)
        return NULL;
    if (trusted(own, pid, &size) && (map = calloc(1, sizeof *map)) != NULL) {
        map->text = read_all(own, size);
        if (map->text == NULL || !parse(map)) {
            perf_map_close(map);
            map = NULL;
        }
    }
    if (own != fd)
        close(own);
    return map;
}

void perf_map_close(struct perf_map *map)
{
    if (map == NULL)
        return;
    free(map->entries);
    free(map->text);
    free(map);
}

#define LOOK_BACK 64 /* overlapping entries that start below one address */

const char *perf_map_find(const struct perf_map *map, uint64_t address)
{
    const struct entry *best = NULL;
    size_t low = 0, high = map->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->entries[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t seen = 0; low > 0 && seen < LOOK_BACK; seen++) {
        const struct entry *entry = &map->entries[--low];
        if (address < entry->end && (best == NULL || entry->order > best->order))
            best = entry;
    }
    return best == NULL ? NULL : best->name;
}
