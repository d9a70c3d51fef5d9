/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * columns: the columns of a list are a table of rows. What fits on a screen is worked out once: the
 * columns that matter least are left out first, and the others share the rest of the width.
 */
#ifndef TUI_COLUMNS_H
#define TUI_COLUMNS_H

#include "canvas.h"
#include "model.h"

#define COLUMNS_MAX 12

/* Where a cell of a list is painted, and what its painter has to know. */
struct pen {
    struct canvas *canvas;
    int row, column, width;
    enum style style; /* of the line, by its share */
    const struct model *model;
    const struct table *table; /* NULL in the picker */
    uint32_t index;            /* of the line in the list */
};

/* Put a value into the cell: a number or a share in per cent on the right, a text on the left. */
void pen_number(const struct pen *pen, enum style style, uint32_t number);
void pen_per_cent(const struct pen *pen, enum style style, double share, int decimals);
void pen_text(const struct pen *pen, enum style style, const char *text);

enum column_kind {
    COLUMN_FIGURE,  /* a number; its title is on the right */
    COLUMN_TEXT,    /* its title is on the left */
    COLUMN_PICTURE, /* as TEXT, but of no use in a file */
};

struct column {
    const char *title, *ascii_title; /* ascii_title NULL: title */
    const char *wall_title;          /* for elapsed time; NULL: title */
    int width, most;                 /* least width, and the width that it may grow to; 0: it does not grow */
    int priority;                    /* 0: always shown; columns with the highest number are left out first */
    int sort;                        /* enum table_sort; -1: lists cannot be sorted by it */
    enum column_kind kind;
    void (*paint)(const struct pen *pen, const void *row);
};

struct column_span {
    const struct column *column;
    int at, width;
};

/* Finds out which columns fit, and where they are. columns ends with a row without a title.
 * screen: with those that only a screen has. Returns the number of spans, from left to right. */
int columns_layout(const struct column *columns, int width, bool screen,
                   struct column_span spans[COLUMNS_MAX]);
/* Puts the line of titles. sorted: enum table_sort; -1: none. */
void columns_titles(const struct column_span *spans, int count, struct canvas *canvas, int row,
                    int sorted, bool wall);
/* Puts one line of a list. */
void columns_paint(const struct column_span *spans, int count, const struct pen *pen,
                   const void *row);

/* --- view-columns.c: the columns of the table ----------------------------------------------- */

/* Returns the columns of the present view. They paint rows of struct table_row. */
const struct column *view_columns(const struct model *model);

/* Puts a row's name from a column on, with the scrolling, the search and the mark of a pending
 * name. tail: as in struct paint_text. */
void view_put_name(const struct pen *pen, const struct table_row *row, bool tail, int column,
                   const char *name);

/* --- view-tasks.c ------------------------------------------------------------------------ */

void view_paint_state(const struct pen *pen, const void *row);
void view_paint_sleeps_in(const struct pen *pen, const void *row);
/* The number of threads that are in this system call now. */
void view_paint_in_call(const struct pen *pen, const void *row);
void view_paint_status(const struct pen *pen, const void *row);
/* The name of a process, behind the branches of the tree. */
void view_paint_process(const struct pen *pen, const void *row);

#endif
