/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* top: the live view, `pprofil top`. Uses pprofil.h only. */
#ifndef TUI_TOP_H
#define TUI_TOP_H

#include <stdio.h>

#include "pprofil.h"

struct top_request {
    struct pprofil_options options;
    double window_seconds; /* of the display */
    const pid_t *pids;     /* to attach to; without pids and program the picker is shown */
    unsigned pid_count;
    char **program;        /* to start; NULL: none */
    bool batch;            /* print frames of text to standard output */
    unsigned frames;       /* of batch; 0: until the targets end */
    uint32_t rows;         /* of batch: greatest number of rows in a frame; 0: all */
};

/* What is left at the end. The caller prints the summary and closes the session. */
struct top_result {
    pprofil_session *session; /* NULL: nothing was profiled */
    int status;               /* of the started program, as wait(2) has it; -1: it runs on, or there was none */
    int signal;               /* signal that ended us; 0: none */
    char problem[512];        /* "": there was none */
};

/* Runs the live view until the user leaves it, and restores the terminal. Returns 0, or a
 * negative error and result->problem. */
int top_run(const struct top_request *request, struct top_result *result);

/* Prints the table of keys, one line each: the name of the key; the pages on which it is valid,
 * with commas between them; the name of its action; what it does, in words. The four are parted
 * by tabs. Returns 0, or a negative errno of the stream. */
int top_print_keys(FILE *out);

#endif
