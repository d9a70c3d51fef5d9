/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sink: where a subcommand prints: a file, or standard output. A file is as it was until all is
 * printed, and stays so when something fails. */
#ifndef PPROFIL_SINK_H
#define PPROFIL_SINK_H

#include "command.h"

struct sink {
    const char *name; /* for people; borrowed */
    FILE *stream;
    bool colour; /* are colours wanted there? */
    const char *path; /* that is written in the end; NULL: stream is that file */
    char *text;       /* for that, what was printed; owned */
    size_t size;
};

/* path NULL or "-": standard output. False: it cannot be had, and that has been said. */
bool sink_open(struct sink *sink, const char *path);

/* Closes it, after printing made this error (negative errno), or 0. Returns the exit status: what
 * went wrong has been said, but that whoever reads a pipe, as head(1), has seen enough is no
 * failure. Between the two errno is of the stream. */
int sink_close(struct sink *sink, int error);

/* Closes it after a failure of which all has been said. */
void sink_abandon(struct sink *sink);

#endif
