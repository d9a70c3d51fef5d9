/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * live-sums: sums by a key of flat rows that go on from report to report of a profile that grows,
 * so that a report costs what was sampled since the last, not all that ever was.
 */
#ifndef PPROFIL_LIVE_SUMS_H
#define PPROFIL_LIVE_SUMS_H

#include "report/hottest.h"
#include "report/live-samples.h"
#include "report/sums.h"

struct live_sums {
    struct sums sums;         /* owned; of what there is none any more all counts are 0 */
    struct call_total *totals; /* owned; by code, of each sum: samples with it anywhere on their
                                * stack, each counted once */
    struct call_total all;    /* of what the filter lets through */
    bool has_stacks;          /* a sample has more than one frame */
    struct hottest hottest;   /* of the same samples, where the caller keeps it up to date */
    /* of live-sums.c alone */
    uint64_t *met;            /* owned; of each sum, the last stack that it was on */
    uint32_t total_count, met_count;
    enum pprofil_by by;
    bool no_inlines;
    struct live_samples samples; /* that are in the sums */
    uint64_t stacks;          /* added so far */
    uint32_t *known;          /* owned; of each location, thread or system call: its sum + 1; 0 */
    uint32_t *waiting;        /* owned; samples with places that are not looked up yet */
    uint32_t known_count, waiting_count;
};

/* Brings sums up to date: they may be all 0, or of a report with other options. Of these by,
 * no_inlines and the filter count. Until live_sums_settle they hold what waits for names or lines,
 * too. 0 or -ENOMEM: then they are empty. */
int live_sums_update(struct live_sums *sums, const struct profile *profile,
                     const struct report_options *options);
void live_sums_settle(struct live_sums *sums, const struct profile *profile);

/* A location has got a name, or lines. */
void live_sums_named(struct live_sums *sums, const struct profile *profile, uint32_t location);

void live_sums_clear(struct live_sums *sums);

#endif
