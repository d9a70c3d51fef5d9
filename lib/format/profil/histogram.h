/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Histograms made, read and written. A file of one of these systems is read into a
 * histogram_file and written from one; a profile becomes one (a view of its exact pcs by some
 * dialect's arithmetic), and one becomes a profile (each counter a sample at the lowest address
 * that reaches it).
 */
#ifndef PPROFIL_HISTOGRAM_H
#define PPROFIL_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dialect/histogram.h"
#include "profile/profile.h"

void histogram_file_clear(struct histogram_file *file);

/* A new histogram at the end of the list with count zeroed counters, or NULL. */
struct histogram *histogram_add(struct histogram_file *file, uint64_t low, uint64_t high,
                                uint32_t scale, uint32_t counter_size, uint64_t count);

/* New entries at the end of the other lists. 0 or -ENOMEM; the module's path is copied. */
int histogram_add_arc(struct histogram_file *file, uint64_t from, uint64_t self, uint64_t count);
int histogram_add_calls(struct histogram_file *file, uint64_t pc, uint64_t count);
int histogram_add_block(struct histogram_file *file, uint64_t pc, uint64_t count);
int histogram_add_module(struct histogram_file *file, const char *path, size_t length,
                         uint64_t start, uint64_t end);
int histogram_add_pcs(struct histogram_file *file, uint64_t pc, uint64_t times);

#define HISTOGRAM_COUNTERS_MAX (UINT64_C(1) << 28)
#define HISTOGRAM_PCS_MAX (UINT64_C(1) << 27)

/* The scale that makes so many bytes of buffer cover so much text, as glibc rounds it; at most
 * one to one. */
uint32_t histogram_scale(uint64_t bytes, uint64_t text);

/* The only histogram of a file for a format that has room for one; NULL: there are more or
 * none, or its counters are not of this many bytes of text each. each 0: of any. */
const struct histogram *histogram_single(const struct histogram_file *file, uint32_t each);

/* What a counter of so many bytes would hold by the rules of the file's dialect; the largest
 * number it can where no dialect is known. */
uint64_t histogram_cut(const struct histogram_file *file, uint32_t counter_size, uint64_t count);

/* Are its addresses those where the text was in memory, and not those of the object? Of a position-independent one
 * they differ. */
bool histogram_has_memory_addresses(const struct histogram_file *file);

/* How many counters are larger than counters of so many bytes can hold. */
uint64_t histogram_cut_count(const struct histogram_file *file, uint32_t counter_size);

/*
 * A view of one object's exact pcs, as if that system had counted them. Times become ticks in
 * the order of addresses, with what is left of one carried to the next: the sum, and that of any
 * stretch of text, is within one tick of the time spent there. scale 0: a counter of two bytes
 * for each four bytes of text; rate_hz 0: the rate that was asked for. Text is the object's
 * code by its link addresses, or from the first sample to the last where the object cannot be
 * read. An empty file is filled; on error it has to be cleared too. 0 or -errno: -EINVAL: such a
 * scale turns counting off, -EFBIG: the text is too large.
 */
int histogram_from_profile(const struct profile *profile, uint32_t object,
                           const struct dialect *dialect, uint32_t scale, double rate_hz,
                           struct histogram_file *file);

/* The same of all objects at once, as raw pcs where they were mapped; objects are moved that
 * would overlap another, for they may be of different processes. */
int histogram_modules_from_profile(const struct profile *profile, const struct dialect *dialect,
                                   double rate_hz, struct histogram_file *file);

/* Does a sample count by these rules? One in a system call may not. */
bool histogram_takes(const struct dialect *dialect, const struct profile_sample *sample);
/* Ticks per second for a view: rate_hz, else what was asked for, else the system's own. */
double histogram_rate(const struct profile *profile, const struct dialect *dialect,
                      double rate_hz);
/* The time of a sample: its CPU time, else the best there is. */
uint64_t histogram_time(const struct profile *profile, const struct profile_sample *sample);

/* Reads a file of the profil family as it is; format: its name, NULL: it shows. object: the path of
 * the ELF file that it is about, or NULL. 0 or -errno: -ENOEXEC: it is of no such format, -EINVAL:
 * there is none of this name. An empty file is filled; clear it in any case. */
int histogram_open(const char *path, const char *format, const char *object,
                   struct histogram_file *file);

/* Into an empty profile: one process, one thread, and the object that the file names, or
 * "[text]", or the file's modules. Addresses become offsets where the object's file is here. 0 or
 * -errno, -EBADMSG: times are more than any total could hold, -EXDEV: the object can be loaded anywhere, and the
 * file, which does not say where it was, has no address in it. */
int histogram_to_profile(const struct histogram_file *file, struct profile *profile);

#endif
