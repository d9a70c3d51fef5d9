/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* view: paints the model. Each part of the screen is one function in a file of its own. */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include "canvas.h"
#include "model.h"

#define VIEW_ROWS_MIN 10
#define VIEW_COLUMNS_MIN 40

/* Paints the whole screen. If it is too small, it says so. Sets where the list is on the screen
 * (page_rows, list_row, header_row of the model), and scrolls so that the selection is in view. */
void view_screen(struct model *model, struct canvas *canvas, uint64_t now_ns);

/* The parts of the screen. Each paints from row on, and returns the row below it. */
int view_header(const struct model *model, struct canvas *canvas, int row);
int view_table(struct model *model, struct canvas *canvas, int row, int rows);
int view_code(struct model *model, struct canvas *canvas, int row, int rows);
int view_calls(struct model *model, struct canvas *canvas, int row, int rows);
int view_flame(struct model *model, struct canvas *canvas, int row, int rows);
int view_output(struct model *model, struct canvas *canvas, int row, int rows);
int view_picker(struct model *model, struct canvas *canvas, int row, int rows);
/* Paints the help over everything but the bar. Sets help_rows and help_last, and limits
 * help_top. */
void view_help(struct model *model, struct canvas *canvas);
/* Is the screen high enough for a line of the header with the filters? Otherwise they stand
 * beside the tabs. */
bool view_has_filter_line(const struct canvas *canvas);
/* Makes the text of the filters with characters that the canvas has. */
void view_breadcrumb(const struct model *model, const struct canvas *canvas, char *text,
                     size_t size);

/* Returns what a click on the title at this column sorts by, or -1. */
int view_sort_at(const struct model *model, int columns, int column);

/* Paints a frame for pprofil top --batch: header and table without a bar. most: greatest number
 * of rows; 0: all. Returns 0 or -ENOMEM. */
int view_frame(struct model *model, struct canvas *canvas, int columns, uint32_t most);

/* --- view-paint.c: what views paint alike --------------------------------------------------- */

#define PAINT_TAB 8 /* columns between tab stops in sources and output */

/* A text that may be longer than its place. */
struct paint_text {
    const char *text;
    unsigned sideways;  /* columns that it is scrolled by */
    bool tail;          /* if it is cut, its end stays: the end of a path says more */
    bool tabs;          /* it has tabs, which are expanded */
    const char *search; /* its matches are marked; NULL or "": none */
};

/* Puts the text, with an ellipsis where it is cut. Returns the columns used. */
int paint_text(struct canvas *canvas, int row, int column, int width, enum style style,
               const struct paint_text *text);
/* Puts a text without such options. */
int paint_name(struct canvas *canvas, int row, int column, int width, enum style style,
               const char *name);

enum style paint_heat(double share);
/* Puts a share in per cent at the right end; "-" for NAN, which is not known. */
void paint_per_cent(struct canvas *canvas, int row, int column, int width, enum style style,
                    double share, int decimals);
/* Makes a text like "0:12:34". */
void paint_elapsed(uint64_t ns, char *text, size_t size);

/* Sets where the list is in the model, and scrolls so that the selection is in view. */
void paint_list(struct model *model, int row, int rows);
/* Gives the line of the selection its style; matches keep theirs. */
void paint_selected(struct canvas *canvas, int row);
/* Puts words in place of a list, broken into lines. Returns the row below. */
int paint_words(struct canvas *canvas, int row, int rows, enum style style, const char *words);

/* Returns the name of the key that does this on a page, or "". */
const char *paint_key(enum key_where where, enum action action, int argument);

/* --- view-phrases.c: what the screen and the batch frames say in the same words ------------- */

#define PHRASE_SIZE 192

/* "exited 3" or "killed by SIGSEGV"; brief: "SIGSEGV". */
void phrase_status(int status, bool brief, char *text, size_t size);
/* "program ended: exited 3". */
void phrase_end(const struct snapshot *snapshot, char *text, size_t size);
/* The same, and how many of the program's children run on. */
void phrase_outcome(const struct snapshot *now, bool brief, char *text, size_t size);
/* "300 threads: 2 running, 297 asleep (12 in futex), 1 uninterruptible". brief 1 and 2: shorter
 * texts. */
void phrase_threads(const struct model *model, int brief, char *text, size_t size);
/* Says why the table is empty. */
void phrase_empty(const struct model *model, char *text, size_t size);
/* Says why there are no calls. */
void phrase_calls(const struct model *model, char *text, size_t size);
/* Returns the name of a view, such as "functions"; brief: at most five letters. view: enum
 * pprofil_by or enum keys_view. */
const char *phrase_view(int view, bool brief);
/* "63 us a sample, CPUs full", or "" if as many samples are taken as asked for. */
void phrase_limit(const struct snapshot *now, char *text, size_t size);

/* "31 % running, 12 % waiting for a CPU, 57 % asleep", of the last windows; "" for CPU time. */
void phrase_states(const struct model *model, char *text, size_t size);

#endif
