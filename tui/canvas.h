/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * canvas: a grid of cells to paint on. Views write here; a terminal, a text file and tests read.
 */
#ifndef TUI_CANVAS_H
#define TUI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum style {
    STYLE_PLAIN,
    STYLE_TITLE,    /* what is profiled */
    STYLE_LABEL,    /* words between figures */
    STYLE_FIGURE,
    STYLE_WARNING,  /* lost, untraced, ended, paused */
    STYLE_HEADER,   /* of columns */
    STYLE_SORTED,   /* the column sorted by */
    STYLE_SELECTED, /* with any of the heats below it keeps one look */
    STYLE_HOT,      /* >= 10 % */
    STYLE_WARM,     /* >= 3 % */
    STYLE_COOL,     /* less */
    STYLE_DIM,      /* objects, files, intervals; refused processes */
    STYLE_SPARK,
    STYLE_SOURCE,
    STYLE_MATCH,    /* of a search */
    STYLE_KEY,      /* in the bar and the help: the key ... */
    STYLE_KEY_HELP, /* ... and what it does */
    STYLE_FLAME_ALL, /* boxes of a flame graph: what stands above all, and marks ... */
    STYLE_FLAME_PROGRAM,
    STYLE_FLAME_LIBRARY,
    STYLE_FLAME_RUN_TIME, /* ... code made at run time, or not known */
    STYLE_COUNT,
};

struct cell {
    uint32_t character; /* Unicode; 0: the right half of a wide one */
    uint8_t style;      /* enum style */
};

struct canvas {
    int rows, columns;
    bool utf8; /* else only ASCII is put on it: text that is not becomes '?' */
    struct cell *cells; /* owned; row by row */
    int cursor_row, cursor_column; /* of a prompt; -1: none */
};

/* All blank. 0 or -ENOMEM. */
int canvas_resize(struct canvas *canvas, int rows, int columns);
void canvas_free(struct canvas *canvas);
void canvas_clear(struct canvas *canvas);

/* Puts text (UTF-8; bytes that are not become '?', control characters too) at a place, cut off
 * after width columns (-1: at the right edge); outside the grid nothing happens. Returns the
 * columns used. */
int canvas_put(struct canvas *canvas, int row, int column, int width, enum style style,
               const char *text);
/* The same right-aligned in width. */
void canvas_put_right(struct canvas *canvas, int row, int column, int width, enum style style,
                      const char *text);
int canvas_printf(struct canvas *canvas, int row, int column, int width, enum style style,
                  const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Gives a stretch of cells another style. */
void canvas_style(struct canvas *canvas, int row, int column, int width, enum style style);
/* A line of bars, 0..1 each, newest at the right end: eighths of blocks, or " .:-=+*#". */
void canvas_spark(struct canvas *canvas, int row, int column, int width, enum style style,
                  const float *values, int count, double highest);

/* Lines without trailing blanks. 0 or -errno. */
int canvas_print(const struct canvas *canvas, FILE *out);

#endif
