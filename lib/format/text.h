/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * text: reads text files line by line, and writes names and numbers into text files. A file is read whole into memory.
 * A file is written through a stdio stream, which has its own copy of the caller's descriptor.
 */
#ifndef PPROFIL_TEXT_H
#define PPROFIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Opens a stream that writes to a copy of the descriptor fd. Returns NULL and sets errno on failure. */
FILE *text_open(int fd);

/* Closes the stream. Returns 0, or the negative errno of the write that failed. If a write to the stream failed before
 * this call, errno must still have the value that the failed write set. */
int text_close(FILE *out);

/* Returns a pointer to the character at *at, sets *size to the number of its bytes, and moves *at past it. In place
 * of a byte that is not UTF-8, returns a pointer to the bytes of U+FFFD. The caller makes sure that *at is not at the
 * end of the text. */
const char *text_character(const char **at, size_t *size);

/* Writes a name on one line: bytes that are not UTF-8 become U+FFFD, control characters become spaces, and each
 * character that occurs in the string `bad` becomes the character `instead`. */
void text_put(FILE *out, const char *name, const char *bad, char instead);
/* Writes a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void text_put_json(FILE *out, const char *string);
/* Writes a time, given in nanoseconds, in a larger unit. `unit` is the number of nanoseconds in that unit, a power of
 * ten above 1. All digits are written, with a decimal point in every locale. */
void text_put_time(FILE *out, uint64_t ns, uint64_t unit);

/* A text file in memory, and the place up to which it has been read. */
struct text {
    char *whole; /* owned */
    char *at, *end;
};

/* Reads a whole file. Returns 0 or an error; -EFBIG: the file has more than 256 MiB. The caller calls text_unload in
 * any case. */
int text_load(const char *path, struct text *text);
void text_unload(struct text *text);
/* Returns the next line without its line end, or NULL after the last line. The caller may change the line. If the line
 * contains a NUL byte, the caller sees only the part before that byte. */
char *text_next(struct text *text);

/* Reads the integer at *at, and moves *at past it. Returns false if there is no integer, or if it does not fit into
 * 64 bits. */
bool text_number(const char **at, unsigned base, uint64_t *number);

/* Returns true if the beginning of a file looks like text. `head` has the first `size` bytes of the file. */
bool text_is(const unsigned char *head, size_t size);
/* Returns true if the beginning of a file contains the text `what`. `head` has the first `size` bytes of the file. */
bool text_has(const unsigned char *head, size_t size, const char *what);

#endif
