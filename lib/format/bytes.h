/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bytes: reads and writes numbers in binary files, with the byte order and pointer size of each file. Also reads and
 * writes whole files.
 *
 * The caller need not check each number that it reads or writes. A number past the end of the input is read as 0, and
 * `missing` is set. After a failed write nothing more is written, and bytes_finish returns the error.
 */
#ifndef PPROFIL_BYTES_H
#define PPROFIL_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprofil/error.h"

/* limit for a file that is read whole, bytes; a file of counters takes several times as much memory when it is read */
#define BYTES_SIZE_MAX (1u << 28)

struct bytes {
    const unsigned char *at, *end;
    uint32_t pointer_size;
    bool big_endian;
    bool missing; /* a read went beyond the end */
};

struct bytes bytes_of(const unsigned char *bytes, size_t size, uint32_t pointer_size, bool big_endian);
/* Read a number. bytes_get reads a number of `size` bytes (1 to 8), and bytes_get_pointer reads one of pointer_size
 * bytes. */
uint64_t bytes_get(struct bytes *bytes, unsigned size);
uint64_t bytes_get_pointer(struct bytes *bytes);
/* Returns a pointer to the next `size` bytes, and moves past them. Returns NULL if fewer bytes are left. The caller
 * does not free the bytes. */
const unsigned char *bytes_take(struct bytes *bytes, uint64_t size);
uint64_t bytes_left(const struct bytes *bytes);

struct bytes_out {
    int fd;    /* -1: bytes are counted but not written */
    uint64_t passed; /* number of bytes that were in the buffer and have left it */
    /* 0, or the first error: -errno of a write, or PPROFIL_ERROR_ADDRESSES (a number did not fit into its field) */
    int error;
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
/* Returns the number of bytes that were put since bytes_begin. */
uint64_t bytes_put_so_far(const struct bytes_out *out);
/* Writes the bytes that are still in the buffer. Returns 0, or the first error since bytes_begin. */
int bytes_finish(struct bytes_out *out);

/* If a path stands for an open descriptor of this process ("/dev/stdin", "/dev/fd/63"), returns this descriptor.
 * Otherwise returns -1. */
int bytes_descriptor(const char *path);

/* Reads a whole regular file. *bytes has room for one more byte after the contents of the file. The caller frees
 * *bytes. Returns 0 or an error; -EFBIG means that the file is larger than BYTES_SIZE_MAX. */
int bytes_load(const char *path, unsigned char **bytes, size_t *size);

/* A function that writes `contents` to an open descriptor, and leaves the descriptor open. Returns 0 or an error. */
typedef int bytes_writer(int fd, const void *contents);
/* Writes a file by the rules of format_write_file (format.h). Calls write_contents to write the contents, and calls it
 * again if the new file cannot replace the old one. Sets *regular to true if path is a regular file or did not exist,
 * else to false. Returns 0, -errno, or an error of write_contents. */
int bytes_write_file(const char *path, bytes_writer *write_contents, const void *contents, bool *regular);
/* Writes `size` bytes to the file at path, by the rules of bytes_write_file. */
int bytes_save(const char *path, const void *bytes, size_t size);

#endif
