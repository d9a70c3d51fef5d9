/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads a packed message from a file, gzip'd or plain, field by field: see pprof-stream.h.
 *
 * Files come from anywhere. A small gzip file may unpack to gigabytes, and a field may claim any length. So the buffer
 * grows only as fast as bytes come, and both the buffer and the whole message have a limit.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "format/pprof/pprof-stream.h"
#include "pprofil/error.h"

/* bytes of the first buffer */
#define PIECE (1u << 16)
#define KEY_SIZE_MAX 20u /* the key and the length of a field: two varints */

int pprof_stream_open(const char *path, struct pprof_stream *stream)
{
    *stream = (struct pprof_stream){.room = PIECE};
    errno = 0;
    stream->file = gzopen(path, "rbe");
    if (stream->file == NULL)
        return errno != 0 ? -errno : -ENOMEM;
    stream->bytes = malloc(stream->room);
    return stream->bytes == NULL ? -ENOMEM : 0;
}

void pprof_stream_close(struct pprof_stream *stream)
{
    if (stream->file != NULL)
        gzclose_r(stream->file);
    free(stream->bytes);
    *stream = (struct pprof_stream){0};
}

int pprof_stream_rewind(struct pprof_stream *stream)
{
    stream->begin = stream->end = 0;
    stream->total = 0;
    errno = 0;
    return gzrewind(stream->file) == 0 ? 0 : errno != 0 ? -errno : -EIO;
}

/* Makes room at the end of the buffer: moves what has not been taken to its beginning, and doubles it if it is full. */
static int stream_make_room(struct pprof_stream *stream)
{
    if (stream->begin > 0) {
        memmove(stream->bytes, stream->bytes + stream->begin, stream->end - stream->begin);
        stream->end -= stream->begin;
        stream->begin = 0;
    }
    if (stream->end < stream->room)
        return 0;
    uint8_t *larger = realloc(stream->bytes, 2 * stream->room);
    if (larger == NULL)
        return -ENOMEM;
    stream->bytes = larger;
    stream->room *= 2;
    return 0;
}

/* Reads until the buffer has `size` bytes that have not been taken. Returns 1, or 0 if the file ends before. */
static int stream_need(struct pprof_stream *stream, size_t size)
{
    while (stream->end - stream->begin < size) {
        int error = stream_make_room(stream), problem;
        if (error != 0)
            return error;
        int got = gzread(stream->file, stream->bytes + stream->end, (unsigned)(stream->room - stream->end));
        gzerror(stream->file, &problem);
        if (got < 0)
            return problem == Z_ERRNO && errno != 0 ? -errno : PPROFIL_ERROR_DAMAGED;
        if (got == 0)
            /* Z_BUF_ERROR: the file ends in the middle of the compressed data */
            return problem == Z_BUF_ERROR ? PPROFIL_ERROR_DAMAGED : 0;
        stream->end += (size_t)got;
        stream->total += (size_t)got;
        if (stream->total > PPROF_SIZE_MAX)
            return PPROFIL_ERROR_DAMAGED;
    }
    return 1;
}

bool pprof_varint(const uint8_t *bytes, size_t size, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < size; shift += 7) {
        uint8_t byte = bytes[(*at)++];
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

/* Reads the key of a field, and the length of its contents. *header: size of the key, and of the length if it is
 * written. The types of fields are those of protobuf's encoding. Returns false if the message is damaged there. */
static bool stream_read_key(const uint8_t *bytes, size_t size, size_t *header, struct pprof_field *field)
{
    uint64_t key, length = 0;
    size_t at = 0;

    if (!pprof_varint(bytes, size, &at, &key))
        return false;
    field->number = key >> 3;
    *header = at;
    switch (key & 7) {
    case 0:
        if (!pprof_varint(bytes, size, &at, &length))
            return false;
        length = at - *header;
        break;
    case 2:
        if (!pprof_varint(bytes, size, &at, &length))
            return false;
        *header = at;
        break;
    case 1:
    case 5:
        length = (key & 7) == 1 ? 8 : 4;
        break;
    default:
        return false;
    }
    field->size = length;
    return length <= PPROF_SIZE_MAX;
}

int pprof_stream_next(struct pprof_stream *stream, struct pprof_field *field)
{
    size_t header;
    int got = stream_need(stream, KEY_SIZE_MAX);

    if (got < 0 || stream->begin == stream->end)
        return got < 0 ? got : 0;
    if (!stream_read_key(stream->bytes + stream->begin, stream->end - stream->begin, &header, field))
        return PPROFIL_ERROR_DAMAGED;
    got = stream_need(stream, header + field->size);
    if (got <= 0)
        return got < 0 ? got : PPROFIL_ERROR_DAMAGED;
    field->whole = stream->bytes + stream->begin;
    field->bytes = field->whole + header;
    field->whole_size = header + field->size;
    stream->begin += field->whole_size;
    return 1;
}
