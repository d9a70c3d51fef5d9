/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* diff: compares two profiles function by function, or row by row of another report, and tests whether chance alone
 * explains each difference. */
#ifndef PPROFIL_DIFF_H
#define PPROFIL_DIFF_H

#include "report/diff-runs.h"
#include "report/report.h"
#include "report/statistics.h"

struct pprofil_diff {
    struct pprofil_diff_row *rows; /* owned */
    uint32_t count;
    struct pprofil_diff_totals totals;
};

struct diff_options {
    enum pprofil_diff_by by;
    uint32_t limit; /* number of rows; 0: all */
    /* a change of less than this share (0..1) of the old profile's total is never significant */
    double least;
    enum pprofil_by rows; /* what is compared */
    /* the runs that each of the profiles was merged from, if functions are compared; NULL: each profile is one run */
    const struct diff_run_list *runs;
    const char *tested; /* as in pprofil_diff_options */
};

/* Compares two profiles; profiles[0] is the old profile. Functions belong together as diff-functions.h says. Looks up
 * missing names. `symbolizers`, and each of its elements, may be NULL. The caller frees *diff with pprofil_diff_free.
 * Returns 0, -ENOMEM, -EOVERFLOW, PPROFIL_ERROR_MIXED_TIMES if one profile has CPU times and the other has elapsed
 * times, or PPROFIL_ERROR_NO_TIMES if times are compared and a profile has none, or PPROFIL_ERROR_NO_DURATION if times
 * per second are compared and the sampling time of a profile is not known. */
int diff_new(struct profile *const profiles[DIFF_SIDES], struct symbolizer *const symbolizers[],
             const struct diff_options *options, struct pprofil_diff **diff);

#endif
