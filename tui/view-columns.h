/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* view-columns: which columns the table has in each view, and how each is painted. */
#ifndef TUI_VIEW_COLUMNS_H
#define TUI_VIEW_COLUMNS_H

#include "columns.h"

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
