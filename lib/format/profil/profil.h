/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profil: reads and writes files of the profil family, such as gmon.out and mon.out. Such a file has counters for
 * ranges of text (machine code), or the pcs of single samples.
 *
 * A struct histogram_file (dialect/histogram.h) has the contents of such a file. Each format has a source file with a
 * function that reads a file's bytes into a histogram_file, and a function that writes them. The format's struct codec
 * is used to read and write the file as a profile. When a profile becomes a histogram_file, its exact addresses are
 * counted by the rules of a dialect, which imitates an old system (dialect/dialect.h). When a histogram_file becomes a
 * profile, each counter becomes a sample at the lowest address that it counts.
 *
 * Readers trust nothing: if a file says how much memory it needs, they compare this number with the size of the file
 * before they allocate memory. They return 0, PPROFIL_ERROR_DAMAGED, -EFBIG, -ENOMEM or -EOVERFLOW, and the caller
 * clears the histogram_file in any case. Writers can also fail with PPROFIL_ERROR_ADDRESSES (an address is too large
 * for the format's pointers) or PPROFIL_ERROR_COUNTERS (the format cannot hold these counters).
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

/* Adds a histogram with `count` counters, which are all 0. The histogram belongs to the file and is freed with it.
 * Returns NULL if there is no memory, or if there are too many counters. */
struct histogram *histogram_add(struct histogram_file *file, uint64_t low, uint64_t high, uint32_t scale,
                                uint32_t counter_size, uint64_t count);

/* Each of these functions adds an entry to one of the file's other lists. histogram_add_pcs adds the same pc `times`
 * times. They return 0, -ENOMEM or -EOVERFLOW, and histogram_add_pcs also -EFBIG. histogram_add_module copies the
 * path. */
int histogram_add_arc(struct histogram_file *file, uint64_t from, uint64_t self, uint64_t count);
int histogram_add_calls(struct histogram_file *file, uint64_t pc, uint64_t count);
int histogram_add_block(struct histogram_file *file, uint64_t pc, uint64_t count);
int histogram_add_module(struct histogram_file *file, const char *path, size_t length, uint64_t start, uint64_t end);
int histogram_add_pcs(struct histogram_file *file, uint64_t pc, uint64_t times);

/* Returns the scale with which counters that take `bytes` bytes cover `text` bytes of machine code. The scale is
 * rounded as glibc rounds it, and is at most DIALECT_ONE_TO_ONE. */
uint32_t histogram_scale(uint64_t bytes, uint64_t text);

/* Returns the histogram of a file, for formats that hold only one. Returns NULL if the file does not have exactly one
 * histogram, or if a counter does not count exactly `each` bytes of text. If `each` is 0, any number of bytes is
 * right. */
const struct histogram *histogram_single(const struct histogram_file *file, uint32_t each);

/* Returns the value that a counter of counter_size bytes has after `count` ticks. The file's dialect decides what
 * happens to a counter that is full. If the file has no dialect, such a counter stays at its largest value. */
uint64_t histogram_cut(const struct histogram_file *file, uint32_t counter_size, uint64_t count);
/* Returns how many counters of the file have a value that does not fit into counter_size bytes. */
uint64_t histogram_cut_count(const struct histogram_file *file, uint32_t counter_size);

/* Returns true if the addresses in the file are addresses in memory, and false if they are link addresses. The two
 * differ for position-independent objects. */
bool histogram_has_memory_addresses(const struct histogram_file *file);

/* --- profiles as histograms ------------------------------------------------------------ */

/*
 * Counts the samples in one object of a profile by the rules of a dialect. Their times become ticks. This is done in
 * the order of addresses, and a time that is less than a tick is carried over to the next address. So in any range of
 * text, the sum of the counters is within one tick of the time spent there. If `scale` is 0, there are two bytes of
 * counters for four bytes of text. If rate_hz is 0, the rate is the one that histogram_rate returns. The text is the
 * object's code, and its addresses are link addresses. If the object cannot be read, the text reaches from the first
 * sample to the last.
 *
 * `file` is empty before the call. The caller clears it, also after an error. Returns 0, -ENOMEM, PPROFIL_ERROR_OFF
 * (the scale turns the counting off), PPROFIL_ERROR_NO_SAMPLES (no sample has an address) or -EFBIG (the text is too
 * large).
 */
int histogram_from_profile(const struct profile *profile, uint32_t object, const struct dialect *dialect,
                           uint32_t scale, double rate_hz, struct histogram_file *file);

/* Puts the samples of all objects into one file, as pcs. The pcs are addresses where the objects were mapped. Objects
 * of different processes may have been mapped at the same addresses. So an object that would overlap another one is
 * moved. */
int histogram_modules_from_profile(const struct profile *profile, const struct dialect *dialect, double rate_hz,
                                   struct histogram_file *file);

/* Returns true if the dialect counts this sample. Some dialects do not count samples in system calls. */
bool histogram_takes(const struct dialect *dialect, const struct profile_sample *sample);
/* Returns how many ticks there are in a second: rate_hz if it is not 0, else the rate that the user asked for when the
 * profile was made, else the rate of the system that the dialect imitates. */
double histogram_rate(const struct profile *profile, const struct dialect *dialect, double rate_hz);
/* Returns how much time a sample stands for, in ns. This is its CPU time, or its elapsed time if the profile has no CPU
 * time. If the profile has no times at all, the time is computed from the number of samples and the rate of the
 * profile. */
uint64_t histogram_time(const struct profile *profile, const struct profile_sample *sample);

/* --- histograms as profiles ------------------------------------------------------------ */

/*
 * Fills an empty profile with the samples of a file, and with one process, one thread and some objects. The modules of
 * the file become the objects. If the file has no modules, there is one object: "[kernel]" if the file counts system
 * calls, else the object whose path the file contains, or "[text]" if it contains none. If the file of an object is on
 * this machine, addresses become offsets in it.
 *
 * Returns 0, -ENOMEM, -EFBIG, PPROFIL_ERROR_DAMAGED (the sum of times does not fit into the totals) or
 * PPROFIL_ERROR_LOAD_ADDRESS. The last error means that the object is position-independent, and that no address in the
 * histogram file is in the object. So nobody knows where the object was loaded.
 */
int histogram_to_profile(const struct histogram_file *file, struct profile *profile);

/* A kpdata file may count system calls, one in each cell. Returns the name of the system call that a cell counts.
 * System calls have the same numbers as on this machine. The name is static, or is written into `text`. */
#define HISTOGRAM_CALL_NAME 24 /* bytes */
const char *histogram_call_name(uint64_t cell, char text[HISTOGRAM_CALL_NAME]);

/* --- codecs ---------------------------------------------------------------------------- */

struct codec {
    /* name of the dialect by whose rules a profile is counted, unless the user chooses another dialect */
    const char *dialect;
    double rate_hz;        /* how many ticks in a second readers of the format assume; 0: the file contains the rate */
    bool whole;            /* true: one file contains all objects; false: each object has its own file */
    bool single;           /* a file has at most one histogram */
    bool has_modules;      /* a file says at which addresses objects were mapped */
    /* bytes of a counter, to report how many counts do not fit into one; 0: such counts are not reported */
    uint32_t counter_size;
    int (*read)(const unsigned char *bytes, size_t size, struct histogram_file *file);
    int (*write)(int fd, const struct histogram_file *file);
};

/* Reads the file at path, and the file NAME.meta (see below), where NAME is `name`. `object` is the path of the ELF
 * file whose code was counted; NULL: not known. The ELF file is not opened. Returns 0 or an error. The caller clears
 * `file` in either case. */
int codec_load(const struct codec *codec, const char *path, const char *name, const char *object,
               struct histogram_file *file);
/* Reads a file as codec_load does, and turns it into a profile, which must be empty before. In addition to the errors
 * of codec_load, it can return PPROFIL_ERROR_NO_OBJECT and PPROFIL_ERROR_NOT_ELF. */
int codec_read(const struct codec *codec, const char *path, const char *name, const char *object,
               struct profile *profile);
/* Lists the objects of a profile for which files with counters are written. The first is the main object: the ELF file
 * with the name of the first process that has samples. If there is none, it is the ELF file with the most time, or if
 * there is no ELF file at all, the object with the most time. Then come the other ELF files with at least half a tick
 * of time. If codec->whole is set, only the main object is listed. The caller frees the list. Returns 0, -ENOMEM or
 * PPROFIL_ERROR_NO_SAMPLES. */
int codec_objects(const struct codec *codec, const struct format_options *options, const struct profile *profile,
                  uint32_t **objects, size_t *count);
/* Writes the file of one of the objects that codec_objects has listed. */
int codec_write(const struct codec *codec, int fd, const struct format_options *options, const struct profile *profile,
                uint32_t object);

/* Reads a file of the profil family and its FILE.meta, and does not make a profile of them. `format` is the name of the
 * format. If it is NULL, the contents or the name of the file show the format. `object` means the same as in
 * codec_load. Returns 0 or an error of reading (pprofil/error.h). The caller clears `file` in either case. */
int format_read_histograms(const char *path, const char *format, const char *object, struct histogram_file *file);
/* Writes histograms, which have been counted already, to path. path may be anything that format_write_file accepts. */
int format_write_histograms(const struct format *format, const char *path, const struct histogram_file *histograms);

/* Returns true if counters for the text [low, high) may take counter_bytes bytes. This helps to recognise formats that
 * have no magic number. */
bool codec_plausible(uint64_t low, uint64_t high, uint64_t counter_bytes);

/* --- FILE.meta ------------------------------------------------------------------------- */

/*
 * FILE is a file of the profil family. A text file beside it, FILE.meta, contains what the format of FILE has no field
 * for. It has these lines:
 *
 *    sum NUMBER             hash_fnv (base/hash.h) of the bytes of FILE, hexadecimal: shows whether FILE was replaced
 *    pid PID                of the process
 *    hz NUMBER              ticks per second
 *    module START END PATH  the file PATH was mapped at these addresses, hexadecimal
 *    calls CELLS            FILE is a kpdata file with CELLS cells, which count system calls, not text
 *
 * Other lines are comments, or belong to a later version of this format.
 */

/* Returns true if `file` contains something for which the format of `codec` has no field. */
bool meta_is_needed(const struct codec *codec, const struct histogram_file *file);
/* Writes PATH.meta, which belongs to the file at PATH. Returns 0 or -errno. */
int meta_write(const char *path, const struct histogram_file *file);
/* Removes PATH.meta. This is called when a file that needs no PATH.meta has been written to PATH. */
void meta_remove(const char *path);
/* Adds the contents of PATH.meta to `file`. `bytes` are the bytes from which `file` was read. PATH.meta is ignored if
 * its sum does not match these bytes, or if its owner is neither this user, root nor the owner of PATH. Returns 0 or
 * -ENOMEM. */
int meta_read(const char *path, const void *bytes, size_t size, struct histogram_file *file);
/* Adds the contents of a FILE.meta, given in `text`, to `file`. `sum` is hash_fnv of the bytes of FILE. */
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
