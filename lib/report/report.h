/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report: makes flat reports, call trees and parts of a profile. Rows are the structures of pprofil/report.h. Only the
 * functions of style.h print; all other functions return data. */
#ifndef PPROFIL_REPORT_H
#define PPROFIL_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "pprofil.h"
#include "profile/profile.h"
#include "symbol/symbol.h"

#define REPORT_GROUPINGS (PPROFIL_BY_RANK + 1)

static inline bool report_is_grouping(enum pprofil_by by)
{
    return (unsigned)by < REPORT_GROUPINGS;
}

struct pprofil_report {
    struct pprofil_row *rows; /* owned; the largest row first; rows of the same size are sorted by name */
    uint32_t count;
    uint32_t total;   /* number of rows before the limit was applied */
    uint64_t rest_ns; /* self time of the rows that the limit left out, ns */
    struct profile_totals totals;
    /* rows have totals, and inlined functions have rows of their own (unless the option no_inlines is set) */
    bool stacks;
};

/* Conditions on samples. A sample counts if it meets all conditions. A field that is 0 sets no condition. */
struct report_filter {
    uint32_t pid, tid;
    uint32_t process; /* 1 + index of the process */
    uint32_t thread;  /* 1 + index of the thread */
    uint32_t object;  /* 1 + index of the object */
    uint32_t syscall; /* 1 + index of the system call */
    uint32_t state;   /* 1 + enum profile_state */
    uint64_t wait;    /* id of a row of a report by wait */
    /* only what was sampled in a range of time, ns since the beginning of the history; to_ns 0: no condition */
    uint64_t from_ns, to_ns;
    /* borrowed; indexed by sample: the samples with the counts and times of the range (profile_samples_in); NULL: no
     * condition. The caller keeps this array up to date, and it need not be the same array in each report */
    const struct profile_sample *in_range;
};

struct flat_sums;

struct report_options {
    enum pprofil_by by;
    uint32_t limit; /* number of rows; 0: all */
    /* true if the profile is still growing. Then: samples whose time is 0 in the profile's current mode (CPU time or
     * elapsed time) do not count; in each object, all code that has not been looked up yet shares one row; and in rows
     * of threads and processes, the field hottest is set */
    bool live;
    /* for live reports: sums that the caller keeps between reports; NULL: each report sums all samples again */
    struct flat_sums *sums;
    struct report_filter filter;
    /* for reports by function, object or line: make totals if any sample has more than one frame */
    bool stacks;
    bool no_inlines; /* if `stacks` is set: the time of an inlined function counts for its caller */
    bool fold;       /* for trees: if a function calls itself directly, both calls share one row */
    bool by_total;   /* if `stacks` is set: rows with the largest total come first */
};

/* Makes the rows, and looks up their names. If `symbolizer` is NULL, looks up no names; the rows then have only the
 * names that are already in the profile. Strings are borrowed from the profile. The caller frees *report with
 * pprofil_report_free. Returns 0 or -ENOMEM. */
int report_flat(struct profile *profile, struct symbolizer *symbolizer,
                const struct report_options *options, struct pprofil_report **report);

/* Does what pprofil_profile_holder does. `symbolizer` may be NULL. */
int report_holder(struct profile *profile, struct symbolizer *symbolizer, uint64_t wait_row,
                  struct pprofil_holder *holder);

/* Returns true if any sample has more than one frame. */
bool report_has_stacks(const struct profile *profile);

/* A reason why the outermost frames of stacks are missing. */
struct report_mark {
    const char *why; /* name of the reason, such as "[truncated]"; borrowed from the profile */
    uint64_t samples, ns;
};

struct report_stacks {
    bool any;                   /* a sample has more than one frame */
    uint64_t ns, incomplete_ns; /* time of all stacks, and time of the stacks with missing frames */
    struct report_mark *marks;  /* owned; the reason with the most time first */
    uint32_t mark_count;
};

/* Sums the time of all stacks, the time of the stacks with missing frames, and this time for each reason why frames are
 * missing. The caller clears *stacks, also after an error. Returns 0 or -ENOMEM. */
int report_stacks(const struct profile *profile, struct report_stacks *stacks);
void report_stacks_clear(struct report_stacks *stacks);

/* Returns the id of the row to which a location belongs in a report by function, object or line. In a report by
 * function, this is the row of the function that the linker knows, not of a function that was inlined there. */
uint64_t report_id(const struct profile *profile, enum pprofil_by by, uint32_t location);
/* Returns the id of the row of a thread in a report by thread, or of a process in a report by process. `index` is the
 * index of the thread or process in the profile. */
uint64_t report_task_id(uint32_t index);

/* A range of time that is divided into equal columns. */
struct report_columns {
    uint64_t from_ns, to_ns; /* since the beginning of the history; from_ns < to_ns */
    uint32_t count;          /* not 0 */
};

/* Sums when the rows of a report spent their own time. Adds to ns[i * columns->count + k] the time of row i in column
 * k, ns. `options` are those of the report. The range of time of its filter is ignored. Returns 0 or -ENOMEM. */
int report_row_times(const struct profile *profile, const struct report_options *options,
                     const struct pprofil_report *report, const struct report_columns *columns, uint64_t *ns);

/* --- call trees ------------------------------------------------------------------------------ */

struct pprofil_tree {
    struct pprofil_tree_row *rows; /* owned */
    uint32_t count;
    struct pprofil_tree_totals totals;
};

struct report_tree_options {
    /* the tree is of functions, lines or objects (of.by). of.stacks is ignored, because trees always use the stacks */
    struct report_options of;
    enum pprofil_tree_kind kind;
    /* for trees of callers or callees: a pattern (name-search.h) for the functions from which the tree starts. On each
     * stack, only the outermost call of a matching function counts. */
    const char *function;
    double least;         /* a share of the whole time, 0..1; rows with a smaller share are left out */
    uint32_t depth;       /* number of levels of the tree; 0: all */
};

/* Makes the rows of a call tree, and looks up names as report_flat does. Strings are borrowed from the profile. The
 * caller frees *tree with pprofil_tree_free. Returns 0, -ENOMEM, -EOVERFLOW if the profile is too large, -EINVAL if
 * options->function is not a valid regular expression, or -ENOENT if it matches no function. After -EINVAL and -ENOENT,
 * the reason is in `problem`, which has room for `size` bytes. */
int report_tree(struct profile *profile, struct symbolizer *symbolizer, const struct report_tree_options *options,
                struct pprofil_tree **tree, char *problem, size_t size);

/* --- a part of a profile --------------------------------------------------------------------- */

/* Makes a profile of the samples that meet all conditions of a selection. Names in the selection are patterns as in
 * name-search.h. A name that is NULL sets no condition. The caller frees *part. Returns 0, -ENOMEM, -EINVAL if a
 * pattern is not a valid regular expression, or -ENOENT if a condition other than `ignore` matches nothing in the
 * profile. After -EINVAL and -ENOENT, the option and the reason are in `problem`, which has room for `size` bytes. */
int report_select(struct profile *profile, struct symbolizer *symbolizer, const struct pprofil_selection *selection,
                  struct profile **part, char *problem, size_t size);

/* --- samples --------------------------------------------------------------------------------- */

/* Returns true if a sample meets all conditions of a filter. */
bool report_lets_through(const struct profile *profile, const struct report_filter *filter,
                         const struct profile_sample *sample);

/* Returns a sample as it counts with a filter: in its range of time. */
static inline const struct profile_sample *report_sample(const struct profile *profile,
                                                         const struct report_filter *filter, uint32_t sample)
{
    return filter->in_range != NULL ? &filter->in_range[sample] : &profile->samples[sample];
}

/* Returns the time of a sample: elapsed time in wall mode, otherwise CPU time. */
static inline uint64_t report_ns(const struct profile *profile, const struct profile_sample *sample)
{
    return profile->totals.wall ? sample->wall_ns : sample->cpu_ns;
}

#endif
