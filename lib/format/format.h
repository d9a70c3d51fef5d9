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
#include "pprofil/error.h"
#include "profile/profile.h"
#include "symbol/symbol.h"

struct codec;
struct format_options;

/*
 * All that fails returns a negative errno or an enum pprofil_error, and sets no results:
 *   -ENOMEM                 no memory
 *   -EOVERFLOW              more than 2^32 - 2 of something
 *   PPROFIL_ERROR_DAMAGED   a file contradicts itself, ends too early, or its sums are more than 2^63 - 1: no number
 *                           of a file is trusted
 *   -EFBIG                  the file is larger than is read: 256 MiB of what is read whole or unpacked, 2 GiB of memory
 *                           for what is in JSON, 1 GiB of standard input
 *   -EIO, -ENOSPC, ...      of the file itself
 */
struct format {
    /* Texts are static. */
    const char *name;          /* as -f takes it */
    const char *extensions;    /* space-separated, with their dots: ".pb.gz .pprof" */
    const char *summary;       /* for people, one line */
    const char *keeps, *loses; /* what of a profile is written and read back; what is not */
    /* Is this file of the format? head: its first size bytes, at most 4096, of all that it has;
     * no zero is behind them. NULL: never by itself. */
    bool (*matches)(const unsigned char *head, size_t size, uint64_t all);
    /* A format of the profil family: codec.h. It has none of the functions below. NULL: it is no such format. */
    const struct codec *codec;
    /* Reads path into an empty profile, which the caller frees, also after an error. Time and
     * memory grow with the file and no faster. NULL, read_with too: never read. */
    int (*read)(const char *path, struct profile *profile);
    /* Writes to an open descriptor from where it stands on, leaving it open; it may be a pipe, so
     * nothing seeks. NULL, write_with too: never written. */
    int (*write)(int fd, const struct profile *profile);
    /* The same for a format that has options of its own, never NULL; then neither of those two. */
    int (*read_with)(const char *path, struct profile *profile,
                     const struct format_options *options);
    int (*write_with)(int fd, const struct profile *profile, const struct format_options *options);
    /* Writes, as write does, how the profile differs from a baseline, or fails with
     * PPROFIL_ERROR_MIXED_TIMES. NULL: it cannot show that. */
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

/* What some formats need to be told; all zero: nothing. All that it points to is borrowed. */
struct format_options {
    const char *object;            /* reading: path of the ELF file that addresses are of */
    const char *name;              /* reading: what lies beside a file is named after this; NULL: after the file */
    const struct dialect *dialect; /* writing: by whose rules counts are made */
    uint32_t scale;                /* writing: bytes of counters for 65536 of text; 0: 32768 */
    enum format_roots roots;       /* writing folded stacks */
    bool time;                     /* of folded stacks: numbers are microseconds, not samples */
    const struct profile *baseline; /* writing: what to compare with; NULL: nothing */
};

/* Can it be read, be written, at all? */
bool format_readable(const struct format *format);
bool format_writable(const struct format *format);

/* Does a file hold counters (codec.h)? format NULL: what the file shows to be. False also where it
 * cannot be read. */
bool format_is_of_counters(const struct format *format, const char *path);

/* By name; by the longest extension that a path ends with; NULL where there is none. */
const struct format *format_by_name(const char *name);
const struct format *format_by_path(const char *path);
/* The i-th format, in the order in which they are tried on a file; NULL past the last. */
const struct format *format_at(unsigned i);

/* Reads a saved profile of any known format. The contents show the format, else the name does. The file may be gzip'd,
 * once. Path "-" is standard input, which is read to its end, and so is a pipe of ours (/dev/fd/63). The caller frees
 * *profile with profile_free; after an error it is not set. Errors are those above, and
 * -EISDIR, PPROFIL_ERROR_NOT_REGULAR, PPROFIL_ERROR_FORMAT, and those that pprofil/error.h has for perf.data. */
int format_read_file(const char *path, struct profile **profile);
/* The same of one format, NULL: any. It fails with PPROFIL_ERROR_UNREADABLE, too. codec.h has more
 * errors. options may not be NULL. */
int format_read_file_as(const char *path, const struct format *format,
                        const struct format_options *options, struct profile **profile);

/* Writes a file so that path is at every instant the old one or the whole new one: a
 * temporary file beside it, fsync, rename; it keeps the permissions of the old one, and a link
 * stays a link. What is no regular file (a pipe, "-", /dev/stdout, /dev/fd/N) is written directly.
 * After an error path is as it was, unless it is no regular file. Errors are those above, and those that
 * pprofil/error.h has for writing. PPROFIL_ERROR_NO_SAMPLES: the profile has nothing that the format could hold (a heat
 * map: no time line).
 *
 * A format that holds one object (codec.h) makes a file for each: the main one at path, others
 * at path.NAME, or, where path is no regular file, none. -EEXIST: what has such a name is no
 * file, and nothing was written. */
int format_write_file(const struct format *format, const char *path,
                      const struct profile *profile);
int format_write_file_as(const struct format *format, const char *path,
                         const struct profile *profile, const struct format_options *options);

/* The same of a file whose bytes are made already; they may not be NULL. */
int format_write_bytes(const char *path, const void *bytes, size_t size);

/* The name, in the caller's buffer, of the part-th file that format_write_file_as would write: 0
 * is path. 0, -ENOENT: there are no more; -ENAMETOOLONG; PPROFIL_ERROR_NO_SAMPLES, ...: it would fail. */
int format_file_at(const struct format *format, const char *path, const struct profile *profile,
                   const struct format_options *options, size_t part, char name[PATH_MAX]);

extern const struct format format_pprof;  /* gzip'd profile.proto: the native one */
extern const struct format format_events; /* a recording of wire events; read only */
extern const struct format format_callgrind, format_csv, format_folded, format_gperftools,
    format_json, format_perf_script, format_speedscope;
extern const struct format format_perf_data, format_firefox;
extern const struct format format_chrome_trace; /* write only */
/* lib/picture: write only */
extern const struct format format_flame_svg, format_icicle_svg, format_flame_html, format_heat_svg;

#endif
