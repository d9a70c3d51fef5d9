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

/* The column of the table at a screen's column was clicked: what to sort by, or -1. */
int view_sort_at(const struct model *model, int columns, int column);

/* One frame for pprofil top --batch: header and table, as many rows as there are up to most
 * (0: all); no bar. 0 or -ENOMEM. */
int view_frame(struct model *model, struct canvas *canvas, int columns, uint32_t most);

/* --- view-paint.c: what views paint alike --------------------------------------------------- */

#define PAINT_TAB 8 /* columns between tab stops, in sources and output */

/* Text that may be longer than its place. */
struct paint_text {
    const char *text;
    unsigned sideways;  /* scrolled by so many columns */
    bool tail;          /* a path: its end says more, and is what stays */
    bool tabs;          /* expands them */
    const char *search; /* matches are marked; NULL, "": none */
};

/* Puts it, with an ellipsis where it is cut. Returns the columns used. */
int paint_text(struct canvas *canvas, int row, int column, int width, enum style style,
               const struct paint_text *text);
/* A name without more to it. */
int paint_name(struct canvas *canvas, int row, int column, int width, enum style style,
               const char *name);

enum style paint_heat(double share);
/* Per cent, right-aligned; "-" for what is not known (NAN). */
void paint_per_cent(struct canvas *canvas, int row, int column, int width, enum style style,
                    double share, int decimals);
/* "0:12:34" */
void paint_elapsed(uint64_t ns, char *text, size_t size);

/* Says in the model where the list is, and scrolls so that the selection is in view. */
void paint_list(struct model *model, int row, int rows);
/* The whole line of the selection; matches keep their look. */
void paint_selected(struct canvas *canvas, int row);
/* Words in a list's place, broken into lines. Returns the row below. */
int paint_words(struct canvas *canvas, int row, int rows, enum style style, const char *words);

/* The key that does this in one place, for people; "" for none. */
const char *paint_key(enum key_where where, enum action action, int argument);

/* --- view-phrases.c: what the screen and the batch frames say in the same words ------------- */

#define PHRASE_SIZE 192

/* "exited 3", "killed by SIGSEGV"; brief: "SIGSEGV". */
void phrase_status(int status, bool brief, char *text, size_t size);
/* "program ended: exited 3". */
void phrase_end(const struct snapshot *snapshot, char *text, size_t size);
/* The same, also while children of the program that was started go on. */
void phrase_outcome(const struct snapshot *now, bool brief, char *text, size_t size);
/* "300 threads: 2 running, 297 asleep (12 in futex), 1 uninterruptible"; of that less and less, as
 * brief is 1 or 2. */
void phrase_threads(const struct model *model, int brief, char *text, size_t size);
/* Why the table is empty. */
void phrase_empty(const struct model *model, char *text, size_t size);
/* Why there are no calls. */
void phrase_calls(const struct model *model, char *text, size_t size);
/* "functions", or of at most five letters; view: enum pprofil_by or keys_view. */
const char *phrase_view(int view, bool brief);
/* "63 us a sample, CPUs full", if fewer samples are taken than asked for, or "". */
void phrase_limit(const struct snapshot *now, char *text, size_t size);

/* "31 % running, 12 % waiting for a CPU, 57 % asleep": of the last windows, in elapsed time; else "". */
void phrase_states(const struct model *model, char *text, size_t size);

#endif
