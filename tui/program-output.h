/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* program-output: the pseudo-terminal of the program that top started, and the last lines that the program wrote. */
#ifndef TUI_PROGRAM_OUTPUT_H
#define TUI_PROGRAM_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output {
    int master;        /* owned; our end of the pseudo-terminal; -1: there is none, or the program has ended */
    /* owned; a pipe to the keeper, a process that keeps the pseudo-terminal open after top has exited (see
     * program-output.c). When top exits or is killed, the kernel closes this descriptor, and the keeper notices that */
    int keeper;
    char **lines;      /* owned: oldest line first; the last one is a copy of the unfinished line */
    uint32_t count;
    uint64_t dropped;  /* number of lines that were dropped so far, all older than lines[0] */
    char *line;        /* owned: the unfinished line, to which the next output is added */
    size_t length, column;
    /* OUTPUT_TEXT, or the kind of escape sequence that is being read */
    enum { OUTPUT_TEXT, OUTPUT_ESCAPE, OUTPUT_CONTROL, OUTPUT_STRING } state;
};

/* Makes the pseudo-terminal. The program writes to the descriptor *program, which the caller closes
 * after the launch. Returns 0 or -errno. */
int output_open(struct output *output, int rows, int columns, int *program);
/* Closes our end of the pseudo-terminal. What the program still writes is discarded, and its writes do not fail. */
void output_close(struct output *output);
void output_resize(const struct output *output, int rows, int columns);

/* Reads what the program has written, up to a limit, without waiting. Returns true if there was output. If no process
 * has the program's end of the pseudo-terminal open, closes our end and returns true. */
bool output_read(struct output *output);

/* Takes bytes of output. output_read and tests call this function. */
void output_feed(struct output *output, const char *bytes, size_t size);

#endif
