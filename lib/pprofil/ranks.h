/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ranks.h: profiles of jobs. A job runs a program as many processes, often on many hosts, and each process has a
 * number, its rank. */
#ifndef PPROFIL_PUBLIC_RANKS_H
#define PPROFIL_PUBLIC_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprofil/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How much time the ranks of a job spent in a function itself, or in a function of MPI and all that it called. The
 * texts belong to the profile. */
struct pprofil_imbalance_row {
    const char *name;   /* name of the function */
    const char *object; /* last component of the path of its object; "": not known */
    bool mpi;           /* it is a function of MPI */
    uint64_t samples;   /* of all ranks */
    uint64_t ns;        /* time of all ranks: CPU time, or elapsed time if the profile has elapsed times */
    double share;       /* share of the time of all ranks, 0..1 */
    uint64_t min_ns, median_ns, max_ns; /* times of the ranks with the least, the median and the most time */
    const char *min_rank, *max_rank;
    /* how much longer than the mean of all ranks the rank with the most time took: 0 if all took the same time, 1 if it
     * took twice the mean. Ranks wait for the slowest one, so this is the part that could be saved. error95: half the
     * width of its 95 % confidence interval */
    double imbalance, error95;
    bool by_chance; /* the ranks differ by no more than chance explains (a test at the level of 5 %) */
};

typedef struct pprofil_imbalance pprofil_imbalance;

/* Compares the ranks of a profile, and looks up names, which may take many seconds. The caller calls
 * pprofil_imbalance_free before it closes the profile. Returns 0, -ENOMEM, PPROFIL_ERROR_NO_RANKS (the profile has
 * processes of fewer than two ranks) or PPROFIL_ERROR_SEVERAL_JOBS. */
int pprofil_imbalance_new(pprofil_profile *profile, pprofil_imbalance **result);
/* Returns the number of ranks, including those without samples. */
uint32_t pprofil_imbalance_ranks(const pprofil_imbalance *imbalance);
/* Returns the number of rows. They are sorted by how much more time the slowest rank took than the mean of all ranks,
 * largest first. */
uint32_t pprofil_imbalance_count(const pprofil_imbalance *imbalance);
/* Stores row `i`. size: sizeof(struct pprofil_imbalance_row). */
void pprofil_imbalance_row(const pprofil_imbalance *imbalance, uint32_t i, struct pprofil_imbalance_row *row,
                           size_t size);
/* Stores the row of the whole time of each rank, and that of the time in MPI. The latter has no samples if there is no
 * MPI in the profile. */
void pprofil_imbalance_totals(const pprofil_imbalance *imbalance, struct pprofil_imbalance_row *all,
                              struct pprofil_imbalance_row *mpi, size_t size);
void pprofil_imbalance_free(pprofil_imbalance *imbalance);

#ifdef __cplusplus
}
#endif

#endif
