/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * histogram: the contents of a file of the profil family, as struct histogram_file (dialect/histogram.h).
 *
 * Readers fill it and writers write it. It can be made of a profile: the profile's exact addresses are counted by the
 * arithmetic of a dialect. And it can become a profile: each counter is a sample at the lowest address that it counts.
 */
#ifndef PPROFIL_HISTOGRAM_H
#define PPROFIL_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dialect/histogram.h"
#include "profile/profile.h"

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

/* The only histogram of a file, for formats that hold one. NULL: there are none or several, or its counters do not count
 * `each` bytes of text. each 0: any number of bytes. */
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

#endif
