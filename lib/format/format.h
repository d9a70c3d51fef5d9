/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * format: profiles in files. One source file per format; a row in the table of
 * format.c makes it known by name, by extension and by its first bytes.
 */
#ifndef PPROFIL_FORMAT_H
#define PPROFIL_FORMAT_H

#include <stdio.h>

#include "profile/profile.h"
#include "symbol/symbol.h"

struct format {
    const char *name;       /* as -f takes it */
    const char *extensions; /* space-separated, with their dots: ".pb.gz .pprof" */
    const char *summary;    /* for people, one line */
    /* Is this file of the format? head: its first size bytes. NULL: never read. */
    bool (*matches)(const unsigned char *head, size_t size);
    /* Reads path into an empty profile. 0 or -errno; -EBADMSG: not whole or not valid. */
    int (*read)(const char *path, struct profile *profile);
    /* Writes to an open descriptor, leaving it open. NULL: never written. 0 or -errno. */
    int (*write)(int fd, const struct profile *profile);
};

/* By name; by the extension of a path; NULL where there is none. */
const struct format *format_by_name(const char *name);
const struct format *format_by_path(const char *path);
/* The i-th format, NULL past the last. */
const struct format *format_at(unsigned i);

/* Reads a saved profile of any format we know. 0 or -errno: -EBADMSG where the file is of a
 * known format but damaged, -ENOEXEC where it is of none. *profile is the caller's. */
int format_read_file(const char *path, struct profile **profile);

/* Writes a file so that path is at every instant the old one or the whole new one: a
 * temporary file beside it, fsync, rename. A path that is no regular file (a pipe,
 * /dev/stdout) is written directly. 0 or -errno, and then path is as it was. */
int format_write_file(const struct format *format, const char *path,
                      const struct profile *profile);

extern const struct format format_pprof;  /* gzip'd profile.proto: the native one */
extern const struct format format_events; /* a recording of wire events; read only */

#endif
