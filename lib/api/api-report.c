/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of pprofil.h for reports, call trees and comparisons. They call lib/report, which makes the rows. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "api/api.h"
#include "report/diff.h"
#include "report/report.h"

int pprofil_report_new(pprofil_profile *profile, const struct pprofil_report_options *asked, pprofil_report **result)
{
    struct pprofil_report_options all = {0};

    if (asked != NULL)
        api_copy(&all, sizeof all, asked, asked->size);
    if (!report_is_grouping(all.by))
        return -EINVAL;
    const struct report_options options = {.by = all.by,
                                           .limit = all.limit,
                                           .stacks = all.totals,
                                           .by_total = all.by_total,
                                           .no_inlines = all.no_inlines};
    int error = api_need_symbolizer(profile);

    return error == 0 ? report_flat(profile->profile, profile->symbolizer, &options, result) : error;
}

bool pprofil_report_has_totals(const pprofil_report *report)
{
    return report->stacks;
}

uint32_t pprofil_report_count(const pprofil_report *report)
{
    return report->count;
}

uint32_t pprofil_report_all(const pprofil_report *report, uint64_t *rest_ns)
{
    if (rest_ns != NULL)
        *rest_ns = report->rest_ns;
    return report->total;
}

void pprofil_report_row(const pprofil_report *report, uint32_t i, struct pprofil_row *row, size_t size)
{
    api_copy(row, size, &report->rows[i], sizeof report->rows[i]);
}

int pprofil_profile_holder(pprofil_profile *profile, uint64_t wait_row, struct pprofil_holder *holder, size_t size)
{
    struct pprofil_holder found;
    int error = api_need_symbolizer(profile);

    if (error == 0)
        error = report_holder(profile->profile, profile->symbolizer, wait_row, &found);
    if (error == 0)
        api_copy(holder, size, &found, sizeof found);
    return error;
}

/* --- call trees ------------------------------------------------------------------------------ */

static int tree_options(const struct pprofil_tree_options *asked, struct report_tree_options *options)
{
    struct pprofil_tree_options all = {0};

    api_copy(&all, sizeof all, asked, asked->size);
    *options = (struct report_tree_options){
        .of = {.by = all.by, .limit = all.limit, .no_inlines = all.no_inlines, .fold = all.fold},
        .kind = all.kind,
        .function = all.function,
        .least = all.least,
        .depth = all.depth,
    };
    bool of_function = all.kind == PPROFIL_TREE_CALLERS || all.kind == PPROFIL_TREE_CALLEES;
    if ((unsigned)all.kind > PPROFIL_TREE_CALLEES || all.by > PPROFIL_BY_LINE ||
        (of_function && all.function == NULL) || !(all.least >= 0 && all.least <= 1))
        return -EINVAL;
    return 0;
}

int pprofil_tree_new(pprofil_profile *profile, const struct pprofil_tree_options *asked, pprofil_tree **result)
{
    struct report_tree_options options;
    int error = tree_options(asked, &options);

    profile->problem[0] = '\0';
    if (error != 0)
        return error;
    error = api_need_symbolizer(profile);
    if (error == 0)
        error = report_tree(profile->profile, profile->symbolizer, &options, result,
                            profile->problem, sizeof profile->problem);
    return error;
}

uint32_t pprofil_tree_count(const pprofil_tree *tree)
{
    return tree->count;
}

void pprofil_tree_row(const pprofil_tree *tree, uint32_t i, struct pprofil_tree_row *row, size_t size)
{
    api_copy(row, size, &tree->rows[i], sizeof tree->rows[i]);
}

void pprofil_tree_totals(const pprofil_tree *tree, struct pprofil_tree_totals *totals, size_t size)
{
    api_copy(totals, size, &tree->totals, sizeof tree->totals);
}

/* --- diffs ----------------------------------------------------------------------------------- */

/* Looks up the names of all runs. Stores the runs in *list, whose arrays the caller frees. Returns 0, -EINVAL or
 * -ENOMEM. */
static int api_diff_runs(const struct pprofil_diff_options *asked, struct profile **runs[DIFF_SIDES],
                         struct diff_run_list *list)
{
    const uint32_t *count = asked->run_count;
    int error = 0;

    if (count[0] == 0 || count[1] == 0 || count[0] + count[1] < 3 || asked->rows != PPROFIL_BY_FUNCTION)
        return -EINVAL;
    for (int side = 0; side < DIFF_SIDES; side++) {
        runs[side] = calloc(count[side], sizeof *runs[side]);
        for (uint32_t i = 0; error == 0 && runs[side] != NULL && i < count[side]; i++) {
            pprofil_profile *run = asked->runs[side][i];
            error = api_need_symbolizer(run);
            if (error == 0)
                error = symbolizer_look_up_all(run->symbolizer, PROFILE_LOOKED_NAME);
            runs[side][i] = run->profile;
        }
        list->profiles[side] = runs[side];
        list->count[side] = count[side];
    }
    return runs[DIFF_OLD] == NULL || runs[DIFF_NEW] == NULL ? -ENOMEM : error;
}

int pprofil_diff_new(pprofil_profile *old_profile, pprofil_profile *new_profile,
                     const struct pprofil_diff_options *asked, pprofil_diff **result)
{
    pprofil_profile *const sides[DIFF_SIDES] = {old_profile, new_profile};
    struct profile *profiles[DIFF_SIDES];
    struct symbolizer *symbolizers[DIFF_SIDES];
    struct pprofil_diff_options all = {0};
    struct profile **runs[DIFF_SIDES] = {NULL, NULL};
    struct diff_run_list list;
    int error = 0;

    if (asked != NULL)
        api_copy(&all, sizeof all, asked, asked->size);
    if ((unsigned)all.by > PPROFIL_DIFF_TIME_A_SECOND || !report_is_grouping(all.rows))
        return -EINVAL;
    for (int side = 0; side < DIFF_SIDES; side++) {
        if (api_need_symbolizer(sides[side]) != 0)
            return -ENOMEM;
        profiles[side] = sides[side]->profile;
        symbolizers[side] = sides[side]->symbolizer;
    }
    bool has_runs = all.run_count[0] + all.run_count[1] > 0;
    const struct diff_options options = {.by = all.by,
                                         .limit = all.limit,
                                         .least = all.least,
                                         .tested = all.tested,
                                         .rows = all.rows,
                                         .runs = has_runs ? &list : NULL};
    if (has_runs)
        error = api_diff_runs(&all, runs, &list);
    if (error == 0)
        error = diff_new(profiles, symbolizers, &options, result);
    for (int side = 0; side < DIFF_SIDES; side++)
        free(runs[side]);
    return error;
}

uint32_t pprofil_diff_count(const pprofil_diff *diff)
{
    return diff->count;
}

void pprofil_diff_row(const pprofil_diff *diff, uint32_t i, struct pprofil_diff_row *row, size_t size)
{
    api_copy(row, size, &diff->rows[i], sizeof diff->rows[i]);
}

void pprofil_diff_totals(const pprofil_diff *diff, struct pprofil_diff_totals *totals, size_t size)
{
    api_copy(totals, size, &diff->totals, sizeof diff->totals);
}
