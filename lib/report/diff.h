/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* diff: compares two profiles function by function, and tests whether each difference is more than
 * chance. */
#ifndef PPROFIL_DIFF_H
#define PPROFIL_DIFF_H

#include "report/report.h"
#include "report/statistics.h"

#define DIFF_LEVEL 0.05 /* false discovery rate up to which a change is significant */

struct pprofil_diff {
    struct pprofil_diff_row *rows; /* owned */
    uint32_t count;
    struct pprofil_diff_totals totals;
};

struct diff_options {
    enum pprofil_diff_by by;
    uint32_t limit; /* number of rows; 0: all */
    /* a change of less than this share of the old profile's total (0..1) is never significant */
    double least;
};

/* Compares two profiles; the old one comes first. Functions are the same if their names are equal
 * and the last components of their objects' paths are equal. A program may have been renamed. So,
 * if a name remains without a partner exactly once in each profile, these two functions are the
 * same too. Names are looked up as needed. symbolizers, and each of its entries, may be NULL. The
 * caller frees *diff with pprofil_diff_free. Returns 0, -ENOMEM, -EOVERFLOW,
 * PPROFIL_ERROR_MIXED_TIMES if one profile has CPU time and the other elapsed time, or
 * PPROFIL_ERROR_NO_DURATION if time per second is compared and a profile has no elapsed time. */
int diff_new(struct profile *const profiles[DIFF_SIDES], struct symbolizer *const symbolizers[],
             const struct diff_options *options, struct pprofil_diff **diff);

#endif
