/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* diff: by how much each function differs between two profiles, and whether that may be chance. */
#ifndef PPROFIL_DIFF_H
#define PPROFIL_DIFF_H

#include "report/report.h"
#include "report/significance.h"

#define DIFF_LEVEL 0.05 /* false discovery rate up to which a change is significant */

enum diff_by {
    DIFF_BY_SHARE,         /* share of the profile's time, 0..1 */
    DIFF_BY_TIME,          /* seconds */
    DIFF_BY_TIME_A_SECOND, /* seconds in each second of sampling */
};

struct diff_row {
    const char *name;               /* of the function; borrowed from one of the profiles */
    const char *object[DIFF_SIDES]; /* last component of its path; "" if the function is not in this
                                       profile */
    struct diff_change self;
    struct diff_change total; /* with what it called; all 0 if neither profile has stacks */
};

struct diff {
    struct diff_row *rows; /* owned; significant changes first, then by size of the change */
    uint32_t count;
    uint32_t total;           /* rows before the limit */
    uint32_t significant;     /* of these rows, those with a significant self or total */
    bool stacks;              /* a profile has stacks, so rows have totals */
    bool wall;                /* times are elapsed time */
    struct diff_change whole; /* of all samples. Its values are times, as its share is always 1 */
};

struct diff_options {
    enum diff_by by;
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
             const struct diff_options *options, struct diff **diff);
void diff_free(struct diff *diff);

#endif
