/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* program-output: the pane of the program that was started: a pseudo-terminal, and its last lines. */
#ifndef TUI_PROGRAM_OUTPUT_H
#define TUI_PROGRAM_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output {
    int master;        /* -1: there is no program */
    int keeper;        /* a pipe: when we are gone, however that was, the keeper sees its end */
    char **lines;      /* owned; oldest first; the last one is being written */
    uint32_t count;
    uint64_t dropped;  /* lines before the first of them */
    char *line;        /* owned: the one being written, before it is put among lines */
    size_t length, column;
    enum { OUTPUT_TEXT, OUTPUT_ESCAPE, OUTPUT_CONTROL, OUTPUT_STRING } state; /* of escapes */
};

/* Makes the pseudo-terminal. *program is the end for the program: close it after the launch. 0
 * or -errno. */
int output_open(struct output *output, int rows, int columns, int *program);
/* Lets go. What the program still writes goes nowhere, and harms it not. */
void output_close(struct output *output);
void output_resize(const struct output *output, int rows, int columns);

/* Takes what has been written, a part at a time. Returns whether there was something; ends of the
 * program close the master. Never waits. */
bool output_read(struct output *output);

/* For tests: the same from memory. */
void output_feed(struct output *output, const char *bytes, size_t size);

#endif
