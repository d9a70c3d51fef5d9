/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * report: a profile becomes rows. No printing here.
 */
#ifndef PPROFIL_REPORT_H
#define PPROFIL_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "pprofil.h"
#include "profile/profile.h"
#include "symbol/symbol.h"

#define REPORT_GROUPINGS (PPROFIL_BY_STATE + 1)

static inline bool report_is_grouping(enum pprofil_by by)
{
    return (unsigned)by < REPORT_GROUPINGS;
}

struct pprofil_report {
    struct pprofil_row *rows; /* owned; largest first, ties by name */
    uint32_t count;
    uint32_t total;      /* rows before the limit */
    uint64_t rest_ns;    /* in rows that the limit cut */
    struct profile_totals totals;
    bool stacks;         /* rows have totals, and functions that were inlined have rows */
};

/* What counts; 0: no matter which. */
struct report_filter {
    uint32_t pid, tid;
    uint32_t process; /* index + 1 */
    uint32_t thread;  /* index + 1 */
    uint32_t object;  /* index + 1 */
    uint32_t syscall; /* index + 1 */
    uint32_t state;   /* enum profile_state + 1 */
};

struct flat_sums;

struct report_options {
    enum pprofil_by by;
    uint32_t limit; /* rows; 0: all */
    bool live; /* of a profile that grows: time of another mode than the present one does not
                * count, what was not looked up yet is apart, and the hottest functions are told */
    struct flat_sums *sums; /* live: kept from report to report by the caller; NULL: summed anew */
    struct report_filter filter;
    bool stacks;     /* BY_FUNCTION, BY_OBJECT, BY_LINE: totals too, if any sample has a stack */
    bool no_inlines; /* stacks: inlined functions count for their caller */
    bool fold;       /* stacks: a function that calls itself directly is there once */
    bool by_total;   /* stacks: the largest total first */
};

/* Makes the rows, looking up names as needed (symbolizer may be NULL: only the names that the
 * profile has). Strings are borrowed from the profile. 0 or -ENOMEM. */
int report_flat(struct profile *profile, struct symbolizer *symbolizer,
                const struct report_options *options, struct pprofil_report **report);

/* Has any sample more than one frame? */
bool report_has_stacks(const struct profile *profile);

/* Why stacks end before their beginning. */
struct report_mark {
    const char *why; /* borrowed from the profile: "[truncated]" */
    uint64_t samples, ns;
};

struct report_stacks {
    bool any;                    /* report_has_stacks */
    uint64_t ns, incomplete_ns;  /* of all; of those with a mark */
    struct report_mark *marks;   /* owned; largest first */
    uint32_t mark_count;
};

/* To be cleared, also after an error. 0 or -ENOMEM. */
int report_stacks(const struct profile *profile, struct report_stacks *stacks);
void report_stacks_clear(struct report_stacks *stacks);

/* The id of the row that a location falls into, BY_FUNCTION, BY_OBJECT or BY_LINE. */
uint64_t report_id(const struct profile *profile, enum pprofil_by by, uint32_t location);
/* The id of a thread's row BY_THREAD, or of a process' BY_PROCESS, by its index in the profile. */
uint64_t report_task_id(uint32_t index);

/* --- call trees ------------------------------------------------------------------------------ */

struct pprofil_tree {
    struct pprofil_tree_row *rows; /* owned */
    uint32_t count;
    struct pprofil_tree_totals totals;
};

struct report_tree_options {
    struct report_options of; /* by FUNCTION, LINE or OBJECT; limit of rows; stacks goes without
                               * saying */
    enum pprofil_tree_kind kind;
    const char *function; /* CALLERS, CALLEES: a pattern, match.h; whose outermost calls count */
    double least;         /* share of the whole that a row must have, 0..1 */
    uint32_t depth;       /* levels; 0: all */
};

/* Makes the rows, looking up names as needed (symbolizer may be NULL). Strings are borrowed from
 * the profile. 0; -ENOMEM; -EINVAL: the function is no pattern; -ENOENT: there is no such function;
 * -EOVERFLOW: the profile is too large. Of -EINVAL and -ENOENT problem is told. */
int report_tree(struct profile *profile, struct symbolizer *symbolizer,
                const struct report_tree_options *options, struct pprofil_tree **tree, char *problem,
                size_t size);

/* --- a part of a profile --------------------------------------------------------------------- */

/* *part is the caller's. 0; -ENOMEM; -EINVAL: one is no pattern; -ENOENT: the profile has nothing
 * that one means (but ignore). Of these problem is told, with the name of the option. */
int report_select(struct profile *profile, struct symbolizer *symbolizer,
                  const struct pprofil_selection *selection, struct profile **part, char *problem,
                  size_t size);

/* --- what other ways of counting share ------------------------------------------------- */

bool report_lets_through(const struct profile *profile, const struct report_filter *filter,
                         const struct profile_sample *sample);

/* The time that a sample counts with: elapsed time in wall mode. */
static inline uint64_t report_ns(const struct profile *profile,
                                 const struct profile_sample *sample)
{
    return profile->totals.wall ? sample->wall_ns : sample->cpu_ns;
}

#endif
