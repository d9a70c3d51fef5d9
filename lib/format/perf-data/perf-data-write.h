/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-data-write: writes perf.data. These are the declarations that the source files of the writer share. */
#ifndef PPROFIL_PERF_DATA_WRITE_H
#define PPROFIL_PERF_DATA_WRITE_H

#include "format/address-layout.h"
#include "format/bytes.h"
#include "format/perf-data/perf-data.h"
#include "format/timestamps.h"

/* --- the plan (perf-data-write-plan.c) ------------------------------------------------------ */

/* The kinds of steps. A step stands for the records that announce a process, a thread or a mapping, or that end a
 * process. Steps with the same time are in the order of these kinds. */
enum step_kind { STEP_PROCESS, STEP_THREAD, STEP_MAP, STEP_END };

struct step {
    uint64_t time;
    enum step_kind kind;
    uint32_t process;
    uint32_t index; /* index of the thread or object in its table, if the step is about one */
};

struct perf_plan {
    struct timestamps timestamps;  /* the samples, with the times at which they are written */
    struct mapped_object *mapped;  /* owned; an element for each object of the profile */
    struct step *steps;            /* owned; sorted by time */
    uint32_t step_count;
};

/* Makes the plan for a profile. Returns 0, -ENOMEM, -EOVERFLOW, or PPROFIL_ERROR_ADDRESSES (the objects do not fit into
 * 64 bits). The caller frees the plan in any case. */
int perf_plan_make(struct perf_plan *plan, const struct profile *profile);
void perf_plan_free(struct perf_plan *plan);

/* --- the writer ----------------------------------------------------------------------- */

#define PERF_FEATURES 10u
#define PERF_EVENT_ID 1u

struct perf_writer {
    const struct profile *profile;
    struct perf_plan plan;
    uint64_t has; /* set of bits of enum perf_has: the fields that are written for each sample */
    uint64_t data_size;
    struct bytes_out *out;
};

/* --- numbers and texts (perf-data-features.c) ----------------------------------------- */

void perf_put4(struct perf_writer *writer, uint64_t number);
void perf_put8(struct perf_writer *writer, uint64_t number);
/* Writes the header of a record. The record has `size` bytes, including this header. */
void perf_put_head(struct perf_writer *writer, enum perf_record type, unsigned misc, size_t size);
/* perf_text_room returns how many bytes the file has for a text: its length with a terminating zero, rounded up to a
 * multiple of `align`. perf_put_text writes the text, and then zeros up to this number of bytes. Both use at most the
 * first 4095 bytes of `text`. */
size_t perf_text_room(const char *text, size_t align);
void perf_put_text(struct perf_writer *writer, const char *text, size_t align);

/* --- what is before and after the records (perf-data-features.c) ---------------------- */

/* Writes the header of the file. The caller has set writer->data_size. */
void perf_put_header(struct perf_writer *writer);
/* perf_measure_features writes the features only to find the size of each of them, so writer->out must be one that
 * counts bytes and writes nothing. perf_put_features writes the table of the offsets and sizes of the features, and
 * then the features. */
void perf_measure_features(struct perf_writer *writer, uint64_t sizes[PERF_FEATURES]);
void perf_put_features(struct perf_writer *writer, const uint64_t sizes[PERF_FEATURES]);

#endif
