/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * text: what formats of text have in common. They are read whole and taken line by line, and
 * written through a stream of its own over the descriptor that a writer is given.
 */
#ifndef PPROFIL_TEXT_H
#define PPROFIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Opens a stream over a copy of fd. NULL: errno says why. */
FILE *text_open(int fd);

/* Closes it. Returns 0, or the negative errno of the write that failed. If that was before, the caller has left
 * errno as it was then. */
int text_close(FILE *out);

/* Returns the bytes of the character at *at, and their number in *size, and moves *at behind it. A byte that is not
 * UTF-8 becomes U+FFFD. *at must not be at the end of its text. */
const char *text_character(const char **at, size_t *size);

/* Writes a name on one line: bytes that are no UTF-8 become U+FFFD, control characters spaces,
 * and each of bad (a set of characters) becomes instead. */
void text_put(FILE *out, const char *name, const char *bad, char instead);
/* Writes a JSON string, with its quotes; bytes that are no UTF-8 become U+FFFD. */
void text_put_json(FILE *out, const char *string);
/* Writes nanoseconds as a number of units of so many nanoseconds, a power of ten above 1, to the
 * last digit, with a point whatever the locale. */
void text_put_time(FILE *out, uint64_t ns, uint64_t unit);

/* A file that is read. */
struct text {
    char *whole; /* owned */
    char *at, *end;
};

/* 0 or -errno: -EFBIG past 256 MiB. The caller ends with text_unload, in any case. */
int text_load(const char *path, struct text *text);
void text_unload(struct text *text);
/* The next line, without its end, which may be changed; NULL after the last. A NUL byte ends
 * what is seen of a line. */
char *text_next(struct text *text);

/* A whole number at *at, which moves behind it. False: there is none, or it is too large. */
bool text_number(const char **at, unsigned base, uint64_t *number);

/* Is what begins so (the first bytes of a file) a text, and no binary file? */
bool text_is(const unsigned char *head, size_t size);
/* Is this text found in the head of a file? */
bool text_has(const unsigned char *head, size_t size, const char *what);

#endif
