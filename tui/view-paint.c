/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that several views paint with: texts, shares, times and the selection. */
#include "config.h"

#include "view.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fit-name.h"
#include "base/utf8.h"

#define PAINT_NAME_SIZE 4096 /* bytes; what is left of a longer name is shown */
#define HOT 0.10
#define WARM 0.03

/* A window: a place on the screen that shows a part of a text. */
struct window {
    struct canvas *canvas;
    int row, column, width;
    int from; /* first column of the text that the window shows */
};

static const char *paint_ellipsis(const struct canvas *canvas)
{
    return canvas->utf8 ? "…" : "~";
}

static int paint_advance(const char **at, int columns, bool tabs, uint32_t *character)
{
    int width;

    if (tabs && **at == '\t') {
        *at += 1;
        *character = ' ';
        return PAINT_TAB - columns % PAINT_TAB;
    }
    *character = character_next(at, &width);
    return width;
}

/* Returns the width of the text in columns. Stops measuring at `most` columns, so the result for a
 * wider text is at least `most`. */
static int paint_columns(const struct paint_text *text, int most)
{
    const char *at = text->text;
    uint32_t character;
    int columns = 0;

    while (columns < most && *at != '\0')
        columns += paint_advance(&at, columns, text->tabs, &character);
    return columns;
}

static void paint_character(const struct window *window, int at, int width, enum style style, uint32_t character)
{
    char bytes[5] = "";

    bytes[utf8_encode(character, bytes)] = '\0';
    if (at >= window->from && at + width <= window->from + window->width)
        canvas_put(window->canvas, window->row, window->column + at - window->from, width, style, bytes);
}

/* If the text at `at` begins with the text `search`, in upper or lower case, returns the length of
 * `search` in bytes. Otherwise returns 0. */
static size_t paint_match(const char *at, const char *search)
{
    size_t length = search == NULL ? 0 : strlen(search);

    return length > 0 && strncasecmp(at, search, length) == 0 ? length : 0;
}

static void paint_window(const struct window *window, enum style style, const struct paint_text *text)
{
    const char *at = text->text, *match_end = at;
    int columns = 0;

    while (*at != '\0' && columns < window->from + window->width) {
        uint32_t character;
        size_t match = paint_match(at, text->search);
        if (match > 0)
            match_end = at + match;
        enum style this_style = at < match_end ? STYLE_MATCH : style;
        int width = paint_advance(&at, columns, text->tabs, &character);
        paint_character(window, columns, width, this_style, character);
        columns += width;
    }
}

/* Returns the first column of the text that is shown. If text->tail is set, the end of the text is shown, and scrolling
 * sideways uncovers the beginning. */
static int paint_first_column(const struct paint_text *text, int columns, int width)
{
    int sideways = text->sideways > INT_MAX / 2 ? INT_MAX / 2 : (int)text->sideways;
    int hidden = columns > width ? columns - width : 0;

    if (text->tail)
        return sideways < hidden ? hidden - sideways : 0;
    return sideways < columns ? sideways : columns;
}

int paint_text(struct canvas *canvas, int row, int column, int width, enum style style, const struct paint_text *text)
{
    if (width < 0 || width > canvas->columns - column)
        width = canvas->columns - column;
    if (width <= 0)
        return 0;

    int columns = paint_columns(text, INT_MAX / 2);
    struct window window = {canvas, row, column, width, paint_first_column(text, columns, width)};

    paint_window(&window, style, text);
    if (window.from > 0)
        canvas_put(canvas, row, column, 1, style, paint_ellipsis(canvas));
    if (columns - window.from > width)
        canvas_put(canvas, row, column + width - 1, 1, style, paint_ellipsis(canvas));
    return columns - window.from < width ? columns - window.from : width;
}

int paint_name(struct canvas *canvas, int row, int column, int width, enum style style, const char *name)
{
    return paint_text(canvas, row, column, width, style, &(struct paint_text){.text = name});
}

int paint_function(const struct model *model, struct canvas *canvas, int row, int column, int width, enum style style,
                   const char *name, unsigned sideways)
{
    char whole[PAINT_NAME_SIZE], fitted[PAINT_NAME_SIZE];

    if (!model->whole_names && sideways == 0 && width > 0) {
        fit_short_name(name, whole, sizeof whole);
        fit_name(whole, (size_t)width, canvas->utf8, fitted, sizeof fitted);
        name = fitted;
    }
    return paint_text(canvas, row, column, width, style,
                      &(struct paint_text){.text = name, .sideways = sideways, .search = model->search});
}

enum style paint_heat(double share)
{
    if (share >= HOT)
        return STYLE_HOT;
    return share >= WARM ? STYLE_WARM : STYLE_COOL;
}

void paint_per_cent(struct canvas *canvas, int row, int column, int width, enum style style, double share, int decimals)
{
    char text[32] = "-";

    if (isfinite(share) && fabs(share) < 1e9)
        snprintf(text, sizeof text, "%.*f", decimals, 100 * share);
    canvas_put_right(canvas, row, column, width, style, text);
}

void paint_elapsed(uint64_t ns, char *text, size_t size)
{
    uint64_t seconds = ns / 1000000000u;

    snprintf(text, size, "%" PRIu64 ":%02u:%02u", seconds / 3600, (unsigned)(seconds / 60 % 60),
             (unsigned)(seconds % 60));
}

void paint_list(struct model *model, int row, int rows)
{
    uint32_t count = model_list_count(model), page = rows > 0 ? (uint32_t)rows : 0;
    uint32_t selected = model->selected < count ? model->selected : count > 0 ? count - 1 : 0;

    model->list_row = row > 0 ? (uint32_t)row : 0;
    model->page_rows = page;
    if (page > 0 && selected >= page && model->top < selected - page + 1)
        model->top = selected - page + 1;
    if (model->top > selected)
        model->top = selected;
    if (model->top > 0 && count - model->top < page)
        model->top = count > page ? count - page : 0;
}

void paint_selected(struct canvas *canvas, int row)
{
    if (row < 0 || row >= canvas->rows)
        return;
    for (int column = 0; column < canvas->columns; column++) {
        struct cell *cell = &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)column];
        if (cell->style != STYLE_MATCH)
            cell->style = STYLE_SELECTED;
    }
}

int paint_words(struct canvas *canvas, int row, int rows, enum style style, const char *words)
{
    int end = row + rows, column = 1;

    while (*words != '\0' && row < end) {
        size_t length = strcspn(words, " ");
        char word[256];
        snprintf(word, sizeof word, "%.*s", (int)(length < 255 ? length : 255), words);
        if (column > 1 && column + characters_width(word, canvas->columns) > canvas->columns) {
            column = 1;
            if (++row >= end)
                return row;
        }
        column += canvas_put(canvas, row, column, -1, style, word) + 1;
        words += length;
        words += strspn(words, " ");
    }
    return row + 1;
}

const char *paint_key(enum key_where where, enum action action, int argument)
{
    for (size_t i = 0; i < key_binding_count; i++)
        if (key_bindings[i].action == action && key_bindings[i].argument == argument &&
            (key_bindings[i].where & where) != 0)
            return keys_name(key_bindings[i].key);
    return "";
}
