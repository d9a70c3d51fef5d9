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

/* --- the pager: what is long goes through $PAGER on a terminal, as with git ---------------- */

struct pager {
    FILE *out; /* where to print */
    bool runs; /* out leads to a pager */
};

/* Standard output, or a pager before it if that is a terminal and one is wanted: $PAGER, or less
 * with LESS=FRX unless that is set. "" and cat are none. */
struct pager pager_open(bool wanted);

/* Waits until its reader has left. 0 or a negative errno: what could not be written, for any other
 * reason than that the reader has seen enough; -ENOENT: there is no such pager. */
int pager_close(struct pager *pager);

#endif
