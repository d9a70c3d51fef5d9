/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public face of lib/report/diff. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "report/diff.h"

static int api_diff_told(const struct pprofil_diff_options *options, struct diff_options *result)
{
    struct pprofil_diff_options all = {0};

    if (options != NULL)
        api_copy(&all, sizeof all, options, options->size);
    if ((unsigned)all.by > PPROFIL_DIFF_TIME_A_SECOND)
        return -EINVAL;
    *result =
        (struct diff_options){.by = all.by, .limit = all.limit, .least = all.least};
    return 0;
}

int pprofil_diff_new(pprofil_profile *old_profile, pprofil_profile *new_profile,
                     const struct pprofil_diff_options *options, pprofil_diff **result)
{
    pprofil_profile *const sides[DIFF_SIDES] = {old_profile, new_profile};
    struct profile *profiles[DIFF_SIDES];
    struct symbolizer *symbolizers[DIFF_SIDES];
    struct diff_options how;
    int error = api_diff_told(options, &how);

    if (error != 0)
        return error;
    for (int side = 0; side < DIFF_SIDES; side++) {
        if (sides[side]->symbolizer == NULL)
            sides[side]->symbolizer = symbolizer_new(sides[side]->profile);
        if (sides[side]->symbolizer == NULL)
            return -ENOMEM;
        profiles[side] = sides[side]->profile;
        symbolizers[side] = sides[side]->symbolizer;
    }
    return diff_new(profiles, symbolizers, &how, result);
}

uint32_t pprofil_diff_count(const pprofil_diff *diff)
{
    return diff->count;
}

void pprofil_diff_row(const pprofil_diff *diff, uint32_t i, struct pprofil_diff_row *row,
                      size_t size)
{
    api_copy(row, size, &diff->rows[i], sizeof diff->rows[i]);
}

void pprofil_diff_totals(const pprofil_diff *diff, struct pprofil_diff_totals *totals, size_t size)
{
    api_copy(totals, size, &diff->totals, sizeof diff->totals);
}
