/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* view-paint: what the views share: names that are too long, shares and their heat, lists. */
#ifndef TUI_VIEW_PAINT_H
#define TUI_VIEW_PAINT_H

#include "canvas.h"
#include "model.h"

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

#endif
