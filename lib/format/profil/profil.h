/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profil: reads and writes files of the profil family, such as gmon.out and mon.out. They have counters for ranges of
 * text (machine code), or the raw pcs of samples.
 *
 * A struct histogram_file (dialect/histogram.h) has the contents of such a file. Each format has a source file with a
 * function that reads its bytes into a histogram_file, and a function that writes them. Its struct codec makes it a
 * format for profiles. When a profile becomes a histogram_file, its exact addresses are counted by the rules of a
 * dialect, which imitates an old system (dialect/dialect.h). When a histogram_file becomes a profile, each counter
 * becomes a sample at the lowest address that it counts.
 *
 * Readers trust nothing: before they allocate memory for a size in the file, they compare this size with the size of
 * the file. They return 0, PPROFIL_ERROR_DAMAGED, -EFBIG, -ENOMEM or -EOVERFLOW, and the caller clears the
 * histogram_file in any case. Writers can also fail with PPROFIL_ERROR_ADDRESSES (an address is too large for the
 * format's pointers) or PPROFIL_ERROR_COUNTERS (the format cannot hold these counters).
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

/* Adds a histogram with count counters, all 0. The file owns it. NULL: no memory, or too many counters. */
struct histogram *histogram_add(struct histogram_file *file, uint64_t low, uint64_t high, uint32_t scale,
                                uint32_t counter_size, uint64_t count);

/* Add an entry to another list of the file. histogram_add_pcs adds the same pc several times. They return 0, -ENOMEM or
 * -EOVERFLOW, and histogram_add_pcs also -EFBIG. The path of a module is copied. */
int histogram_add_arc(struct histogram_file *file, uint64_t from, uint64_t self, uint64_t count);
int histogram_add_calls(struct histogram_file *file, uint64_t pc, uint64_t count);
int histogram_add_block(struct histogram_file *file, uint64_t pc, uint64_t count);
int histogram_add_module(struct histogram_file *file, const char *path, size_t length, uint64_t start, uint64_t end);
int histogram_add_pcs(struct histogram_file *file, uint64_t pc, uint64_t times);

/* Returns the scale with which `bytes` bytes of counters cover `text` bytes of text, rounded as glibc rounds it. The
 * scale is at most DIALECT_ONE_TO_ONE. */
uint32_t histogram_scale(uint64_t bytes, uint64_t text);

/* Returns the only histogram of a file, for formats that hold one. each is the number of bytes of text for each
 * counter; 0: any number. NULL: the file does not have exactly one histogram, or its counters are for another number of
 * bytes. */
const struct histogram *histogram_single(const struct histogram_file *file, uint32_t each);

/* Returns the value that a counter of counter_size bytes has after count ticks, by the overflow rule of the file's
 * dialect. If the file has no dialect, a full counter stays at its largest value. */
uint64_t histogram_cut(const struct histogram_file *file, uint32_t counter_size, uint64_t count);
/* Returns the number of counters whose values do not fit into counter_size bytes. */
uint64_t histogram_cut_count(const struct histogram_file *file, uint32_t counter_size);

/* Does the file have addresses in memory? If not, it has link addresses. The two differ for position-independent
 * objects. */
bool histogram_has_memory_addresses(const struct histogram_file *file);

/* --- profiles as histograms ------------------------------------------------------------ */

/*
 * Counts one object of a profile by the rules of a dialect. Times become ticks in the order of addresses, and the
 * remainder of a tick is carried to the next address. So in any range of text, the sum of the counters is within one
 * tick of the time spent there. scale 0: two bytes of counters for four bytes of text. rate_hz 0: the rate that
 * histogram_rate returns. The text is the object's code, by link addresses. If the object cannot be read, the text
 * reaches from the first sample to the last.
 *
 * file is empty before the call. The caller clears it, also after an error. Returns 0, -ENOMEM, PPROFIL_ERROR_OFF (the
 * scale turns the counting off), PPROFIL_ERROR_NO_SAMPLES (no sample has an address) or -EFBIG (the text is too large).
 */
int histogram_from_profile(const struct profile *profile, uint32_t object, const struct dialect *dialect,
                           uint32_t scale, double rate_hz, struct histogram_file *file);

/* Counts all objects at once, as raw pcs at the addresses where the objects were mapped. An object that would overlap
 * another one is moved, because objects of different processes may have had the same addresses. */
int histogram_modules_from_profile(const struct profile *profile, const struct dialect *dialect, double rate_hz,
                                   struct histogram_file *file);

/* Does the dialect count this sample? Some dialects do not count samples in system calls. */
bool histogram_takes(const struct dialect *dialect, const struct profile_sample *sample);
/* Returns the ticks per second: rate_hz if it is not 0, else the rate that the user asked for when the profile was
 * made, else the rate of the dialect's system. */
double histogram_rate(const struct profile *profile, const struct dialect *dialect, double rate_hz);
/* Returns the time of a sample, ns. This is its CPU time, or its elapsed time if the profile has no CPU time. If the
 * profile has no times, the time is computed from the number of samples and the rate of the profile. */
uint64_t histogram_time(const struct profile *profile, const struct profile_sample *sample);

/* --- histograms as profiles ------------------------------------------------------------ */

/* Fills an empty profile with one process, one thread, and objects. The objects are the modules of the file. If it has
 * no modules, there is one object: "[kernel]" if system calls were counted, else the object of the file, or "[text]" if
 * that is not known. Addresses become offsets if the object's file is on this machine. Returns 0, -ENOMEM, -EFBIG,
 * PPROFIL_ERROR_DAMAGED (the sum of times does not fit into the totals) or PPROFIL_ERROR_LOAD_ADDRESS.
 * PPROFIL_ERROR_LOAD_ADDRESS means that the object is position-independent, and that no address in the histogram file
 * is in the object. So the address where the object was loaded is not known. */
int histogram_to_profile(const struct histogram_file *file, struct profile *profile);

/* Returns the name of the system call that a cell counts, in a kpdata file that counts system calls. The name is
 * static, or is written into text. Calls have the numbers of this machine's kernel. */
#define HISTOGRAM_CALL_NAME 24 /* bytes */
const char *histogram_call_name(uint64_t cell, char text[HISTOGRAM_CALL_NAME]);

/* --- codecs ---------------------------------------------------------------------------- */

struct codec {
    const char *dialect;   /* name of the dialect by which a profile is counted if the user names none */
    double rate_hz;        /* ticks per second that readers of the format assume; 0: the file contains the rate */
    bool whole;            /* one file has all objects; else there is a file for each object */
    bool single;           /* a file has at most one histogram */
    bool has_modules;      /* a file contains the addresses where objects were mapped */
    uint32_t counter_size; /* bytes of a counter; the number of counts that do not fit is reported. 0: not reported */
    int (*read)(const unsigned char *bytes, size_t size, struct histogram_file *file);
    int (*write)(int fd, const struct histogram_file *file);
};

/* Reads the file at path, and NAME.meta (see below). object is the path of the ELF file that was counted; NULL: not
 * known. The ELF file is not opened. Returns 0 or an error. The caller clears file in either case. */
int codec_load(const struct codec *codec, const char *path, const char *name, const char *object,
               struct histogram_file *file);
/* Reads the file as codec_load does, and converts it into an empty profile. Can also fail with PPROFIL_ERROR_NO_OBJECT
 * and PPROFIL_ERROR_NOT_ELF. */
int codec_read(const struct codec *codec, const char *path, const char *name, const char *object,
               struct profile *profile);
/* Lists the objects of a profile for which counter files are written. The first is the main object: the ELF file with
 * the name of the first process, else the ELF file with the most time, else the object with the most time. Then come
 * other ELF files with at least half a tick of time. If codec->whole is set, only the main object is listed. The caller
 * frees the list. Returns 0, -ENOMEM or PPROFIL_ERROR_NO_SAMPLES. */
int codec_objects(const struct codec *codec, const struct format_options *options, const struct profile *profile,
                  uint32_t **objects, size_t *count);
/* Writes the file of one object that codec_objects has listed. */
int codec_write(const struct codec *codec, int fd, const struct format_options *options, const struct profile *profile,
                uint32_t object);

/* Reads a file of the profil family, and its FILE.meta, without making a profile. format is the name of the format;
 * NULL: the contents or the name of the file show it. object is as for codec_load. Returns 0 or an error of reading
 * (pprofil/error.h). The caller clears file in either case. */
int format_read_histograms(const char *path, const char *format, const char *object, struct histogram_file *file);
/* Writes histograms that have been counted already. The rules for path are those of format_write_file. */
int format_write_histograms(const struct format *format, const char *path, const struct histogram_file *histograms);

/* Is counter_bytes a plausible size of the counters for the text [low, high)? This helps to recognise formats without a
 * magic number. */
bool codec_plausible(uint64_t low, uint64_t high, uint64_t counter_bytes);

/* --- FILE.meta ------------------------------------------------------------------------- */

/*
 * FILE.meta lies beside FILE, a file of the profil family. It contains what the format of FILE has no field for, in
 * lines of text:
 *
 *    sum NUMBER             hash_fnv (base/hash.h) of the bytes of FILE, hexadecimal: shows whether FILE was replaced
 *    pid PID                of the process
 *    hz NUMBER              ticks per second
 *    module START END PATH  which file was mapped where, hexadecimal
 *    calls CELLS            FILE is a kpdata file with this many cells, which count system calls by number, not text
 *
 * Other lines are comments or for later versions.
 */

/* Does file have contents for which the format of codec has no field? */
bool meta_is_needed(const struct codec *codec, const struct histogram_file *file);
/* Writes PATH.meta for the file at PATH. Returns 0 or -errno. */
int meta_write(const char *path, const struct histogram_file *file);
/* Removes PATH.meta, after a file that needs none has been written to PATH. */
void meta_remove(const char *path);
/* Adds the contents of PATH.meta to file, which was read from these bytes. PATH.meta is ignored if its sum does not
 * match the bytes, or if its owner is neither this user, root nor the owner of PATH. Returns 0 or -ENOMEM. */
int meta_read(const char *path, const void *bytes, size_t size, struct histogram_file *file);
/* Adds the contents of a FILE.meta, text, to file. sum is hash_fnv of the bytes of FILE. */
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
