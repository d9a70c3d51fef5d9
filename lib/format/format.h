/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * format: profiles in files. A format has a source file or a folder, and a row in the table of format.c, which is found
 * by name, by extension and by the first bytes of a file.
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
 * Functions that fail return a negative errno or an enum pprofil_error, and set no results:
 *   -ENOMEM                 no memory
 *   -EOVERFLOW              more than 2^32 - 2 of something
 *   PPROFIL_ERROR_DAMAGED   a file contradicts itself, ends too early, or its sums are more than 2^63 - 1: no number
 *                           of a file is trusted
 *   -EFBIG                  the file is too large: the limits are 256 MiB for a file that is read whole or unpacked,
 *                           2 GiB of memory for JSON, 1 GiB for standard input
 *   -EIO, -ENOSPC, ...      of the file itself
 */
struct format {
    /* Texts are static. */
    const char *name;          /* as -f takes it */
    const char *extensions;    /* space-separated, with their dots: ".pb.gz .pprof" */
    const char *summary;       /* for people, one line */
    const char *keeps, *loses; /* what of a profile the file holds, and what it does not */
    /* Does a file have this format? head: its first size bytes, at most 4096, without a zero behind them. all: the size
     * of the file. NULL: the contents do not show it. */
    bool (*matches)(const unsigned char *head, size_t size, uint64_t all);
    /* A format of the profil family (profil/profil.h), which has none of the functions below. NULL: it is another. */
    const struct codec *codec;
    /* Reads a file into an empty profile, which the caller frees, also after an error. Time and memory are proportional
     * to the size of the file. NULL, if read_with is NULL, too: the format is not read. */
    int (*read)(const char *path, struct profile *profile);
    /* Writes to an open descriptor at its offset, and leaves it open. It may be a pipe, so nothing seeks. NULL, if
     * write_with is NULL, too: the format is not written. */
    int (*write)(int fd, const struct profile *profile);
    /* The same for formats that have options, which are not NULL. Such a format has neither of the two above. */
    int (*read_with)(const char *path, struct profile *profile,
                     const struct format_options *options);
    int (*write_with)(int fd, const struct profile *profile, const struct format_options *options);
    /* Writes, as write does, how the profile differs from a baseline, or fails with PPROFIL_ERROR_MIXED_TIMES. NULL:
     * the format cannot show it. */
    int (*compare)(int fd, const struct profile *baseline, const struct profile *profile);
};

/* What the first frame of a folded stack says about its thread. */
enum format_roots {
    FORMAT_ROOTS_ANY, /* the process if there are several, else nothing */
    FORMAT_ROOTS_NONE,
    FORMAT_ROOTS_COMM,    /* the thread's name */
    FORMAT_ROOTS_PROCESS, /* "comm-pid" */
    FORMAT_ROOTS_THREAD,  /* "comm-pid/tid" */
};

/* Options of formats. All 0: the defaults. All that it points to is borrowed. */
struct format_options {
    const char *object;             /* reading: path of the ELF file that the addresses belong to */
    const char *name;               /* reading: NAME.meta lies beside the file; NULL: the path */
    const struct dialect *dialect;  /* writing: the rules by which histograms are counted */
    uint32_t scale;                 /* writing: bytes of counters for 65536 bytes of text; 0: 32768 */
    enum format_roots roots;        /* writing folded stacks */
    bool time;                      /* folded stacks: numbers are microseconds, not samples */
    const struct profile *baseline; /* writing: the profile to compare with; NULL: none */
};

/* Can files of this format be read, be written? */
bool format_readable(const struct format *format);
bool format_writable(const struct format *format);

/* Does a file hold counters (profil/profil.h)? format NULL: its contents show the format. False if it cannot be
 * read. */
bool format_is_of_counters(const struct format *format, const char *path);

/* Finds a format by its name; by the longest extension that a path ends with. NULL: there is none. */
const struct format *format_by_name(const char *name);
const struct format *format_by_path(const char *path);
/* The i-th format, in the order in which they are tried; NULL after the last. */
const struct format *format_at(unsigned i);

/* Reads a saved profile of any known format. Its contents show the format, or else its name. The file may be gzip'd,
 * once. Path "-" is standard input, which is read to its end, as is a pipe that this process has open (/dev/fd/63). The
 * caller frees *profile with profile_free. Fails as above, and with -EISDIR, PPROFIL_ERROR_NOT_REGULAR,
 * PPROFIL_ERROR_FORMAT, and the errors that pprofil/error.h has for perf.data. */
int format_read_file(const char *path, struct profile **profile);
/* Reads a file of one format; NULL: any. Fails also with PPROFIL_ERROR_UNREADABLE, and as codec_read does. options may
 * not be NULL. */
int format_read_file_as(const char *path, const struct format *format,
                        const struct format_options *options, struct profile **profile);

/* Writes a file so that path is the old file or the complete new one at every moment: a temporary file beside it,
 * fsync, rename. The new file has the permissions of the old one, and a link stays a link. A path that is not a regular
 * file (a pipe, "-", /dev/stdout, /dev/fd/N) is written directly. After an error a regular file is as it was. Fails as
 * above, and with the errors that pprofil/error.h has for writing. PPROFIL_ERROR_NO_SAMPLES: the profile has nothing
 * that the format could hold (for a heat map: no timeline).
 *
 * A format that holds one object (profil/profil.h) makes a file for each object: the main one at path, the others at
 * path.NAME; they are left out if path is not a regular file. -EEXIST: such a name is taken by something that is not a
 * regular file, and nothing was written. */
int format_write_file(const struct format *format, const char *path,
                      const struct profile *profile);
int format_write_file_as(const struct format *format, const char *path,
                         const struct profile *profile, const struct format_options *options);

/* Writes a file of these bytes, which may not be NULL, in the same way. */
int format_write_bytes(const char *path, const void *bytes, size_t size);

/* Sets name to that of the part-th file that format_write_file_as would write; part 0 is path. 0, -ENOENT (there are no
 * more), -ENAMETOOLONG, or the error of the codec. */
int format_file_at(const struct format *format, const char *path, const struct profile *profile,
                   const struct format_options *options, size_t part, char name[PATH_MAX]);

extern const struct format format_pprof;  /* gzip'd profile.proto: the native one */
extern const struct format format_events; /* a recording of wire events; read only */
extern const struct format format_callgrind, format_csv, format_folded, format_gperftools,
    format_json, format_perf_script, format_speedscope;
extern const struct format format_perf_data, format_firefox;
extern const struct format format_chrome_trace; /* write only */
/* lib/format/picture: write only */
extern const struct format format_flame_svg, format_icicle_svg, format_flame_html, format_heat_svg;

#endif
