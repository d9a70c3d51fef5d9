/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* diff: what two profiles differ in, function by function, and whether that may be chance. */
#ifndef PPROFIL_DIFF_H
#define PPROFIL_DIFF_H

#include "report/report.h"

#define DIFF_LEVEL 0.05 /* of false discoveries */

enum diff_by {
    DIFF_BY_SHARE,         /* of the profile's whole, 0..1 */
    DIFF_BY_TIME,          /* seconds */
    DIFF_BY_TIME_A_SECOND, /* seconds in each second of sampling */
};

enum { DIFF_OLD, DIFF_NEW, DIFF_SIDES };

/* One quantity, in both. */
struct diff_change {
    uint64_t samples[DIFF_SIDES], ns[DIFF_SIDES];
    double share[DIFF_SIDES]; /* of all ns, 0..1 */
    double value[DIFF_SIDES]; /* that is compared, as enum diff_by has it */
    double change, low, high; /* new - old, and its 95 % interval */
    double p; /* how likely as much is by chance; 1 where there is nothing to be compared */
    double q; /* the rate of false discoveries at which this is one: over all rows */
    bool significant;
};

struct diff_row {
    const char *name;               /* function; borrowed from either profile */
    const char *object[DIFF_SIDES]; /* last component of its path; "" where it is not there */
    struct diff_change self;
    struct diff_change total; /* with what it called; all 0 where there are no stacks */
};

struct diff {
    struct diff_row *rows; /* owned: significant ones first, then by size of the change */
    uint32_t count;
    uint32_t total;       /* rows before the limit */
    uint32_t significant; /* of these, by self or total */
    bool stacks;          /* either profile has some, so there is a total */
    bool wall;            /* times are elapsed time */
    struct diff_change whole; /* its values are always times: the share is 1 */
};

struct diff_options {
    enum diff_by by;
    uint32_t limit; /* rows; 0: all */
    double least;   /* part of the old whole, 0..1, that a change must have to be significant */
};

/* Functions are the same if their names and the last components of their objects' paths are; or
 * the names, where each is in one profile only, and once there: programs are renamed. Looks up
 * names as needed (a symbolizer may be NULL). Of sides the first is the old one. 0, -ENOMEM,
 * -EOVERFLOW; PPROFIL_ERROR_MIXED_TIMES; PPROFIL_ERROR_NO_DURATION: it is not known how
 * long one took. */
int diff_new(struct profile *const profiles[DIFF_SIDES], struct symbolizer *const symbolizers[],
             const struct diff_options *options, struct diff **diff);
void diff_free(struct diff *diff);

#endif
