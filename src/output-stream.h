/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* output-stream: where a subcommand prints: a file, or standard output. A file is as it was until all is
 * printed, and stays so when something fails. */
#ifndef PPROFIL_OUTPUT_STREAM_H
#define PPROFIL_OUTPUT_STREAM_H

#include "command.h"

struct output_stream {
    const char *name; /* for people; borrowed */
    FILE *stream;
    bool colour; /* are colours wanted there? */
    const char *path; /* that is written in the end; NULL: stream is that file */
    char *text;       /* for that, what was printed; owned */
    size_t size;
};

/* path NULL or "-": standard output. False: it cannot be had, and that has been said. */
bool output_stream_open(struct output_stream *output, const char *path);

/* Closes it, after printing made this error (negative errno), or 0. Returns the exit status: what
 * went wrong has been said, but that whoever reads a pipe, as head(1), has seen enough is no
 * failure. Between the two errno is of the stream. */
int output_stream_close(struct output_stream *output, int error);

/* Closes it after a failure of which all has been said. */
void output_stream_abandon(struct output_stream *output);

#endif
