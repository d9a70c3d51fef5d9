/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * codec: formats of the profil family. Each has a source file, which turns its bytes into a histogram_file and back;
 * what this header declares makes formats for profiles of them.
 *
 * Readers trust nothing: they compare sizes with what is there before they allocate memory for it. They return 0,
 * PPROFIL_ERROR_DAMAGED, -EFBIG, -ENOMEM or -EOVERFLOW; the caller clears the file in any case. Writers fail with
 * PPROFIL_ERROR_ADDRESSES (an address is too large for the format's pointers) or PPROFIL_ERROR_COUNTERS, too.
 */
#ifndef PPROFIL_CODEC_H
#define PPROFIL_CODEC_H

#include "format/bytes.h"
#include "format/format.h"
#include "format/profil/histogram.h"

struct codec {
    const char *dialect;   /* the rules by which a profile is counted, unless the user names others */
    double rate_hz;        /* the rate that readers of the format assume; 0: the file says it */
    bool whole;            /* a file has all objects; else each object has a file */
    bool single;           /* a file has one histogram at most */
    bool has_modules;      /* a file says which objects were mapped where */
    uint32_t counter_size; /* bytes of the counters, if larger counts are cut off; 0: none are */
    int (*read)(const unsigned char *bytes, size_t size, struct histogram_file *file);
    int (*write)(int fd, const struct histogram_file *file);
};

/* Reads the file at path, and NAME.meta beside it (below). object: the path of the ELF file that it is about, which is
 * not opened; NULL: not known. 0 or -errno; the caller clears the file in either case. */
int codec_load(const struct codec *codec, const char *path, const char *name, const char *object,
               struct histogram_file *file);
/* Reads it into an empty profile. Fails with PPROFIL_ERROR_NO_OBJECT and PPROFIL_ERROR_NOT_ELF, too. */
int codec_read(const struct codec *codec, const char *path, const char *name, const char *object,
               struct profile *profile);
/* Lists the objects of a profile that files are written for, the main one first: the file that is named like the first
 * process, else the object with the most time. Other objects with less than half a tick are left out. The caller frees
 * the list. 0, -ENOMEM or PPROFIL_ERROR_NO_SAMPLES. */
int codec_objects(const struct codec *codec, const struct format_options *options, const struct profile *profile,
                  uint32_t **objects, size_t *count);
/* Writes the file of one of these objects. */
int codec_write(const struct codec *codec, int fd, const struct format_options *options, const struct profile *profile,
                uint32_t object);

/* Reads a file of the family as it is, with its FILE.meta. format: its name; NULL: the contents show it. object: as
 * above. 0 or an error of reading (pprofil/error.h). The caller clears the file in either case. */
int format_read_histograms(const char *path, const char *format, const char *object, struct histogram_file *file);
/* Writes histograms that have been counted already, as format_write_file does. */
int format_write_histograms(const struct format *format, const char *path, const struct histogram_file *histograms);

/* Can this many bytes of counters be those of the text [low, high), as programs ask for them? Formats without a magic
 * number are recognised by it. */
bool codec_plausible(uint64_t low, uint64_t high, uint64_t counter_bytes);

/* --- FILE.meta ------------------------------------------------------------------------- */

/*
 * It lies beside a file of an old system, and says what that format has no field for. Lines of text:
 *
 *   sum NUMBER             of the file's bytes (base/hash.h), hexadecimal: a file that was replaced is noticed
 *   pid PID                of the process
 *   hz NUMBER              ticks per second
 *   module START END PATH  what was mapped where, hexadecimal
 *   calls CELLS            of a kpdata file with this many cells: they count system calls by number, not text
 *
 * Other lines are comments or for later versions.
 */

/* Does a file of this format lack what the histograms have? */
bool meta_is_needed(const struct codec *codec, const struct histogram_file *file);
/* Writes PATH.meta for the file at PATH. 0 or -errno. */
int meta_write(const char *path, const struct histogram_file *file);
/* Removes PATH.meta, after a file that needs none has been written to PATH. */
void meta_remove(const char *path);
/* Adds what PATH.meta says to the file that was read from these bytes. It is ignored if it is about other bytes, or if
 * its owner is neither this user, root nor the owner of PATH. 0 or -ENOMEM. */
int meta_read(const char *path, const void *bytes, size_t size, struct histogram_file *file);
/* Adds what such a text says. sum: of the file's bytes. */
int meta_parse(const char *text, uint64_t sum, struct histogram_file *file);

/* --- the formats ----------------------------------------------------------------------- */

int gmon_read(const unsigned char *bytes, size_t size, struct histogram_file *file);
int gmon_write(int fd, const struct histogram_file *file);
int gmon_bsd_read(const unsigned char *bytes, size_t size, struct histogram_file *file);
int gmon_bsd_write(int fd, const struct histogram_file *file);
int mon_read(const unsigned char *bytes, size_t size, struct histogram_file *file);
int mon_write(int fd, const struct histogram_file *file);
int mon_solaris_read(const unsigned char *bytes, size_t size, struct histogram_file *file);
int mon_solaris_write(int fd, const struct histogram_file *file);
int kpdata_read(const unsigned char *bytes, size_t size, struct histogram_file *file);
int kpdata_write(int fd, const struct histogram_file *file);
int n64_read(const unsigned char *bytes, size_t size, struct histogram_file *file);
int n64_write(int fd, const struct histogram_file *file);
int pcsample_read(const unsigned char *bytes, size_t size, struct histogram_file *file);
int pcsample_write(int fd, const struct histogram_file *file);
int sprof_read(const unsigned char *bytes, size_t size, struct histogram_file *file);
int sprof_write(int fd, const struct histogram_file *file);

extern const struct format format_gmon, format_gmon_bsd, format_mon, format_mon_solaris, format_kpdata, format_n64,
    format_pcsample, format_sprof;

#endif
