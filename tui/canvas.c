/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paints into a grid of cells, each with a character and a style. Views may use any position, because what lies outside
 * the grid is cut off. A wide character has two cells, and painting over one of them blanks the other. Combining
 * characters, such as U+0301, are left out, because a cell holds one character.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "canvas.h"

#define ROWS_MAX (1 << 20) /* rows of the largest frame in the batch mode; terminals have fewer */
#define COLUMNS_MAX (1 << 12)
#define SPARK_LEVELS 8

static const struct cell blank = {' ', STYLE_PLAIN};

int canvas_resize(struct canvas *canvas, int rows, int columns)
{
    rows = rows < 0 ? 0 : rows > ROWS_MAX ? ROWS_MAX : rows;
    columns = columns < 0 ? 0 : columns > COLUMNS_MAX ? COLUMNS_MAX : columns;
    size_t count = (size_t)rows * (size_t)columns;
    struct cell *cells = malloc((count > 0 ? count : 1) * sizeof *cells);

    if (cells == NULL)
        return -ENOMEM;
    free(canvas->cells);
    canvas->cells = cells;
    canvas->rows = rows;
    canvas->columns = columns;
    canvas_clear(canvas);
    return 0;
}

void canvas_free(struct canvas *canvas)
{
    free(canvas->cells);
    canvas->cells = NULL;
    canvas->rows = canvas->columns = 0;
}

void canvas_clear(struct canvas *canvas)
{
    size_t count = (size_t)canvas->rows * (size_t)canvas->columns;

    for (size_t i = 0; i < count; i++)
        canvas->cells[i] = blank;
    canvas->cursor_row = canvas->cursor_column = -1;
}

static struct cell *canvas_cell(const struct canvas *canvas, int row, int column)
{
    if (row < 0 || row >= canvas->rows || column < 0 || column >= canvas->columns)
        return NULL;
    return &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)column];
}

/* Blanks the other half of a wide character. Call this function before one half is painted over. */
static void canvas_part_halves(const struct canvas *canvas, int row, int column)
{
    struct cell *cell = canvas_cell(canvas, row, column);
    struct cell *before = canvas_cell(canvas, row, column - 1);
    struct cell *after = canvas_cell(canvas, row, column + 1);

    if (cell->character == 0 && before != NULL)
        before->character = ' ';
    if (cell->character != 0 && after != NULL && after->character == 0)
        after->character = ' ';
}

static void canvas_put_cell(struct canvas *canvas, int row, int column, enum style style, uint32_t character)
{
    struct cell *cell = canvas_cell(canvas, row, column);

    if (cell == NULL)
        return;
    canvas_part_halves(canvas, row, column);
    cell->character = character;
    cell->style = (uint8_t)style;
}

/* Puts a character. A wide character that is partly outside the grid becomes blank. */
static void canvas_put_character(struct canvas *canvas, int row, int column, int width, enum style style,
                                 uint32_t character)
{
    if (width == 2 && (column < 0 || column + 1 >= canvas->columns)) {
        canvas_put_cell(canvas, row, column, style, ' ');
        canvas_put_cell(canvas, row, column + 1, style, ' ');
        return;
    }
    canvas_put_cell(canvas, row, column, style, character);
    if (width == 2 && canvas_cell(canvas, row, column + 1) != NULL) {
        canvas_part_halves(canvas, row, column + 1);
        *canvas_cell(canvas, row, column) = (struct cell){character, (uint8_t)style};
        *canvas_cell(canvas, row, column + 1) = (struct cell){0, (uint8_t)style};
    }
}

int canvas_put(struct canvas *canvas, int row, int column, int width, enum style style, const char *text)
{
    int used = 0, wide;
    uint32_t character;

    if (width < 0 || width > canvas->columns - column)
        width = canvas->columns - column;
    while (used < width && (character = character_next(&text, &wide)) != 0) {
        if (!canvas->utf8 && character > 0x7e) {
            character = '?';
            wide = wide == 0 ? 0 : 1;
        }
        if (wide == 0)
            continue;
        if (used + wide > width)
            break;
        canvas_put_character(canvas, row, column + used, wide, style, character);
        used += wide;
    }
    return used;
}

void canvas_put_right(struct canvas *canvas, int row, int column, int width, enum style style, const char *text)
{
    int needed = characters_width(text, width < 0 ? 0 : width);

    canvas_put(canvas, row, column + width - needed, needed, style, text);
}

int canvas_printf(struct canvas *canvas, int row, int column, int width, enum style style, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return canvas_put(canvas, row, column, width, style, text);
}

void canvas_style(struct canvas *canvas, int row, int column, int width, enum style style)
{
    int end = width < 0 || width > canvas->columns - column ? canvas->columns : column + width;

    for (int at = column < 0 ? 0 : column; at < end; at++) {
        struct cell *cell = canvas_cell(canvas, row, at);
        if (cell != NULL)
            cell->style = (uint8_t)style;
    }
}

/* Returns the height of a bar, from 0 to SPARK_LEVELS. The bar of any value above 0 is visible. */
static int canvas_spark_level(double value, double highest)
{
    if (!(value > 0) || !(highest > 0))
        return 0;
    return value >= highest ? SPARK_LEVELS : (int)ceil(value / highest * SPARK_LEVELS);
}

void canvas_spark(struct canvas *canvas, int row, int column, int width, enum style style,
                  const float *values, int count, double highest)
{
    static const char ascii[SPARK_LEVELS + 1] = " ..:-=+*#";

    for (int i = 0; i < width && i < count; i++) {
        int level = canvas_spark_level((double)values[count - 1 - i], highest);
        uint32_t bar = level == 0 ? ' ' : 0x2580 + (uint32_t)level; /* U+2581 to U+2588 */
        canvas_put_cell(canvas, row, column + width - 1 - i, style, canvas->utf8 ? bar : (uint32_t)ascii[level]);
    }
}

static int canvas_row_end(const struct canvas *canvas, int row)
{
    int end = canvas->columns;

    while (end > 0 && canvas_cell(canvas, row, end - 1)->character == ' ')
        end--;
    return end;
}

int canvas_print(const struct canvas *canvas, FILE *out)
{
    for (int row = 0; row < canvas->rows; row++) {
        int end = canvas_row_end(canvas, row);
        for (int column = 0; column < end; column++) {
            char bytes[4];
            uint32_t character = canvas_cell(canvas, row, column)->character;
            size_t length = character != 0 ? utf8_encode(character, bytes) : 0;
            if (fwrite(bytes, 1, length, out) != length)
                return -errno;
        }
        if (fputc('\n', out) == EOF)
            return -errno;
    }
    if (fflush(out) != 0)
        return -errno;
    return ferror(out) ? -EIO : 0;
}
