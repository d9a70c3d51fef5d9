/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * columns: lays out and paints the columns of a list. An array of struct column describes them. If the screen is too
 * narrow, the columns that matter least are left out. The others share the width that remains.
 */
#ifndef TUI_COLUMNS_H
#define TUI_COLUMNS_H

#include "canvas.h"
#include "model.h"

#define COLUMNS_MAX 12

/* The place where a cell of a list is painted, and what its paint function needs. */
struct pen {
    struct canvas *canvas;
    int row, column, width;
    enum style style; /* style of the line, chosen by its share */
    const struct model *model;
    const struct table *table; /* NULL in the picker */
    uint32_t index;            /* index of the line in the list */
};

/* Put a value into the pen's cell. Numbers and shares in per cent are right-aligned, and texts are left-aligned. */
void pen_number(const struct pen *pen, enum style style, uint32_t number);
void pen_per_cent(const struct pen *pen, enum style style, double share, int decimals);
void pen_text(const struct pen *pen, enum style style, const char *text);
/* Puts a row's name, from a column to the end of the pen's cell. The name is scrolled by
 * model->sideways, and matches of the search are marked. Names of functions are made to fit. A name that is still being
 * looked up is dim and ends with an ellipsis. `tail` has the same meaning as in struct paint_text. */
void pen_row_name(const struct pen *pen, const struct table_row *row, bool tail, int column, const char *name);

enum column_kind {
    COLUMN_FIGURE,  /* a number; the title is right-aligned */
    COLUMN_TEXT,    /* a text; the title is left-aligned */
    COLUMN_PICTURE, /* as COLUMN_TEXT, but left out in the batch mode */
};

struct column {
    const char *title, *ascii_title; /* `ascii_title`: the title without UTF-8; NULL: `title` is used */
    const char *wall_title;          /* title if elapsed time is sampled; NULL: `title` is used */
    /* `width` is the least width, and `most` the width that the column may grow to. If `most` is 0,
     * the column does not grow. */
    int width, most;
    /* 0: the column is always shown; columns with the highest number are left out first */
    int priority;
    int sort;                        /* enum table_sort that a click on the title selects; -1: none */
    enum column_kind kind;
    void (*paint)(const struct pen *pen, const void *row);
};

struct column_span {
    const struct column *column;
    int at, width;
};

/* Finds out which columns fit, and their places. The array `columns` ends with an element without a title. `screen` is
 * false in the batch mode. Returns the number of spans, which are stored from left to right. */
int columns_layout(const struct column *columns, int width, bool screen, struct column_span spans[COLUMNS_MAX]);
/* Puts the line of titles. The title that selects the order `sorted` (enum table_sort) is marked;
 * -1: none is marked. If `wall` is true, the titles are those for elapsed time. */
void columns_titles(const struct column_span *spans, int count, struct canvas *canvas, int row, int sorted, bool wall);
/* Puts one line of a list. `row` is passed to the paint functions of the columns. */
void columns_paint(const struct column_span *spans, int count, const struct pen *pen, const void *row);

/* --- view-columns.c: the columns of the table ----------------------------------------------- */

/* Returns the columns of the present view. Their paint functions expect a struct table_row. */
const struct column *view_columns(const struct model *model);
/* Paint the name of a row; a source file and a line. */
void view_paint_name(const struct pen *pen, const void *row);
void view_paint_line(const struct pen *pen, const void *row);

/* --- view-diff.c ------------------------------------------------------------------------------ */

/* Returns the columns of the present view if two profiles are compared. */
const struct column *view_diff_columns(const struct model *model);

/* --- view-tasks.c ------------------------------------------------------------------------ */

void view_paint_state(const struct pen *pen, const void *row);
void view_paint_sleeps_in(const struct pen *pen, const void *row);
/* Paints the number of threads that are in the row's system call now. */
void view_paint_in_call(const struct pen *pen, const void *row);
void view_paint_status(const struct pen *pen, const void *row);
/* Paints the branches of the process tree, and after them the name of a process. */
void view_paint_process(const struct pen *pen, const void *row);

#endif
