/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the names in a jitdump: a header, then records (tools/perf/Documentation/jitdump-specification.txt in the
 * kernel). The machine code in the records is skipped. The file may still grow, so reading ends at a record that is not
 * whole or makes no sense.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/utf8.h"
#include "jit/jit.h"

#define MAGIC 0x4a695444u
#define NAME_SIZE_MAX 4096u
#define LINES_SIZE_MAX (1u << 24) /* largest record with source lines, bytes */
/* V8, a JIT compiler for JavaScript, adds the size of an ELF header to the addresses of source
 * lines, because perf inject puts such a header before the code. */
#define V8_SHIFT 64u /* bytes */

struct debug_info {
    /* `count` elements of debug_entry come after this structure in the file */
    uint64_t address, count;
};
struct debug_entry {
    uint64_t address;
    /* the name of the source file, with its NUL, comes after this structure in the file */
    uint32_t line, discriminator;
};

struct jitdump_reader {
    int fd;
    struct jit_names *names;
    /* owned by `names`; source lines for the next load record; NULL: none */
    struct jit_line *lines;
    size_t line_count;      /* how many elements `lines` has */
    uint64_t lines_of;      /* address of the code that these lines belong to */
    struct jit_name *loads; /* owned; code that was loaded, and that a move record can refer to */
    /* owned; ascending. indexes[i] is the number by which a move record refers to loads[i] */
    uint64_t *indexes;
    size_t load_count;
};

bool jitdump_read_at(int fd, uint64_t at, void *bytes, size_t size)
{
    return pread(fd, bytes, size, (off_t)at) == (ssize_t)size;
}

bool jitdump_is(int fd)
{
    uint32_t magic;

    return jitdump_read_at(fd, 0, &magic, sizeof magic) && magic == MAGIC;
}

bool jitdump_begin(int fd, struct jitdump_header *header)
{
    return jitdump_read_at(fd, 0, header, sizeof *header) && header->size >= sizeof *header;
}

bool jitdump_next(int fd, uint64_t at, uint64_t end, struct jitdump_record *record)
{
    return at < end && jitdump_read_at(fd, at, record, sizeof *record) && record->size >= sizeof *record &&
           record->size <= end - at && record->id != JITDUMP_CLOSE;
}

/* Remembers loaded code, because a later move record may refer to it. The record refers to it by
 * `index`, a number that grows with each load. If the number has not grown, the code is not
 * remembered, and cannot be moved. False: no memory. */
static bool jitdump_remember(struct jitdump_reader *reader, uint64_t index, const struct jit_name *name)
{
    if (reader->load_count > 0 && index <= reader->indexes[reader->load_count - 1])
        return true;
    if (array_grow(&reader->loads, reader->load_count, sizeof *reader->loads) != 0 ||
        array_grow(&reader->indexes, reader->load_count, sizeof *reader->indexes) != 0)
        return false;
    reader->loads[reader->load_count] = *name;
    reader->indexes[reader->load_count++] = index;
    return true;
}

static bool jitdump_take_load(struct jitdump_reader *reader, uint64_t at, size_t size)
{
    struct jitdump_load load;
    char text[NAME_SIZE_MAX];

    if (size < sizeof load || !jitdump_read_at(reader->fd, at, &load, sizeof load) ||
        load.size == 0 || load.size > UINT64_MAX - load.address)
        return true;
    size -= sizeof load;
    ssize_t got = pread(reader->fd, text, size < sizeof text ? size : sizeof text, (off_t)(at + sizeof load));
    if (got <= 0 || text[0] == '\0' || memchr(text, '\0', (size_t)got) == NULL)
        return true;
    utf8_make_harmless(text, "");
    char *copy = strdup(text);
    struct jit_name name = {.start = load.address, .end = load.address + load.size, .name = copy};
    if (reader->lines != NULL && reader->lines_of == load.address) {
        name.lines = reader->lines;
        name.line_count = reader->line_count;
    }
    reader->lines = NULL;
    return copy != NULL && jit_names_keep(reader->names, copy) &&
           jit_names_add(reader->names, &name) && jitdump_remember(reader, load.index, &name);
}

static bool jitdump_take_move(struct jitdump_reader *reader, uint64_t at, size_t size)
{
    struct jitdump_move move;

    if (size < sizeof move || !jitdump_read_at(reader->fd, at, &move, sizeof move) ||
        move.size == 0 || move.size > UINT64_MAX - move.to)
        return true;
    size_t count = array_count_up_to(reader->indexes, reader->load_count, sizeof *reader->indexes, move.index);
    if (count == 0 || reader->indexes[count - 1] != move.index)
        return true;
    struct jit_name name = reader->loads[count - 1];
    name.start = move.to;
    name.end = move.to + move.size;
    name.lines = NULL; /* the addresses in the lines are those before the move */
    name.line_count = 0;
    return jit_names_add(reader->names, &name);
}

static int compare_lines(const void *left, const void *right)
{
    const struct jit_line *a = left, *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

/* Returns `text` if it can be a path, and otherwise NULL. V8 sometimes writes a path from memory
 * that already holds something else. */
static const char *jitdump_check_path(const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if (utf8_is_control(*at))
            return NULL;
    return *text == '\0' ? NULL : text;
}

/* Parses the entries of a record with source lines. Returns how many entries are whole. In an
 * entry, the file name "\xff" means the file of the previous entry. */
static size_t jitdump_parse_lines(char *bytes, size_t size, const struct debug_info *info, struct jit_line *lines)
{
    const char *last = NULL;
    size_t count = 0;

    while (count < info->count && size > sizeof(struct debug_entry)) {
        struct debug_entry entry;
        char *file = bytes + sizeof entry;
        memcpy(&entry, bytes, sizeof entry);
        size_t room = size - sizeof entry, length = strnlen(file, room);
        if (length == room)
            break;
        if (strcmp(file, "\xff") != 0)
            last = jitdump_check_path(file);
        lines[count++] = (struct jit_line){entry.address, last, entry.line};
        bytes += sizeof entry + length + 1;
        size -= sizeof entry + length + 1;
    }
    return count;
}

static bool jitdump_take_lines(struct jitdump_reader *reader, uint64_t at, size_t size)
{
    struct debug_info info;

    reader->lines = NULL;
    if (size < sizeof info || size > LINES_SIZE_MAX || !jitdump_read_at(reader->fd, at, &info, sizeof info) ||
        info.count > (size - sizeof info) / (sizeof(struct debug_entry) + 1))
        return true;
    size -= sizeof info;
    char *bytes = malloc(size + 1);
    if (bytes == NULL || !jit_names_keep(reader->names, bytes))
        return false;
    struct jit_line *lines = calloc(info.count + 1, sizeof *lines);
    if (lines == NULL || !jit_names_keep(reader->names, lines))
        return false;
    if (!jitdump_read_at(reader->fd, at + sizeof info, bytes, size))
        return true;
    reader->line_count = jitdump_parse_lines(bytes, size, &info, lines);
    if (reader->line_count == 0)
        return true;
    qsort(lines, reader->line_count, sizeof *lines, compare_lines);
    if (lines[0].address >= info.address + V8_SHIFT)
        for (size_t i = 0; i < reader->line_count; i++)
            lines[i].address -= V8_SHIFT;
    reader->lines = lines;
    reader->lines_of = info.address;
    return true;
}

static bool jitdump_take_record(struct jitdump_reader *reader, const struct jitdump_record *record, uint64_t at)
{
    size_t size = record->size - sizeof *record;

    at += sizeof *record;
    switch (record->id) {
    case JITDUMP_LOAD:
        return jitdump_take_load(reader, at, size);
    case JITDUMP_MOVE:
        return jitdump_take_move(reader, at, size);
    case JITDUMP_DEBUG_INFO:
        return jitdump_take_lines(reader, at, size);
    default:
        return true;
    }
}

bool jitdump_read(int fd, size_t size, struct jit_names *names)
{
    struct jitdump_reader reader = {.fd = fd, .names = names};
    struct jitdump_header header;
    struct jitdump_record record;
    bool done = true;

    if (!jitdump_begin(fd, &header))
        return true;
    for (uint64_t at = header.size; done && jitdump_next(fd, at, size, &record); at += record.size)
        done = jitdump_take_record(&reader, &record, at);
    free(reader.loads);
    free(reader.indexes);
    return done;
}
