/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sums: a table of sums, with one sum for each row of a report. The key of a sum is a pair of numbers. */
#ifndef PPROFIL_SUMS_H
#define PPROFIL_SUMS_H

#include "base/hash.h"
#include "report/report.h"

/* A number of samples and their time. The time of a sample is what report_ns returns. */
struct amount {
    uint64_t samples, ns;
};

static inline void amount_add(struct amount *to, const struct amount *more)
{
    to->samples += more->samples;
    to->ns += more->ns;
}

struct sum {
    uint64_t key[2];
    /* amount of the samples that belong to the row itself; a sample with a stack belongs to the row of its innermost
     * frame */
    struct amount self;
    /* amount of the samples with the row anywhere on their stack; each sample counts once */
    struct amount total;
    /* for rows of code: a location that has a frame with the key of this sum. The row takes its name from this frame.
     * PROFILE_NONE in a new sum */
    uint32_t location;
    /* for rows of code: index of the frame with this key in the lines of `location`; 0: the innermost line */
    uint32_t frame;
    uint32_t subject; /* for other rows: row_subject of a sample with this key */
};

/* Sums by key. An empty table is all 0. */
struct sums {
    struct sum *all; /* owned; in the order in which they were added */
    uint32_t count;
    struct hash_index index; /* finds elements of the array `all` by key */
};

/* Returns the sum with this key. If there is no such sum, adds one. Returns NULL if there is no memory. The pointer is
 * valid until the next call of this function. */
struct sum *sums_need(struct sums *sums, const uint64_t key[2]);
/* Returns the sum with this key; NULL: there is no such sum. */
struct sum *sums_find(const struct sums *sums, const uint64_t key[2]);
void sums_clear(struct sums *sums);

#endif
