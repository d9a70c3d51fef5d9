/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * format: reads and writes profiles as files of many formats. Each format has a source file or a folder, and a struct
 * format. The table in format-table.c lists them all. A format is found by its name, by the extension of a path, or by
 * the first bytes of a file.
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
 * A format. When its functions fail, they set no results and return a negative errno or an enum pprofil_error:
 *    -ENOMEM                 no memory
 *    -EOVERFLOW              a table would have more than 2^32 - 2 entries
 *    PPROFIL_ERROR_DAMAGED   a file contradicts itself, ends too early, or has numbers whose sum is above 2^63 - 1.
 *                            Readers check every number in a file.
 *    -EFBIG                  the file is too large. Limits: 256 MiB for a file that is read whole or unpacked, 2 GiB of
 *                            memory for JSON, 1 GiB for standard input
 *    -EIO, -ENOSPC, ...      errors of reading or writing the file
 */
struct format {
    /* All texts are static. */
    const char *name;          /* name for option -f */
    const char *extensions;    /* separated by spaces, and with their dots: ".pb.gz .pprof" */
    const char *summary;       /* one line that describes the format to users */
    const char *keeps, *loses; /* what a file keeps of a profile, and what it loses */
    bool binary;               /* files are not text; all files of counters are binary */
    /* Returns true if a file has this format. `head` has the first `size` bytes of the file, at most 4096, without a
     * terminating zero. `all` is the size of the whole file in bytes. matches is NULL if this format cannot be
     * recognised by the contents of a file. */
    bool (*matches)(const unsigned char *head, size_t size, uint64_t all);
    /* The codec of a format of the profil family (profil/profil.h). A format with a codec has none of the functions
     * below. NULL: the format is not of this family. */
    const struct codec *codec;
    /* Reads a file into an empty profile. The caller frees the profile, also after an error. Time and memory are
     * proportional to the size of the file. If read and read_with are both NULL, the format cannot be read. */
    int (*read)(const char *path, struct profile *profile);
    /* Writes a profile to an open descriptor at its current offset, and leaves the descriptor open. The descriptor may
     * be a pipe, so write never seeks. If write and write_with are both NULL, the format cannot be written. */
    int (*write)(int fd, const struct profile *profile);
    /* A format that can be read or written in several ways has these functions instead of read and write. `options`
     * says which way, and is never NULL. */
    int (*read_with)(const char *path, struct profile *profile, const struct format_options *options);
    int (*write_with)(int fd, const struct profile *profile, const struct format_options *options);
    /* Writes how the profile differs from a baseline. Returns PPROFIL_ERROR_MIXED_TIMES if one of the two profiles has
     * elapsed time and the other has CPU time. NULL: the format cannot show a comparison. */
    int (*compare)(int fd, const struct profile *baseline, const struct profile *profile);
};

/* The frame that a folded stack may have before its functions: */
enum format_roots {
    FORMAT_ROOTS_ANY, /* the process if the samples belong to several processes, otherwise none */
    FORMAT_ROOTS_NONE,
    FORMAT_ROOTS_COMM,    /* the thread's name */
    FORMAT_ROOTS_PROCESS, /* "comm-pid" */
    FORMAT_ROOTS_THREAD,  /* "comm-pid/tid" */
};

/* Options for reading and writing. If all fields are 0, everything has its default. All pointers are borrowed: whoever
 * uses the options does not free them. */
struct format_options {
    const char *object;             /* reading: path of the ELF file that the addresses belong to */
    /* reading: the file NAME.meta (profil/profil.h) is read, too. NAME is this text, or the path of the first file if
     * this is NULL */
    const char *name;
    /* writing: the rules by which histograms are counted; NULL: the usual rules of the format */
    const struct dialect *dialect;
    uint32_t scale;                 /* writing: bytes of counters for 65536 bytes of code; 0: the default, 32768 */
    enum format_roots roots;        /* writing folded stacks: the frame before the functions of each stack */
    const struct format **found;    /* reading: gets the format of the file; NULL: not asked for */
    bool time;                      /* folded stacks: the number after each stack counts microseconds, not samples */
    const struct profile *baseline; /* writing: the profile to compare with; NULL: none */
    bool no_source;                 /* writing: the file gets no text of source files */
    /* writing rows: labels of each row: a key, its value, the next key, and so on; NULL comes last. NULL: none */
    const char *const *labels;
};

/* Return true if files of this format can be read (format_readable) or written (format_writable). */
bool format_readable(const struct format *format);
bool format_writable(const struct format *format);

/* Find a format by its name, or by the longest extension at the end of a path. Return NULL if there is none. */
const struct format *format_by_name(const char *name);
const struct format *format_by_path(const char *path);
/* Returns format number i, or NULL if i is too large. The formats are in the order in which they are tried when a file
 * is recognised by its contents. */
const struct format *format_at(unsigned i);

/* Reads a saved profile of any known format. The contents of the file show its format. Some formats of counters have no
 * magic number, so the name of the file shows them. The file may be gzip'd once. Path "-" is standard input. Standard
 * input, and a pipe that this process has open (/dev/fd/63), are read to their end. The caller frees *profile with
 * profile_free. Errors are those of struct format, -EISDIR, PPROFIL_ERROR_NOT_REGULAR, PPROFIL_ERROR_FORMAT, and those
 * of perf.data in pprofil/error.h. */
int format_read_file(const char *path, struct profile **profile);
/* Reads a file of the given format, or of any known format if format is NULL. options is not NULL. In addition to the
 * errors of format_read_file, it can return PPROFIL_ERROR_UNREADABLE and the errors of codec_read. */
int format_read_file_as(const char *path, const struct format *format,
                        const struct format_options *options, struct profile **profile);

/*
 * Writes a profile to path. At every moment path is the old file or the complete new one: the profile is written to a
 * temporary file in the same directory, which is synced and then renamed. The new file has the permissions of the old
 * one. If path is a symbolic link, the link stays, and the file that it leads to is replaced. A path that is not a
 * regular file (a pipe, "-", /dev/stdout, /dev/fd/N) is written directly. An old file that cannot be replaced, for
 * example because its directory is not writable, is also written directly. After an error a regular file is unchanged,
 * unless it was written directly. Errors are those of struct format, and the errors of writing in pprofil/error.h.
 * PPROFIL_ERROR_NO_SAMPLES: the profile has nothing that the format could hold (a heat map needs a timeline).
 *
 * A format whose files hold only one object (profil/profil.h) makes a file for each object. The main object is written
 * to path, and each other object to path.NAME, where NAME is the base name of the object. If path is not a regular
 * file, only the main object is written. -EEXIST: a path.NAME exists and is not a regular file. In this case nothing is
 * written.
 */
int format_write_file(const struct format *format, const char *path, const struct profile *profile);
int format_write_file_as(const struct format *format, const char *path, const struct profile *profile,
                         const struct format_options *options);

/* Finds the path of one of the files that format_write_file_as would write, and writes this path into `name`. The files
 * are numbered from 0, and `part` is the number of the file; file 0 is `path` itself. Returns 0, -ENOENT (there are
 * fewer files), -ENAMETOOLONG, or an error of codec_objects. */
int format_file_at(const struct format *format, const char *path, const struct profile *profile,
                   const struct format_options *options, size_t part, char name[PATH_MAX]);

extern const struct format format_pprof;  /* profile.proto, compressed by gzip: pprofil's native format */
extern const struct format format_events; /* recordings of the supervisor's events; read only */
extern const struct format format_callgrind, format_csv, format_folded, format_gperftools,
    format_json, format_perf_script, format_speedscope;
extern const struct format format_perf_data, format_firefox;
extern const struct format format_chrome_trace; /* write only */
extern const struct format format_web; /* write only */
extern const struct format format_clickhouse; /* write only */
/* lib/format/picture: write only */
extern const struct format format_flame_svg, format_icicle_svg, format_flame_html, format_heat_svg,
    format_rank_heat_svg;

#endif
