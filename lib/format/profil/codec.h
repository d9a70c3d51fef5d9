/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * codec: the formats of the profil family, each from bytes to a histogram_file and back, and
 * what makes formats for profiles of them. One source file a format.
 *
 * Readers trust nothing: sizes are compared with what is there before anything is allocated
 * for them. They return 0, -EBADMSG, -EFBIG or -ENOMEM; the file is to be cleared in any case.
 * Writers return 0 or -errno: -EOVERFLOW: an address is too large for the format's pointers,
 * -EDOM: it cannot hold such a histogram.
 */
#ifndef PPROFIL_CODEC_H
#define PPROFIL_CODEC_H

#include "format/bytes.h"
#include "format/format.h"
#include "format/profil/histogram.h"

struct codec {
    const char *dialect; /* by whose rules a profile becomes one, if nobody says */
    double rate_hz;      /* that its readers take for granted; 0: the file says it */
    bool whole;          /* a file has all objects; else there is one for each */
    bool single;         /* and has room for one histogram */
    bool has_modules;    /* it says what was mapped where */
    uint32_t counter_size; /* bytes of its counters, where larger counts are cut off; 0: none is */
    int (*read)(const unsigned char *bytes, size_t size, struct histogram_file *file);
    int (*write)(int fd, const struct histogram_file *file);
};

/* Reads a file as it is; name and object as below, but object unseen. 0 or -errno; the file is to be cleared. */
int codec_load(const struct codec *codec, const char *path, const char *name, const char *object,
               struct histogram_file *file);

/* Reads a file into an empty profile; name: NAME.meta lies beside it (meta.h); object: the path of the ELF file that it
 * is about, or NULL. 0 or -errno; -ELIBACC: the object cannot be opened, -ELIBBAD: it is no ELF file. */
int codec_read(const struct codec *codec, const char *path, const char *name, const char *object,
               struct profile *profile);

/* The objects of a profile that a file is written for, the main one first: the one that is
 * named like the first process, else the one with the most time. Those without a whole tick are
 * left out. The caller frees the list. 0 or -errno; -ENODATA: there is none. */
int codec_objects(const struct codec *codec, const struct format_options *options,
                  const struct profile *profile, uint32_t **objects, size_t *count);

/* Writes one of them. */
int codec_write(const struct codec *codec, int fd, const struct format_options *options,
                const struct profile *profile, uint32_t object);

/* Writes histograms that were counted already, as format_write_file does. */
int format_write_histograms(const struct format *format, const char *path,
                            const struct histogram_file *histograms);

/* Is the text of so many bytes counted densely enough to be text that somebody counted? For
 * files that have no magic number. */
bool codec_plausible(uint64_t low, uint64_t high, uint64_t counter_bytes);

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

extern const struct format format_gmon, format_gmon_bsd, format_mon, format_mon_solaris,
    format_kpdata, format_n64, format_pcsample, format_sprof;

#endif
