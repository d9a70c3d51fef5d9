/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public face of lib/report/diff. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "report/diff.h"

struct pprofil_diff {
    struct diff *diff; /* owned */
};

static int api_diff_told(const struct pprofil_diff_options *options, struct diff_options *result)
{
    static const enum diff_by ways[] = {
        [PPROFIL_DIFF_SHARE] = DIFF_BY_SHARE,
        [PPROFIL_DIFF_TIME] = DIFF_BY_TIME,
        [PPROFIL_DIFF_TIME_A_SECOND] = DIFF_BY_TIME_A_SECOND,
    };
    struct pprofil_diff_options all = {0};

    if (options != NULL)
        api_copy(&all, sizeof all, options, options->size);
    if (all.by >= sizeof ways / sizeof *ways)
        return -EINVAL;
    *result =
        (struct diff_options){.by = ways[all.by], .limit = all.limit, .least = all.least};
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
    struct pprofil_diff *diff = calloc(1, sizeof *diff);
    if (diff == NULL)
        return -ENOMEM;
    error = diff_new(profiles, symbolizers, &how, &diff->diff);
    if (error != 0) {
        free(diff);
        return error;
    }
    *result = diff;
    return 0;
}

void pprofil_diff_free(pprofil_diff *diff)
{
    if (diff == NULL)
        return;
    diff_free(diff->diff);
    free(diff);
}

uint32_t pprofil_diff_count(const pprofil_diff *diff)
{
    return diff->diff->count;
}

static struct pprofil_change public_change(const struct diff_change *from)
{
    struct pprofil_change change = {
        .change = from->change,
        .low = from->low,
        .high = from->high,
        .p = from->p,
        .q = from->q,
        .significant = from->significant,
    };

    for (int side = 0; side < DIFF_SIDES; side++) {
        change.samples[side] = from->samples[side];
        change.ns[side] = from->ns[side];
        change.share[side] = from->share[side];
        change.value[side] = from->value[side];
    }
    return change;
}

void pprofil_diff_row(const pprofil_diff *diff, uint32_t i, struct pprofil_diff_row *row,
                      size_t size)
{
    const struct diff_row *from = &diff->diff->rows[i];
    struct pprofil_diff_row all = {
        .name = from->name,
        .object = {from->object[DIFF_OLD], from->object[DIFF_NEW]},
        .self = public_change(&from->self),
        .total = public_change(&from->total),
    };

    api_copy(row, size, &all, sizeof all);
}

void pprofil_diff_totals(const pprofil_diff *diff, struct pprofil_diff_totals *totals, size_t size)
{
    const struct diff *from = diff->diff;
    struct pprofil_diff_totals all = {
        .rows = from->total,
        .significant = from->significant,
        .stacks = from->stacks,
        .wall = from->wall,
        .whole = public_change(&from->whole),
    };

    api_copy(totals, size, &all, sizeof all);
}
