/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pprof-stream: reads a packed protobuf message from a file, field by field, so that the message is never in memory as
 * a whole. The encoding is that of https://protobuf.dev/programming-guides/encoding/. */
#ifndef PPROFIL_PPROF_STREAM_H
#define PPROFIL_PPROF_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* limit for an unpacked file, bytes. A larger file is taken to be an attack or a mistake */
#define PPROF_SIZE_MAX (1u << 30)

struct gzFile_s;

struct pprof_stream {
    struct gzFile_s *file; /* owned */
    uint8_t *bytes;        /* owned: what has been read; the bytes from `begin` to `end` - 1 have not been taken */
    size_t begin, end, room;
    uint64_t total; /* number of bytes that have been read */
};

/* A field of a message. */
struct pprof_field {
    uint64_t number;
    const uint8_t *bytes; /* its contents */
    size_t size;          /* of the contents */
    const uint8_t *whole; /* the field with its key and length */
    size_t whole_size;
};

/* Opens a regular file. Returns 0 or -errno. The caller closes the stream in either case. */
int pprof_stream_open(const char *path, struct pprof_stream *stream);
void pprof_stream_close(struct pprof_stream *stream);
/* Returns to the beginning of the file, which must be seekable. Returns 0 or -errno. */
int pprof_stream_rewind(struct pprof_stream *stream);
/* Reads the next field. Its pointers are valid until the next call. Returns 1, 0 at the end of the file, -errno, or
 * PPROFIL_ERROR_DAMAGED. */
int pprof_stream_next(struct pprof_stream *stream, struct pprof_field *field);
/* Reads a varint at bytes[*at], and moves *at behind it. Returns false if it does not end within the bytes. */
bool pprof_varint(const uint8_t *bytes, size_t size, size_t *at, uint64_t *value);

#endif
