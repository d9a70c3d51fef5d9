/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rank-times: when the ranks of a job used CPU time, and how much of it in MPI. */
#ifndef PPROFIL_REPORT_RANK_TIMES_H
#define PPROFIL_REPORT_RANK_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/* CPU time, ns. */
struct rank_time {
    uint64_t mpi_ns;  /* in functions of MPI and what these call */
    uint64_t work_ns; /* in all other code */
};

struct rank_times {
    const char **names; /* owned; names of the ranks in the order of their numbers; the texts belong to the profile */
    struct rank_time *totals; /* owned; by rank */
    struct rank_time *cells;  /* owned; that of a rank in a column is cells[rank * column_count + column] */
    uint32_t rank_count, column_count;
    /* length of a column, a multiple of that of the history's slots; column 0 begins where slot 0 does */
    uint64_t column_ns;
    uint64_t last_column_ns; /* the last column may be shorter */
};

/* Makes the times of a profile whose names have been looked up, in at most columns_max columns, and at most cells_max
 * cells plus one for each rank; neither is 0. Returns 0, -ENOMEM, PPROFIL_ERROR_NO_RANKS (the profile has processes of
 * fewer than two ranks), PPROFIL_ERROR_SEVERAL_JOBS or PPROFIL_ERROR_NO_SAMPLES (the profile does not say when
 * its samples were taken). The caller
 * clears *times in any case. */
int rank_times_make(const struct profile *profile, uint32_t columns_max, uint32_t cells_max, struct rank_times *times);
void rank_times_clear(struct rank_times *times);
/* Returns true if ranks of the profile belong to different jobs. Ranks of two jobs may have the same number, so they
 * cannot be compared. */
bool rank_times_have_several_jobs(const struct profile *profile);

#endif
