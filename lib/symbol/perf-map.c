/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines "START SIZE name", hexadecimal, in the order in which code was made
 * (tools/perf/Documentation/jit-interface.txt in the kernel). A later line takes over the
 * addresses of earlier ones that it overlaps: code was thrown away and made again. So the
 * lines are cut into pieces that do not overlap, each of the last line that covers it.
 *
 * Anyone can write to /tmp, so the file must be a regular one, belong to us, to root or to
 * the process, and have a bearable size.
 */
#include "config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/perf-map.h"
#include "symbol/plain.h"

#define LARGEST (256u << 20) /* bytes */

struct entry {
    uint64_t start, end;
    size_t order;
    const char *name; /* in text */
};

struct piece {
    uint64_t start, end;
    const char *name; /* in text */
};

struct perf_map {
    size_t size; /* of the file, when it was read */
    char *text;
    struct piece *pieces; /* sorted, disjoint */
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
    if (text == NULL)
        return NULL;
    while (got > 0 && text[got - 1] != '\n') /* a line without its end is still being written */
        got--;
    text[got] = '\0';
    /* a file that is cut while it is written has holes */
    for (char *hole = text; (hole = memchr(hole, '\0', got - (size_t)(hole - text))) != NULL;)
        *hole = '\n';
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
    plain_make(++name, "");
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

static bool parse(char *text, struct entry **entries, size_t *count)
{
    size_t room = 0;
    char *line;

    while ((line = strsep(&text, "\n")) != NULL) {
        if (*count == room) {
            room = room == 0 ? 1024 : 2 * room;
            struct entry *larger = reallocarray(*entries, room, sizeof *larger);
            if (larger == NULL)
                return false;
            *entries = larger;
        }
        (*entries)[*count].order = *count;
        *count += parse_line(line, &(*entries)[*count]);
    }
    if (*count > 0)
        qsort(*entries, *count, sizeof **entries, compare);
    return true;
}

/* --- pieces -------------------------------------------------------------------------- */

/* The entries that have begun: a binary heap, the latest line on top. */
struct heap {
    const struct entry **entries;
    size_t count;
};

static void heap_swap(struct heap *heap, size_t a, size_t b)
{
    const struct entry *entry = heap->entries[a];

    heap->entries[a] = heap->entries[b];
    heap->entries[b] = entry;
}

static void heap_push(struct heap *heap, const struct entry *entry)
{
    size_t at = heap->count++;

    heap->entries[at] = entry;
    for (; at > 0 && heap->entries[(at - 1) / 2]->order < entry->order; at = (at - 1) / 2)
        heap_swap(heap, at, (at - 1) / 2);
}

static void heap_pop(struct heap *heap)
{
    heap->entries[0] = heap->entries[--heap->count];
    for (size_t at = 0, child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count &&
            heap->entries[child]->order < heap->entries[child + 1]->order)
            child++;
        if (heap->entries[child]->order < heap->entries[at]->order)
            return;
        heap_swap(heap, at, child);
    }
}

/* Sweeps over the sorted entries; between two of their ends the top of the heap rules. Each
 * entry begins once and ends once, so there are at most two pieces to one. */
static void cut(struct perf_map *map, const struct entry *entries, size_t count, struct heap *heap)
{
    uint64_t at = 0;

    for (size_t next = 0; next < count || heap->count > 0;) {
        if (heap->count == 0)
            at = entries[next].start;
        while (next < count && entries[next].start <= at)
            heap_push(heap, &entries[next++]);
        const struct entry *top = heap->entries[0];
        uint64_t end =
            next < count && entries[next].start < top->end ? entries[next].start : top->end;
        map->pieces[map->count++] = (struct piece){at, end, top->name};
        at = end;
        while (heap->count > 0 && heap->entries[0]->end <= at)
            heap_pop(heap);
    }
}

static bool read_text(struct perf_map *map)
{
    struct entry *entries = NULL;
    struct heap heap = {0};
    size_t count = 0;

    bool done = parse(map->text, &entries, &count);
    if (done && count > 0) {
        map->pieces = calloc(count, 2 * sizeof *map->pieces);
        heap.entries = calloc(count, sizeof *heap.entries);
        done = map->pieces != NULL && heap.entries != NULL;
    }
    if (done && count > 0)
        cut(map, entries, count, &heap);
    free(heap.entries);
    free(entries);
    return done;
}

/* A descriptor of the map if it can be trusted, or -1. */
static int open_trusted(int fd, uint32_t pid, size_t *size)
{
    int own = fd >= 0 ? fd : open_for(pid);

    if (own < 0 || trusted(own, pid, size))
        return own;
    if (own != fd)
        close(own);
    return -1;
}

struct perf_map *perf_map_open(int fd, uint32_t pid)
{
    struct perf_map *map;
    size_t size;
    int own = open_trusted(fd, pid, &size);

    if (own < 0)
        return NULL;
    if ((map = calloc(1, sizeof *map)) != NULL) {
        map->size = size;
        map->text = read_all(own, size);
        if (map->text == NULL || !read_text(map)) {
            perf_map_close(map);
            map = NULL;
        }
    }
    if (own != fd)
        close(own);
    return map;
}

bool perf_map_grown(const struct perf_map *map, int fd, uint32_t pid)
{
    size_t size;
    int own = open_trusted(fd, pid, &size);

    if (own < 0)
        return false;
    if (own != fd)
        close(own);
    return map == NULL || size > map->size;
}

void perf_map_close(struct perf_map *map)
{
    if (map == NULL)
        return;
    free(map->pieces);
    free(map->text);
    free(map);
}

const char *perf_map_find(const struct perf_map *map, uint64_t address)
{
    size_t low = 0, high = map->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->pieces[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < map->pieces[low - 1].end ? map->pieces[low - 1].name : NULL;
}
