/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* extract: the state of an extraction (extract.c), and the times of the part that it makes (extract-times.c). */
#ifndef PPROFIL_EXTRACT_H
#define PPROFIL_EXTRACT_H

#include "profile/profile.h"

/* The state of an extraction. There is one array for each table of the profile `from`. Element i is the index that the
 * copy of entry i has in the profile `to`, plus 1; 0: entry i has not been copied yet. */
struct extraction {
    const struct profile *from;
    struct profile *to;
    uint32_t *objects, *processes, *threads, *functions, *locations, *nodes, *syscalls, *samples;
    bool ranged;
    struct history_range range;
    struct profile_sample *kept; /* owned; the samples of `from`, with the counts and times of the part */
};

static inline bool extract_keeps(const struct extraction *extraction, uint32_t sample)
{
    const struct profile_sample *kept = &extraction->kept[sample];

    return (kept->count | kept->cpu_ns | kept->wall_ns) != 0;
}

/* Returns the totals of a range of time. What is known only of the whole run is 0. */
struct profile_totals extract_range_totals(const struct extraction *extraction);
/* Gives the part its history and its timeline, after its samples were added. Returns 0, -ENOMEM or -EOVERFLOW. */
int extract_times(const struct extraction *extraction);

#endif
