/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* program-output: the pseudo-terminal of the program that was started, and the last lines that
 * it wrote. */
#ifndef TUI_PROGRAM_OUTPUT_H
#define TUI_PROGRAM_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output {
    int master;        /* our end of the pseudo-terminal; -1: there is no program */
    int keeper;        /* a pipe to the keeper process, which gets its end when we end in any way */
    char **lines;      /* owned: oldest first; the last one is still being written */
    uint32_t count;
    uint64_t dropped;  /* number of lines that were dropped before the first */
    char *line;        /* owned: the line that is being written */
    size_t length, column;
    enum { OUTPUT_TEXT, OUTPUT_ESCAPE, OUTPUT_CONTROL, OUTPUT_STRING } state; /* of escape sequences */
};

/* Makes the pseudo-terminal. *program is the end for the program, which the caller closes after
 * the launch. Returns 0 or -errno. */
int output_open(struct output *output, int rows, int columns, int *program);
/* Closes our end. What the program still writes is discarded and does it no harm. */
void output_close(struct output *output);
void output_resize(const struct output *output, int rows, int columns);

/* Reads what the program has written, at most a part of it, without waiting. Returns whether
 * there was anything. At the end of the program it closes the master. */
bool output_read(struct output *output);

/* Takes bytes as output_read does, but from memory: for tests. */
void output_feed(struct output *output, const char *bytes, size_t size);

#endif
