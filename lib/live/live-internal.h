/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* live: what the files of this room share. A live view is made of reports, trees and code. */
#ifndef PPROFIL_LIVE_INTERNAL_H
#define PPROFIL_LIVE_INTERNAL_H

#include "report/flat-sums.h"
#include "report/live-calls.h"
#include "session/session.h"
#include "symbol/async-symbolizer.h"

#define LIVE_PROBLEM_SIZE 256

/* The ids of rows, with a location of each. Rows are only added. */
struct live_rows {
    struct live_row {
        uint64_t id;
        uint32_t location;
    } *all; /* owned */
    uint32_t count;
    struct hash_index index; /* of all, by id */
};

/* The code of a function, which somebody has asked for. */
struct live_code {
    uint64_t id; /* of the function's row */
    bool arrived;
    struct code_listing code;
};

struct pprofil_live {
    struct profile *profile;        /* borrowed from the session */
    struct async_symbolizer *async; /* owned */
    bool inlines;                   /* there are stacks, and inlined functions are frames of them */
    struct live_rows functions, lines;
    struct flat_sums sums[REPORT_GROUPINGS]; /* by grouping */
    struct live_nodes nodes;
    struct live_code *codes; /* owned */
    uint32_t code_count;
    char problem[LIVE_PROBLEM_SIZE];
};

/* Takes names and code from the symbolizer, and gives it what is new in the profile. 0 or
 * -ENOMEM. */
int live_exchange(struct pprofil_live *live);

/* Returns a location of a row BY_FUNCTION or BY_LINE, or PROFILE_NONE. */
uint32_t live_location(const struct pprofil_live *live, enum pprofil_by by, uint64_t id);

/* Returns the filter of a report. filter may be NULL, or of an older pprofil.h. */
struct report_filter live_filter(const struct pprofil_filter *filter);

#endif
