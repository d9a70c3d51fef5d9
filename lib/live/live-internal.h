/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* live-internal: what the files of this directory share. They make reports, call trees and listings of code of a
 * session that is sampling. */
#ifndef PPROFIL_LIVE_INTERNAL_H
#define PPROFIL_LIVE_INTERNAL_H

#include "report/flat-sums.h"
#include "report/live-calls.h"
#include "session/session.h"
#include "symbol/async-symbolizer.h"

#define LIVE_PROBLEM_SIZE 256

/* A map from the id of each row to one location that belongs to the row. Rows are never removed. */
struct live_rows {
    struct live_row {
        uint64_t id;
        uint32_t location;
    } *all; /* owned */
    uint32_t count;
    struct hash_index index; /* finds elements of the array `all` by id */
};

/* The code of a function. The caller has requested the code, which may not have arrived yet. */
struct live_code {
    uint64_t id; /* id of the function's row */
    bool arrived;
    struct code_listing code;
};

struct pprofil_live {
    struct profile *profile;        /* borrowed from the session, or from a saved profile */
    struct async_symbolizer *async; /* owned */
    /* the profile has stacks, so inlined functions have rows of their own */
    bool inlines;
    struct live_rows functions, lines;
    struct flat_sums sums[REPORT_GROUPINGS]; /* indexed by enum pprofil_by */
    struct live_nodes nodes;
    /* owned; the samples in the range of time of the last filter (report_filter.in_range) */
    struct profile_sample *in_range;
    uint32_t in_range_count;
    struct live_code *codes; /* owned */
    uint32_t code_count;
    char problem[LIVE_PROBLEM_SIZE];
};

/* Stores the names and the code that the async symbolizer has found, and asks it for names of the locations that are
 * new in the profile. Returns 0 or -ENOMEM. */
int live_exchange(struct pprofil_live *live);

/* Returns one of the locations that belong to a row of a report by function or by line. Returns PROFILE_NONE if none is
 * known. */
uint32_t live_location(const struct pprofil_live *live, enum pprofil_by by, uint64_t id);

/* Converts a filter of pprofil.h to a filter of lib/report. `from` may be NULL. It may also be smaller than this
 * version's structure, if the caller was compiled with an older pprofil.h. If the filter has a range of time, sums the
 * samples in this range; the sums are valid until the next call. Returns 0 or -ENOMEM. */
int live_filter(struct pprofil_live *live, const struct pprofil_filter *from, struct report_filter *filter);

#endif
