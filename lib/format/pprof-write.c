/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A profile as profile.proto. The message tree is built in one arena and packed by
 * protobuf-c; ids are table indexes plus one.
 *
 * Addresses: readers subtract a mapping's start and add its file offset to find the place in
 * the file, so each object gets one mapping, where it was first mapped, widened until it holds
 * all its locations.
 *
 * Memory may run out anywhere while the tree is built: the arena then gives out a place of no
 * use, and the tree is thrown away at the end instead of being checked at every step.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/pprof-tables.h"
#include "format/pprof.h"

#define ARENA_BLOCK (1u << 20)

struct block {
    struct block *next;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

/* Where an object is said to be mapped: its first mapping and all its locations. */
struct span {
    uint64_t start, limit;
};

/* An array that grows by doubling. */
struct list {
    size_t count, room;
};

struct writer {
    const struct profile *profile;
    struct block *blocks;
    bool out_of_memory;
    PbProfile message;
    struct list strings, comments, functions; /* of the message's arrays */
    struct memo elsewhere; /* ids of functions with code from another file, by both */
    int64_t *string_ids;           /* of the profile's strings; 0: not written yet */
    struct span *spans;            /* by object */
    PbMapping *mappings;           /* by object */
    _Alignas(16) unsigned char nowhere[256];
};

/* Zeroed memory that lives as long as the writer; NULL only for what is larger than nowhere. */
static void *take(struct writer *writer, size_t size)
{
    struct block *block = writer->blocks;

    size = (size + 15) / 16 * 16;
    if (block == NULL || block->size - block->used < size) {
        size_t room = size > ARENA_BLOCK ? size : ARENA_BLOCK;
        block = malloc(sizeof *block + room);
        if (block == NULL) {
            writer->out_of_memory = true;
            return size <= sizeof writer->nowhere ? writer->nowhere : NULL;
        }
        *block = (struct block){.next = writer->blocks, .size = room};
        writer->blocks = block;
    }
    void *bytes = block->bytes + block->used;
    block->used += size;
    memset(bytes, 0, size);
    return bytes;
}

/* A table of count entries and the array of pointers to them that protobuf-c wants. */
static void *take_table(struct writer *writer, size_t count, size_t entry, void *pointers)
{
    char *table = take(writer, count * entry + 1);
    void **array = take(writer, (count + 1) * sizeof *array);

    if (table == NULL || array == NULL || writer->out_of_memory)
        return NULL;
    for (size_t i = 0; i < count; i++)
        array[i] = table + i * entry;
    *(void ***)pointers = array;
    return table;
}

/* Room for one more element of an array that is not in the arena. */
static bool grow(struct writer *writer, void *array, struct list *list, size_t element)
{
    void **pointer = array;

    if (list->count < list->room)
        return true;
    size_t room = list->room == 0 ? 256 : list->room * 2;
    void *larger = realloc(*pointer, room * element);
    if (larger == NULL) {
        writer->out_of_memory = true;
        return false;
    }
    *pointer = larger;
    list->room = room;
    return true;
}

/* --- strings ------------------------------------------------------------------------- */

static int64_t add_string(struct writer *writer, const char *text)
{
    PbProfile *message = &writer->message;

    if (!grow(writer, &message->string_table, &writer->strings, sizeof *message->string_table))
        return 0;
    char *copy = take(writer, pprof_clean(text, NULL) + 1);
    if (writer->out_of_memory)
        return 0;
    pprof_clean(text, copy);
    message->string_table[writer->strings.count] = copy;
    return (int64_t)writer->strings.count++;
}

static int64_t put_string(struct writer *writer, uint32_t index)
{
    if (index == 0)
        return 0;
    if (writer->string_ids[index] == 0)
        writer->string_ids[index] = add_string(writer, writer->profile->strings[index]);
    return writer->string_ids[index];
}

/* Takes the text over, as pprof_say_... made it. */
static void add_comment(struct writer *writer, char *text)
{
    PbProfile *message = &writer->message;

    if (text == NULL)
        writer->out_of_memory = true;
    else if (grow(writer, &message->comment, &writer->comments, sizeof *message->comment))
        message->comment[writer->comments.count++] = add_string(writer, text);
    free(text);
}

/* --- tables -------------------------------------------------------------------------- */

/* What is added to an address of the object to get one that lies in its mapping. Addresses
 * are numbers modulo 2^64 here, as for all who read them. */
static uint64_t shift_of(const struct profile_object *object)
{
    return pprof_relative(object->kind) ? object->start - object->offset : 0;
}

static void measure_spans(struct writer *writer)
{
    const struct profile *profile = writer->profile;

    for (uint32_t i = 0; i < profile->object_count; i++) {
        writer->spans[i].start = profile->objects[i].start;
        writer->spans[i].limit = profile->objects[i].end;
    }
    for (uint32_t i = 1; i < profile->location_count; i++) {
        const struct profile_location *location = &profile->locations[i];
        struct span *span = &writer->spans[location->object];
        uint64_t address = location->address + shift_of(&profile->objects[location->object]);
        if (span->limit <= span->start) /* never mapped: its locations are all there is */
            *span = (struct span){.start = address & ~UINT64_C(0xfff), .limit = address};
        if (address < span->start)
            span->start = address & ~UINT64_C(0xfff);
        if (address >= span->limit)
            span->limit = address > UINT64_MAX - 0x1000 ? UINT64_MAX : (address | 0xfff) + 1;
    }
}

static void put_mapping(struct writer *writer, uint32_t index, PbMapping *mapping)
{
    const struct profile_object *object = &writer->profile->objects[index];
    const struct span *span = &writer->spans[index];
    char build_id[2 * WIRE_MAX_BUILD_ID + 1] = "";

    *mapping = (PbMapping)PERFTOOLS__PROFILES__MAPPING__INIT;
    mapping->id = index + 1u;
    mapping->memory_start = span->start;
    mapping->memory_limit = span->limit;
    if (pprof_relative(object->kind))
        mapping->file_offset = span->start - shift_of(object);
    mapping->filename = put_string(writer, object->path);
    for (uint32_t i = 0; i < object->build_id_size; i++)
        sprintf(build_id + 2 * (size_t)i, "%02x", object->build_id[i]);
    if (build_id[0] != '\0')
        mapping->build_id = add_string(writer, build_id);
    add_comment(writer, pprof_say_object(writer->profile, index, mapping->id));
}

/* The program itself, as far as its name tells: readers take the first mapping for it. */
static uint32_t find_program(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->object_count; i++) {
        const char *path = profile->strings[profile->objects[i].path];
        const char *slash = strrchr(path, '/');
        if (profile->objects[i].kind == PROFILE_OBJECT_FILE && slash != NULL &&
            strstr(slash, ".so") == NULL)
            return i;
    }
    return 0;
}

static void put_mappings(struct writer *writer)
{
    PbProfile *message = &writer->message;
    uint32_t count = writer->profile->object_count, program = find_program(writer->profile);

    writer->mappings = take_table(writer, count, sizeof *writer->mappings, &message->mapping);
    if (writer->mappings == NULL)
        return;
    for (uint32_t i = 0; i < count; i++)
        put_mapping(writer, i, &writer->mappings[i]);
    for (uint32_t i = program; i > 0; i--)
        message->mapping[i] = &writer->mappings[i - 1];
    message->mapping[0] = &writer->mappings[program];
    message->n_mapping = count;
}

/* Its id, which is 0 where there is no memory. */
static uint64_t put_function(struct writer *writer, const struct profile_function *from)
{
    PbProfile *message = &writer->message;
    PbFunction *function = take(writer, sizeof *function);

    if (!grow(writer, &message->function, &writer->functions, sizeof *message->function))
        return 0;
    *function = (PbFunction)PERFTOOLS__PROFILES__FUNCTION__INIT;
    function->id = writer->functions.count + 1;
    function->name = put_string(writer, from->name);
    function->system_name = put_string(writer, from->system_name);
    function->filename = put_string(writer, from->file);
    function->start_line = from->line;
    message->function[writer->functions.count++] = function;
    return function->id;
}

static void put_functions(struct writer *writer)
{
    const struct profile *profile = writer->profile;

    for (uint32_t i = 1; i < profile->function_count && !writer->out_of_memory; i++)
        put_function(writer, &profile->functions[i]);
}

/* A line has no file of its own but its function's: of code that a function has from another
 * file, as by including it in the middle, it is another function of that name. */
static uint64_t function_of(struct writer *writer, const struct profile_line *line)
{
    struct profile_function function = writer->profile->functions[line->function];
    struct memory *known;

    if (line->function == PROFILE_NONE || line->file == 0 || line->file == function.file)
        return line->function;
    if (memo_recall(&writer->elsewhere, 0, line->function, line->file, &known) != 0) {
        writer->out_of_memory = true;
        return 0;
    }
    if (!known->used) {
        function.file = line->file;
        function.line = 0;
        memo_remember(&writer->elsewhere, known, (uint32_t)put_function(writer, &function));
    }
    return known->index;
}

static void put_lines(struct writer *writer, const struct profile_location *from, PbLocation *to)
{
    PbMapping *mapping = &writer->mappings[from->object];
    PbLine *lines = take_table(writer, from->line_count, sizeof *lines, &to->line);

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

static void put_locations(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    uint32_t count = profile->location_count - 1;
    PbLocation *locations = take_table(writer, count, sizeof *locations, &writer->message.location);

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

/* --- samples ------------------------------------------------------------------------- */

struct label_keys {
    int64_t pid, tid, generation, comm, process, syscall, abi, compat, state, sleeping;
};
#define LABELS_MAX 8

static void label(struct writer *writer, PbSample *sample, int64_t key, int64_t text,
                  int64_t number)
{
    PbLabel *added = take(writer, sizeof *added);

    *added = (PbLabel)PERFTOOLS__PROFILES__LABEL__INIT;
    added->key = key;
    added->str = text;
    added->num = number;
    sample->label[sample->n_label++] = added;
}

static void put_labels(struct writer *writer, const struct profile_sample *from,
                       const struct label_keys *keys, PbSample *to)
{
    const struct profile *profile = writer->profile;
    const struct profile_thread *thread = &profile->threads[from->thread];
    const struct profile_process *process = &profile->processes[thread->process];
    const struct profile_syscall *call = &profile->syscalls[from->syscall];

    to->label = take(writer, LABELS_MAX * sizeof *to->label);
    label(writer, to, keys->pid, 0, process->pid);
    label(writer, to, keys->tid, 0, thread->tid);
    if (process->generation > 0)
        label(writer, to, keys->generation, 0, process->generation);
    if (thread->comm != 0)
        label(writer, to, keys->comm, put_string(writer, thread->comm), 0);
    if (process->comm != 0 && process->comm != thread->comm)
        label(writer, to, keys->process, put_string(writer, process->comm), 0);
    if (from->syscall != PROFILE_NONE)
        label(writer, to, keys->syscall, put_string(writer, call->name), 0);
    if (from->syscall != PROFILE_NONE && call->compat)
        label(writer, to, keys->abi, keys->compat, 0);
    if (from->sleeping)
        label(writer, to, keys->state, keys->sleeping, 0);
}

static void put_stack(struct writer *writer, uint32_t leaf, PbSample *to)
{
    const struct profile_node *nodes = writer->profile->nodes;
    size_t depth = 0;

    for (uint32_t node = leaf; node != PROFILE_NONE; node = nodes[node].parent)
        depth++;
    uint64_t *ids = take(writer, depth * sizeof *ids + 1);
    if (writer->out_of_memory)
        return;
    to->location_id = ids;
    for (uint32_t node = leaf; node != PROFILE_NONE; node = nodes[node].parent)
        ids[to->n_location_id++] = nodes[node].location;
}

static void put_values(struct writer *writer, const struct profile_sample *from, PbSample *to)
{
    to->value = take(writer, 3 * sizeof *to->value);
    to->n_value = writer->message.n_sample_type;
    to->value[0] = (int64_t)from->count;
    to->value[1] = (int64_t)from->cpu_ns;
    to->value[2] = (int64_t)from->wall_ns; /* past n_value where there is no wall time */
}

/* Wall mode may have been on for a while: a file without that time has no sleepers either. */
static bool in_mode(const struct profile *profile, const struct profile_sample *sample)
{
    return profile->totals.wall || !sample->sleeping;
}

static void put_samples(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    uint32_t count = profile->sample_count;
    PbSample *samples = take_table(writer, count, sizeof *samples, &writer->message.sample);
    const struct label_keys keys = {
        .pid = add_string(writer, "pid"),
        .tid = add_string(writer, "tid"),
        .generation = add_string(writer, "generation"),
        .comm = add_string(writer, "comm"),
        .process = add_string(writer, "process"),
        .syscall = add_string(writer, "syscall"),
        .abi = add_string(writer, "abi"),
        .compat = add_string(writer, "compat"),
        .state = add_string(writer, "state"),
        .sleeping = add_string(writer, "sleeping"),
    };

    if (samples == NULL)
        return;
    for (uint32_t i = 0; i < count && !writer->out_of_memory; i++) {
        PbSample *sample = &samples[writer->message.n_sample];
        if (!in_mode(profile, &profile->samples[i]))
            continue;
        *sample = (PbSample)PERFTOOLS__PROFILES__SAMPLE__INIT;
        put_stack(writer, profile->samples[i].node, sample);
        put_labels(writer, &profile->samples[i], &keys, sample);
        put_values(writer, &profile->samples[i], sample);
        writer->message.n_sample++;
    }
}

/* --- the whole ----------------------------------------------------------------------- */

static PbValueType *value_type(struct writer *writer, const char *type, const char *unit)
{
    PbValueType *value = take(writer, sizeof *value);

    *value = (PbValueType)PERFTOOLS__PROFILES__VALUE_TYPE__INIT;
    value->type = add_string(writer, type);
    value->unit = add_string(writer, unit);
    return value;
}

static void put_types(struct writer *writer)
{
    const struct profile_totals *totals = &writer->profile->totals;
    PbProfile *message = &writer->message;
    PbValueType *last = value_type(writer, "cpu", "nanoseconds");
    PbValueType **types = take(writer, 3 * sizeof *types);

    types[message->n_sample_type++] = value_type(writer, "samples", "count");
    types[message->n_sample_type++] = last;
    if (totals->wall)
        types[message->n_sample_type++] = last = value_type(writer, "wall", "nanoseconds");
    message->sample_type = types;
    message->default_sample_type = last->type;
    message->period_type = value_type(writer, "cpu", "nanoseconds");
    if (totals->asked_hz > 1e-9 && totals->asked_hz <= 1e9)
        message->period = (int64_t)(1e9 / totals->asked_hz);
    message->time_nanos = (int64_t)totals->start_time;
    message->duration_nanos = (int64_t)totals->elapsed_ns;
}

static void put_comments(struct writer *writer)
{
    const struct profile *profile = writer->profile;

    add_comment(writer, pprof_say_totals(profile));
    if (profile->command != NULL)
        add_comment(writer, pprof_say_command(profile));
    for (uint32_t i = 0; i < profile->process_count; i++)
        add_comment(writer, pprof_say_process(profile, i));
    for (uint32_t slot = 0; slot < profile->timeline.count && !writer->out_of_memory;)
        add_comment(writer, pprof_say_timeline(profile, &slot));
}

static void build(struct writer *writer)
{
    add_string(writer, "");
    measure_spans(writer);
    put_types(writer);
    put_comments(writer);
    put_mappings(writer);
    put_functions(writer);
    if (!writer->out_of_memory)
        put_locations(writer);
    if (!writer->out_of_memory)
        put_samples(writer);
    writer->message.n_function = writer->functions.count;
    writer->message.n_string_table = writer->strings.count;
    writer->message.n_comment = writer->comments.count;
}

int pprof_write(int fd, const struct profile *profile)
{
    struct writer writer = {.profile = profile, .message = PERFTOOLS__PROFILES__PROFILE__INIT};
    int error = -ENOMEM;

    writer.string_ids = calloc(profile->string_count + 1u, sizeof *writer.string_ids);
    writer.spans = calloc(profile->object_count + 1u, sizeof *writer.spans);
    if (writer.string_ids != NULL && writer.spans != NULL) {
        build(&writer);
        if (!writer.out_of_memory)
            error = pprof_store(fd, &writer.message);
    }
    for (struct block *block = writer.blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    free(writer.message.string_table);
    free(writer.message.comment);
    free(writer.message.function);
    free(writer.elsewhere.slots);
    free(writer.string_ids);
    free(writer.spans);
    return error;
}
