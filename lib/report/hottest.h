/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hottest: in which function each thread, or process, of a profile that grows spends most time. */
#ifndef PPROFIL_HOTTEST_H
#define PPROFIL_HOTTEST_H

#include "report/changed.h"

/* All 0 is empty. */
struct hottest {
    struct sums best; /* owned; by {thread or process, 0}. The location is in the function */
    /* of hottest.c alone */
    struct sums sums; /* owned; by task and function */
    struct added_samples added;
};

/* Brings it up to date. It has to be of the same options as before, and no name may have changed
 * since. A function without a name counts once it has one. 0 or -ENOMEM; then it is empty. */
int hottest_update(struct hottest *hottest, const struct profile *profile,
                   const struct report_options *options);
void hottest_clear(struct hottest *hottest);

#endif
