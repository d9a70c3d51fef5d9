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
    /* owned; one array for each table of the profile `from`. Element i is the index that entry i of this table has in
     * the profile `into` */
    uint32_t *strings, *objects, *processes, *threads, *functions, *locations, *nodes, *syscalls;
    /* owned; joined[i] is true if the profile `into` had the process from->processes[i] before the merge */
    bool *joined;
    uint32_t joined_thread_count; /* threads of `from` that `into` had before the merge */
    /* owned; element i is the index that entry i of the table samples has in the profile `into`; PROFILE_NO_SAMPLE: it
     * is left out */
    uint32_t *samples;
};

static inline const char *merge_text(const struct profile *profile, uint32_t string)
{
    return profile->strings[string];
}

static inline int merge_order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static inline uint64_t merge_greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t merge_lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* --- merge-tasks.c; these functions return 0, -ENOMEM or -EOVERFLOW ---------------------- */

int merge_processes(struct merger *merger);
int merge_threads(struct merger *merger);

#endif
