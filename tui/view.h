/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* view: paints the model. Each part of the screen is one function in a file of its own. */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include "canvas.h"
#include "model.h"

#define VIEW_ROWS_MIN 10
#define VIEW_COLUMNS_MIN 40

/* The whole screen; on a smaller one than the least, it says so. Sets where the list is in
 * the model (page_rows, list_row, header_row), and scrolls so that the selection is in view. */
void view_screen(struct model *model, struct canvas *canvas, uint64_t now_ns);

/* The parts; each paints from row on and returns the row below it. */
int view_header(const struct model *model, struct canvas *canvas, int row);
int view_table(struct model *model, struct canvas *canvas, int row, int rows);
int view_code(struct model *model, struct canvas *canvas, int row, int rows);
int view_calls(struct model *model, struct canvas *canvas, int row, int rows);
int view_flame(struct model *model, struct canvas *canvas, int row, int rows);
int view_output(struct model *model, struct canvas *canvas, int row, int rows);
int view_picker(struct model *model, struct canvas *canvas, int row, int rows);
/* Covers all but the bar; corrects help_top, and says how far it may go. */
void view_help(struct model *model, struct canvas *canvas);
/* Is the screen high enough for the filters to have a line of the header? Else they are beside
 * the tabs. */
bool view_has_filter_line(const struct canvas *canvas);
/* The filters as the canvas can show them. */
void view_breadcrumb(const struct model *model, const struct canvas *canvas, char *text,
                     size_t size);
void view_bar(const struct model *model, struct canvas *canvas, int row, uint64_t now_ns);

/* The column of the table at a screen's column was clicked: what to sort by, or -1. */
int view_sort_at(const struct model *model, int columns, int column);

/* One frame for pprofil top --batch: header and table, as many rows as there are up to most
 * (0: all); no bar. 0 or -ENOMEM. */
int view_frame(struct model *model, struct canvas *canvas, int columns, uint32_t most);

#endif
