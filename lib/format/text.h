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

/* Closes the stream. Returns 0, or the negative errno of the write that failed. If a write before this call failed,
 * errno must still have the value that this write set. */
int text_close(FILE *out);

/* Returns the character at *at, sets *size to its bytes, and moves *at behind it. A byte that is not UTF-8 becomes
 * U+FFFD. The caller makes sure that *at is not at the end of the text. */
const char *text_character(const char **at, size_t *size);

/* Writes a name on one line: bytes that are not UTF-8 become U+FFFD, control characters become spaces, and each of the
 * characters in bad becomes `instead`. */
void text_put(FILE *out, const char *name, const char *bad, char instead);
/* Writes a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void text_put_json(FILE *out, const char *string);
/* Writes a time of ns nanoseconds in a larger unit, with all its digits and with a decimal point in every locale. unit
 * is the number of nanoseconds in that unit, a power of ten above 1. */
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
/* Returns the next line without its line end; NULL after the last. The caller may change the line. To the caller, a NUL
 * byte in the line looks like its end. */
char *text_next(struct text *text);

/* Reads the whole number at *at, and moves *at behind it. False: there is none, or it does not fit into 64 bits. */
bool text_number(const char **at, unsigned base, uint64_t *number);

/* Do the first size bytes of a file look like text? */
bool text_is(const unsigned char *head, size_t size);
/* Do the first size bytes of a file contain the text `what`? */
bool text_has(const unsigned char *head, size_t size, const char *what);

#endif
