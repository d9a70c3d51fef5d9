/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sink: where a subcommand prints: a file, or standard output. */
#ifndef PPROFIL_SINK_H
#define PPROFIL_SINK_H

#include "command.h"

struct sink {
    const char *name; /* for people; borrowed */
    FILE *stream;
    bool colour; /* are colours wanted there? */
};

/* path NULL: standard output. False: it cannot be had, and that has been said. */
bool sink_open(struct sink *sink, const char *path);

/* Closes it, after printing made this error (negative errno), or 0. Returns the exit status: what
 * went wrong has been said, but that whoever reads a pipe, as head(1), has seen enough is no
 * failure. Between the two errno is of the stream. */
int sink_close(struct sink *sink, int error);

#endif
