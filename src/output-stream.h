/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* output-stream: where a subcommand prints to: a file, or standard output. A file stays as it
 * was until everything has been printed, and also if anything fails. */
#ifndef PPROFIL_OUTPUT_STREAM_H
#define PPROFIL_OUTPUT_STREAM_H

#include "command.h"

struct output_stream {
    const char *name; /* for messages; borrowed */
    FILE *stream;
    bool colour; /* does the stream want colours? */
    const char *path; /* of the file to write at the end; NULL: stream is that file */
    char *text;       /* owned: what was printed for that file */
    size_t size;
};

/* Opens the stream. path NULL or "-": standard output. On failure it complains and returns
 * false. */
bool output_stream_open(struct output_stream *output, const char *path);

/* Closes the stream. error: 0, or the negative errno that printing has ended with. errno must
 * still be that of the stream. Complains of a failure and returns the exit status. A reader of a
 * pipe that has seen enough, as head(1) does, is no failure. */
int output_stream_close(struct output_stream *output, int error);

/* Closes the stream after a failure that has been complained of. */
void output_stream_abandon(struct output_stream *output);

/* --- the pager: what is long goes through $PAGER on a terminal, as with git ---------------- */

struct pager {
    FILE *out; /* where to print to */
    bool runs; /* out leads to a pager */
};

/* Opens standard output, or a pager in front of it if it is a terminal and a pager is wanted.
 * The pager is $PAGER, or less with LESS=FRX unless LESS is set. If $PAGER is "" or cat, there
 * is no pager. */
struct pager pager_open(bool wanted);

/* Closes out and waits for the pager to end. Returns 0 or the negative errno of the output, but
 * 0 if the reader has left because it has seen enough. -ENOENT: there is no such pager. */
int pager_close(struct pager *pager);

#endif
