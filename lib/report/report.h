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

struct report_row {
    const char *name;   /* function, object, file, thread's or process's comm, syscall, state */
    const char *object; /* last component of its path; "" where rows are no code */
    const char *file;   /* "" not known */
    uint32_t line;      /* 0 not known */
    uint32_t pid, tid;  /* BY_THREAD, BY_PROCESS; else 0 */
    uint64_t samples;
    uint64_t ns;        /* CPU time; elapsed time in wall mode */
    double share;       /* of all ns, 0..1 */
    double error95;     /* half the width of the 95 % interval of share (Wilson) */
    uint64_t id;        /* not 0; of the same row in another report of this profile the same */
    bool pending;       /* live: what was not looked up yet */
    const char *hottest; /* live, BY_THREAD and BY_PROCESS: its function with the most ns; or "" */
    /* Samples with it anywhere on their stack; each counts once. 0 unless stacks were asked for. */
    uint64_t total_samples, total_ns;
    double total_share, total_error95;
};

struct report {
    struct report_row *rows; /* owned; largest first, ties by name */
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
                const struct report_options *options, struct report **report);
void report_free(struct report *report);

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

/* --- what other ways of counting share ------------------------------------------------- */

bool report_lets_through(const struct profile *profile, const struct report_filter *filter,
                         const struct profile_sample *sample);

/* The time that a sample counts with: elapsed time in wall mode. */
static inline uint64_t report_ns(const struct profile *profile,
                                 const struct profile_sample *sample)
{
    return profile->totals.wall ? sample->wall_ns : sample->cpu_ns;
}

/* A report as pprofil.h hands it out. */
struct pprofil_report {
    struct report *report; /* owned */
};

#endif
