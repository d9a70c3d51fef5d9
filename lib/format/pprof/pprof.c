/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes files with a gzip'd message of profile.proto, and chooses which values of each sample are read.
 *
 * A message is unpacked except for its samples, which are unpacked one at a time: the structures of all samples of a
 * large file would take ten times as much memory as the profile.
 *
 * Files come from anywhere. A small gzip file may unpack to gigabytes, and the structures of a message may take a
 * hundred times as many bytes as the message. Both sizes are checked while they grow.
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
/* bytes of the first buffer for unpacked data, and of zlib's buffer when a file is written */
#define PIECE (1u << 16)

/* --- the file ------------------------------------------------------------------------ */

static int read_piece(gzFile file, uint8_t **bytes, size_t *size, size_t *room)
{
    if (*size == *room) {
        if (*room >= PPROF_SIZE_MAX)
            return PPROFIL_ERROR_DAMAGED;
        uint8_t *larger = realloc(*bytes, *room * 2);
        if (larger == NULL)
            return -ENOMEM;
        *bytes = larger;
        *room *= 2;
    }
    int got = gzread(file, *bytes + *size, (unsigned)(*room - *size)), problem;
    if (got < 0) {
        gzerror(file, &problem);
        return problem == Z_ERRNO && errno != 0 ? -errno : PPROFIL_ERROR_DAMAGED;
    }
    *size += (size_t)got;
    return got > 0;
}

static int read_unpacked(const char *path, uint8_t **bytes, size_t *size)
{
    size_t room = PIECE;
    int error;

    errno = 0;
    gzFile file = gzopen(path, "rbe");
    if (file == NULL)
        return errno != 0 ? -errno : -ENOMEM;
    *size = 0;
    *bytes = malloc(room);
    if (*bytes == NULL)
        error = -ENOMEM;
    else
        while ((error = read_piece(file, bytes, size, &room)) > 0)
            ;
    if (gzclose_r(file) != Z_OK && error == 0)
        error = PPROFIL_ERROR_DAMAGED; /* the file ends in the middle of the compressed data */
    return error;
}

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

/* --- samples, one at a time ------------------------------------------------------------ */

#define FIELD_SAMPLE 2 /* number of the field Profile.sample */

/* Reads a varint of protobuf. Returns false if it does not end within the message. */
static bool read_varint(const struct pprof_file *file, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < file->size; shift += 7) {
        uint8_t byte = file->bytes[(*at)++];
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

/* A field of the message. Its contents are the bytes from `begin` to `end` - 1, and the next field begins at `end`. */
struct field {
    uint64_t number;
    size_t begin, end;
};

/* Finds the field that begins at `at`. Returns false if there is none, or if the message is damaged there. The types of
 * fields are those of protobuf's encoding. */
static bool find_field(const struct pprof_file *file, size_t at, struct field *field)
{
    uint64_t key, length = 0;

    if (!read_varint(file, &at, &key))
        return false;
    field->number = key >> 3;
    field->begin = at;
    if ((key & 7) == 0 && !read_varint(file, &at, &length))
        return false;
    if ((key & 7) == 0)
        length = at - field->begin;
    else if ((key & 7) == 2 && read_varint(file, &at, &length))
        field->begin = at;
    else if ((key & 7) == 1 || (key & 7) == 5)
        length = (key & 7) == 1 ? 8 : 4;
    else
        return false;
    if (length > file->size - field->begin)
        return false;
    field->end = field->begin + (size_t)length;
    return true;
}

/* Copies all fields except samples, and counts the samples. Returns the size of the copy, or -1 if the message is
 * damaged. */
static ssize_t copy_other_fields(struct pprof_file *file, uint8_t *copy)
{
    struct field field;
    size_t size = 0;

    for (size_t at = 0; at < file->size; at = field.end) {
        if (!find_field(file, at, &field))
            return -1;
        if (field.number == FIELD_SAMPLE) {
            file->sample_count++;
            continue;
        }
        memcpy(copy + size, file->bytes + at, field.end - at);
        size += field.end - at;
    }
    return (ssize_t)size;
}

static ProtobufCAllocator limited_allocator(struct allowance *allowance)
{
    *allowance = (struct allowance){.left = TREE_SIZE_MAX};
    return (ProtobufCAllocator){.alloc = allocate_limited, .free = free_limited, .allocator_data = allowance};
}

/* Unpacks all of the message except its samples. */
static int unpack_tables(struct pprof_file *file)
{
    struct allowance allowance;
    ProtobufCAllocator allocator = limited_allocator(&allowance);
    uint8_t *others = malloc(file->size + 1);
    int error = 0;

    if (others == NULL)
        return -ENOMEM;
    ssize_t size = copy_other_fields(file, others);
    if (size >= 0)
        file->message = perftools__profiles__profile__unpack(&allocator, (size_t)size, others);
    if (file->message == NULL)
        error = allowance.out_of_memory ? -ENOMEM : PPROFIL_ERROR_DAMAGED;
    free(others);
    return error;
}

int pprof_load(const char *path, struct pprof_file *file)
{
    *file = (struct pprof_file){0};
    int error = read_unpacked(path, &file->bytes, &file->size);

    return error == 0 ? unpack_tables(file) : error;
}

void pprof_unload(struct pprof_file *file)
{
    if (file->message != NULL)
        perftools__profiles__profile__free_unpacked(file->message, NULL);
    free(file->bytes);
}

int pprof_next_sample(const struct pprof_file *file, size_t *at, PbSample **sample)
{
    struct allowance allowance;
    ProtobufCAllocator allocator = limited_allocator(&allowance);
    struct field field = {.end = *at};

    do
        if (!find_field(file, field.end, &field))
            return PPROFIL_ERROR_DAMAGED;
    while (field.number != FIELD_SAMPLE);
    *at = field.end;
    *sample = perftools__profiles__sample__unpack(&allocator, field.end - field.begin, file->bytes + field.begin);
    if (*sample != NULL)
        return 0;
    return allowance.out_of_memory ? -ENOMEM : PPROFIL_ERROR_DAMAGED;
}

/* --- writing ----------------------------------------------------------------------------- */

/* A buffer of protobuf-c that compresses the bytes that are packed into it, and writes them. So the packed message is
 * never in memory as a whole. */
struct stream {
    ProtobufCBuffer base;
    gzFile file;
    int error;
};

static void pprof_append(ProtobufCBuffer *base, size_t size, const uint8_t *bytes)
{
    struct stream *stream = (struct stream *)base;

    errno = 0;
    if (stream->error == 0 && size > 0 && gzfwrite(bytes, 1, size, stream->file) != size)
        stream->error = errno != 0 ? -errno : -EIO;
}

int pprof_store(int fd, const PbProfile *message)
{
    struct stream stream = {.base = {.append = pprof_append}};
    int own = dup(fd); /* gzclose closes its descriptor, and fd must stay open */

    if (own < 0)
        return -errno;
    stream.file = gzdopen(own, "wb");
    if (stream.file == NULL) {
        close(own);
        return -ENOMEM;
    }
    gzbuffer(stream.file, PIECE);
    perftools__profiles__profile__pack_to_buffer(message, &stream.base);
    errno = 0;
    if (gzclose_w(stream.file) != Z_OK && stream.error == 0)
        stream.error = errno != 0 ? -errno : -EIO;
    return stream.error;
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
