/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes a message of profile.proto: its memory, its strings, and the tables that samples refer to.
 *
 * To find code in a file, readers subtract the start of a mapping from an address and add the file offset of the
 * mapping. So one mapping for each object is enough. It is the object's first mapping, widened until it contains all
 * locations of the object.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/pprof/pprof.h"
#include "format/text.h"

#define ARENA_BLOCK (1u << 20)

struct pprof_block {
    struct pprof_block *next;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

/* The range of addresses that the file gives to an object. It contains the object's first mapping, and all locations in
 * the object. `limit` is the first address after the range. */
struct span {
    uint64_t start, limit;
};

/* --- beginning and end ----------------------------------------------------------------------- */

int pprof_writer_begin(struct pprof_writer *writer, const struct profile *profile)
{
    writer->profile = profile;
    writer->message = (PbProfile)PERFTOOLS__PROFILES__PROFILE__INIT;
    writer->string_ids = calloc(profile->string_count + 1u, sizeof *writer->string_ids);
    return writer->string_ids == NULL ? -ENOMEM : 0;
}

void pprof_writer_clear(struct pprof_writer *writer)
{
    for (struct pprof_block *block = writer->blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    free(writer->message.string_table);
    free(writer->message.comment);
    free(writer->message.pprofil_note);
    free(writer->message.function);
    memo_free(&writer->elsewhere);
    free(writer->string_ids);
}

/* --- memory ----------------------------------------------------------------------------- */

void *pprof_allocate(struct pprof_writer *writer, size_t size)
{
    struct pprof_block *block = writer->blocks;

    size = (size + 15) / 16 * 16;
    if (block == NULL || block->size - block->used < size) {
        size_t room = size > ARENA_BLOCK ? size : ARENA_BLOCK;
        block = malloc(sizeof *block + room);
        if (block == NULL) {
            writer->out_of_memory = true;
            return size <= sizeof writer->nowhere ? writer->nowhere : NULL;
        }
        *block = (struct pprof_block){.next = writer->blocks, .size = room};
        writer->blocks = block;
    }
    void *bytes = block->bytes + block->used;
    block->used += size;
    memset(bytes, 0, size);
    return bytes;
}

void *pprof_allocate_table(struct pprof_writer *writer, size_t count, size_t entry, void *pointers)
{
    char *table = pprof_allocate(writer, count * entry + 1);
    void **array = pprof_allocate(writer, (count + 1) * sizeof *array);

    if (table == NULL || array == NULL || writer->out_of_memory)
        return NULL;
    for (size_t i = 0; i < count; i++)
        array[i] = table + i * entry;
    *(void ***)pointers = array;
    return table;
}

bool pprof_grow(struct pprof_writer *writer, void *array, size_t count, size_t element)
{
    if (array_grow(array, count, element) != 0)
        writer->out_of_memory = true;
    return !writer->out_of_memory;
}

/* --- strings ------------------------------------------------------------------------- */

/* Copies `text` to `to`, makes it valid UTF-8, and returns the length of the copy. If `to` is NULL, only returns this
 * length. */
static size_t copy_utf8(const char *text, char *to)
{
    size_t length = 0, size;

    for (const char *at = text; *at != '\0'; length += size) {
        const char *character = text_character(&at, &size);
        if (to != NULL)
            memcpy(to + length, character, size);
    }
    return length;
}

int64_t pprof_add_string(struct pprof_writer *writer, const char *text)
{
    PbProfile *message = &writer->message;

    if (!pprof_grow(writer, &message->string_table, message->n_string_table, sizeof *message->string_table))
        return 0;
    char *copy = pprof_allocate(writer, copy_utf8(text, NULL) + 1);
    if (writer->out_of_memory)
        return 0;
    copy_utf8(text, copy);
    message->string_table[message->n_string_table] = copy;
    return (int64_t)message->n_string_table++;
}

int64_t pprof_string_index(struct pprof_writer *writer, uint32_t index)
{
    if (index == 0)
        return 0;
    if (writer->string_ids[index] == 0)
        writer->string_ids[index] = pprof_add_string(writer, writer->profile->strings[index]);
    return writer->string_ids[index];
}

/* Adds a text to a list of indexes of strings, and frees the text. */
static void pprof_add_text(struct pprof_writer *writer, char *text, int64_t **list, size_t *count)
{
    if (text == NULL)
        writer->out_of_memory = true;
    else if (pprof_grow(writer, list, *count, sizeof **list))
        (*list)[(*count)++] = pprof_add_string(writer, text);
    free(text);
}

void pprof_add_comment(struct pprof_writer *writer, char *text)
{
    pprof_add_text(writer, text, &writer->message.comment, &writer->message.n_comment);
}

void pprof_add_note(struct pprof_writer *writer, char *text)
{
    pprof_add_text(writer, text, &writer->message.pprofil_note, &writer->message.n_pprofil_note);
}

/* --- mappings ------------------------------------------------------------------------ */

/* Returns the number that is added to an address in the object to get the address that is written. The sum is taken
 * modulo 2^64. */
static uint64_t shift_of(const struct profile_object *object)
{
    return pprof_relative(object->kind) ? object->start - object->offset : 0;
}

static void measure_spans(const struct profile *profile, struct span *spans)
{
    for (uint32_t i = 0; i < profile->object_count; i++) {
        spans[i].start = profile->objects[i].start;
        spans[i].limit = profile->objects[i].end;
    }
    for (uint32_t i = 1; i < profile->location_count; i++) {
        const struct profile_location *location = &profile->locations[i];
        struct span *span = &spans[location->object];
        uint64_t address = location->address + shift_of(&profile->objects[location->object]);
        if (span->limit <= span->start) /* the object was never mapped, so this is the first address in its span */
            *span = (struct span){.start = address & ~UINT64_C(0xfff), .limit = address};
        if (address < span->start)
            span->start = address & ~UINT64_C(0xfff);
        if (address >= span->limit)
            span->limit = address > UINT64_MAX - 0x1000 ? UINT64_MAX : (address | 0xfff) + 1;
    }
}

static void put_mapping(struct pprof_writer *writer, uint32_t index, const struct span *span, PbMapping *mapping)
{
    const struct profile_object *object = &writer->profile->objects[index];
    char build_id[2 * PROFILE_BUILD_ID_MAX + 1] = "";

    *mapping = (PbMapping)PERFTOOLS__PROFILES__MAPPING__INIT;
    mapping->id = index + 1u;
    mapping->memory_start = span->start;
    mapping->memory_limit = span->limit;
    if (pprof_relative(object->kind))
        mapping->file_offset = span->start - shift_of(object);
    mapping->filename = pprof_string_index(writer, object->path);
    for (uint32_t i = 0; i < object->build_id_size; i++)
        sprintf(build_id + 2 * (size_t)i, "%02x", object->build_id[i]);
    if (build_id[0] != '\0')
        mapping->build_id = pprof_add_string(writer, build_id);
    pprof_add_note(writer, pprof_encode_object(writer->profile, index, mapping->id));
}

/* Returns the index of the program's object: the first file without ".so" in its name, or 0 if there is none. Its
 * mapping is written first, because readers take the first mapping as that of the program. */
static uint32_t find_program(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->object_count; i++) {
        const char *path = profile->strings[profile->objects[i].path];
        const char *slash = strrchr(path, '/');
        if (profile->objects[i].kind == PROFILE_OBJECT_FILE && slash != NULL && strstr(slash, ".so") == NULL)
            return i;
    }
    return 0;
}

static void put_mappings(struct pprof_writer *writer)
{
    PbProfile *message = &writer->message;
    uint32_t count = writer->profile->object_count, program = find_program(writer->profile);
    struct span *spans = pprof_allocate(writer, count * sizeof *spans + 1);

    writer->mappings = pprof_allocate_table(writer, count, sizeof *writer->mappings, &message->mapping);
    if (writer->mappings == NULL || spans == NULL)
        return;
    measure_spans(writer->profile, spans);
    for (uint32_t i = 0; i < count; i++)
        put_mapping(writer, i, &spans[i], &writer->mappings[i]);
    for (uint32_t i = program; i > 0; i--)
        message->mapping[i] = &writer->mappings[i - 1];
    message->mapping[0] = &writer->mappings[program];
    message->n_mapping = count;
}

/* --- functions and locations ---------------------------------------------------------- */

/* Writes a function and returns its id, or 0 if there is no memory. */
static uint64_t put_function(struct pprof_writer *writer, const struct profile_function *from)
{
    PbProfile *message = &writer->message;
    PbFunction *function = pprof_allocate(writer, sizeof *function);

    if (!pprof_grow(writer, &message->function, message->n_function, sizeof *message->function))
        return 0;
    *function = (PbFunction)PERFTOOLS__PROFILES__FUNCTION__INIT;
    function->id = message->n_function + 1;
    function->name = pprof_string_index(writer, from->name);
    function->system_name = pprof_string_index(writer, from->system_name);
    function->filename = pprof_string_index(writer, from->file);
    function->start_line = from->line;
    message->function[message->n_function++] = function;
    return function->id;
}

static void put_functions(struct pprof_writer *writer)
{
    const struct profile *profile = writer->profile;

    for (uint32_t i = 1; i < profile->function_count && !writer->out_of_memory; i++)
        put_function(writer, &profile->functions[i]);
}

/* Returns the id of the function of a line. In profile.proto a line has no file of its own: the file is a field of the
 * function. So if a line is in another file than its function, a copy of the function is written, with the file of the
 * line. */
static uint64_t function_of(struct pprof_writer *writer, const struct profile_line *line)
{
    struct profile_function function = writer->profile->functions[line->function];
    struct memo_entry *known;

    if (line->function == PROFILE_NONE || line->file == 0 || line->file == function.file)
        return line->function;
    if (memo_find(&writer->elsewhere, 0, line->function, line->file, &known) != 0) {
        writer->out_of_memory = true;
        return 0;
    }
    if (!known->used) {
        function.file = line->file;
        function.line = 0;
        memo_set(known, (uint32_t)put_function(writer, &function));
    }
    return known->index;
}

static void put_lines(struct pprof_writer *writer, const struct profile_location *from, PbLocation *to)
{
    PbMapping *mapping = &writer->mappings[from->object];
    PbLine *lines = pprof_allocate_table(writer, from->line_count, sizeof *lines, &to->line);

    if (lines == NULL)
        return;
    for (uint32_t i = 0; i < from->line_count; i++) {
        const struct profile_line *line = &from->lines[i];
        lines[i] = (PbLine)PERFTOOLS__PROFILES__LINE__INIT;
        lines[i].function_id = function_of(writer, line);
        lines[i].line = line->line;
        mapping->has_functions |= line->function != PROFILE_NONE;
        mapping->has_filenames |= line->file != 0;
        mapping->has_line_numbers |= line->line != 0;
    }
    mapping->has_inline_frames |= from->line_count > 1;
    to->n_line = from->line_count;
}

static void put_locations(struct pprof_writer *writer)
{
    const struct profile *profile = writer->profile;
    uint32_t count = profile->location_count - 1;
    PbLocation *locations = pprof_allocate_table(writer, count, sizeof *locations, &writer->message.location);

    if (locations == NULL)
        return;
    for (uint32_t i = 0; i < count && !writer->out_of_memory; i++) {
        const struct profile_location *from = &profile->locations[i + 1];
        locations[i] = (PbLocation)PERFTOOLS__PROFILES__LOCATION__INIT;
        locations[i].id = i + 1u;
        locations[i].mapping_id = from->object + 1u;
        locations[i].address = from->address + shift_of(&profile->objects[from->object]);
        if (from->line_count > 0)
            put_lines(writer, from, &locations[i]);
    }
    writer->message.n_location = count;
}

void pprof_write_tables(struct pprof_writer *writer)
{
    put_mappings(writer);
    if (!writer->out_of_memory)
        put_functions(writer);
    if (!writer->out_of_memory)
        put_locations(writer);
}
