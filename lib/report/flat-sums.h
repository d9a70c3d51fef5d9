/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * flat-sums: the sums from which the rows of a flat report are made. The sums of a live profile are kept between
 * reports, so that a report only adds the samples since the last report. The sums of a saved profile are made for one
 * report: all samples are new to the sums, and all names are known.
 */
#ifndef PPROFIL_FLAT_SUMS_H
#define PPROFIL_FLAT_SUMS_H

#include "report/changed.h"
#include "report/sums.h"

/* --- hottest.c: the function in which each thread or process of a growing profile spends most time --- */

/* The hottest functions. An empty structure is all 0. */
struct hottest {
    /* owned; key: {thread or process, 0}; location: a location in the hottest function */
    struct sums best;
    /* private to hottest.c: */
    struct sums sums; /* owned; key: {thread or process, function} */
    struct added_samples added;
};

/* Adds the new samples of the profile. Since hottest was empty, all calls must have had the same options, and no name
 * may have changed. Samples in a function without a name are added when the function has a name. Returns 0 or -ENOMEM,
 * which leaves hottest empty. */
int hottest_update(struct hottest *hottest, const struct profile *profile,
                   const struct report_options *options);
void hottest_clear(struct hottest *hottest);

/* --- flat-sums.c --- */

/* The sums of a flat report. An empty structure is all 0. A sample waits if a location on its stack has not been looked
 * up yet. */
struct flat_sums {
    struct sums sums;       /* owned; a sum may have 0 samples */
    struct amount all;      /* amount of all samples that count */
    bool has_stacks;        /* at least one sample that counts has more than one frame */
    /* live reports BY_THREAD and BY_PROCESS: the hottest function of each row */
    struct hottest hottest;
    /* private to flat-sums.c: */
    enum pprofil_by by;
    bool no_inlines, stacks; /* options with which the sums were made */
    struct added_samples added;
    /* Owned; 0: not known yet. BY_FUNCTION, BY_LINE and BY_OBJECT: indexed by location: 1 + index in frame_sums of the
     * location's entry. Otherwise: indexed by thread, system call or state: 1 + index of its sum. */
    uint32_t *known;
    uint32_t known_count;
    /* owned; the entry of a location is the number of its frames, followed by the index of each frame's sum */
    uint32_t *frame_sums;
    uint32_t frame_sum_count;
    uint32_t *waiting; /* owned; indexes of the samples that wait */
    uint32_t waiting_count;
    struct changed_nodes changed; /* nodes to which samples were added since the last walk */
    /* owned; indexed by sum: number of frames of this sum on the stack of the walk's current node */
    uint32_t *on_stack;
    uint32_t on_stack_count;
};

/* Adds the new samples of a profile to sums. Makes all sums again if by, no_inlines, stacks, the filter or the mode
 * (CPU time or elapsed time) has changed since the last report, or if the profile was cleared. The sums also contain
 * the samples that wait, until flat_sums_settle subtracts these samples. Returns 0 or -ENOMEM, which leaves sums
 * empty. */
int flat_sums_update(struct flat_sums *sums, const struct profile *profile,
                     const struct report_options *options);
void flat_sums_settle(struct flat_sums *sums, const struct profile *profile);

/* The caller calls this function after a location has got a name or lines. */
void flat_sums_named(struct flat_sums *sums, const struct profile *profile, uint32_t location);

void flat_sums_clear(struct flat_sums *sums);

#endif
