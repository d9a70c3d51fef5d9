/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profil: files of the profil family.
 *
 * Their contents are a struct histogram_file (dialect/histogram.h). A format has a source file, which turns its bytes
 * into one and back, and a codec, which makes it a format for profiles. A histogram_file is made of a profile by
 * counting its exact addresses with the arithmetic of a dialect. And it becomes a profile: each counter is a sample at
 * the lowest address that it counts.
 *
 * Readers trust nothing: they compare sizes with what is there before they allocate memory for it. They return 0,
 * PPROFIL_ERROR_DAMAGED, -EFBIG, -ENOMEM or -EOVERFLOW; the caller clears the file in any case. Writers fail with
 * PPROFIL_ERROR_ADDRESSES (an address is too large for the format's pointers) or PPROFIL_ERROR_COUNTERS, too.
 */
#ifndef PPROFIL_PROFIL_H
#define PPROFIL_PROFIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dialect/histogram.h"
#include "format/bytes.h"
#include "format/format.h"
#include "profile/profile.h"

/* --- histograms ------------------------------------------------------------------------ */

#define HISTOGRAM_COUNTERS_MAX (UINT64_C(1) << 28)
#define HISTOGRAM_PCS_MAX (UINT64_C(1) << 27)

void histogram_file_clear(struct histogram_file *file);

/* Adds a histogram with count counters, all 0. NULL: no memory, or too many counters. */
struct histogram *histogram_add(struct histogram_file *file, uint64_t low, uint64_t high, uint32_t scale,
                                uint32_t counter_size, uint64_t count);

/* Add to the other lists. 0, -ENOMEM or -EOVERFLOW; histogram_add_pcs: also -EFBIG. The path of a module is copied. */
int histogram_add_arc(struct histogram_file *file, uint64_t from, uint64_t self, uint64_t count);
int histogram_add_calls(struct histogram_file *file, uint64_t pc, uint64_t count);
int histogram_add_block(struct histogram_file *file, uint64_t pc, uint64_t count);
int histogram_add_module(struct histogram_file *file, const char *path, size_t length, uint64_t start, uint64_t end);
int histogram_add_pcs(struct histogram_file *file, uint64_t pc, uint64_t times);

/* The scale with which this many bytes of counters cover this many bytes of text, rounded as glibc does; at most one to
 * one. */
uint32_t histogram_scale(uint64_t bytes, uint64_t text);

/* The only histogram of a file, for formats that hold one. NULL: there are none or several, or its counters do not
 * count `each` bytes of text. each 0: any number of bytes. */
const struct histogram *histogram_single(const struct histogram_file *file, uint32_t each);

/* The value of a counter of this many bytes after count ticks, by the overflow rule of the file's dialect. Without a
 * dialect it stays at its largest value. */
uint64_t histogram_cut(const struct histogram_file *file, uint32_t counter_size, uint64_t count);
/* The number of counters whose value does not fit into counters of this many bytes. */
uint64_t histogram_cut_count(const struct histogram_file *file, uint32_t counter_size);

/* Are the file's addresses those in memory? Else they are link addresses. The two differ for position-independent
 * objects. */
bool histogram_has_memory_addresses(const struct histogram_file *file);

/* --- profiles as histograms ------------------------------------------------------------ */

/*
 * Counts one object of a profile by the rules of a dialect. Times become ticks in the order of addresses, and what is
 * left of a tick is carried to the next address. So the sum of any stretch of text is within one tick of the time spent
 * there. scale 0: a counter of two bytes for four bytes of text. rate_hz 0: histogram_rate. The text is the object's
 * code by its link addresses; if the object cannot be read, it is the text from the first sample to the last.
 *
 * Fills an empty file, to be cleared after an error, too. 0, -ENOMEM, PPROFIL_ERROR_OFF,
 * PPROFIL_ERROR_NO_SAMPLES (no sample has an address) or -EFBIG (the text is too large).
 */
int histogram_from_profile(const struct profile *profile, uint32_t object, const struct dialect *dialect,
                           uint32_t scale, double rate_hz, struct histogram_file *file);

/* The same for all objects at once, as raw pcs at the addresses where objects were mapped. Objects that overlap are
 * moved: they may be those of different processes. */
int histogram_modules_from_profile(const struct profile *profile, const struct dialect *dialect, double rate_hz,
                                   struct histogram_file *file);

/* Does the dialect count this sample? Not all count those in system calls. */
bool histogram_takes(const struct dialect *dialect, const struct profile_sample *sample);
/* Ticks per second: rate_hz unless it is 0, else what was asked for, else what the dialect's system has. */
double histogram_rate(const struct profile *profile, const struct dialect *dialect, double rate_hz);
/* The time of a sample, ns: its CPU time. A profile without CPU time has elapsed time, or its rate. */
uint64_t histogram_time(const struct profile *profile, const struct profile_sample *sample);

/* --- histograms as profiles ------------------------------------------------------------ */

/* Fills an empty profile: a process, a thread, and the object that the file names, or "[text]", or the file's modules.
 * Addresses become offsets if the object's file is on this machine. 0, -ENOMEM, PPROFIL_ERROR_DAMAGED (times are
 * more than totals can hold) or PPROFIL_ERROR_LOAD_ADDRESS (the object is position-independent, the file does not say
 * where it was, and none of the file's addresses is in it). */
int histogram_to_profile(const struct histogram_file *file, struct profile *profile);

/* The name of the system call that a cell counts, in a file that counts system calls (kpdata). It is static, or made in
 * text. Numbers are those of this machine's kernel. */
#define HISTOGRAM_CALL_NAME 24 /* bytes */
const char *histogram_call_name(uint64_t cell, char text[HISTOGRAM_CALL_NAME]);

/* --- codecs ---------------------------------------------------------------------------- */

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
