/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call trees as pprofil.h shows them. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "report/report.h"

static int tree_options(const struct pprofil_tree_options *asked,
                        struct report_tree_options *options)
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

int pprofil_tree_new(pprofil_profile *profile, const struct pprofil_tree_options *asked,
                     pprofil_tree **result)
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

void pprofil_tree_row(const pprofil_tree *tree, uint32_t i, struct pprofil_tree_row *row,
                      size_t size)
{
    api_copy(row, size, &tree->rows[i], sizeof tree->rows[i]);
}

void pprofil_tree_totals(const pprofil_tree *tree, struct pprofil_tree_totals *totals, size_t size)
{
    api_copy(totals, size, &tree->totals, sizeof tree->totals);
}
