/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bytes: numbers in files of other systems, in their byte order and with their pointers.
 *
 * Neither reading past the end nor a failed write stops the caller at once: what is read is
 * then 0, what is written goes nowhere, and one look at the end tells.
 */
#ifndef PPROFIL_BYTES_H
#define PPROFIL_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprofil/error.h"

#define BYTES_SIZE_MAX (1u << 28) /* of a file that is read whole; a counter becomes much more */

struct bytes {
    const unsigned char *at, *end;
    uint32_t pointer_size;
    bool big_endian;
    bool missing; /* something was read that is not there */
};

struct bytes bytes_of(const unsigned char *bytes, size_t size, uint32_t pointer_size,
                      bool big_endian);
/* A number of 1 to 8 bytes; and one of the size of a pointer. */
uint64_t bytes_get(struct bytes *bytes, unsigned size);
uint64_t bytes_get_pointer(struct bytes *bytes);
/* The next so many bytes, or NULL where they are not there. */
const unsigned char *bytes_take(struct bytes *bytes, uint64_t size);
uint64_t bytes_left(const struct bytes *bytes);

struct bytes_out {
    int fd;    /* -1: nothing is written, only counted */
    uint64_t passed; /* bytes that were flushed */
    int error; /* the first: -errno of a write, PPROFIL_ERROR_ADDRESSES: a number did not fit its field */
    uint32_t pointer_size;
    bool big_endian;
    size_t used;
    unsigned char buffer[1u << 14];
};

void bytes_begin(struct bytes_out *out, int fd, uint32_t pointer_size, bool big_endian);
void bytes_put(struct bytes_out *out, uint64_t number, unsigned size);
void bytes_put_pointer(struct bytes_out *out, uint64_t number);
void bytes_put_all(struct bytes_out *out, const void *bytes, size_t size);
void bytes_put_zeros(struct bytes_out *out, uint64_t count);
/* How many bytes were put. */
uint64_t bytes_put_so_far(const struct bytes_out *out);
/* Writes what is left. 0 or the first error. */
int bytes_finish(struct bytes_out *out);

/* The descriptor of ours that a path stands for ("/dev/stdin", "/dev/fd/63"), or -1. */
int bytes_descriptor(const char *path);

/* The whole of a regular file, which the caller frees. 0 or -errno; -EFBIG: it is too large. */
int bytes_load(const char *path, unsigned char **bytes, size_t *size);

#endif
