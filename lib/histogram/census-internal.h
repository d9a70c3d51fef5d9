/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the census share. */
#ifndef PPROFIL_CENSUS_INTERNAL_H
#define PPROFIL_CENSUS_INTERNAL_H

#include "histogram/census.h"

/* A region in one image. */
struct binding {
    void *counters; /* owned; NULL: its text has not been seen */
    uint64_t low, high;
    uint32_t object, pointer_size;
    bool big_endian;
    const char *path; /* borrowed from the profile */
};

struct image {
    struct census_image_facts facts;
    struct dialect_count *count; /* owned; NULL: a child that does not count */
    struct binding *bindings;    /* owned; one for each region */
    uint64_t *pcs;               /* owned; pcsample */
    struct image *next;
    struct image *live_next; /* in its bucket */
};

#define CENSUS_BUCKETS 256

struct census {
    struct census_options options;
    struct census_region *regions; /* owned */
    size_t region_count;
    struct image *images, *last; /* owned; in order */
    struct image *live[CENSUS_BUCKETS]; /* that have not ended, by process */
};

/* Does the dialect know where text ends, or only how large the buffer is? */
bool census_is_ranged(const struct dialect *dialect);

#endif
