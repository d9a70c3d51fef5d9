/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of pprofil/ranks.h. They call lib/report, which compares the ranks. */
#include "config.h"

#include <stdlib.h>

#include "api/api.h"
#include "report/imbalance.h"

int pprofil_imbalance_new(pprofil_profile *profile, pprofil_imbalance **result)
{
    int error = api_need_symbolizer(profile);

    return error == 0 ? report_imbalance(profile->profile, profile->symbolizer, result) : error;
}

uint32_t pprofil_imbalance_ranks(const pprofil_imbalance *imbalance)
{
    return imbalance->ranks;
}

uint32_t pprofil_imbalance_count(const pprofil_imbalance *imbalance)
{
    return imbalance->count;
}

void pprofil_imbalance_row(const pprofil_imbalance *imbalance, uint32_t i, struct pprofil_imbalance_row *row,
                           size_t size)
{
    api_copy(row, size, &imbalance->rows[i], sizeof imbalance->rows[i]);
}

void pprofil_imbalance_totals(const pprofil_imbalance *imbalance, struct pprofil_imbalance_row *all,
                              struct pprofil_imbalance_row *mpi, size_t size)
{
    api_copy(all, size, &imbalance->all, sizeof imbalance->all);
    api_copy(mpi, size, &imbalance->mpi, sizeof imbalance->mpi);
}

void pprofil_imbalance_free(pprofil_imbalance *imbalance)
{
    if (imbalance != NULL)
        free(imbalance->rows);
    free(imbalance);
}
