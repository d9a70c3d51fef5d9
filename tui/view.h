/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* view: paints the model on a canvas. Each part of the screen is one function in a file of its own. */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include "canvas.h"
#include "model.h"

#define VIEW_ROWS_MIN 10
#define VIEW_COLUMNS_MIN 40

/* Paints the whole screen, or a message if the canvas is too small. Sets the place of the list on the screen
 * (page_rows, list_row, header_row of the model), and scrolls so that the selection is in view. */
void view_screen(struct model *model, struct canvas *canvas, uint64_t now_ns);

/* Paint parts of the screen, beginning at the screen's line `row`. Each function returns the line
 * below the part that it has painted. */
int view_header(const struct model *model, struct canvas *canvas, int row);
/* Paints the line with the filters in force, if there are any and the screen is high enough for it. Returns the line
 * below it. */
int view_filter_line(const struct model *model, struct canvas *canvas, int row);
int view_table(struct model *model, struct canvas *canvas, int row, int rows);
int view_code(struct model *model, struct canvas *canvas, int row, int rows);
int view_calls(struct model *model, struct canvas *canvas, int row, int rows);
int view_flame(struct model *model, struct canvas *canvas, int row, int rows);
int view_timeline(struct model *model, struct canvas *canvas, int row, int rows);
int view_output(struct model *model, struct canvas *canvas, int row, int rows);
int view_picker(struct model *model, struct canvas *canvas, int row, int rows);
/* Sets the place of the time line's picture on a screen of this width, so that the next snapshot fits. */
void view_timeline_place(struct model *model, int columns);
/* Paints the help over everything except the bottom line. Sets help_rows and help_last of the model, and reduces
 * help_top to help_last if it is greater. */
void view_help(struct model *model, struct canvas *canvas);
/* Returns true if the screen is high enough for a header line with the filters in force. Otherwise the
 * filters are beside the tabs. */
bool view_has_filter_line(const struct canvas *canvas);
/* Writes the text of the filters in force, with characters that the canvas can show. */
void view_breadcrumb(const struct model *model, const struct canvas *canvas, char *text, size_t size);

/* Returns the name of the selected function if the user has moved the selection to it, and the table on a screen of
 * this width does not show all of the name. Otherwise returns NULL. */
const char *view_whole_name(const struct model *model, int columns);

/* Returns the order (enum table_sort) that a click on the title at this column selects, or -1.
 * `columns` is the width of the screen. */
int view_sort_at(const struct model *model, int columns, int column);

/* Paints a frame for pprofil top --batch: the header and the table, without the bar at the bottom.
 * `most` is the greatest number of rows in the frame; 0: all rows. Returns 0 or -ENOMEM. */
int view_frame(struct model *model, struct canvas *canvas, int columns, uint32_t most);

/* --- view-diff.c: two profiles that are compared ---------------------------------------------- */

/* Paints the header: the files, what they have, and how they differ. Returns the line below it. */
int view_diff_header(const struct model *model, struct canvas *canvas, int row);
/* Paints the head of a frame of text, which has four lines. */
void view_diff_frame_head(const struct model *model, struct canvas *canvas);
/* Returns the style of a row. */
enum style view_diff_style(const struct pprofil_diff_row *row);
/* Returns '+' for a significant increase, '-' for a significant decrease, and ' ' for a change that may be chance. */
char view_diff_mark(const struct pprofil_diff_call *call);

/* --- view-paint.c: functions that several views paint with ---------------------------------- */

#define PAINT_TAB 8 /* columns between tab stops in sources and output */

/* A text that may be wider than its place, and how to show it. */
struct paint_text {
    const char *text;
    unsigned sideways;  /* columns by which the text is scrolled */
    bool tail;          /* if the text is too long, its beginning is cut off, because the end of a path says more */
    bool tabs;          /* tabs in the text are expanded */
    const char *search; /* matches of this text are marked; NULL or "": none */
};

/* Puts the text, with an ellipsis at each end that is cut off. If `width` is -1, the text may go up
 * to the right edge. Returns the number of columns used. */
int paint_text(struct canvas *canvas, int row, int column, int width, enum style style, const struct paint_text *text);
/* Puts a text without the options of struct paint_text. */
int paint_name(struct canvas *canvas, int row, int column, int width, enum style style, const char *name);

/* Puts the name of a function. Unless model->whole_names is set, or the name is scrolled by `sideways`, it is made to
 * fit as in reports (base/fit-name.h). Matches of the search are marked. Returns the number of columns used. */
int paint_function(const struct model *model, struct canvas *canvas, int row, int column, int width, enum style style,
                   const char *name, unsigned sideways);

enum style paint_heat(double share);
/* Puts a share in per cent, right-aligned in a field. NAN, an unknown share, is shown as "-". */
void paint_per_cent(struct canvas *canvas, int row, int column, int width, enum style style,
                    double share, int decimals);
/* Writes hours, minutes and seconds, such as "0:12:34". */
void paint_elapsed(uint64_t ns, char *text, size_t size);

/* Sets the place of the list in the model, and scrolls so that the selection is in view. */
void paint_list(struct model *model, int row, int rows);
/* Gives the cells of the selected row STYLE_SELECTED. Matches of the search keep their style. */
void paint_selected(struct canvas *canvas, int row);
/* Puts words in the place of a list, broken into lines. Returns the row below the last line. */
int paint_words(struct canvas *canvas, int row, int rows, enum style style, const char *words);

/* Returns the name of the first key with this action and argument on a page, or "". */
const char *paint_key(enum key_where where, enum action action, int argument);

/* --- view-phrases.c: texts that screens and batch frames share ------------------------------ */

#define PHRASE_SIZE 192

/* Writes how a process ended, from its wait status: "exited 3" or "killed by SIGSEGV". If `brief`
 * is true, writes "SIGSEGV" instead of "killed by SIGSEGV". */
void phrase_status(int status, bool brief, char *text, size_t size);
/* Writes how the program ended, such as "program ended: exit status 3", or "all targets have ended". */
void phrase_end(const struct snapshot *snapshot, char *text, size_t size);
/* Writes how the program ended, and how many processes run on. If `brief` is true and processes run
 * on, the text is shorter. */
void phrase_outcome(const struct snapshot *now, bool brief, char *text, size_t size);
/* Writes the states of threads, such as "300 threads: 2 running, 297 asleep (12 in futex), 1
 * uninterruptible". If `brief` is 1, the text is shorter, and if it is 2, still shorter. */
void phrase_threads(const struct model *model, int brief, char *text, size_t size);
/* Writes the reason why the table is empty. */
void phrase_empty(const struct model *model, char *text, size_t size);
/* Writes the reason why there are no calls. */
void phrase_calls(const struct model *model, char *text, size_t size);
/* Returns the name of a view, such as "functions". `view` is an enum pprofil_by or an enum
 * keys_view. If `brief` is true, the name has at most five letters. */
const char *phrase_view(int view, bool brief);
/* Writes a text such as "63 us a sample, CPUs full" if the cost of samples limits the rate, else "". */
void phrase_limit(const struct snapshot *now, char *text, size_t size);

/* Writes the shares of states in the last windows, such as "31 % running, 12 % waiting for a CPU,
 * 57 % asleep". Writes "" if CPU time is sampled, because then the states are not known. */
void phrase_states(const struct model *model, char *text, size_t size);

#endif
