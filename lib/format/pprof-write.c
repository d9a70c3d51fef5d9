/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A profile as profile.proto. The message tree is built in one arena and packed by
 * protobuf-c; ids are table indexes plus one.
 *
 * Addresses: readers subtract a mapping's start and add its file offset to find the place in
 * the file, so each object gets one mapping, where it was first mapped, widened until it holds
 * all its locations.
 */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "format/pprof.h"

#define ARENA_BLOCK (1u << 20)

struct block {
    struct block *next;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

struct writer {
    const struct profile *profile;
    struct block *blocks;
    bool out_of_memory;
    PbProfile message;
    size_t string_room;
    int64_t *string_ids; /* of the profile's strings; 0: not written yet */
    struct object_span {
        uint64_t low, high; /* of its locations and of its first mapping, object addresses */
    } *spans;
    size_t comment_room;
};

static void *take(struct writer *writer, size_t size)
{
    static unsigned char nowhere[256]; /* written to and never read once memory has run out */
    struct block *block = writer->blocks;

    size = (size + 15) / 16 * 16;
    if (block == NULL || block->size - block->used < size) {
        size_t room = size > ARENA_BLOCK ? size : ARENA_BLOCK;
        block = malloc(sizeof *block + room);
        if (block == NULL) {
            writer->out_of_memory = true;
            return size <= sizeof nowhere ? nowhere : NULL;
        }
        *block = (struct block){.next = writer->blocks, .size = room};
        writer->blocks = block;
    }
    void *bytes = block->bytes + block->used;
    block->used += size;
    memset(bytes, 0, size);
    return bytes;
}

/* --- strings ------------------------------------------------------------------------- */

/* The length of the valid UTF-8 sequence at text, 0: none. Surrogates and overlong forms are
 * not valid (RFC 3629). */
static size_t sequence(const unsigned char *text)
{
    if (text[0] < 0x80)
        return 1;
    if (text[0] >= 0xc2 && text[0] <= 0xdf)
        return (text[1] & 0xc0) == 0x80 ? 2 : 0;
    if (text[0] >= 0xe0 && text[0] <= 0xef) {
        unsigned char low = text[0] == 0xe0 ? 0xa0 : 0x80, high = text[0] == 0xed ? 0x9f : 0xbf;
        return text[1] >= low && text[1] <= high && (text[2] & 0xc0) == 0x80 ? 3 : 0;
    }
    if (text[0] >= 0xf0 && text[0] <= 0xf4) {
        unsigned char low = text[0] == 0xf0 ? 0x90 : 0x80, high = text[0] == 0xf4 ? 0x8f : 0xbf;
        return text[1] >= low && text[1] <= high && (text[2] & 0xc0) == 0x80 &&
                       (text[3] & 0xc0) == 0x80
                   ? 4
                   : 0;
    }
    return 0;
}

/* protobuf strings must be UTF-8, file names need not: each wrong byte becomes U+FFFD. */
static char *clean_copy(struct writer *writer, const char *text)
{
    char *copy = take(writer, strlen(text) * 3 + 1), *to = copy;

    if (copy == NULL)
        return (char *)"";
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        size_t length = sequence(at);
        memcpy(to, length > 0 ? (const char *)at : "\xef\xbf\xbd", length > 0 ? length : 3);
        to += length > 0 ? length : 3;
        at += length > 0 ? length : 1;
    }
    *to = '\0';
    return copy;
}

static int64_t add_string(struct writer *writer, const char *text)
{
    PbProfile *message = &writer->message;

    if (message->n_string_table == writer->string_room) {
        size_t room = writer->string_room == 0 ? 1024 : writer->string_room * 2;
        char **larger = realloc(message->string_table, room * sizeof *larger);
        if (larger == NULL) {
            writer->out_of_memory = true;
            return 0;
        }
        message->string_table = larger;
        writer->string_room = room;
    }
    message->string_table[message->n_string_table] = clean_copy(writer, text);
    return (int64_t)message->n_string_table++;
}

static int64_t put_string(struct writer *writer, uint32_t index)
{
    if (index == 0)
        return 0;
    if (writer->string_ids[index] == 0)
        writer->string_ids[index] = add_string(writer, writer->profile->strings[index]);
    return writer->string_ids[index];
}

static void comment(struct writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void comment(struct writer *writer, const char *format, ...)
{
    char text[4096] = PPROF_COMMENT;
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    PbProfile *message = &writer->message;
    if (message->n_comment == writer->comment_room) {
        size_t room = writer->comment_room == 0 ? 64 : writer->comment_room * 2;
        int64_t *larger = realloc(message->comment, room * sizeof *larger);
        if (larger == NULL) {
            writer->out_of_memory = true;
            return;
        }
        message->comment = larger;
        writer->comment_room = room;
    }
    message->comment[message->n_comment++] = add_string(writer, text);
}

/* --- tables -------------------------------------------------------------------------- */

static void measure_spans(struct writer *writer)
{
    const struct profile *profile = writer->profile;

    for (uint32_t i = 0; i < profile->object_count; i++) {
        const struct profile_object *object = &profile->objects[i];
        bool relative =
            object->kind == PROFILE_OBJECT_FILE || object->kind == PROFILE_OBJECT_VDSO;
        writer->spans[i].low = relative ? object->offset : object->start;
        writer->spans[i].high = writer->spans[i].low + (object->end - object->start);
    }
    for (uint32_t i = 1; i < profile->location_count; i++) {
        struct object_span *span = &writer->spans[profile->locations[i].object];
        uint64_t address = profile->locations[i].address;
        if (address < span->low)
            span->low = address & ~(uint64_t)0xfff;
        if (address >= span->high)
            span->high = (address | 0xfff) + 1;
    }
}

/* What is added to an address of the object to get one that lies in its mapping. */
static uint64_t shift_of(const struct profile_object *object)
{
    if (object->kind == PROFILE_OBJECT_FILE || object->kind == PROFILE_OBJECT_VDSO)
        return object->start - object->offset;
    return 0;
}

static void hex(char *text, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        sprintf(text + 2 * (size_t)i, "%02x", bytes[i]);
}

static void put_mapping(struct writer *writer, uint32_t index, PbMapping *mapping)
{
    const struct profile_object *object = &writer->profile->objects[index];
    uint64_t shift = shift_of(object);
    char build_id[2 * WIRE_MAX_BUILD_ID + 1] = "";

    *mapping = (PbMapping)PERFTOOLS__PROFILES__MAPPING__INIT;
    mapping->id = index + 1u;
    mapping->memory_start = writer->spans[index].low + shift;
    mapping->memory_limit = writer->spans[index].high + shift;
    mapping->file_offset = shift == 0 ? 0 : writer->spans[index].low;
    mapping->filename = put_string(writer, object->path);
    hex(build_id, object->build_id, object->build_id_size);
    if (object->build_id_size > 0)
        mapping->build_id = add_string(writer, build_id);
    uint32_t generation = object->kind == PROFILE_OBJECT_ANON
                              ? writer->profile->processes[object->process].generation
                              : 0;
    comment(writer, "object mapping=%u kind=%d device=%llu inode=%llu pid=%u generation=%u "
                    "deleted=%d",
            index + 1, (int)object->kind, (unsigned long long)object->device,
            (unsigned long long)object->inode, object->pid, generation, object->deleted);
}

static void put_mappings(struct writer *writer)
{
    uint32_t count = writer->profile->object_count;
    PbMapping *mappings = take(writer, count * sizeof *mappings + 1);
    PbMapping **pointers = take(writer, count * sizeof *pointers + 1);

    if (mappings == NULL || pointers == NULL)
        return;
    for (uint32_t i = 0; i < count && !writer->out_of_memory; i++) {
        put_mapping(writer, i, &mappings[i]);
        pointers[i] = &mappings[i];
    }
    writer->message.mapping = pointers;
    writer->message.n_mapping = count;
}

static void put_functions(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    uint32_t count = profile->function_count - 1;
    PbFunction *functions = take(writer, count * sizeof *functions + 1);
    PbFunction **pointers = take(writer, count * sizeof *pointers + 1);

    if (functions == NULL || pointers == NULL)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const struct profile_function *from = &profile->functions[i + 1];
        functions[i] = (PbFunction)PERFTOOLS__PROFILES__FUNCTION__INIT;
        functions[i].id = i + 1u;
        functions[i].name = put_string(writer, from->name);
        functions[i].system_name = put_string(writer, from->system_name);
        functions[i].filename = put_string(writer, from->file);
        functions[i].start_line = from->line;
        pointers[i] = &functions[i];
    }
    writer->message.function = pointers;
    writer->message.n_function = count;
}

static void put_lines(struct writer *writer, const struct profile_location *from, PbLocation *to)
{
    PbLine *lines = take(writer, from->line_count * sizeof *lines);
    PbLine **pointers = take(writer, from->line_count * sizeof *pointers);

    if (lines == NULL || pointers == NULL)
        return;
    for (uint32_t i = 0; i < from->line_count; i++) {
        lines[i] = (PbLine)PERFTOOLS__PROFILES__LINE__INIT;
        lines[i].function_id = from->lines[i].function;
        lines[i].line = from->lines[i].line;
        pointers[i] = &lines[i];
        if (from->lines[i].function == PROFILE_NONE)
            continue;
        PbMapping *mapping = writer->message.mapping[from->object];
        mapping->has_functions = true;
        mapping->has_filenames |= from->lines[i].file != 0;
        mapping->has_line_numbers |= from->lines[i].line != 0;
        mapping->has_inline_frames |= from->line_count > 1;
    }
    to->line = pointers;
    to->n_line = from->line_count;
}

static void put_locations(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    uint32_t count = profile->location_count - 1;
    PbLocation *locations = take(writer, count * sizeof *locations + 1);
    PbLocation **pointers = take(writer, count * sizeof *pointers + 1);

    if (locations == NULL || pointers == NULL)
        return;
    for (uint32_t i = 0; i < count && !writer->out_of_memory; i++) {
        const struct profile_location *from = &profile->locations[i + 1];
        locations[i] = (PbLocation)PERFTOOLS__PROFILES__LOCATION__INIT;
        locations[i].id = i + 1u;
        locations[i].mapping_id = from->object + 1u;
        locations[i].address = from->address + shift_of(&profile->objects[from->object]);
        pointers[i] = &locations[i];
        if (from->line_count > 0 && from->lines[0].function != PROFILE_NONE)
            put_lines(writer, from, &locations[i]);
    }
    writer->message.location = pointers;
    writer->message.n_location = count;
}

/* --- samples ------------------------------------------------------------------------- */

static void label(struct writer *writer, PbSample *sample, int64_t key, int64_t text,
                  int64_t number)
{
    PbLabel *added = take(writer, sizeof *added);

    *added = (PbLabel)PERFTOOLS__PROFILES__LABEL__INIT;
    added->key = key;
    added->str = text;
    added->num = number;
    if (sample->label != NULL)
        sample->label[sample->n_label++] = added;
}

struct label_keys {
    int64_t pid, tid, generation, comm, syscall, state, sleeping;
};
#define LABELS_MAX 6

static void put_labels(struct writer *writer, const struct profile_sample *from,
                       const struct label_keys *keys, PbSample *to)
{
    const struct profile *profile = writer->profile;
    const struct profile_thread *thread = &profile->threads[from->thread];
    const struct profile_process *process = &profile->processes[thread->process];

    to->label = take(writer, LABELS_MAX * sizeof *to->label);
    label(writer, to, keys->pid, 0, process->pid);
    label(writer, to, keys->tid, 0, thread->tid);
    if (process->generation > 0)
        label(writer, to, keys->generation, 0, process->generation);
    if (thread->comm != 0)
        label(writer, to, keys->comm, put_string(writer, thread->comm), 0);
    if (from->syscall != PROFILE_NONE)
        label(writer, to, keys->syscall,
              put_string(writer, profile->syscalls[from->syscall].name), 0);
    if (from->sleeping)
        label(writer, to, keys->state, keys->sleeping, 0);
}

static void put_stack(struct writer *writer, uint32_t leaf, PbSample *to)
{
    const struct profile_node *nodes = writer->profile->nodes;
    size_t depth = 0;

    for (uint32_t node = leaf; node != PROFILE_NONE; node = nodes[node].parent)
        depth++;
    to->location_id = take(writer, depth * sizeof *to->location_id + 1);
    for (uint32_t node = leaf; to->location_id != NULL && node != PROFILE_NONE;
         node = nodes[node].parent)
        to->location_id[to->n_location_id++] = nodes[node].location;
}

static void put_samples(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    uint32_t count = profile->sample_count;
    PbSample *samples = take(writer, count * sizeof *samples + 1);
    PbSample **pointers = take(writer, count * sizeof *pointers + 1);
    const struct label_keys keys = {
        .pid = add_string(writer, "pid"),
        .tid = add_string(writer, "tid"),
        .generation = add_string(writer, "generation"),
        .comm = add_string(writer, "comm"),
        .syscall = add_string(writer, "syscall"),
        .state = add_string(writer, "state"),
        .sleeping = add_string(writer, "sleeping"),
    };

    if (samples == NULL || pointers == NULL)
        return;
    for (uint32_t i = 0; i < count && !writer->out_of_memory; i++) {
        const struct profile_sample *from = &profile->samples[i];
        samples[i] = (PbSample)PERFTOOLS__PROFILES__SAMPLE__INIT;
        put_stack(writer, from->node, &samples[i]);
        put_labels(writer, from, &keys, &samples[i]);
        samples[i].value = take(writer, 3 * sizeof(int64_t));
        samples[i].n_value = profile->totals.wall ? 3 : 2;
        samples[i].value[0] = (int64_t)from->count;
        samples[i].value[1] = (int64_t)from->cpu_ns;
        samples[i].value[2] = (int64_t)from->wall_ns;
        pointers[i] = &samples[i];
    }
    writer->message.sample = pointers;
    writer->message.n_sample = count;
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

    message->sample_type = take(writer, 3 * sizeof *message->sample_type);
    message->sample_type[0] = value_type(writer, "samples", "count");
    message->sample_type[1] = value_type(writer, "cpu", "nanoseconds");
    message->n_sample_type = 2;
    if (totals->wall)
        message->sample_type[message->n_sample_type++] = value_type(writer, "wall", "nanoseconds");
    message->default_sample_type = message->sample_type[message->n_sample_type - 1]->type;
    message->period_type = value_type(writer, "cpu", "nanoseconds");
    message->period = totals->asked_hz > 0 ? (int64_t)(1e9 / totals->asked_hz) : 0;
    message->time_nanos = (int64_t)totals->start_time;
    message->duration_nanos = (int64_t)totals->elapsed_ns;
}

static void put_comments(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    char text[1024];
    size_t used = 0;

    for (const struct pprof_total *total = pprof_totals; total->name != NULL; total++) {
        uint64_t value;
        memcpy(&value, (const char *)&profile->totals + total->offset, sizeof value);
        used += (size_t)snprintf(text + used, sizeof text - used, " %s=%llu", total->name,
                                 (unsigned long long)value);
    }
    comment(writer, "totals asked_hz=%.17g threads_seen=%u processes_seen=%u%s",
            profile->totals.asked_hz, profile->totals.threads_seen,
            profile->totals.processes_seen, text);
    if (profile->command != NULL)
        comment(writer, "command %s", profile->command);
    for (uint32_t i = 0; i < profile->process_count; i++) {
        const struct profile_process *process = &profile->processes[i];
        comment(writer,
                "process pid=%u ppid=%u generation=%u start=%llu end=%llu status=%d cpu_ns=%llu "
                "comm=%s",
                process->pid, process->ppid, process->generation,
                (unsigned long long)process->start, (unsigned long long)process->end,
                process->status, (unsigned long long)process->cpu_ns,
                profile->strings[process->comm]);
    }
}

static int write_packed(int fd, const PbProfile *message)
{
    size_t size = perftools__profiles__profile__get_packed_size(message);
    uint8_t *bytes = malloc(size + 1);
    int own = dup(fd);
    gzFile file = own >= 0 ? gzdopen(own, "wb") : NULL;
    int error = 0;

    if (bytes == NULL || file == NULL)
        error = -ENOMEM;
    errno = 0;
    if (error == 0) {
        perftools__profiles__profile__pack(message, bytes);
        for (size_t done = 0; error == 0 && done < size;) {
            size_t part = size - done < (1u << 20) ? size - done : (1u << 20);
            int wrote = gzwrite(file, bytes + done, (unsigned)part);
            if (wrote <= 0)
                error = errno != 0 ? -errno : -EIO;
            else
                done += (size_t)wrote;
        }
    }
    if (file != NULL) {
        if (gzclose(file) != Z_OK && error == 0)
            error = errno != 0 ? -errno : -EIO;
    } else if (own >= 0) {
        close(own);
    }
    free(bytes);
    return error;
}

int pprof_write(int fd, const struct profile *profile)
{
    struct writer writer = {.profile = profile,
                            .message = PERFTOOLS__PROFILES__PROFILE__INIT};
    int error = -ENOMEM;

    writer.string_ids = calloc(profile->string_count + 1u, sizeof *writer.string_ids);
    writer.spans = calloc(profile->object_count + 1u, sizeof *writer.spans);
    if (writer.string_ids != NULL && writer.spans != NULL) {
        add_string(&writer, "");
        measure_spans(&writer);
        put_types(&writer);
        put_comments(&writer);
        put_mappings(&writer);
        put_functions(&writer);
        put_locations(&writer);
        put_samples(&writer);
        if (!writer.out_of_memory)
            error = write_packed(fd, &writer.message);
    }
    for (struct block *block = writer.blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    free(writer.message.string_table);
    free(writer.message.comment);
    free(writer.string_ids);
    free(writer.spans);
    return error;
}
