/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* merge-internal: the state while a profile is merged into another, shared by merge.c and
 * merge-tasks.c. */
#ifndef PPROFIL_MERGE_INTERNAL_H
#define PPROFIL_MERGE_INTERNAL_H

#include "profile/profile.h"

struct merger {
    struct profile *into;
    const struct profile *from;
    bool cpu_only;
    bool wall; /* the result is in wall mode */
    /* owned: indexes in into, by index in from */
    uint32_t *strings, *objects, *processes, *threads, *functions, *locations, *nodes, *syscalls;
    bool *joined; /* owned; by process of from, whether into had it before the merge */
};

static inline const char *text_of(const struct profile *profile, uint32_t string)
{
    return profile->strings[string];
}

static inline int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static inline uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* --- merge-tasks.c; each returns 0, -ENOMEM or -EOVERFLOW ---------------------------------- */

int merge_processes(struct merger *merger);
int merge_threads(struct merger *merger);
/* Gives processes that share a pid distinct generations. Returns 0 or -ENOMEM. */
int merge_number_generations(struct profile *profile);

#endif
