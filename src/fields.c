/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads values of rows through tables of fields, and prints the values as CSV and JSON. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "fields.h"

static const void *field_at(const struct field *field, const void *row)
{
    return (const char *)row + field->offset;
}

double field_real(const struct field *field, const void *row, int index)
{
    return ((const double *)field_at(field, row))[index];
}

uint64_t field_count(const struct field *field, const void *row, int index)
{
    const void *at = field_at(field, row);

    switch (field->kind) {
    case FIELD_COUNT:
        return ((const uint64_t *)at)[index];
    case FIELD_FLAG:
        return ((const bool *)at)[index];
    default:
        return ((const uint32_t *)at)[index];
    }
}

const char *field_text(const struct field *field, const void *row)
{
    return *(const char *const *)field_at(field, row);
}

/* --- CSV --------------------------------------------------------------------------------- */

static void csv_print_quoted(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void csv_print_text(FILE *out, const char *text)
{
    char *harmless = isatty(fileno(out)) ? strdup(text) : NULL;

    if (harmless != NULL)
        utf8_make_harmless(harmless, "");
    csv_print_quoted(out, harmless != NULL ? harmless : text);
    free(harmless);
}

void field_print_csv(FILE *out, const struct field *field, const void *row, int index)
{
    switch (field->kind) {
    case FIELD_REAL:
        fprintf(out, "%.6f", field_real(field, row, index));
        break;
    case FIELD_PROBABILITY:
        fprintf(out, "%.3g", field_real(field, row, index));
        break;
    case FIELD_TEXT:
        csv_print_text(out, field_text(field, row));
        break;
    default:
        fprintf(out, "%" PRIu64, field_count(field, row, index));
    }
}

/* --- JSON -------------------------------------------------------------------------------- */

json_t *json_text(const char *bytes)
{
    json_t *string = json_string(bytes); /* NULL: the bytes are not UTF-8, which JSON requires */
    if (string != NULL)
        return string;

    char safe[512];
    size_t length = 0;
    for (; bytes[length] != '\0' && length < sizeof safe - 1; length++)
        safe[length] = (bytes[length] & 0x80) ? '?' : bytes[length];
    safe[length] = '\0';
    return json_string(safe);
}

json_int_t json_uint(uint64_t number)
{
    return number > INT64_MAX ? INT64_MAX : (json_int_t)number;
}

size_t json_flags(FILE *out)
{
    return JSON_INDENT(1) | (isatty(fileno(out)) ? JSON_ENSURE_ASCII : 0);
}

static json_t *json_real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

int field_add_json(json_t *object, const struct field *field, const void *row, int index)
{
    json_t *value;

    switch (field->kind) {
    case FIELD_REAL:
    case FIELD_PROBABILITY:
        value = json_real_or_null(field_real(field, row, index));
        break;
    case FIELD_FLAG:
        value = json_boolean(field_count(field, row, index));
        break;
    case FIELD_TEXT:
        value = json_text(field_text(field, row));
        break;
    default:
        value = json_integer(json_uint(field_count(field, row, index)));
    }
    return json_object_set_new(object, field->name, value);
}
