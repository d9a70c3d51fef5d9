/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hottest: finds the function in which each thread or process of a growing profile spends the most
 * time. */
#ifndef PPROFIL_HOTTEST_H
#define PPROFIL_HOTTEST_H

#include "report/changed.h"

/* The hottest functions. An empty structure is all 0. */
struct hottest {
    /* owned; key: {thread or process, 0}; the location is in its hottest function */
    struct sums best;
    /* private to hottest.c: */
    struct sums sums; /* owned; key: {thread or process, function} */
    struct added_samples added;
};

/* Adds the new samples of the profile. The options must be those of former calls, and no name may
 * have changed since. Samples in a function without a name are added once it has one. Returns 0 or
 * -ENOMEM, which leaves hottest empty. */
int hottest_update(struct hottest *hottest, const struct profile *profile,
                   const struct report_options *options);
void hottest_clear(struct hottest *hottest);

#endif
