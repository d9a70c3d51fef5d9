/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the census share. */
#ifndef PPROFIL_DIALECT_RUN_INTERNAL_H
#define PPROFIL_DIALECT_RUN_INTERNAL_H

#include "histogram/dialect-run.h"

/* A region in one image. */
struct run_binding {
    void *counters; /* owned; NULL: its text has not been seen */
    uint64_t low, high;
    uint32_t object, pointer_size;
    bool big_endian;
    const char *path; /* borrowed from the profile */
};

struct run_image {
    struct dialect_run_facts facts;
    struct dialect_count *count; /* owned; NULL: a child that does not count */
    struct run_binding *bindings;    /* owned; one for each region */
    uint64_t *pcs;               /* owned; pcsample */
    struct run_image *next;
    struct run_image *live_next; /* in its bucket */
};

#define DIALECT_RUN_BUCKETS 256

struct dialect_run {
    struct dialect_run_options options;
    struct dialect_run_region *regions; /* owned */
    size_t region_count;
    struct run_image *images, *last; /* owned; in order */
    struct run_image *live[DIALECT_RUN_BUCKETS]; /* that have not ended, by process */
};

/* Does the dialect know where text ends, or only how large the buffer is? */
bool dialect_run_is_ranged(const struct dialect *dialect);

#endif
