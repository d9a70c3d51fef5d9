/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the two halves of a live view share: reports, and code. */
#ifndef PPROFIL_LIVE_INTERNAL_H
#define PPROFIL_LIVE_INTERNAL_H

#include "report/flat-sums.h"
#include "report/live-calls.h"
#include "session/session.h"
#include "symbol/async-symbolizer.h"

#define LIVE_PROBLEM 256

/* From the ids of rows to a location in each. It only grows. */
struct live_rows {
    struct live_row {
        uint64_t id;
        uint32_t location;
    } * all; /* owned */
    uint32_t count;
    struct hash_index index; /* of all, by id */
};

/* A function's code, once it was asked for. */
struct live_code {
    uint64_t id; /* of its row */
    bool come;   /* there is an answer */
    struct code_listing code;
};

struct pprofil_live {
    struct profile *profile;        /* borrowed from the session */
    struct async_symbolizer *async; /* owned */
    bool inlines; /* there are stacks: functions that were inlined are frames of them */
    struct live_rows functions, lines;
    struct flat_sums sums[REPORT_GROUPINGS]; /* of each grouping */
    struct live_nodes nodes;
    struct live_code *codes; /* owned */
    uint32_t code_count;
    char problem[LIVE_PROBLEM];
};

/* Takes what has come from the symbolizer and gives it what is new. 0 or -ENOMEM. */
int live_exchange(struct pprofil_live *live);

/* A location in a row, or PROFILE_NONE. */
uint32_t live_location(const struct pprofil_live *live, enum pprofil_by by, uint64_t id);

struct report_filter live_filter(const struct pprofil_filter *filter);

#endif
