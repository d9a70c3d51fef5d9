/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the mappings of this process, and uses them to complete offsets that have only 32 bits. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "compat/own-maps.h"

#define HALF (UINT64_C(1) << 32)
/* largest number of bytes by which a program may have rounded down the start of its text */
#define BELOW_MAX (UINT64_C(1) << 20)
/* size of the buffer for a line, bytes. A longer line is cut off, and so is the path at its end */
#define OWN_LINE_MAX (OWN_PATH_MAX + 128)

struct own_map {
    uint64_t start, end, inode;
    uint64_t device; /* major << 32 | minor */
    bool writable, executable;
    const char *path; /* points into the line from which the mapping was read */
};

/* A file that is read line by line, without allocating memory. */
struct line_reader {
    int fd;
    size_t used, filled;
    char bytes[4096];
};

/* Reads the next line, without its newline. Returns false if there is none. */
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

/* Reads the number at *at. Its digits are in the base `base`. Moves *at behind the number and the character that
 * follows it. */
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
    line_number(&at, 16); /* skips the offset */
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

/* Returns true if a mapping is executable, and is not [vsyscall]. [vsyscall] is a page of the kernel for old programs.
 * No histogram covers it. */
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

/* --- offsets of 32 bits ----------------------------------------------------------------------- */

struct offset_search {
    /* `given` is the offset that the program gave. If it is complete, the histogram covers [given, end) */
    uint64_t given, end;
    uint64_t caller;     /* an address in the object that calls profil */
    bool reaches;        /* there is text in [given, end) */
    bool covers;         /* the offset is already complete, so [given, end) is what the program means */
    /* the completed offset: an address with the same lower 32 bits as `given`. It is in the object that calls profil,
     * if this object contains such an address; otherwise in the first object that contains one */
    uint64_t found;
    unsigned count;      /* number of objects that contain an address with the same lower 32 bits as `given` */
    bool callers;        /* the object that calls profil is one of these objects */
};

/* Finds an address that has the same lower 32 bits as the offset, and lies in the object, or less than BELOW_MAX bytes
 * below it. If there are several, because the object is larger than 4 GiB, finds the lowest. Returns false if there is
 * none. */
static bool offset_in(const struct own_object *object, uint64_t offset, uint64_t *address)
{
    uint64_t lowest = object->start < BELOW_MAX ? 0 : object->start - BELOW_MAX;

    *address = (lowest & ~(HALF - 1)) | (offset & (HALF - 1));
    if (*address < lowest)
        *address += HALF;
    return *address < object->end;
}

static bool offset_try(void *context, const struct own_object *object)
{
    struct offset_search *search = context;
    bool callers = search->caller >= object->start && search->caller < object->end;
    uint64_t address;

    /* a histogram that covers all text overlaps every object. This does not show that its offset is complete */
    bool within = search->given >= object->start && search->given < object->text_end;
    bool overlaps = search->given < object->text_end && search->end > object->text_start;
    search->reaches = search->reaches || overlaps;
    if (within || search->given == 0 || (overlaps && search->end != UINT64_MAX)) {
        search->covers = true;
        return false;
    }
    if (!object->is_file || !offset_in(object, search->given, &address))
        return true;
    search->count++;
    if (search->count == 1 || callers)
        search->found = address;
    search->callers = search->callers || callers;
    return true;
}

enum offset_found offset_complete(uint64_t *offset, uint64_t reach, uint64_t caller)
{
    struct offset_search search = {.given = *offset, .end = *offset + reach, .caller = caller};

    if (search.end < search.given)
        search.end = UINT64_MAX;
    if (sizeof(void *) < sizeof(uint64_t) || own_maps_objects(offset_try, &search) != 0 || search.covers)
        return OFFSET_AS_GIVEN;
    if (*offset >= HALF && *offset < -HALF) /* a complete address, whose text may be loaded later */
        return search.reaches ? OFFSET_AS_GIVEN : OFFSET_NOWHERE_YET;
    if (search.count == 0)
        return search.reaches ? OFFSET_AS_GIVEN : OFFSET_NOWHERE;
    if (search.count > 1 && !search.callers)
        return OFFSET_AMBIGUOUS;
    *offset = search.found;
    return OFFSET_COMPLETED;
}
