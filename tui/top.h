/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* top: the live view, `pprofil top`. Uses pprofil.h only. */
#ifndef TUI_TOP_H
#define TUI_TOP_H

#include <stdio.h>

#include "pprofil.h"

struct top_request {
    struct pprofil_options options;
    double window_seconds; /* of the display */
    const pid_t *pids;     /* to attach to; with no program either: the picker */
    unsigned pid_count;
    char **program;        /* to start; NULL: none */
    bool batch;            /* text frames to standard output */
    unsigned frames;       /* batch: so many; 0: until the end */
    uint32_t rows;         /* batch: most rows in a frame; 0: all */
};

/* What is left when it ends: the caller prints the summary and closes both. */
struct top_result {
    pprofil_session *session; /* NULL: nothing was profiled */
    int status;               /* of the program started, as wait(2); -1: it runs on, or was none */
    int signal;               /* that ended us; 0: none */
    char problem[512];        /* "": all went well */
};

/* Runs until it is left. 0, or a negative errno and a problem; the terminal is as it was. */
int top_run(const struct top_request *request, struct top_result *result);

/* Prints the table of keys, a line for each: the key's name; the pages where it means something, with commas between
 * them; the action's name; what it does, in words. Tabs are between the four. 0, or a negative errno of the stream. */
int top_print_keys(FILE *out);

#endif
