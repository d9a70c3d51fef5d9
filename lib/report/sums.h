/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sums: what report rows are summed in: one sum for each key of two numbers. */
#ifndef PPROFIL_SUMS_H
#define PPROFIL_SUMS_H

#include "base/hash.h"
#include "report/report.h"

/* Some samples, and the time that they stand for (report_ns). */
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
    struct amount self;  /* of samples that ran in it */
    struct amount total; /* of samples with it anywhere on their stack, each counted once */
    uint32_t location;   /* a location with this key, which names the row; 0 where the sum is new */
    uint32_t frame;      /* which of the location's lines, 0: the innermost */
    uint32_t thread, syscall, state;
};

/* All 0 is empty. */
struct sums {
    struct sum *all; /* owned; the oldest first */
    uint32_t count;
    struct hash_index index; /* of all, by key */
};

/* Returns the sum with this key, made if there is none yet, or NULL: no memory. The pointer is good
 * until the next call. */
struct sum *sums_need(struct sums *sums, const uint64_t key[2]);
/* Returns NULL if there is none. */
struct sum *sums_find(const struct sums *sums, const uint64_t key[2]);
void sums_clear(struct sums *sums);

#endif
