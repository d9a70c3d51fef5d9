/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * flat-sums: the sums from which the rows of a flat report are made. In a live report the sums are kept until the next
 * report, so each report only adds the samples since the report before it. In a report of a saved profile the sums are
 * made for this report alone: all samples are new to the sums, and all names are known.
 */
#ifndef PPROFIL_FLAT_SUMS_H
#define PPROFIL_FLAT_SUMS_H

#include "report/changed.h"
#include "report/sums.h"

/* --- hottest.c: the function in which each thread or process of a growing profile spends most time --- */

/* The hottest function of each thread or process: the function in which it spent the most time. An empty structure is
 * all 0. */
struct hottest {
    /* owned; the result: the key of a sum is {thread or process, 0}, and its location is in the hottest function */
    struct sums best;
    /* private to hottest.c: */
    struct sums sums; /* owned; key: {thread or process, function} */
    struct added_samples added;
};

/* Adds the new samples of the profile to *hottest. If the options are not those of the last call, or if a name has
 * changed since then, the caller must call hottest_clear first. A sample in a function without a name is added later,
 * when the function has a name. Returns 0 or -ENOMEM, which leaves *hottest empty. */
int hottest_update(struct hottest *hottest, const struct profile *profile, const struct report_options *options);
void hottest_clear(struct hottest *hottest);

/* --- flat-sums.c --- */

/* The sums of a flat report. An empty structure is all 0. A sample waits if a location on its stack has not been looked
 * up yet. Waiting samples are in the sums only while a report is made. */
struct flat_sums {
    struct sums sums;       /* owned; some of these sums may have 0 samples */
    struct amount all;      /* amount of all samples that count in the report */
    bool has_stacks;        /* at least one sample that counts has more than one frame */
    /* in live reports by thread or by process: the hottest function of each row */
    struct hottest hottest;
    /* private to flat-sums.c and flat-locations.c: */
    enum pprofil_by by;
    bool no_inlines, stacks; /* options with which the sums were made */
    struct added_samples added;
    /* Owned. In reports by function, line or object, indexed by location: 1 + index of the location's first element of
     * frame_sums. In other reports, indexed by thread, system call or state: 1 + index of its sum. 0: not known yet */
    uint32_t *known;
    uint32_t known_count;
    /* owned; for each location that has been looked up: the number of its frames, then the index of each frame's sum */
    uint32_t *frame_sums;
    uint32_t frame_sum_count;
    uint32_t *waiting; /* owned; indexes of the samples that wait */
    uint32_t waiting_count;
    /* while waiting samples are in the sums: the amounts of the sums before; `kept` is owned */
    struct kept_sum {
        struct amount self, total;
    } *kept;
    uint32_t kept_count;
    struct amount kept_all;
    struct changed_nodes changed; /* nodes to which samples were added since the last walk */
    /* owned; indexed by sum: how many frames on the stack of the walk's present node belong to this sum */
    uint32_t *on_stack;
    uint32_t on_stack_count;
};

/* Adds the new samples of a profile to *sums. Makes all sums again if the profile was cleared, or if one of these has
 * changed since the last report: the options `by`, `no_inlines` and `stacks`, the filter, or the mode (CPU time or
 * elapsed time). Waiting samples are in the sums too, until flat_sums_settle takes them out. Returns 0 or -ENOMEM,
 * which leaves *sums empty. */
int flat_sums_update(struct flat_sums *sums, const struct profile *profile, const struct report_options *options);
void flat_sums_settle(struct flat_sums *sums, const struct profile *profile);

/* The caller must call this function after a location has got a name or lines. */
void flat_sums_named(struct flat_sums *sums, const struct profile *profile, uint32_t location);

void flat_sums_clear(struct flat_sums *sums);

#endif
