/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * flat-sums: the sums of a flat report. They are kept from report to report of a profile that
 * grows, so that a report costs what was sampled since the last one. A report of a saved profile is
 * the first of a profile in which everything is new and all names are known.
 */
#ifndef PPROFIL_FLAT_SUMS_H
#define PPROFIL_FLAT_SUMS_H

#include "report/changed.h"
#include "report/hottest.h"
#include "report/sums.h"

/* All 0 is empty. */
struct flat_sums {
    struct sums sums;       /* owned; those of which nothing is left have 0 samples */
    struct amount all;      /* of all samples that count */
    bool has_stacks;        /* one of them has more than one frame */
    struct hottest hottest; /* live, BY_THREAD and BY_PROCESS */
    /* of flat-sums.c alone */
    enum pprofil_by by;
    bool no_inlines, stacks; /* as in the options */
    struct added_samples added;
    uint32_t
        *known; /* owned; of a thread, system call or state its sum + 1; of a location the place
                 * in frame_sums + 1 of how many frames it has, and then their sums; 0: unknown */
    uint32_t known_count;
    uint32_t *frame_sums; /* owned */
    uint32_t frame_sum_count;
    uint32_t *waiting; /* owned; samples whose stacks have locations that are not looked up yet */
    uint32_t waiting_count;
    struct changed_nodes changed; /* nodes of what is being added */
    uint32_t *on_stack; /* owned; by sum: how often it is on the stack that the walk is at */
    uint32_t on_stack_count;
};

/* Brings sums up to date. If they are of other options, they are made anew: by, no_inlines, stacks,
 * live and the filter matter. Until flat_sums_settle they also hold what waits for names or lines.
 * 0 or -ENOMEM; then they are empty. */
int flat_sums_update(struct flat_sums *sums, const struct profile *profile,
                     const struct report_options *options);
void flat_sums_settle(struct flat_sums *sums, const struct profile *profile);

/* To be called when a location has got a name, or lines. */
void flat_sums_named(struct flat_sums *sums, const struct profile *profile, uint32_t location);

void flat_sums_clear(struct flat_sums *sums);

#endif
