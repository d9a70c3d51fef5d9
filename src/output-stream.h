/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* output-stream: the file or standard output that a subcommand prints to. A file keeps its old
 * content until all output has been printed. After a failure it still has its old content. */
#ifndef PPROFIL_OUTPUT_STREAM_H
#define PPROFIL_OUTPUT_STREAM_H

#include "command.h"

struct output_stream {
    const char *name; /* path for messages; borrowed */
    FILE *stream;
    bool colour; /* the stream can show colours */
    unsigned columns; /* width of the terminal; 0: it is none */
    const char *path; /* file to write at the end; NULL: output goes to the stream immediately */
    char *text;       /* owned: output collected for path */
    size_t size;
};

/* Returns true if the stream is a terminal, TERM is not "dumb", and NO_COLOR is not set. */
bool output_wants_colour(FILE *out);
/* Returns the width of the terminal that the stream leads to, in columns; 0: it is no terminal, or has no width. */
unsigned output_columns(FILE *out);
/* Returns the escape sequence that begins the colour for a share of the time, 0 to 1, or "" for no colour. OUTPUT_PLAIN
 * ends the colour. */
const char *output_colour_of_share(double share);
#define OUTPUT_PLAIN "\033[0m"

/* Checks whether a file can be written at `path`; NULL or "-": standard output. Returns 0, or complains and returns the
 * exit status. */
int output_check(const char *path);

/* Opens the stream. If `path` is NULL or "-", the stream is standard output. On failure it
 * complains and returns false. */
bool output_stream_open(struct output_stream *output, const char *path);

/* Closes the stream. `error` is 0, or the negative error that occurred while the output was printed. errno must not
 * have changed since the last output to the stream. On failure it complains. Returns the exit status. EPIPE is no
 * failure, because a reader such as head(1) may have seen enough. */
int output_stream_close(struct output_stream *output, int error);

/* Writes out what has been printed to standard output. On failure it complains. Returns the exit status. As for
 * output_stream_close, EPIPE is no failure, and errno must not have changed since the last output. */
int output_flush(void);

/* Closes the stream after a failure that was reported, and discards collected output. */
void output_stream_abandon(struct output_stream *output);

/* --- the pager: on a terminal, long output goes through $PAGER, as with git ---------------- */

struct pager {
    FILE *out; /* stream to print to */
    bool runs; /* `out` leads to a pager */
};

/* Returns standard output, or a pipe to a pager if standard output is a terminal and a pager is
 * wanted. The pager is $PAGER. If PAGER is not set, the pager is less. If $PAGER is "" or cat,
 * there is no pager. If LESS is not set, it is set to FRX. */
struct pager pager_open(bool wanted);

/* As pager_open, but less(1) begins at this line, 1 or more, and its keys n and N go to the lines that match the
 * pattern, an extended regular expression. */
struct pager pager_open_at(bool wanted, unsigned long line, const char *pattern);

/* Closes pager->out and waits for the pager to end. Returns 0, a negative errno of the output, or
 * -ENOENT if the pager's program was not found. A pager that ends before it has read everything is
 * no error. */
int pager_close(struct pager *pager);

#endif
