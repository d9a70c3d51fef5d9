/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fields: tables that describe the members of a struct (a row), and functions that print the members as CSV and JSON.
 * Reports and diffs have such tables. */
#ifndef PPROFIL_FIELDS_H
#define PPROFIL_FIELDS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum field_kind {
    FIELD_REAL,        /* double */
    FIELD_PROBABILITY, /* double; CSV shows three significant digits */
    FIELD_COUNT,       /* uint64_t; JSON shows at most 2^63 - 1 */
    FIELD_NUMBER,      /* uint32_t */
    FIELD_FLAG,        /* bool; 0 or 1 in CSV */
    FIELD_TEXT,        /* const char * */
};

struct field {
    const char *name; /* heading in CSV and key in JSON */
    enum field_kind kind;
    size_t offset; /* offset of the value in the row, in bytes */
};

/* Return one value of a row. If the value is an array, `index` selects an element of it. Otherwise `index` is 0. */
double field_real(const struct field *field, const void *row, int index);
uint64_t field_count(const struct field *field, const void *row, int index);
const char *field_text(const struct field *field, const void *row);

/* Prints a value as one field of CSV (RFC 4180), with no comma before or after it. */
void field_print_csv(FILE *out, const struct field *field, const void *row, int index);
/* Prints a text as one field of CSV. If `out` is a terminal, characters that could harm it become
 * '?'. Otherwise all bytes are printed. */
void csv_print_text(FILE *out, const char *text);

/* Adds a value to a JSON object. An infinite value becomes null. Returns 0, or -1 for want of memory. */
int field_add_json(json_t *object, const struct field *field, const void *row, int index);
/* Returns a JSON string. If the bytes are not UTF-8, bytes above ASCII become '?', and the text is
 * cut after 511 bytes. Returns NULL for want of memory. */
json_t *json_text(const char *bytes);
json_int_t json_uint(uint64_t number);
/* Returns the flags for json_dumpf to a stream. On a terminal, characters beyond ASCII are escaped. */
size_t json_flags(FILE *out);

#endif
