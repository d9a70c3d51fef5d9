/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fields: values of a row, as CSV and JSON have them. The rows of reports and of diffs are
 * tables of fields. */
#ifndef PPROFIL_FIELDS_H
#define PPROFIL_FIELDS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum field_kind {
    FIELD_REAL,        /* double */
    FIELD_PROBABILITY, /* double; CSV has three significant digits */
    FIELD_COUNT,       /* uint64_t; JSON has at most 2^63 - 1 */
    FIELD_NUMBER,      /* uint32_t */
    FIELD_FLAG,        /* bool; 0 or 1 in CSV */
    FIELD_TEXT,        /* const char * */
};

struct field {
    const char *name; /* its heading in CSV, its key in JSON */
    enum field_kind kind;
    size_t offset; /* of the value in the row */
};

/* Return a value of a row. index: of the element if the value is an array, else 0. */
double field_real(const struct field *field, const void *row, int index);
uint64_t field_count(const struct field *field, const void *row, int index);
const char *field_text(const struct field *field, const void *row);

/* Prints a value as one field of CSV (RFC 4180), without a comma. */
void field_print_csv(FILE *out, const struct field *field, const void *row, int index);
/* Prints a text as one field of CSV. A file gets all its bytes; a terminal gets no character
 * that it would obey. */
void csv_print_text(FILE *out, const char *text);

/* Adds a value to a JSON object. An infinite value becomes null. Returns 0, or -1 for want of
 * memory. */
int field_add_json(json_t *object, const struct field *field, const void *row, int index);
/* Makes a JSON text of bytes in any encoding. Returns NULL for want of memory. */
json_t *json_text(const char *bytes);
json_int_t json_uint(uint64_t number);
/* Returns the flags with which libjansson prints to out: a terminal gets no character beyond
 * ASCII. */
size_t json_flags(FILE *out);

#endif
