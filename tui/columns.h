/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * columns: a list's columns are a table of rows like these, and what there is room for is worked
 * out once: those that matter least go first, the others share what is left.
 */
#ifndef TUI_COLUMNS_H
#define TUI_COLUMNS_H

#include "canvas.h"
#include "model.h"

#define COLUMNS_MAX 12

/* Where a column's part of a line is painted, and what else is to be known for it. */
struct pen {
    struct canvas *canvas;
    int row, column, width;
    enum style style; /* the line's: its heat */
    const struct model *model;
    const struct table *table; /* NULL in the picker */
    uint32_t index;            /* of the line in its list */
};

enum column_kind {
    COLUMN_FIGURE,  /* its title on the right */
    COLUMN_TEXT,    /* on the left */
    COLUMN_PICTURE, /* the same; a file has no use for it */
};

struct column {
    const char *title, *ascii_title; /* ascii: NULL, the same */
    const char *wall_title;          /* in wall mode; NULL: the same */
    int width, most;                 /* least, and what it may grow to; most 0: not at all */
    int priority;                    /* 0 stays; the highest goes first */
    int sort;                        /* enum table_sort; -1: cannot be sorted by */
    enum column_kind kind;
    void (*paint)(const struct pen *pen, const void *row);
};

struct column_span {
    const struct column *column;
    int at, width;
};

/* columns ends with a row without a title; screen: those of the screen only, too. Returns how many
 * have spans, from left to right. */
int columns_layout(const struct column *columns, int width, bool screen,
                   struct column_span spans[COLUMNS_MAX]);
/* The line of titles; sorted: enum table_sort, -1 for none. */
void columns_titles(const struct column_span *spans, int count, struct canvas *canvas, int row,
                    int sorted, bool wall);
/* One line of the list. */
void columns_paint(const struct column_span *spans, int count, const struct pen *pen,
                   const void *row);

/* --- view-columns.c: the columns of the table ----------------------------------------------- */

/* Of struct table_row; ends with a row without a title. */
const struct column *view_columns(const struct model *model);

/* A row's name from a column on: scrolled, searched, pending as it may be. tail: as in
 * struct paint_text. */
void view_put_name(const struct pen *pen, const struct table_row *row, bool tail, int column,
                   const char *name);
void view_put_number(const struct pen *pen, uint32_t number);

/* --- view-tasks.c ------------------------------------------------------------------------ */

void view_paint_state(const struct pen *pen, const void *row);
void view_paint_sleeps_in(const struct pen *pen, const void *row);
/* How many threads are in this system call now. */
void view_paint_in_call(const struct pen *pen, const void *row);
void view_paint_status(const struct pen *pen, const void *row);
/* The name, behind the branches of the tree. */
void view_paint_process(const struct pen *pen, const void *row);

#endif
