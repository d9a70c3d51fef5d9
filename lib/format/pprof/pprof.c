/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes files with a gzip'd message of profile.proto, and chooses which values of each sample are read.
 *
 * A file is read twice: first all except its samples, and then the samples, one at a time. The structures of all
 * samples of a large file would take ten times as much memory as the profile.
 *
 * Files come from anywhere. The structures of a message may take a hundred times as many bytes as the message, so their
 * size is checked while it grows.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "format/pprof/pprof.h"

/* limit for the memory that the structures of one message take, bytes */
#define TREE_SIZE_MAX (4 * (size_t)PPROF_SIZE_MAX)
/* bytes of zlib's buffer when a file is written */
#define PIECE (1u << 16)

/* How many more bytes a message may allocate while it is unpacked. Memory that is freed is not counted as available
 * again, because nothing is freed until the message is unpacked. */
struct allowance {
    size_t left;
    bool out_of_memory;
};

static void *allocate_limited(void *data, size_t size)
{
    struct allowance *allowance = data;

    if (size > allowance->left)
        return NULL;
    allowance->left -= size;
    void *memory = malloc(size);
    allowance->out_of_memory |= memory == NULL;
    return memory;
}

static void free_limited(void *data, void *memory)
{
    (void)data;
    free(memory);
}

/* --- reading ----------------------------------------------------------------------------- */

static ProtobufCAllocator limited_allocator(struct allowance *allowance)
{
    *allowance = (struct allowance){.left = TREE_SIZE_MAX};
    return (ProtobufCAllocator){.alloc = allocate_limited, .free = free_limited, .allocator_data = allowance};
}

/* numbers of fields of the message Profile */
#define FIELD_SAMPLE 2
#define FIELD_HISTORY 1000

/* Bytes that grow at their end. */
struct packed {
    uint8_t *bytes; /* owned */
    size_t size, room;
};

static int packed_append(struct packed *packed, const uint8_t *bytes, size_t size)
{
    if (packed->room - packed->size < size) {
        size_t room = 2 * (packed->size + size);
        uint8_t *larger = realloc(packed->bytes, room);
        if (larger == NULL)
            return -ENOMEM;
        packed->bytes = larger;
        packed->room = room;
    }
    if (size > 0)
        memcpy(packed->bytes + packed->size, bytes, size);
    packed->size += size;
    return 0;
}

/* Counts the samples, and collects the contents of the history, and all other fields. */
static int pprof_sort_fields(struct pprof_file *file, struct packed *history, struct packed *others)
{
    struct pprof_field field;
    int got, error = 0;

    while (error == 0 && (got = pprof_stream_next(&file->stream, &field)) != 0)
        if (got < 0)
            error = got;
        else if (field.number == FIELD_SAMPLE)
            file->sample_count++;
        else if (field.number == FIELD_HISTORY)
            error = packed_append(history, field.bytes, field.size);
        else
            error = packed_append(others, field.whole, field.whole_size);
    return error;
}

int pprof_load(const char *path, struct pprof_file *file)
{
    struct packed history = {0}, others = {0};
    struct allowance allowance;
    ProtobufCAllocator allocator = limited_allocator(&allowance);

    *file = (struct pprof_file){0};
    int error = pprof_stream_open(path, &file->stream);
    if (error == 0)
        error = pprof_sort_fields(file, &history, &others);
    file->history = history.bytes;
    file->history_size = history.size;
    if (error == 0) {
        file->message = perftools__profiles__profile__unpack(&allocator, others.size, others.bytes);
        if (file->message == NULL)
            error = allowance.out_of_memory ? -ENOMEM : PPROFIL_ERROR_DAMAGED;
    }
    free(others.bytes);
    return error == 0 ? pprof_stream_rewind(&file->stream) : error;
}

void pprof_unload(struct pprof_file *file)
{
    if (file->message != NULL)
        perftools__profiles__profile__free_unpacked(file->message, NULL);
    free(file->history);
    pprof_stream_close(&file->stream);
}

int pprof_next_sample(struct pprof_file *file, PbSample **sample)
{
    struct allowance allowance;
    ProtobufCAllocator allocator = limited_allocator(&allowance);
    struct pprof_field field;

    do {
        int got = pprof_stream_next(&file->stream, &field);
        if (got <= 0)
            return got < 0 ? got : PPROFIL_ERROR_DAMAGED; /* the file has been changed meanwhile */
    } while (field.number != FIELD_SAMPLE);
    *sample = perftools__profiles__sample__unpack(&allocator, field.size, field.bytes);
    if (*sample != NULL)
        return 0;
    return allowance.out_of_memory ? -ENOMEM : PPROFIL_ERROR_DAMAGED;
}

/* --- writing ----------------------------------------------------------------------------- */

static void pprof_append(ProtobufCBuffer *base, size_t size, const uint8_t *bytes)
{
    struct pprof_output *output = (struct pprof_output *)base;

    errno = 0;
    if (output->error == 0 && size > 0 && gzfwrite(bytes, 1, size, output->file) != size)
        output->error = errno != 0 ? -errno : -EIO;
}

int pprof_output_open(struct pprof_output *output, int fd)
{
    int own = dup(fd); /* gzclose closes its descriptor, and fd must stay open */

    *output = (struct pprof_output){.base = {.append = pprof_append}};
    if (own < 0)
        return -errno;
    output->file = gzdopen(own, "wb");
    if (output->file == NULL) {
        close(own);
        return -ENOMEM;
    }
    gzbuffer(output->file, PIECE);
    return 0;
}

void pprof_output_put(struct pprof_output *output, const PbProfile *fields)
{
    perftools__profiles__profile__pack_to_buffer(fields, &output->base);
}

/* A sample is a field of the message: its number and kind, its size, and its bytes. */
void pprof_output_put_sample(struct pprof_output *output, const PbSample *sample)
{
    uint8_t head[16] = {FIELD_SAMPLE << 3 | PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED};
    size_t used = 1, size = perftools__profiles__sample__get_packed_size(sample);

    for (; size >= 0x80; size >>= 7)
        head[used++] = (uint8_t)(size | 0x80);
    head[used++] = (uint8_t)size;
    pprof_append(&output->base, used, head);
    perftools__profiles__sample__pack_to_buffer(sample, &output->base);
}

int pprof_output_close(struct pprof_output *output)
{
    errno = 0;
    if (gzclose_w(output->file) != Z_OK && output->error == 0)
        output->error = errno != 0 ? -errno : -EIO;
    return output->error;
}

int pprof_store(int fd, const PbProfile *message)
{
    struct pprof_output output;
    int error = pprof_output_open(&output, fd);

    if (error != 0)
        return error;
    pprof_output_put(&output, message);
    return pprof_output_close(&output);
}

/* --- values -------------------------------------------------------------------------- */

static bool is_text(const PbProfile *message, int64_t index, const char *text)
{
    return text == NULL ||
           (index >= 0 && (uint64_t)index < message->n_string_table && strcmp(message->string_table[index], text) == 0);
}

bool pprof_is_type(const PbProfile *message, const PbValueType *value, const char *type, const char *unit)
{
    return value != NULL && is_text(message, value->type, type) && is_text(message, value->unit, unit);
}

/* Returns the index of the last value that has this type and unit and an index below `end`, or -1. */
static int find_value(const PbProfile *message, int end, const char *type, const char *unit)
{
    while (end > 0 && !pprof_is_type(message, message->sample_type[end - 1], type, unit))
        end--;
    return end - 1;
}

static int find_default(const PbProfile *message)
{
    for (size_t i = 0; message->default_sample_type > 0 && i < message->n_sample_type; i++)
        if (message->sample_type[i]->type == message->default_sample_type)
            return (int)i;
    return (int)message->n_sample_type - 1;
}

void pprof_choose_values(const PbProfile *message, struct pprof_values *values)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"microseconds", 1000}, {"milliseconds", 1000000}, {"seconds", 1000000000}};
    int all = (int)message->n_sample_type;
    int shown = find_value(message, all, "cpu", NULL);

    if (shown < 0)
        shown = find_default(message);
    values->unit = 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (pprof_is_type(message, message->sample_type[shown], NULL, units[i].name))
            values->unit = units[i].ns;
    values->count = find_value(message, all, "samples", "count");
    if (values->count < 0)
        values->count = find_value(message, shown, NULL, "count");
    values->wall = find_value(message, all, "wall", "nanoseconds");
    values->time = shown == values->wall ? -1 : shown;
}
