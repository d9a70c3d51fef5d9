/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the tables of profile.proto that samples refer to: strings, mappings, functions, locations. Finds the processes
 * that mappings and samples belong to.
 *
 * Some programs write this format without addresses. Then several locations that have lines may have the same address,
 * but they must stay different in the profile. So all except the first of them get made-up addresses.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/pprof/pprof.h"
#include "symbol/symbol.h"

#define IN_MANY_OBJECTS UINT32_MAX

/* --- strings and processes ------------------------------------------------------------ */

const char *pprof_text_at(const struct pprof_reader *reader, int64_t index)
{
    if (index < 0 || (uint64_t)index >= reader->message->n_string_table)
        return NULL;
    return reader->message->string_table[index];
}

int pprof_read_string(const struct pprof_reader *reader, int64_t index, uint32_t *string)
{
    const char *text = pprof_text_at(reader, index);

    if (text == NULL)
        return PPROFIL_ERROR_DAMAGED;
    if (reader->strings[index] == 0) {
        int error = profile_string(reader->profile, text, string);
        if (error != 0)
            return error;
        reader->strings[index] = *string + 1;
    }
    *string = reader->strings[index] - 1;
    return 0;
}

int pprof_find_process(struct pprof_reader *reader, uint32_t pid, uint32_t generation, uint32_t comm, uint32_t *index)
{
    struct profile_process process = {
        .pid = pid, .generation = generation, .comm = comm, .status = -1};
    struct memo_entry *known;
    int error = memo_find(&reader->memo, PPROF_MEMO_PROCESS, pid, generation, &known);

    if (error != 0)
        return error;
    if (!known->used) {
        if (comm == 0)
            error = profile_string(reader->profile, "[unknown]", &process.comm);
        if (error == 0)
            error = profile_add_process(reader->profile, &process, index);
        if (error != 0)
            return error;
        memo_set(known, *index);
    }
    *index = known->index;
    return 0;
}

/* --- ids ----------------------------------------------------------------------------- */

static int compare_ids(const void *left, const void *right)
{
    const struct pprof_id *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

int pprof_ids_make(struct pprof_ids *ids, size_t count)
{
    ids->sorted = calloc(count + 1, sizeof *ids->sorted);
    return ids->sorted == NULL ? -ENOMEM : 0;
}

int pprof_ids_sort(struct pprof_ids *ids)
{
    qsort(ids->sorted, ids->count, sizeof *ids->sorted, compare_ids);
    for (size_t i = 0; i < ids->count; i++)
        if (ids->sorted[i].id == (i == 0 ? 0 : ids->sorted[i - 1].id))
            return PPROFIL_ERROR_DAMAGED;
    return 0;
}

struct pprof_id *pprof_ids_find(const struct pprof_ids *ids, uint64_t id)
{
    const struct pprof_id key = {.id = id};

    /* most files count their ids from 1 */
    if (id - 1 < ids->count && ids->sorted[id - 1].id == id)
        return &ids->sorted[id - 1];
    return bsearch(&key, ids->sorted, ids->count, sizeof key, compare_ids);
}

/* --- mappings ------------------------------------------------------------------------ */

/* Parses a build-id and returns its size in bytes. Other programs write names into the field build_id. So if the text
 * is not hexadecimal, returns 0, which means that there is no build-id. */
static uint32_t parse_build_id(const char *text, uint8_t bytes[PROFILE_BUILD_ID_MAX])
{
    size_t length = strnlen(text, 2 * PROFILE_BUILD_ID_MAX + 1);
    char byte[3] = "";

    if (length > 2 * PROFILE_BUILD_ID_MAX || length % 2 != 0 || strspn(text, "0123456789abcdefABCDEF") != length)
        return 0;
    for (size_t i = 0; i < length / 2; i++) {
        memcpy(byte, text + 2 * i, 2);
        bytes[i] = (uint8_t)strtoul(byte, NULL, 16);
    }
    return (uint32_t)(length / 2);
}

/* Completes an object with facts from the note that pprofil has written about it into the file. If there is no such
 * note, finds the object's kind by its path and build-id. */
static int describe_object(struct pprof_reader *reader, uint64_t mapping, struct profile_object *object)
{
    const struct pprof_id *note = pprof_ids_find(&reader->notes, mapping);

    if (note == NULL) {
        const char *path = reader->profile->strings[object->path];
        if (strcmp(path, "[vdso]") == 0)
            object->kind = PROFILE_OBJECT_VDSO;
        else if (path[0] == '\0' && object->build_id_size == 0)
            object->kind = PROFILE_OBJECT_UNKNOWN;
        return 0;
    }
    const char *text = pprof_text_at(reader, note->index);
    uint64_t kind = pprof_number(text, "kind");
    if (kind >= PROFILE_OBJECT_FILE && kind <= PROFILE_OBJECT_MARK)
        object->kind = (enum profile_object_kind)kind;
    object->device = pprof_number(text, "device");
    object->inode = pprof_number(text, "inode");
    object->pid = (uint32_t)pprof_number(text, "pid");
    object->deleted = pprof_number(text, "deleted") != 0;
    object->invented = pprof_number(text, "invented") != 0;
    if (object->kind != PROFILE_OBJECT_ANON)
        return 0;
    return pprof_find_process(reader, object->pid, (uint32_t)pprof_number(text, "generation"), 0, &object->process);
}

static int add_object(const struct pprof_reader *reader, struct profile_object *object, uint32_t *index)
{
    int error = 0;

    if (reader->profile->strings[object->path][0] == '\0')
        error = profile_string(reader->profile, "[unknown]", &object->path);
    return error == 0 ? profile_object(reader->profile, object, index) : error;
}

static int read_mapping(struct pprof_reader *reader, const PbMapping *mapping)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE,
                                    .start = mapping->memory_start,
                                    .end = mapping->memory_limit,
                                    .offset = mapping->file_offset,
                                    .fd = -1};
    const char *build_id = pprof_text_at(reader, mapping->build_id);
    struct pprof_id *entry = &reader->mappings.sorted[reader->mappings.count++];
    int error = pprof_read_string(reader, mapping->filename, &object.path);

    if (build_id == NULL)
        error = PPROFIL_ERROR_DAMAGED;
    if (error != 0)
        return error;
    if (object.end < object.start)
        object.end = object.start;
    object.build_id_size = parse_build_id(build_id, object.build_id);
    error = describe_object(reader, mapping->id, &object);
    entry->id = mapping->id;
    entry->shift = pprof_relative(object.kind) ? object.offset - object.start : 0;
    return error == 0 ? add_object(reader, &object, &entry->index) : error;
}

static int read_mappings(struct pprof_reader *reader)
{
    const PbProfile *message = reader->message;
    int error = pprof_ids_make(&reader->mappings, message->n_mapping);

    for (size_t i = 0; error == 0 && i < message->n_mapping; i++)
        error = read_mapping(reader, message->mapping[i]);
    return error == 0 ? pprof_ids_sort(&reader->mappings) : error;
}

static int add_function(const struct pprof_reader *reader, struct pprof_id *entry)
{
    const PbFunction *function = reader->message->function[entry->index];
    struct profile_function made = {
        .object = entry->object == IN_MANY_OBJECTS ? 0 : entry->object,
        .line = function->start_line > 0 ? (uint32_t)function->start_line : 0};
    int error = pprof_read_string(reader, function->name, &made.name);

    if (error == 0)
        error = pprof_read_string(reader, function->system_name, &made.system_name);
    if (error == 0)
        error = pprof_read_string(reader, function->filename, &made.file);
    return error == 0 ? profile_function(reader->profile, &made, &entry->index) : error;
}

int pprof_unknown_object(const struct pprof_reader *reader, uint32_t *index)
{
    struct profile_object unknown = {.kind = PROFILE_OBJECT_UNKNOWN, .fd = -1};
    return add_object(reader, &unknown, index);
}

/* Sets the objects of the functions of a location. In the file a function has no object. It gets the object of its
 * location, or IN_MANY_OBJECTS if it has locations in different objects. */
static int place_function(const struct pprof_reader *reader, const PbLocation *location)
{
    const struct pprof_id *mapping = pprof_ids_find(&reader->mappings, location->mapping_id);
    uint32_t object = mapping != NULL ? mapping->index : 0;
    int error = mapping == NULL && location->n_line > 0 ? pprof_unknown_object(reader, &object) : 0;

    for (size_t i = 0; error == 0 && i < location->n_line; i++) {
        struct pprof_id *function = pprof_ids_find(&reader->functions, location->line[i]->function_id);
        if (function != NULL && function->object == 0)
            function->object = object + 1;
        else if (function != NULL && function->object != object + 1)
            function->object = IN_MANY_OBJECTS;
    }
    return error;
}

static int read_functions(struct pprof_reader *reader)
{
    const PbProfile *message = reader->message;
    struct pprof_ids *functions = &reader->functions;
    int error = pprof_ids_make(functions, message->n_function);

    if (error != 0)
        return error;
    for (; functions->count < message->n_function; functions->count++)
        functions->sorted[functions->count] = (struct pprof_id){
            .id = message->function[functions->count]->id, .index = (uint32_t)functions->count};
    error = pprof_ids_sort(functions);
    for (size_t i = 0; error == 0 && i < message->n_location; i++)
        error = place_function(reader, message->location[i]);
    for (size_t i = 0; error == 0 && i < functions->count; i++)
        error = add_function(reader, &functions->sorted[i]);
    return error;
}

/* Returns whether a location of a known file has a function whose name is only a place in that file. */
static bool is_place(const struct profile *profile, uint32_t location, uint32_t function)
{
    const struct profile_object *object = &profile->objects[profile->locations[location].object];

    return object->build_id_size > 0 &&
           symbol_is_place(profile->strings[profile->functions[function].name], profile->strings[object->path]);
}

static int read_lines(const struct pprof_reader *reader, const PbLocation *location, uint32_t index, uint32_t looked)
{
    size_t count = location->n_line;
    struct profile_line *lines = calloc(count + 1, sizeof *lines);
    int error = lines == NULL ? -ENOMEM : 0;

    for (size_t i = 0; error == 0 && i < count; i++) {
        const PbLine *line = location->line[i];
        const struct pprof_id *function = pprof_ids_find(&reader->functions, line->function_id);
        if (function == NULL && line->function_id != 0)
            error = PPROFIL_ERROR_DAMAGED;
        if (function != NULL)
            lines[i].function = function->index;
        if (function == NULL || line->line <= 0)
            continue;
        lines[i].line = (uint32_t)line->line;
        lines[i].file = reader->profile->functions[function->index].file;
        looked |= PROFILE_LOOKED_LINE;
    }
    if (count > 1)
        looked |= PROFILE_LOOKED_LINE;
    if (count == 1 && is_place(reader->profile, index, lines[0].function))
        looked &= ~(uint32_t)PROFILE_LOOKED_NAME;
    if (error == 0)
        error = profile_set_lines(reader->profile, index, lines, (uint32_t)count, looked);
    free(lines);
    return error;
}

static int read_location(struct pprof_reader *reader, const PbLocation *location)
{
    struct pprof_id *entry = &reader->locations.sorted[reader->locations.count++];
    const struct pprof_id *mapping = pprof_ids_find(&reader->mappings, location->mapping_id);
    struct profile *profile = reader->profile;
    uint64_t address = location->address;
    uint32_t object, before = profile->location_count, looked = PROFILE_LOOKED_NAME;
    int error = 0;

    if (mapping != NULL) {
        object = mapping->index;
        address += mapping->shift;
    } else {
        error = location->mapping_id != 0 ? PPROFIL_ERROR_DAMAGED : pprof_unknown_object(reader, &object);
    }
    if (error != 0)
        return error;
    entry->id = location->id;
    error = profile_location(profile, object, address, &entry->index);
    while (error == 0 && location->n_line > 0 && profile->location_count == before) {
        error = profile_location(profile, object, reader->made_up++, &entry->index);
        looked |= PROFILE_LOOKED_LINE; /* the address is made up, so nobody can look up a line for it */
    }
    if (error == 0 && location->n_line > 0)
        error = read_lines(reader, location, entry->index, looked);
    return error;
}

static int read_locations(struct pprof_reader *reader)
{
    const PbProfile *message = reader->message;
    int error = pprof_ids_make(&reader->locations, message->n_location);

    for (size_t i = 0; error == 0 && i < message->n_location; i++)
        error = read_location(reader, message->location[i]);
    return error == 0 ? pprof_ids_sort(&reader->locations) : error;
}

int pprof_read_tables(struct pprof_reader *reader)
{
    int error = read_mappings(reader);

    if (error == 0)
        error = read_functions(reader);
    return error == 0 ? read_locations(reader) : error;
}
