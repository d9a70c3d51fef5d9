/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses the columns of a list that fit into a width, places them and paints them. */
#include "config.h"

#include "columns.h"

#include <inttypes.h>
#include <stdio.h>

#include "view.h"

#define ROOMY 100 /* least width of a screen with two blanks between the columns of a list */

static int columns_gap(int width)
{
    return width < ROOMY ? 1 : 2;
}

/* A choice of columns: those whose own priority is at most `priority`. If `screen` is false,
 * columns of the kind COLUMN_PICTURE are left out. */
struct choice {
    const struct column *columns;
    bool screen;
    int priority, gap;
};

static bool columns_choice_has(const struct choice *choice, const struct column *column)
{
    return column->priority <= choice->priority && (choice->screen || column->kind != COLUMN_PICTURE);
}

static int columns_choice_width(const struct choice *choice)
{
    int width = -choice->gap;

    for (const struct column *column = choice->columns; column->title != NULL; column++)
        if (columns_choice_has(choice, column))
            width += column->width + choice->gap;
    return width;
}

/* Sets choice->priority to the greatest number with which all chosen columns fit into the width. */
static void columns_choose(struct choice *choice, int width)
{
    for (const struct column *column = choice->columns; column->title != NULL; column++)
        if (column->priority > choice->priority)
            choice->priority = column->priority;
    while (choice->priority > 0 && columns_choice_width(choice) > width)
        choice->priority--;
}

/* Widens the columns in turn, each by one cell, until none may grow or no width is left. The
 * remaining width goes to the last column that is always shown and may grow: the name. */
static void columns_share_out(struct column_span *spans, int count, int left)
{
    bool grown = true;

    while (left > 0 && grown) {
        grown = false;
        for (int i = 0; i < count && left > 0; i++) {
            if (spans[i].width >= spans[i].column->most)
                continue;
            spans[i].width++;
            left--;
            grown = true;
        }
    }
    for (int i = count - 1; i >= 0 && left > 0; i--)
        if (spans[i].column->priority == 0 && spans[i].column->most > 0) {
            spans[i].width += left;
            return;
        }
}

int columns_layout(const struct column *columns, int width, bool screen, struct column_span spans[COLUMNS_MAX])
{
    struct choice choice = {columns, screen, 0, columns_gap(width)};
    int count = 0, at = 0;

    columns_choose(&choice, width);
    for (const struct column *column = columns; column->title != NULL; column++)
        if (columns_choice_has(&choice, column) && count < COLUMNS_MAX)
            spans[count++] = (struct column_span){column, 0, column->width};
    columns_share_out(spans, count, width - columns_choice_width(&choice));
    for (int i = 0; i < count; i++) {
        spans[i].at = at;
        at += spans[i].width + choice.gap;
    }
    return count;
}

static const char *column_title(const struct column *column, bool utf8, bool wall)
{
    if (wall && column->wall_title != NULL)
        return column->wall_title;
    return !utf8 && column->ascii_title != NULL ? column->ascii_title : column->title;
}

void columns_titles(const struct column_span *spans, int count, struct canvas *canvas, int row, int sorted, bool wall)
{
    canvas_style(canvas, row, 0, -1, STYLE_HEADER);
    for (int i = 0; i < count; i++) {
        const struct column *column = spans[i].column;
        bool is_sorted = sorted >= 0 && column->sort == sorted;
        enum style style = is_sorted ? STYLE_SORTED : STYLE_HEADER;
        if (is_sorted)
            sorted = -1; /* only the first column with this order is marked */
        canvas_style(canvas, row, spans[i].at, spans[i].width, style);
        if (column->kind != COLUMN_FIGURE)
            canvas_put(canvas, row, spans[i].at, spans[i].width, style, column_title(column, canvas->utf8, wall));
        else
            canvas_put_right(canvas, row, spans[i].at, spans[i].width, style, column_title(column, canvas->utf8, wall));
    }
}

void columns_paint(const struct column_span *spans, int count, const struct pen *pen, const void *row)
{
    for (int i = 0; i < count; i++) {
        struct pen here = *pen;
        here.column = spans[i].at;
        here.width = spans[i].width;
        spans[i].column->paint(&here, row);
    }
}

void pen_number(const struct pen *pen, enum style style, uint32_t number)
{
    char text[16];

    snprintf(text, sizeof text, "%" PRIu32, number);
    canvas_put_right(pen->canvas, pen->row, pen->column, pen->width, style, text);
}

void pen_per_cent(const struct pen *pen, enum style style, double share, int decimals)
{
    paint_per_cent(pen->canvas, pen->row, pen->column, pen->width, style, share, decimals);
}

void pen_text(const struct pen *pen, enum style style, const char *text)
{
    paint_name(pen->canvas, pen->row, pen->column, pen->width, style, text);
}

/* Puts the name of a row. If the name is still being looked up, puts the known part of it and an ellipsis. */
void pen_row_name(const struct pen *pen, const struct table_row *line, bool tail, int column, const char *name)
{
    enum style style = line->total.pending ? STYLE_DIM : pen->style;
    int width = pen->column + pen->width - column - (line->total.pending ? 1 : 0), used;

    if (pen->model->view == PPROFIL_BY_FUNCTION)
        used = paint_function(pen->model, pen->canvas, pen->row, column, width, style, name, pen->model->sideways);
    else
        used = paint_text(
            pen->canvas, pen->row, column, width, style,
            &(struct paint_text){
                .text = name, .tail = tail, .sideways = pen->model->sideways, .search = pen->model->search});

    if (line->total.pending && width >= 0)
        canvas_put(pen->canvas, pen->row, column + used, 1, STYLE_DIM, pen->canvas->utf8 ? "…" : "~");
}
