/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fields: a value of a row, as it is printed in CSV and JSON. Rows of reports and of diffs are
 * tables of fields. */
#ifndef PPROFIL_FIELDS_H
#define PPROFIL_FIELDS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum field_kind {
    FIELD_REAL,        /* double */
    FIELD_PROBABILITY, /* double; CSV has three significant digits of it */
    FIELD_COUNT,       /* uint64_t; JSON has 2^63 - 1 for what is larger */
    FIELD_NUMBER,      /* uint32_t */
    FIELD_FLAG,        /* bool; CSV has 0 and 1 */
    FIELD_TEXT,        /* const char * */
};

struct field {
    const char *name; /* its heading in CSV, its key in JSON */
    enum field_kind kind;
    size_t offset; /* of the value in the row */
};

/* Reads values of a row. index: of the element where the value is an array, else 0. */
double field_real(const struct field *field, const void *row, int index);
uint64_t field_count(const struct field *field, const void *row, int index);
const char *field_text(const struct field *field, const void *row);

/* Prints a value as a field of CSV (RFC 4180), without a comma. */
void field_print_csv(FILE *out, const struct field *field, const void *row, int index);
/* Prints a text as a field of CSV. A terminal does not get the characters that it would obey; a
 * file gets all. */
void csv_print_text(FILE *out, const char *text);

/* Adds a value to a JSON object: null for an infinite one. Returns 0, or -1 when there is no
 * memory. */
int field_add_json(json_t *object, const struct field *field, const void *row, int index);
/* Makes a JSON text of bytes in any encoding; NULL: no memory. */
json_t *json_text(const char *bytes);
json_int_t json_uint(uint64_t number);
/* Flags with which libjansson prints to out: a terminal gets no character beyond ASCII. */
size_t json_flags(FILE *out);

#endif
