/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * canvas: a grid of cells to paint on, and the characters that are put into it. Views write to the
 * grid. The terminal, the batch mode and tests read it.
 */
#ifndef TUI_CANVAS_H
#define TUI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum style {
    STYLE_PLAIN,
    STYLE_TITLE,    /* the command that is profiled */
    STYLE_LABEL,    /* words between figures */
    STYLE_FIGURE,
    STYLE_WARNING,  /* lost samples, untraced threads, end of the targets, pauses */
    STYLE_HEADER,   /* titles of columns */
    STYLE_SORTED,   /* title of the column that rows are sorted by */
    STYLE_SELECTED, /* the selected line; replaces the styles for shares */
    STYLE_HOT,      /* for shares of 10 % and more */
    STYLE_WARM,     /* for shares of 3 % and more */
    STYLE_COOL,     /* for shares of less than 3 % */
    STYLE_DIM,      /* for objects, files, intervals, and processes that pprofil cannot attach to */
    STYLE_SPARK,
    STYLE_SOURCE,
    STYLE_MATCH,    /* a match of the search */
    STYLE_KEY,      /* name of a key, in the help and in the bar at the bottom */
    STYLE_KEY_HELP, /* what a key does, in the help and in the bar at the bottom */
    STYLE_FLAME_ALL, /* flame graph: the box "all", and marks in brackets, such as "[truncated]" */
    STYLE_FLAME_PROGRAM,
    STYLE_FLAME_LIBRARY,
    STYLE_FLAME_RUN_TIME, /* flame graph: code made at run time, and unknown code */
    STYLE_MORE,       /* rows of compared profiles that have grown significantly */
    STYLE_LESS,
    STYLE_FLAME_MORE, /* flame graph of compared profiles: frames that have grown significantly */
    STYLE_FLAME_LESS,
    STYLE_FLAME_SAME, /* chance may explain the change */
    STYLE_COUNT,
};

struct cell {
    uint32_t character; /* Unicode; 0: the right half of a wide character */
    uint8_t style;      /* enum style */
};

struct canvas {
    int rows, columns;
    bool utf8; /* the terminal shows UTF-8; false: characters beyond ASCII become '?' */
    struct cell *cells; /* owned: the cells of the first row, then of the second row, and so on */
    int cursor_row, cursor_column; /* place of the prompt's cursor; -1: no cursor */
};

/* Gives the canvas this size, and makes all its cells blank. Returns 0 or -ENOMEM. */
int canvas_resize(struct canvas *canvas, int rows, int columns);
void canvas_free(struct canvas *canvas);
void canvas_clear(struct canvas *canvas);

/* Puts a text at a place. Control characters and bytes that are not UTF-8 become '?'. The text is
 * cut off after `width` columns, or at the right edge if `width` is -1. Parts outside the grid are
 * left out. Returns the number of columns used. */
int canvas_put(struct canvas *canvas, int row, int column, int width, enum style style, const char *text);
/* Puts a text at the right end of a field that begins at `column` and is `width` columns wide. */
void canvas_put_right(struct canvas *canvas, int row, int column, int width, enum style style, const char *text);
int canvas_printf(struct canvas *canvas, int row, int column, int width, enum style style, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* Changes the style of `width` cells. */
void canvas_style(struct canvas *canvas, int row, int column, int width, enum style style);
/* Draws a line of bars, with the last value at the right end. A bar is a block of one to eight eighths of a cell.
 * Without UTF-8, it is one of " .:-=+*#". The bar of a value that is `highest` or more fills the cell. */
void canvas_spark(struct canvas *canvas, int row, int column, int width, enum style style,
                  const float *values, int count, double highest);

/* Prints the lines without their trailing blanks. Returns 0 or -errno. */
int canvas_print(const struct canvas *canvas, FILE *out);

/* --- characters.c ---------------------------------------------------------------------------------
 * Splits texts that other people wrote (names, sources, a program's output) into characters that
 * are safe to show, and measures their widths. The locale does not matter. */

/* Returns the next character of the text at *at, and moves *at to the character after it. Sets
 * *width to the number of columns that the returned character takes, 0 to 2. Control characters
 * and bytes that are not UTF-8 become '?'. At the end of the text it returns 0 and does not move
 * *at. */
uint32_t character_next(const char **at, int *width);
/* Returns the width of a text in columns, or `most` if the text is wider than `most` columns. */
int characters_width(const char *text, int most);

#endif
