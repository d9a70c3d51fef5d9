/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes files with a gzip'd message of profile.proto, and chooses which values of each sample are read.
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

int pprof_load(const char *path, PbProfile **message)
{
    struct allowance allowance = {.left = TREE_SIZE_MAX};
    ProtobufCAllocator allocator = {.alloc = allocate_limited, .free = free_limited, .allocator_data = &allowance};
    uint8_t *bytes = NULL;
    size_t size;
    int error = read_unpacked(path, &bytes, &size);

    if (error == 0) {
        *message = perftools__profiles__profile__unpack(&allocator, size, bytes);
        if (*message == NULL)
            error = allowance.out_of_memory ? -ENOMEM : PPROFIL_ERROR_DAMAGED;
    }
    free(bytes);
    return error;
}

void pprof_unload(PbProfile *message)
{
    if (message != NULL)
        perftools__profiles__profile__free_unpacked(message, NULL);
}

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
    return text == NULL || (index >= 0 && (uint64_t)index < message->n_string_table &&
                            strcmp(message->string_table[index], text) == 0);
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
