/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hottest: what each thread, or process, does most, of a profile that grows. */
#ifndef PPROFIL_HOTTEST_H
#define PPROFIL_HOTTEST_H

#include "report/live-samples.h"
#include "report/sums.h"

struct hottest {
    struct sums best; /* owned; by {thread or process, 0}: its location is one of the function with
                       * the most time among those that have a name */
    /* of hottest.c alone */
    struct sums sums; /* owned; by task and function */
    struct live_samples samples; /* that are in the sums */
};

/* Brings it up to date: it may be all 0, or of before with the same options and no name changed
 * since. 0 or -ENOMEM: then it is empty. */
int hottest_update(struct hottest *hottest, const struct profile *profile,
                   const struct report_options *options);

void hottest_clear(struct hottest *hottest);

#endif
