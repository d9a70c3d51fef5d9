/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report: profiles become rows. Rows are those that pprofil.h hands out; nothing is printed
 * here. */
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
    uint32_t total;   /* number of rows without the limit */
    uint64_t rest_ns; /* of rows that the limit left out */
    struct profile_totals totals;
    bool stacks; /* rows have totals, and functions that were inlined have rows */
};

/* The samples that count: those that pass all conditions. 0: no condition. */
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
    bool live; /* The profile grows. Samples without time in the present mode do not count; code
                * that was not looked up yet has rows of its own; and tasks have their hottest
                * function. */
    struct flat_sums *sums; /* live: kept by the caller from report to report; NULL: summed anew */
    struct report_filter filter;
    bool stacks;     /* BY_FUNCTION, BY_OBJECT, BY_LINE: make totals, if any sample has a stack */
    bool no_inlines; /* with stacks: inlined functions count for their caller */
    bool fold;       /* trees: a function that calls itself directly is one row */
    bool by_total;   /* with stacks: the largest total first */
};

/* Makes the rows, and looks up the names that they need. If symbolizer is NULL, rows have those
 * names only that the profile has. Strings are borrowed from the profile. The caller frees *report
 * with pprofil_report_free. 0 or -ENOMEM. */
int report_flat(struct profile *profile, struct symbolizer *symbolizer,
                const struct report_options *options, struct pprofil_report **report);

/* Returns true if any sample has more than one frame. */
bool report_has_stacks(const struct profile *profile);

/* A reason why the outermost frames of stacks are missing. */
struct report_mark {
    const char *why; /* such as "[truncated]"; borrowed from the profile */
    uint64_t samples, ns;
};

struct report_stacks {
    bool any;                   /* report_has_stacks */
    uint64_t ns, incomplete_ns; /* of all stacks; of those with missing frames */
    struct report_mark *marks;  /* owned; the one with the most time first */
    uint32_t mark_count;
};

/* Finds how complete stacks are. The caller clears *stacks, also after an error. 0 or -ENOMEM. */
int report_stacks(const struct profile *profile, struct report_stacks *stacks);
void report_stacks_clear(struct report_stacks *stacks);

/* Returns the id of a location's row BY_FUNCTION, BY_OBJECT or BY_LINE. */
uint64_t report_id(const struct profile *profile, enum pprofil_by by, uint32_t location);
/* Returns the id of the row BY_THREAD of a thread, or BY_PROCESS of a process. index: in the
 * profile. */
uint64_t report_task_id(uint32_t index);

/* --- call trees ------------------------------------------------------------------------------ */

struct pprofil_tree {
    struct pprofil_tree_row *rows; /* owned */
    uint32_t count;
    struct pprofil_tree_totals totals;
};

struct report_tree_options {
    struct report_options of; /* BY_FUNCTION, BY_LINE or BY_OBJECT; stacks is implied */
    enum pprofil_tree_kind kind;
    const char *function; /* CALLERS, CALLEES: a pattern as in match.h. The outermost calls count */
    double least;         /* rows have at least this share of the whole, 0..1 */
    uint32_t depth;       /* levels; 0: all */
};

/* Makes the rows, and looks up names as report_flat does. Strings are borrowed from the profile.
 * The caller frees *tree with pprofil_tree_free. 0; -ENOMEM; -EOVERFLOW: the profile is too large;
 * -EINVAL: function is not a regular expression; -ENOENT: there is no such function. After the last
 * two problem (of size bytes) says why. */
int report_tree(struct profile *profile, struct symbolizer *symbolizer,
                const struct report_tree_options *options, struct pprofil_tree **tree,
                char *problem, size_t size);

/* --- a part of a profile --------------------------------------------------------------------- */

/* Makes a profile of the samples that pass all conditions of a selection. Names are patterns as in
 * match.h; NULL: no condition. The caller frees *part. 0; -ENOMEM; -EINVAL: a name is not a regular
 * expression; -ENOENT: the profile has nothing that a name, other than ignore's, means. After the
 * last two problem (of size bytes) says why, and names the option. */
int report_select(struct profile *profile, struct symbolizer *symbolizer,
                  const struct pprofil_selection *selection, struct profile **part, char *problem,
                  size_t size);

/* --- samples --------------------------------------------------------------------------------- */

/* Returns true if a sample passes the filter. */
bool report_lets_through(const struct profile *profile, const struct report_filter *filter,
                         const struct profile_sample *sample);

/* Returns the time of a sample: elapsed time in wall mode, otherwise CPU time. */
static inline uint64_t report_ns(const struct profile *profile, const struct profile_sample *sample)
{
    return profile->totals.wall ? sample->wall_ns : sample->cpu_ns;
}

#endif
