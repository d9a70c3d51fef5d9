/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* merge-tasks: the state of a merge (merge.c), and the merge of its processes and threads. */
#ifndef PPROFIL_MERGE_TASKS_H
#define PPROFIL_MERGE_TASKS_H

#include "profile/profile.h"

struct merger {
    struct profile *into;
    const struct profile *from;
    bool cpu_only;
    bool wall; /* the merged profile has elapsed times */
    /* owned; indexed as the tables of the profile `from`; each element is the index of the same entry in the profile
     * `into` */
    uint32_t *strings, *objects, *processes, *threads, *functions, *locations, *nodes, *syscalls;
    bool *joined; /* owned; indexed as from->processes; true: `into` had the process before the merge */
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

/* --- merge-tasks.c; these functions return 0, -ENOMEM or -EOVERFLOW ---------------------- */

int merge_processes(struct merger *merger);
int merge_threads(struct merger *merger);
/* Gives distinct generations to processes with the same pid. Returns 0 or -ENOMEM. */
int merge_number_generations(struct profile *profile);

#endif
