/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* diff: by how much each function differs between two profiles, and whether that may be chance. */
#ifndef PPROFIL_DIFF_H
#define PPROFIL_DIFF_H

#include "report/report.h"
#include "report/significance.h"

#define DIFF_LEVEL 0.05 /* false discovery rate up to which a change is significant */

struct pprofil_diff {
    struct pprofil_diff_row *rows; /* owned */
    uint32_t count;
    struct pprofil_diff_totals totals;
};

struct diff_options {
    enum pprofil_diff_by by;
    uint32_t limit; /* rows; 0: all */
    double least;   /* share of the old whole, 0..1, below which no change is significant */
};

/* Compares two profiles, the old one first. Functions are the same if their names and the last
 * components of their objects' paths are equal. A name that each profile has once, and in another
 * object than the other profile, is one function too: programs get renamed. Names are looked up as
 * needed; a symbolizer, or symbolizers, may be NULL. 0, -ENOMEM or -EOVERFLOW;
 * PPROFIL_ERROR_MIXED_TIMES: CPU time and elapsed time; PPROFIL_ERROR_NO_DURATION: a profile does
 * not say how long it took. */
int diff_new(struct profile *const profiles[DIFF_SIDES], struct symbolizer *const symbolizers[],
             const struct diff_options *options, struct pprofil_diff **diff);

#endif
