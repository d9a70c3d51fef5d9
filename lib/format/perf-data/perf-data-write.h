/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-data-write: what the parts of the writer of perf.data share. */
#ifndef PPROFIL_PERF_DATA_WRITE_H
#define PPROFIL_PERF_DATA_WRITE_H

#include "format/bytes.h"
#include "format/perf-data/perf-data-plan.h"
#include "format/perf-data/perf-data.h"

#define PERF_FEATURES 10u
#define PERF_EVENT_ID 1u

struct perf_writer {
    const struct profile *profile;
    struct perf_plan plan;
    uint64_t has; /* enum perf_has */
    uint64_t data_size;
    struct bytes_out *out;
};

void perf_put4(struct perf_writer *writer, uint64_t number);
void perf_put8(struct perf_writer *writer, uint64_t number);
/* What a record begins with; size: of all of it, in bytes. */
void perf_put_head(struct perf_writer *writer, enum perf_record type, unsigned misc, size_t size);
/* Bytes of a text with its end, a multiple of align; and these. */
size_t perf_text_room(const char *text, size_t align);
void perf_put_text(struct perf_writer *writer, const char *text, size_t align);

/* What is before the data, whose size is known, and what is behind it: the sizes of the features
 * are those that perf_measure_features found. */
void perf_put_header(struct perf_writer *writer);
void perf_measure_features(struct perf_writer *writer, uint64_t sizes[PERF_FEATURES]);
void perf_put_features(struct perf_writer *writer, const uint64_t sizes[PERF_FEATURES]);

#endif
