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
    struct sums sums;       /* owned; some may have 0 samples */
    struct amount all;      /* of all samples that count */
    bool has_stacks;        /* one of them has more than one frame */
    struct hottest hottest; /* live, BY_THREAD and BY_PROCESS */
    /* of flat-sums.c alone */
    enum pprofil_by by;
    bool no_inlines, stacks; /* as in the options */
    struct added_samples added;
    /* Owned; 0: not known yet. By thread, system call or state: index of its sum + 1. By location:
     * index in frame_sums + 1. */
    uint32_t *known;
    uint32_t known_count;
    uint32_t *frame_sums; /* owned; of a location the number of frames, then their sums */
    uint32_t frame_sum_count;
    uint32_t *waiting; /* owned; samples with locations that are not looked up yet */
    uint32_t waiting_count;
    struct changed_nodes changed; /* to which samples were added */
    uint32_t *on_stack; /* owned; by sum, how often it is on the stack of the node being visited */
    uint32_t on_stack_count;
};

/* Brings sums up to date. They are made anew if by, no_inlines, stacks or the filter are not those
 * of the last report. Until flat_sums_settle they also hold the samples that wait for names or
 * lines. 0 or -ENOMEM; then they are empty. */
int flat_sums_update(struct flat_sums *sums, const struct profile *profile,
                     const struct report_options *options);
void flat_sums_settle(struct flat_sums *sums, const struct profile *profile);

/* Has to be called when a location has got a name, or lines. */
void flat_sums_named(struct flat_sums *sums, const struct profile *profile, uint32_t location);

void flat_sums_clear(struct flat_sums *sums);

#endif
