/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* imbalance: how unevenly the ranks of a job spend their time. Rows are the structures of pprofil/ranks.h. */
#ifndef PPROFIL_REPORT_IMBALANCE_H
#define PPROFIL_REPORT_IMBALANCE_H

#include "profile/profile.h"
#include "symbol/symbol.h"

struct pprofil_imbalance {
    struct pprofil_imbalance_row *rows; /* owned; the row comes first of which evening out saves most */
    uint32_t count;
    struct pprofil_imbalance_row all; /* the whole time of each rank */
    struct pprofil_imbalance_row mpi; /* the time in MPI */
    uint32_t ranks;
};

/* Makes the rows of a profile; the texts in them live as long as the profile. The caller frees *result. Returns 0,
 * -ENOMEM, PPROFIL_ERROR_NO_RANKS (the profile has processes of fewer than two ranks) or PPROFIL_ERROR_SEVERAL_JOBS. */
int report_imbalance(const struct profile *profile, struct symbolizer *symbolizer, struct pprofil_imbalance **result);

#endif
