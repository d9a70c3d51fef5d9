/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* top: runs the live view, `pprofil top`. Of the library it uses only pprofil.h. */
#ifndef TUI_TOP_H
#define TUI_TOP_H

#include <stdio.h>

#include "pprofil.h"

struct top_request {
    struct pprofil_options options;
    double window_seconds; /* seconds between two screens; 0: the default */
    /* processes to attach to; if there are neither `pids` nor `program`, the picker is shown */
    const pid_t *pids;
    unsigned pid_count;
    char **program;        /* program to start, with its arguments; NULL: none */
    /* borrowed: a saved profile to show, instead of a process or program; NULL: none. `path` is its file */
    pprofil_profile *profile;
    const char *path;
    /* borrowed: an older profile to compare `profile` with; NULL: none. Differences of both were made already, so names
     * are known. `old_path` is its file */
    pprofil_profile *old;
    const char *old_path;
    bool batch;            /* print frames of text to standard output */
    unsigned frames;       /* in the batch mode: number of frames to print; 0: until the targets end */
    uint32_t rows;         /* in the batch mode: greatest number of rows in a frame; 0: all */
};

/* The result of a live view. The caller prints the summary and closes the session. */
struct top_result {
    pprofil_session *session; /* NULL: nothing was profiled */
    /* wait status of the started program (wait(2)); -1: it runs on, or there was none */
    int status;
    int signal;               /* signal that ended the view; 0: none */
    char problem[512];        /* reason for a failure; "": none */
};

/* Runs the live view until the user leaves it, and restores the terminal. Returns 0, or a negative
 * error and a text in result->problem. */
int top_run(const struct top_request *request, struct top_result *result);

/* Prints the table of keys, with four fields in each line, separated by tabs: the name of the key,
 * the pages on which it is valid (separated by commas), the name of its action, and a description.
 * Returns 0, or a negative errno of the stream. */
int top_print_keys(FILE *out);

#endif
