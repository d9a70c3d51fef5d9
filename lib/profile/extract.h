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

/* Allocates the arrays of an extraction whose fields `from` and those of its range are set, and an empty profile `to`.
 * Returns false if there is no memory. The caller calls extract_end in any case, which does not free `to`. */
bool extract_begin(struct extraction *extraction);
void extract_end(const struct extraction *extraction);
/* Copy an entry, and the entries that it refers to, unless they were copied before. *to: the index of the copy. They
 * return 0, -ENOMEM or -EOVERFLOW. */
int extract_process(const struct extraction *extraction, uint32_t from, uint32_t *to);
int extract_thread(const struct extraction *extraction, uint32_t from, uint32_t *to);
int extract_object(const struct extraction *extraction, uint32_t from, uint32_t *to);
int extract_location(const struct extraction *extraction, uint32_t from, uint32_t *to);
int extract_wait(const struct extraction *extraction, uint32_t from, uint32_t *to);
/* Copies all nodes whose element in extraction->nodes is not 0, and the nodes of all their callers. */
int extract_nodes(const struct extraction *extraction);
/* Copies the text of the command. Returns 0 or -ENOMEM. */
int extract_command(const struct extraction *extraction);

/* Returns the totals of a range of time. What is known only of the whole run is 0. */
struct profile_totals extract_range_totals(const struct extraction *extraction);
/* Gives the part its history and its timeline, after its samples were added. Returns 0, -ENOMEM or -EOVERFLOW. */
int extract_times(const struct extraction *extraction);

#endif
