/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * text: files of text. They are read whole and taken line by line. They are written through a stream over a copy of the
 * writer's descriptor.
 */
#ifndef PPROFIL_TEXT_H
#define PPROFIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Opens a stream over a copy of fd. NULL: errno says why. */
FILE *text_open(int fd);

/* Closes the stream. 0, or the negative errno of the write that failed; if an earlier write failed, errno must still be
 * that write's. */
int text_close(FILE *out);

/* Returns the bytes of the character at *at, and their number in *size, and moves *at behind it. A byte that is not
 * UTF-8 becomes U+FFFD. *at must not be at the end of its text. */
const char *text_character(const char **at, size_t *size);

/* Writes a name on one line: bytes that are not UTF-8 become U+FFFD, control characters become spaces, and each of the
 * characters in bad becomes `instead`. */
void text_put(FILE *out, const char *name, const char *bad, char instead);
/* Writes a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void text_put_json(FILE *out, const char *string);
/* Writes a time in another unit, to the last digit, with a point in every locale. unit: nanoseconds, a power of ten
 * above 1. */
void text_put_time(FILE *out, uint64_t ns, uint64_t unit);

/* A file that is read. */
struct text {
    char *whole; /* owned */
    char *at, *end;
};

/* 0 or -errno: -EFBIG past 256 MiB. The caller ends with text_unload, in any case. */
int text_load(const char *path, struct text *text);
void text_unload(struct text *text);
/* The next line, without its line end; NULL after the last. The caller may change it. A NUL byte ends a line. */
char *text_next(struct text *text);

/* Reads a whole number at *at, which moves behind it. False: there is none, or it does not fit into 64 bits. */
bool text_number(const char **at, unsigned base, uint64_t *number);

/* Does a file whose first bytes these are hold text? */
bool text_is(const unsigned char *head, size_t size);
/* Do the first bytes of a file contain this text? */
bool text_has(const unsigned char *head, size_t size, const char *what);

#endif
