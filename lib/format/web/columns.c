/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes lists of numbers compactly: see struct column in web.h. */
#include "config.h"

#include "format/web/web.h"

static void column_flush(struct column *column)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = column->bits << 8 * (3 - column->bytes);

    for (unsigned i = 0; i < 4; i++)
        putc(i <= column->bytes ? digits[bits >> (18 - 6 * i) & 63] : '=', column->out);
    column->bits = column->bytes = 0;
}

static void column_put_byte(struct column *column, unsigned byte)
{
    column->bits = column->bits << 8 | byte;
    if (++column->bytes == 3)
        column_flush(column);
}

struct column column_begin(FILE *out, const char *separator, const char *key)
{
    fprintf(out, "%s\"%s\":\"", separator, key);
    return (struct column){.out = out};
}

void column_put(struct column *column, uint64_t number)
{
    for (; number >= 128; number >>= 7)
        column_put_byte(column, (unsigned)(number & 127) | 128);
    column_put_byte(column, (unsigned)number);
}

void column_put_signed(struct column *column, int64_t number)
{
    column_put(column, number < 0 ? 2 * (uint64_t) - (number + 1) + 1 : 2 * (uint64_t)number);
}

void column_end(struct column *column)
{
    if (column->bytes > 0)
        column_flush(column);
    putc('"', column->out);
}
