/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile.proto as a profile: our own files with everything they keep, and those of others
 * with what they have.
 *
 * Nothing in the file is trusted: every index and id is looked up, sizes are bounded before
 * anything is allocated for them. Ids are any 64-bit numbers, so they are sorted and searched.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "format/pprof.h"

struct id_index {
    uint64_t id;
    uint32_t index; /* in the profile */
};

struct ids {
    struct id_index *entries; /* sorted by id when complete */
    size_t count;
};

struct reader {
    const PbProfile *message;
    struct profile *profile;
    struct ids mappings, functions, locations;
    uint32_t unknown; /* object of locations without a mapping, or UINT32_MAX */
    int count_value, cpu_value, wall_value; /* which sample values these are; -1: none */
};

/* --- the file ------------------------------------------------------------------------ */

static int unpack_file(const char *path, PbProfile **message)
{
    gzFile file = gzopen(path, "rbe");
    size_t size = 0, room = 1u << 16;
    uint8_t *bytes = malloc(room);
    int error = 0;

    if (file == NULL)
        error = errno != 0 ? -errno : -ENOMEM;
    while (error == 0 && bytes != NULL) {
        int got = gzread(file, bytes + size, (unsigned)(room - size));
        if (got < 0)
            error = -EBADMSG;
        if (got <= 0)
            break;
        size += (size_t)got;
        if (size == room) {
            room *= 2;
            uint8_t *larger = room <= PPROF_LARGEST ? realloc(bytes, room) : NULL;
            if (larger == NULL)
                error = room > PPROF_LARGEST ? -EBADMSG : -ENOMEM;
            else
                bytes = larger;
        }
    }
    if (file != NULL && gzclose_r(file) != Z_OK && error == 0)
        error = -EBADMSG; /* it ends within its gzip stream */
    if (bytes == NULL)
        error = -ENOMEM;
    if (error == 0) {
        *message = perftools__profiles__profile__unpack(NULL, size, bytes);
        error = *message == NULL ? -EBADMSG : 0;
    }
    free(bytes);
    return error;
}

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
    return text == NULL ? -EBADMSG : profile_string(reader->profile, text, string);
}

static int compare_ids(const void *left, const void *right)
{
    const struct id_index *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static int ids_begin(struct ids *ids, size_t count)
{
    ids->entries = calloc(count + 1, sizeof *ids->entries);
    return ids->entries == NULL ? -ENOMEM : 0;
}

/* Sorted, and without 0 or the same id twice. */
static int ids_complete(struct ids *ids)
{
    qsort(ids->entries, ids->count, sizeof *ids->entries, compare_ids);
    for (size_t i = 0; i < ids->count; i++)
        if (ids->entries[i].id == (i == 0 ? 0 : ids->entries[i - 1].id))
            return -EBADMSG;
    return 0;
}

static bool ids_find(const struct ids *ids, uint64_t id, uint32_t *index)
{
    const struct id_index key = {.id = id};
    const struct id_index *found =
        bsearch(&key, ids->entries, ids->count, sizeof key, compare_ids);

    if (found == NULL)
        return false;
    *index = found->index;
    return true;
}

/* The number behind " name=" in a comment; 0 where it is not there. */
static uint64_t number_in(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = text; (at = strstr(at, name)) != NULL; at += length)
        if (at > text && at[-1] == ' ' && at[length] == '=')
            return strtoull(at + length + 1, NULL, 10);
    return 0;
}

static const char *after(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/* --- comments ------------------------------------------------------------------------ */

static int read_process(const struct reader *reader, const char *text)
{
    struct profile_process process = {
        .pid = (uint32_t)number_in(text, "pid"),
        .ppid = (uint32_t)number_in(text, "ppid"),
        .generation = (uint32_t)number_in(text, "generation"),
        .start = number_in(text, "start"),
        .end = number_in(text, "end"),
        .cpu_ns = number_in(text, "cpu_ns"),
    };
    const char *status = strstr(text, " status="), *comm = strstr(text, " comm=");
    uint32_t index;

    process.status = status != NULL ? (int32_t)strtol(status + 8, NULL, 10) : -1;
    int error = comm != NULL ? profile_string(reader->profile, comm + 6, &process.comm) : 0;
    return error == 0 ? profile_add_process(reader->profile, &process, &index) : error;
}

static void read_totals(const struct reader *reader, const char *text)
{
    struct profile_totals *totals = &reader->profile->totals;
    const char *hz = strstr(text, " asked_hz=");

    for (const struct pprof_total *total = pprof_totals; total->name != NULL; total++) {
        uint64_t value = number_in(text, total->name);
        memcpy((char *)totals + total->offset, &value, sizeof value);
    }
    if (hz != NULL)
        totals->asked_hz = strtod(hz + 10, NULL);
    totals->threads_seen = (uint32_t)number_in(text, "threads_seen");
    totals->processes_seen = (uint32_t)number_in(text, "processes_seen");
}

/* The whole run, before the tables; " object" comments are read with the mappings. */
static int read_comments(const struct reader *reader)
{
    const PbProfile *message = reader->message;
    int error = 0;

    reader->profile->totals.elapsed_ns = (uint64_t)message->duration_nanos;
    reader->profile->totals.start_time = (uint64_t)message->time_nanos;
    if (message->period > 0)
        reader->profile->totals.asked_hz = 1e9 / (double)message->period;
    for (size_t i = 0; error == 0 && i < message->n_comment; i++) {
        const char *text = text_at(reader, message->comment[i]), *rest;
        if (text == NULL || (text = after(text, PPROF_COMMENT)) == NULL)
            continue;
        if (after(text, "totals ") != NULL)
            read_totals(reader, text);
        else if (after(text, "process ") != NULL)
            error = read_process(reader, text);
        else if ((rest = after(text, "command ")) != NULL && reader->profile->command == NULL)
            reader->profile->command = strdup(rest);
    }
    return error;
}

static int find_process(const struct reader *reader, uint32_t pid, uint32_t generation,
                        uint32_t *index)
{
    const struct profile *profile = reader->profile;

    for (uint32_t i = profile->process_count; i > 0; i--)
        if (profile->processes[i - 1].pid == pid &&
            profile->processes[i - 1].generation == generation) {
            *index = i - 1;
            return 0;
        }
    struct profile_process process = {.pid = pid, .generation = generation, .status = -1};
    int error = profile_string(reader->profile, "[unknown]", &process.comm);
    return error == 0 ? profile_add_process(reader->profile, &process, index) : error;
}

/* --- tables -------------------------------------------------------------------------- */

static uint32_t parse_hex(const char *text, uint8_t bytes[WIRE_MAX_BUILD_ID])
{
    uint32_t count = 0;
    unsigned byte;

    while (count < WIRE_MAX_BUILD_ID && sscanf(text + 2 * count, "%2x", &byte) == 1 &&
           text[2 * count + 1] != '\0') {
        bytes[count++] = (uint8_t)byte;
        if (text[2 * count] == '\0')
            break;
    }
    return count;
}

static const char *object_comment(const struct reader *reader, uint64_t id)
{
    const PbProfile *message = reader->message;

    /* ours come in the order of the mappings: look where it should be first */
    for (size_t i = 0; i < message->n_comment; i++) {
        const char *text = text_at(reader, message->comment[i]);
        if (text != NULL && (text = after(text, PPROF_COMMENT "object ")) != NULL &&
            number_in(text - 1, "mapping") == id)
            return text - 1;
    }
    return NULL;
}

static int read_mapping(struct reader *reader, const PbMapping *mapping)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE,
                                    .start = mapping->memory_start,
                                    .end = mapping->memory_limit,
                                    .offset = mapping->file_offset,
                                    .fd = -1};
    const char *build_id = text_at(reader, mapping->build_id);
    const char *note = object_comment(reader, mapping->id);
    struct id_index *entry = &reader->mappings.entries[reader->mappings.count];
    int error = take_string(reader, mapping->filename, &object.path);

    if (error != 0 || build_id == NULL)
        return -EBADMSG;
    object.build_id_size = parse_hex(build_id, object.build_id);
    if (note != NULL) {
        uint64_t kind = number_in(note, "kind");
        if (kind >= PROFILE_OBJECT_FILE && kind <= PROFILE_OBJECT_UNKNOWN)
            object.kind = (enum profile_object_kind)kind;
        object.device = number_in(note, "device");
        object.inode = number_in(note, "inode");
        object.pid = (uint32_t)number_in(note, "pid");
        object.deleted = number_in(note, "deleted") != 0;
        if (object.kind == PROFILE_OBJECT_ANON)
            error = find_process(reader, object.pid, (uint32_t)number_in(note, "generation"),
                                 &object.process);
    }
    if (error == 0)
        error = profile_object(reader->profile, &object, &entry->index);
    entry->id = mapping->id;
    reader->mappings.count++;
    return error;
}

static int read_function(struct reader *reader, const PbFunction *function)
{
    struct profile_function made = {
        .line = function->start_line > 0 ? (uint32_t)function->start_line : 0};
    struct id_index *entry = &reader->functions.entries[reader->functions.count];
    int error = take_string(reader, function->name, &made.name);

    if (error == 0)
        error = take_string(reader, function->system_name, &made.system_name);
    if (error == 0)
        error = take_string(reader, function->filename, &made.file);
    if (error == 0)
        error = profile_function(reader->profile, &made, &entry->index);
    entry->id = function->id;
    reader->functions.count++;
    return error;
}

static int need_unknown(struct reader *reader, uint32_t *object)
{
    struct profile_object unknown = {.kind = PROFILE_OBJECT_UNKNOWN, .fd = -1};

    if (reader->unknown == UINT32_MAX) {
        int error = profile_string(reader->profile, "[unknown]", &unknown.path);
        if (error == 0)
            error = profile_object(reader->profile, &unknown, &reader->unknown);
        if (error != 0)
            return error;
    }
    *object = reader->unknown;
    return 0;
}

static int read_lines(const struct reader *reader, const PbLocation *location, uint32_t index)
{
    struct profile_line lines[64];
    uint32_t count = 0;

    for (size_t i = 0; i < location->n_line && count < 64; i++) {
        struct profile_line *line = &lines[count++];
        *line = (struct profile_line){0};
        if (!ids_find(&reader->functions, location->line[i]->function_id, &line->function))
            return -EBADMSG;
        line->file = reader->profile->functions[line->function].file;
        line->line = location->line[i]->line > 0 ? (uint32_t)location->line[i]->line : 0;
    }
    if (count == 0)
        return 0;
    return profile_set_lines(reader->profile, index, lines, count,
                             PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE);
}

static int read_location(struct reader *reader, const PbLocation *location)
{
    struct id_index *entry = &reader->locations.entries[reader->locations.count];
    uint64_t address = location->address;
    uint32_t object;
    int error = 0;

    if (location->mapping_id == 0)
        error = need_unknown(reader, &object);
    else if (!ids_find(&reader->mappings, location->mapping_id, &object))
        error = -EBADMSG;
    if (error != 0)
        return error;
    const struct profile_object *place = &reader->profile->objects[object];
    if (place->kind == PROFILE_OBJECT_FILE || place->kind == PROFILE_OBJECT_VDSO)
        address = address - place->start + place->offset;
    error = profile_location(reader->profile, object, address, &entry->index);
    entry->id = location->id;
    reader->locations.count++;
    return error == 0 ? read_lines(reader, location, entry->index) : error;
}

static int read_tables(struct reader *reader)
{
    const PbProfile *message = reader->message;
    int error = ids_begin(&reader->mappings, message->n_mapping);

    if (error == 0)
        error = ids_begin(&reader->functions, message->n_function);
    if (error == 0)
        error = ids_begin(&reader->locations, message->n_location);
    for (size_t i = 0; error == 0 && i < message->n_mapping; i++)
        error = read_mapping(reader, message->mapping[i]);
    if (error == 0)
        error = ids_complete(&reader->mappings);
    for (size_t i = 0; error == 0 && i < message->n_function; i++)
        error = read_function(reader, message->function[i]);
    if (error == 0)
        error = ids_complete(&reader->functions);
    for (size_t i = 0; error == 0 && i < message->n_location; i++)
        error = read_location(reader, message->location[i]);
    return error == 0 ? ids_complete(&reader->locations) : error;
}

/* --- samples ------------------------------------------------------------------------- */

static int find_value(const struct reader *reader, const char *type, const char *unit)
{
    for (size_t i = 0; i < reader->message->n_sample_type; i++) {
        const PbValueType *value = reader->message->sample_type[i];
        const char *own_type = text_at(reader, value->type);
        const char *own_unit = text_at(reader, value->unit);
        if (own_type != NULL && own_unit != NULL && (type == NULL || strcmp(own_type, type) == 0) &&
            strcmp(own_unit, unit) == 0)
            return (int)i;
    }
    return -1;
}

/* Of somebody else's values: anything in nanoseconds is time, else the last one stands in. */
static void choose_values(struct reader *reader)
{
    reader->count_value = find_value(reader, NULL, "count");
    reader->cpu_value = find_value(reader, "cpu", "nanoseconds");
    reader->wall_value = find_value(reader, "wall", "nanoseconds");
    if (reader->cpu_value < 0)
        reader->cpu_value = find_value(reader, NULL, "nanoseconds");
    if (reader->cpu_value < 0)
        reader->cpu_value = (int)reader->message->n_sample_type - 1;
}

static uint64_t value_of(const PbSample *sample, int which)
{
    return which < 0 || sample->value[which] < 0 ? 0 : (uint64_t)sample->value[which];
}

struct labels {
    uint32_t pid, tid, generation;
    const char *comm, *syscall;
    bool sleeping;
};

static int read_labels(const struct reader *reader, const PbSample *sample, struct labels *labels)
{
    *labels = (struct labels){.comm = "", .syscall = NULL};
    for (size_t i = 0; i < sample->n_label; i++) {
        const PbLabel *label = sample->label[i];
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
            labels->comm = text;
        else if (strcmp(key, "syscall") == 0)
            labels->syscall = text;
        else if (strcmp(key, "state") == 0)
            labels->sleeping = strcmp(text, "sleeping") == 0;
    }
    return 0;
}

/* Samples of a thread come together, mostly: the last one found is tried first. */
static int find_thread(const struct reader *reader, const struct labels *labels, uint32_t *index)
{
    const struct profile *profile = reader->profile;
    struct profile_thread thread = {.tid = labels->tid};
    int error = find_process(reader, labels->pid, labels->generation, &thread.process);

    if (error != 0)
        return error;
    for (uint32_t i = profile->thread_count; i > 0; i--)
        if (profile->threads[i - 1].tid == thread.tid &&
            profile->threads[i - 1].process == thread.process) {
            *index = i - 1;
            return 0;
        }
    error = profile_string(reader->profile, labels->comm, &thread.comm);
    return error == 0 ? profile_add_thread(reader->profile, &thread, index) : error;
}

static int read_stack(const struct reader *reader, const PbSample *sample, uint32_t *node)
{
    int error = 0;

    *node = PROFILE_NONE;
    for (size_t i = sample->n_location_id; error == 0 && i > 0; i--) {
        uint32_t location;
        if (!ids_find(&reader->locations, sample->location_id[i - 1], &location))
            return -EBADMSG;
        error = profile_node(reader->profile, *node, location, node);
    }
    return error;
}

static int read_sample(const struct reader *reader, const PbSample *sample)
{
    struct profile_sample made = {0};
    struct labels labels;

    if (sample->n_value != reader->message->n_sample_type)
        return -EBADMSG;
    int error = read_labels(reader, sample, &labels);
    if (error == 0)
        error = find_thread(reader, &labels, &made.thread);
    if (error == 0)
        error = read_stack(reader, sample, &made.node);
    if (error == 0 && labels.syscall != NULL)
        error = profile_syscall(reader->profile, labels.syscall, -1, 0, &made.syscall);
    if (error != 0)
        return error;
    made.sleeping = labels.sleeping;
    made.cpu_ns = value_of(sample, reader->cpu_value);
    made.wall_ns = value_of(sample, reader->wall_value);
    made.count = reader->count_value >= 0 ? value_of(sample, reader->count_value) : 1;
    return profile_count(reader->profile, &made);
}

int pprof_read(const char *path, struct profile *profile)
{
    struct reader reader = {.profile = profile, .unknown = UINT32_MAX};
    PbProfile *message = NULL;
    int error = unpack_file(path, &message);

    reader.message = message;
    if (error == 0 && (message->n_string_table == 0 || message->string_table[0][0] != '\0' ||
                       message->n_sample_type == 0))
        error = -EBADMSG;
    if (error == 0)
        error = read_comments(&reader);
    if (error == 0)
        error = read_tables(&reader);
    if (error == 0)
        choose_values(&reader);
    for (size_t i = 0; error == 0 && i < message->n_sample; i++)
        error = read_sample(&reader, message->sample[i]);
    if (error == 0 && reader.wall_value >= 0)
        profile->totals.wall = true;
    free(reader.mappings.entries);
    free(reader.functions.entries);
    free(reader.locations.entries);
    if (message != NULL)
        perftools__profiles__profile__free_unpacked(message, NULL);
    return error;
}
