/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The calling process's own mappings. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "compat/own-maps.h"

#define OWN_LINE_MAX (OWN_PATH_MAX + 128) /* bytes; what is longer is cut off: only a path can be */

struct own_map {
    uint64_t start, end, inode;
    uint64_t device; /* major << 32 | minor */
    bool writable, executable;
    const char *path; /* in the line */
};

/* A file read in lines, with no memory but this. */
struct line_reader {
    int fd;
    size_t used, filled;
    char bytes[4096];
};

/* The next line without its end; false: there is none. */
static bool line_read(struct line_reader *reader, char line[OWN_LINE_MAX])
{
    size_t length = 0;

    for (;;) {
        if (reader->used == reader->filled) {
            ssize_t got;
            do
                got = read(reader->fd, reader->bytes, sizeof reader->bytes);
            while (got < 0 && errno == EINTR);
            if (got <= 0)
                return false;
            reader->used = 0;
            reader->filled = (size_t)got;
        }
        char byte = reader->bytes[reader->used++];
        if (byte == '\n')
            break;
        if (length + 1 < OWN_LINE_MAX)
            line[length++] = byte;
    }
    line[length] = '\0';
    return true;
}

/* Takes digits of a base and the one character behind them, which is there in every line. */
static uint64_t line_number(const char **at, unsigned base)
{
    uint64_t number = 0;

    for (;; (*at)++) {
        unsigned digit = **at >= '0' && **at <= '9'   ? (unsigned)(**at - '0')
                         : **at >= 'a' && **at <= 'f' ? (unsigned)(**at - 'a') + 10
                                                      : base;
        if (digit >= base)
            break;
        number = number * base + digit;
    }
    if (**at != '\0')
        (*at)++;
    return number;
}

static void line_parse(const char *line, struct own_map *map)
{
    const char *at = line;

    map->start = line_number(&at, 16);
    map->end = line_number(&at, 16);
    map->writable = strlen(at) > 4 && at[1] == 'w';
    map->executable = strlen(at) > 4 && at[2] == 'x';
    at += strcspn(at, " ");
    at += strspn(at, " ");
    line_number(&at, 16); /* the offset */
    map->device = line_number(&at, 16) << 32;
    map->device |= line_number(&at, 16);
    map->inode = line_number(&at, 10);
    map->path = at + strspn(at, " ");
}

static int maps_open(struct line_reader *reader)
{
    *reader = (struct line_reader){.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
    return reader->fd < 0 ? -errno : 0;
}

/* The page of system calls of old programs is no text that anybody counts. */
static bool is_text(const struct own_map *map)
{
    return map->executable && strcmp(map->path, "[vsyscall]") != 0;
}

static void object_begin(struct own_object *object, const struct own_map *map)
{
    size_t length = map->inode == 0 ? 0 : strlen(map->path);

    *object = (struct own_object){.start = map->start, .is_file = map->inode != 0};
    if (length < sizeof object->path)
        memcpy(object->path, map->path, length);
}

static void object_extend(struct own_object *object, const struct own_map *map)
{
    object->end = map->end;
    if (!is_text(map))
        return;
    if (object->text_end == 0)
        object->text_start = map->start;
    object->text_end = map->end;
}

int own_maps_objects(bool (*visit)(void *context, const struct own_object *object), void *context)
{
    struct own_object object = {0};
    struct own_map map, last = {0};
    struct line_reader reader;
    char line[OWN_LINE_MAX];
    bool on = true;

    int error = maps_open(&reader);
    if (error != 0)
        return error;
    while (on && line_read(&reader, line)) {
        line_parse(line, &map);
        if (map.inode == 0 || map.inode != last.inode || map.device != last.device) {
            if (object.text_end != 0)
                on = visit(context, &object);
            object_begin(&object, &map);
        }
        object_extend(&object, &map);
        last = map;
    }
    if (on && object.text_end != 0)
        visit(context, &object);
    close(reader.fd);
    return 0;
}

bool own_maps_writable(uint64_t address, uint64_t size)
{
    uint64_t reached = address, end = address + size;
    struct line_reader reader;
    char line[OWN_LINE_MAX];
    struct own_map map;

    if (end < address)
        return false;
    if (maps_open(&reader) != 0)
        return true;
    while (reached < end && line_read(&reader, line)) {
        line_parse(line, &map);
        if (map.start <= reached && reached < map.end && map.writable)
            reached = map.end;
    }
    close(reader.fd);
    return reached >= end;
}
