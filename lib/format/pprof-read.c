/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile.proto as a profile: our own files with everything they keep, and those of others
 * with what they have.
 *
 * Nothing in the file is trusted. Every index and id is looked up; ids are any 64-bit numbers,
 * so they are sorted and searched. Time grows with the size of the file and no faster: what
 * many messages may refer to (a string, a thread) is worked out once and remembered.
 *
 * Not every producer has addresses. Locations that differ in their lines stay different here,
 * at made-up addresses where need be.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/pprof.h"
#include "format/pprof-tables.h"

enum { MEMO_PROCESS, MEMO_THREAD }; /* the upper half of a */
#define IN_MANY_OBJECTS UINT32_MAX
#define LONGEST_NAME 256 /* bytes of a system call's: it is hashed for each sample */

struct reader {
    const PbProfile *message;
    struct profile *profile;
    uint32_t *strings; /* index + 1 in the profile of the file's strings; 0: not needed yet */
    struct entries mappings, functions, locations;
    struct entries notes; /* mapping id -> string of the comment about its object */
    struct memo memo;
    struct pprof_values values;
    uint64_t made_up; /* the next address to try where there are none */
};

/* --- small things -------------------------------------------------------------------- */

static const char *text_at(const struct reader *reader, int64_t index)
{
    if (index < 0 || (uint64_t)index >= reader->message->n_string_table)
        return NULL;
    return reader->message->string_table[index];
}

static int take_string(const struct reader *reader, int64_t index, uint32_t *string)
{
    const char *text = text_at(reader, index);

    if (text == NULL)
        return -EBADMSG;
    if (reader->strings[index] == 0) {
        int error = profile_string(reader->profile, text, string);
        if (error != 0)
            return error;
        reader->strings[index] = *string + 1;
    }
    *string = reader->strings[index] - 1;
    return 0;
}

/* --- the run, and who ran ------------------------------------------------------------ */

static int find_process(struct reader *reader, uint32_t pid, uint32_t generation, uint32_t comm,
                        uint32_t *index)
{
    struct profile_process process = {
        .pid = pid, .generation = generation, .comm = comm, .status = -1};
    struct memory *known;
    int error = memo_recall(&reader->memo, MEMO_PROCESS, pid, generation, &known);

    if (error != 0)
        return error;
    if (!known->used) {
        if (comm == 0)
            error = profile_string(reader->profile, "[unknown]", &process.comm);
        if (error == 0)
            error = profile_add_process(reader->profile, &process, index);
        if (error != 0)
            return error;
        memo_remember(&reader->memo, known, *index);
    }
    *index = known->index;
    return 0;
}

static int read_process(struct reader *reader, const char *text)
{
    struct memory *known;
    uint32_t index;
    int error = pprof_hear_process(text, reader->profile, &index);

    if (error != 0)
        return error;
    const struct profile_process *process = &reader->profile->processes[index];
    error = memo_recall(&reader->memo, MEMO_PROCESS, process->pid, process->generation, &known);
    if (error == 0 && !known->used)
        memo_remember(&reader->memo, known, index);
    else if (error == 0)
        known->index = index; /* a pid used again: samples cannot tell, the last one has them */
    return error;
}

static int read_comment(struct reader *reader, uint32_t string)
{
    struct profile *profile = reader->profile;
    const char *text = reader->message->string_table[string];

    switch (pprof_comment_kind(&text)) {
    case PPROF_TOTALS:
        pprof_hear_totals(text, profile);
        return 0;
    case PPROF_COMMAND:
        if (profile->command == NULL)
            profile->command = strdup(text + 1);
        return profile->command == NULL ? -ENOMEM : 0;
    case PPROF_PROCESS:
        return read_process(reader, text);
    case PPROF_OBJECT:
        reader->notes.sorted[reader->notes.count++] =
            (struct entry){.id = pprof_number(text, "mapping"), .index = string};
        return 0;
    default:
        return 0;
    }
}

/* Each text once, however often it is said. */
static int read_comments(struct reader *reader)
{
    const PbProfile *message = reader->message;
    bool *heard = calloc(message->n_string_table, sizeof *heard);
    int error = entries_make(&reader->notes, message->n_string_table);

    if (heard == NULL)
        error = -ENOMEM;
    for (size_t i = 0; error == 0 && i < message->n_comment; i++) {
        int64_t string = message->comment[i];
        if (text_at(reader, string) == NULL)
            error = -EBADMSG;
        else if (!heard[string]) {
            heard[string] = true;
            error = read_comment(reader, (uint32_t)string);
        }
    }
    free(heard);
    if (error == 0)
        entries_sort(&reader->notes); /* two about one mapping: either will do */
    return error;
}

static void read_run(const struct reader *reader)
{
    const PbProfile *message = reader->message;
    struct profile_totals *totals = &reader->profile->totals;

    if (message->duration_nanos > 0)
        totals->elapsed_ns = (uint64_t)message->duration_nanos;
    if (message->time_nanos > 0)
        totals->start_time = (uint64_t)message->time_nanos;
    if (message->period > 0 && pprof_is_type(message, message->period_type, NULL, "nanoseconds"))
        totals->asked_hz = 1e9 / (double)message->period;
}

/* --- tables -------------------------------------------------------------------------- */

/* Only what is hexadecimal throughout: other producers have names of their own there. */
static uint32_t parse_build_id(const char *text, uint8_t bytes[WIRE_MAX_BUILD_ID])
{
    size_t length = strnlen(text, 2 * WIRE_MAX_BUILD_ID + 1);
    char byte[3] = "";

    if (length > 2 * WIRE_MAX_BUILD_ID || length % 2 != 0 ||
        strspn(text, "0123456789abcdefABCDEF") != length)
        return 0;
    for (size_t i = 0; i < length / 2; i++) {
        memcpy(byte, text + 2 * i, 2);
        bytes[i] = (uint8_t)strtoul(byte, NULL, 16);
    }
    return (uint32_t)(length / 2);
}

/* What our own comment says of an object; without one, what its name and build-id say. */
static int describe_object(struct reader *reader, uint64_t mapping, struct profile_object *object)
{
    const struct entry *note = entries_find(&reader->notes, mapping);

    if (note == NULL) {
        const char *path = reader->profile->strings[object->path];
        if (strcmp(path, "[vdso]") == 0)
            object->kind = PROFILE_OBJECT_VDSO;
        else if (path[0] == '\0' && object->build_id_size == 0)
            object->kind = PROFILE_OBJECT_UNKNOWN;
        return 0;
    }
    const char *text = text_at(reader, note->index);
    uint64_t kind = pprof_number(text, "kind");
    if (kind >= PROFILE_OBJECT_FILE && kind <= PROFILE_OBJECT_UNKNOWN)
        object->kind = (enum profile_object_kind)kind;
    object->device = pprof_number(text, "device");
    object->inode = pprof_number(text, "inode");
    object->pid = (uint32_t)pprof_number(text, "pid");
    object->deleted = pprof_number(text, "deleted") != 0;
    if (object->kind != PROFILE_OBJECT_ANON)
        return 0;
    return find_process(reader, object->pid, (uint32_t)pprof_number(text, "generation"), 0,
                        &object->process);
}

static int add_object(const struct reader *reader, struct profile_object *object, uint32_t *index)
{
    int error = 0;

    if (reader->profile->strings[object->path][0] == '\0')
        error = profile_string(reader->profile, "[unknown]", &object->path);
    return error == 0 ? profile_object(reader->profile, object, index) : error;
}

static int read_mapping(struct reader *reader, const PbMapping *mapping)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE,
                                    .start = mapping->memory_start,
                                    .end = mapping->memory_limit,
                                    .offset = mapping->file_offset,
                                    .fd = -1};
    const char *build_id = text_at(reader, mapping->build_id);
    struct entry *entry = &reader->mappings.sorted[reader->mappings.count++];
    int error = take_string(reader, mapping->filename, &object.path);

    if (build_id == NULL)
        error = -EBADMSG;
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

static int read_mappings(struct reader *reader)
{
    const PbProfile *message = reader->message;
    int error = entries_make(&reader->mappings, message->n_mapping);

    for (size_t i = 0; error == 0 && i < message->n_mapping; i++)
        error = read_mapping(reader, message->mapping[i]);
    return error == 0 ? entries_sort(&reader->mappings) : error;
}

static int add_function(const struct reader *reader, struct entry *entry)
{
    const PbFunction *function = reader->message->function[entry->index];
    struct profile_function made = {
        .object = entry->object == IN_MANY_OBJECTS ? 0 : entry->object,
        .line = function->start_line > 0 ? (uint32_t)function->start_line : 0};
    int error = take_string(reader, function->name, &made.name);

    if (error == 0)
        error = take_string(reader, function->system_name, &made.system_name);
    if (error == 0)
        error = take_string(reader, function->filename, &made.file);
    return error == 0 ? profile_function(reader->profile, &made, &entry->index) : error;
}

static int need_unknown(const struct reader *reader, uint32_t *index)
{
    struct profile_object unknown = {.kind = PROFILE_OBJECT_UNKNOWN, .fd = -1};
    return add_object(reader, &unknown, index);
}

/* The file does not say which object a function is in, but the locations that it has do. */
static int place_function(const struct reader *reader, const PbLocation *location)
{
    const struct entry *mapping = entries_find(&reader->mappings, location->mapping_id);
    uint32_t object = mapping != NULL ? mapping->index : 0;
    int error = mapping == NULL && location->n_line > 0 ? need_unknown(reader, &object) : 0;

    for (size_t i = 0; error == 0 && i < location->n_line; i++) {
        struct entry *function = entries_find(&reader->functions, location->line[i]->function_id);
        if (function != NULL && function->object == 0)
            function->object = object + 1;
        else if (function != NULL && function->object != object + 1)
            function->object = IN_MANY_OBJECTS;
    }
    return error;
}

static int read_functions(struct reader *reader)
{
    const PbProfile *message = reader->message;
    struct entries *functions = &reader->functions;
    int error = entries_make(functions, message->n_function);

    if (error != 0)
        return error;
    for (; functions->count < message->n_function; functions->count++)
        functions->sorted[functions->count] = (struct entry){
            .id = message->function[functions->count]->id, .index = (uint32_t)functions->count};
    error = entries_sort(functions);
    for (size_t i = 0; error == 0 && i < message->n_location; i++)
        error = place_function(reader, message->location[i]);
    for (size_t i = 0; error == 0 && i < functions->count; i++)
        error = add_function(reader, &functions->sorted[i]);
    return error;
}

static int read_lines(const struct reader *reader, const PbLocation *location, uint32_t index,
                      uint32_t looked)
{
    size_t count = location->n_line;
    struct profile_line *lines = calloc(count + 1, sizeof *lines);
    int error = lines == NULL ? -ENOMEM : 0;

    for (size_t i = 0; error == 0 && i < count; i++) {
        const PbLine *line = location->line[i];
        const struct entry *function = entries_find(&reader->functions, line->function_id);
        if (function == NULL && line->function_id != 0)
            error = -EBADMSG;
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
    if (error == 0)
        error = profile_set_lines(reader->profile, index, lines, (uint32_t)count, looked);
    free(lines);
    return error;
}

static int read_location(struct reader *reader, const PbLocation *location)
{
    struct entry *entry = &reader->locations.sorted[reader->locations.count++];
    const struct entry *mapping = entries_find(&reader->mappings, location->mapping_id);
    struct profile *profile = reader->profile;
    uint64_t address = location->address;
    uint32_t object, before = profile->location_count, looked = PROFILE_LOOKED_NAME;
    int error = 0;

    if (mapping != NULL) {
        object = mapping->index;
        address += mapping->shift;
    } else {
        error = location->mapping_id != 0 ? -EBADMSG : need_unknown(reader, &object);
    }
    if (error != 0)
        return error;
    entry->id = location->id;
    error = profile_location(profile, object, address, &entry->index);
    while (error == 0 && location->n_line > 0 && profile->location_count == before) {
        error = profile_location(profile, object, reader->made_up++, &entry->index);
        looked |= PROFILE_LOOKED_LINE; /* there is nothing to look at */
    }
    if (error == 0 && location->n_line > 0)
        error = read_lines(reader, location, entry->index, looked);
    return error;
}

static int read_locations(struct reader *reader)
{
    const PbProfile *message = reader->message;
    int error = entries_make(&reader->locations, message->n_location);

    for (size_t i = 0; error == 0 && i < message->n_location; i++)
        error = read_location(reader, message->location[i]);
    return error == 0 ? entries_sort(&reader->locations) : error;
}

/* --- samples ------------------------------------------------------------------------- */

static uint64_t value_of(const PbSample *sample, int which)
{
    return which < 0 || sample->value[which] < 0 ? 0 : (uint64_t)sample->value[which];
}

/* Sums that no total could hold are no profile. */
static int read_values(const struct reader *reader, const PbSample *sample,
                       struct profile_sample *made)
{
    const struct profile_totals *totals = &reader->profile->totals;
    const struct pprof_values *values = &reader->values;

    if (sample->n_value != reader->message->n_sample_type)
        return -EBADMSG;
    made->wall_ns = value_of(sample, values->wall);
    made->count = values->count >= 0 ? value_of(sample, values->count) : 1;
    if (__builtin_mul_overflow(value_of(sample, values->time), values->unit, &made->cpu_ns) ||
        made->cpu_ns > INT64_MAX - totals->cpu_ns || made->count > INT64_MAX - totals->samples ||
        made->wall_ns > INT64_MAX - totals->wall_ns)
        return -EBADMSG;
    return 0;
}

struct labels {
    uint32_t pid, tid, generation, comm, process;
    const char *syscall; /* NULL: none */
    bool compat, sleeping;
};

static int read_label(const struct reader *reader, const PbLabel *label, struct labels *labels)
{
    const char *key = text_at(reader, label->key), *text = text_at(reader, label->str);

    if (key == NULL || text == NULL)
        return -EBADMSG;
    if (strcmp(key, "pid") == 0)
        labels->pid = (uint32_t)label->num;
    else if (strcmp(key, "tid") == 0)
        labels->tid = (uint32_t)label->num;
    else if (strcmp(key, "generation") == 0)
        labels->generation = (uint32_t)label->num;
    else if (strcmp(key, "comm") == 0)
        return take_string(reader, label->str, &labels->comm);
    else if (strcmp(key, "process") == 0)
        return take_string(reader, label->str, &labels->process);
    else if (strcmp(key, "syscall") == 0)
        labels->syscall = strnlen(text, LONGEST_NAME) < LONGEST_NAME ? text : "[unknown]";
    else if (strcmp(key, "abi") == 0)
        labels->compat = strcmp(text, "compat") == 0;
    else if (strcmp(key, "state") == 0)
        labels->sleeping = strcmp(text, "sleeping") == 0;
    return 0;
}

static int find_thread(struct reader *reader, const struct labels *labels, uint32_t *index)
{
    struct profile_thread thread = {.tid = labels->tid, .comm = labels->comm};
    struct memory *known;
    int error =
        find_process(reader, labels->pid, labels->generation,
                     labels->process != 0 ? labels->process : labels->comm, &thread.process);

    if (error == 0)
        error = memo_recall(&reader->memo, MEMO_THREAD, thread.process, thread.tid, &known);
    if (error != 0)
        return error;
    if (!known->used) {
        error = profile_add_thread(reader->profile, &thread, index);
        if (error != 0)
            return error;
        memo_remember(&reader->memo, known, *index);
    }
    *index = known->index;
    return 0;
}

/* Root first, as nodes are made. A sample without a stack was somewhere, too. */
static int read_stack(const struct reader *reader, const PbSample *sample, uint32_t *node)
{
    uint32_t object, location;

    *node = PROFILE_NONE;
    if (sample->n_location_id == 0) {
        int error = need_unknown(reader, &object);
        if (error == 0)
            error = profile_location(reader->profile, object, 0, &location);
        return error == 0 ? profile_node(reader->profile, *node, location, node) : error;
    }
    for (size_t i = sample->n_location_id; i > 0; i--) {
        const struct entry *entry = entries_find(&reader->locations, sample->location_id[i - 1]);
        if (entry == NULL)
            return -EBADMSG;
        int error = profile_node(reader->profile, *node, entry->index, node);
        if (error != 0)
            return error;
    }
    return 0;
}

static int read_sample(struct reader *reader, const PbSample *sample)
{
    struct profile_sample made = {0};
    struct labels labels = {0};
    int error = read_values(reader, sample, &made);

    for (size_t i = 0; error == 0 && i < sample->n_label; i++)
        error = read_label(reader, sample->label[i], &labels);
    if (error == 0)
        error = find_thread(reader, &labels, &made.thread);
    if (error == 0)
        error = read_stack(reader, sample, &made.node);
    if (error == 0 && labels.syscall != NULL)
        error = profile_syscall(reader->profile, labels.syscall, -1, labels.compat, &made.syscall);
    if (error != 0 || (made.count | made.cpu_ns | made.wall_ns) == 0)
        return error; /* nothing: other producers keep what was freed, in heap profiles */
    made.sleeping = labels.sleeping;
    return profile_count(reader->profile, &made);
}

/* --- the whole ----------------------------------------------------------------------- */

static int read_message(struct reader *reader)
{
    const PbProfile *message = reader->message;

    if (message->n_string_table == 0 || message->string_table[0][0] != '\0' ||
        message->n_sample_type == 0)
        return -EBADMSG;
    reader->strings = calloc(message->n_string_table, sizeof *reader->strings);
    if (reader->strings == NULL)
        return -ENOMEM;
    read_run(reader);
    pprof_choose_values(message, &reader->values);
    int error = read_comments(reader);
    if (error == 0)
        error = read_mappings(reader);
    if (error == 0)
        error = read_functions(reader);
    if (error == 0)
        error = read_locations(reader);
    for (size_t i = 0; error == 0 && i < message->n_sample; i++)
        error = read_sample(reader, message->sample[i]);
    if (error == 0 && reader->values.wall >= 0)
        reader->profile->totals.wall = true;
    return error;
}

int pprof_read(const char *path, struct profile *profile)
{
    struct reader reader = {.profile = profile, .made_up = 1};
    PbProfile *message = NULL;
    int error = pprof_load(path, &message);

    reader.message = message;
    if (error == 0)
        error = read_message(&reader);
    free(reader.strings);
    free(reader.mappings.sorted);
    free(reader.functions.sorted);
    free(reader.locations.sorted);
    free(reader.notes.sorted);
    free(reader.memo.slots);
    pprof_unload(message);
    return error;
}
