/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * format: profiles in files. One source file per format; a row in the table of
 * format.c makes it known by name, by extension and by its first bytes.
 */
#ifndef PPROFIL_FORMAT_H
#define PPROFIL_FORMAT_H

#include <limits.h>
#include <stdio.h>

#include "dialect/dialect.h"
#include "profile/profile.h"
#include "symbol/symbol.h"

struct codec;
struct format_options;

struct format {
    const char *name;       /* as -f takes it */
    const char *extensions; /* space-separated, with their dots: ".pb.gz .pprof" */
    const char *summary;    /* for people, one line */
    const char *keeps, *loses; /* what of a profile is written and read back; what is not */
    /* Is this file of the format? head: its first size bytes, of all. NULL: never by itself. */
    bool (*matches)(const unsigned char *head, size_t size, uint64_t all);
    /* Of the profil family (codec.h), and then neither of those below; else NULL. */
    const struct codec *codec;
    /* Reads path into an empty profile. 0 or -errno; -EBADMSG: not whole or not valid. */
    int (*read)(const char *path, struct profile *profile);
    /* Writes to an open descriptor, leaving it open. NULL: never written. 0 or -errno. */
    int (*write)(int fd, const struct profile *profile);
    /* The same for a format that has options of its own; then neither of those two. */
    int (*read_with)(const char *path, struct profile *profile,
                     const struct format_options *options);
    int (*write_with)(int fd, const struct profile *profile, const struct format_options *options);
    /* Writes how the profile differs from a baseline. NULL: it cannot show that. */
    int (*compare)(int fd, const struct profile *baseline, const struct profile *profile);
};

/* Whose a folded stack is, by its first frame. */
enum format_roots {
    FORMAT_ROOTS_ANY, /* the process where there are several, else nothing */
    FORMAT_ROOTS_NONE,
    FORMAT_ROOTS_COMM,    /* the thread's name */
    FORMAT_ROOTS_PROCESS, /* "comm-pid" */
    FORMAT_ROOTS_THREAD,  /* "comm-pid/tid" */
};

/* What some formats need to be told; all zero: nothing. */
struct format_options {
    const char *object;            /* reading: path of the ELF file that addresses are of */
    const struct dialect *dialect; /* writing: by whose rules counts are made */
    uint32_t scale;                /* writing: of the counters; 0: two bytes for four of text */
    enum format_roots roots;       /* writing folded stacks */
    bool time;                     /* of folded stacks: numbers are microseconds, not samples */
    const struct profile *baseline; /* writing: what to compare with; NULL: nothing */
};

bool format_readable(const struct format *format);
bool format_writable(const struct format *format);

/* Does a file hold counters (codec.h)? format NULL: what the file shows to be. */
bool format_is_of_counters(const struct format *format, const char *path);

/* By name; by the extension of a path; NULL where there is none. */
const struct format *format_by_name(const char *name);
const struct format *format_by_path(const char *path);
/* The i-th format, NULL past the last. */
const struct format *format_at(unsigned i);

/* Reads a saved profile of any format we know, which its contents show, else its name. 0 or
 * -errno: -EBADMSG where the file is of a known format but damaged, -ENOEXEC where it is of
 * none. *profile is the caller's. */
int format_read_file(const char *path, struct profile **profile);
/* The same of one format, NULL: any; codec.h has more errors. */
int format_read_file_as(const char *path, const struct format *format,
                        const struct format_options *options, struct profile **profile);

/* Writes a file so that path is at every instant the old one or the whole new one: a
 * temporary file beside it, fsync, rename. A path that is no regular file (a pipe,
 * /dev/stdout) is written directly. 0 or -errno, and then path is as it was; -EINVAL: the format
 * cannot be written, or there is a baseline and it cannot compare.
 *
 * A format that holds one object (codec.h) makes a file for each: the main one at path, others
 * at path.NAME, or, where path is no regular file, none. -EEXIST: what has such a name is no
 * file, and nothing was written. */
int format_write_file(const struct format *format, const char *path,
                      const struct profile *profile);
int format_write_file_as(const struct format *format, const char *path,
                         const struct profile *profile, const struct format_options *options);

/* The name of the part-th file that format_write_file_as would write: 0 is path. -ENOENT: it
 * would not; -ENODATA, ...: it would fail. */
int format_file_at(const struct format *format, const char *path, const struct profile *profile,
                   const struct format_options *options, size_t part, char name[PATH_MAX]);

extern const struct format format_pprof;  /* gzip'd profile.proto: the native one */
extern const struct format format_events; /* a recording of wire events; read only */
extern const struct format format_callgrind, format_csv, format_folded, format_gperftools,
    format_json, format_perf_script, format_speedscope;
/* lib/picture: write only */
extern const struct format format_flame_svg, format_icicle_svg, format_flame_html, format_heat_svg;
extern const struct format format_perf_data;
extern const struct format format_firefox, format_chrome_trace;

#endif
