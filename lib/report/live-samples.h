/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * live-samples: how much of each sample of a profile that grows has been taken into sums before,
 * and so what it has more.
 */
#ifndef PPROFIL_LIVE_SAMPLES_H
#define PPROFIL_LIVE_SAMPLES_H

#include "report/call-tree.h"
#include "report/report.h"

struct live_samples {
    struct report_filter filter; /* whose samples they are */
    bool wall;
    uint32_t clears;
    struct call_total *taken; /* owned; of each sample */
    uint32_t count;
};

/* Is what was taken before a part of what counts now, that is, do sums go on? All 0: it is nothing
 * yet. */
bool live_samples_go_on(const struct live_samples *samples, const struct profile *profile,
                        const struct report_filter *filter);
/* From now on it is about what counts now, of which nothing is taken. */
void live_samples_begin(struct live_samples *samples, const struct profile *profile,
                        const struct report_filter *filter);
/* Makes room for all samples that there are. 0 or -ENOMEM. */
int live_samples_grow(struct live_samples *samples, const struct profile *profile);

/* What a sample has more; false: nothing, or nothing of it counts. */
bool live_samples_more(const struct live_samples *samples, const struct profile *profile,
                       const struct report_options *options, uint32_t sample,
                       struct call_total *more);
/* That has been taken. */
void live_samples_take(struct live_samples *samples, uint32_t sample,
                       const struct call_total *more);

void live_samples_clear(struct live_samples *samples);

/* Makes an array of count elements one of wanted ones; what is new is 0. 0 or -ENOMEM, ... */
int live_grow(void *array, uint32_t *count, uint32_t wanted, size_t element);
void live_add(struct call_total *to, const struct call_total *more);

#endif
