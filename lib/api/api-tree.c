/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call trees as pprofil.h shows them. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "report/report.h"

struct pprofil_tree {
    struct report_tree *tree; /* owned */
};

/* --- trees ------------------------------------------------------------------------------- */

static int tree_kind(enum pprofil_tree_kind kind, enum report_tree_kind *way)
{
    static const enum report_tree_kind ways[] = {
        [PPROFIL_TREE_CALLS] = REPORT_TREE_CALLS,
        [PPROFIL_TREE_INVERTED] = REPORT_TREE_INVERTED,
        [PPROFIL_TREE_CALLERS] = REPORT_TREE_CALLERS,
        [PPROFIL_TREE_CALLEES] = REPORT_TREE_CALLEES,
    };
    if (kind >= sizeof ways / sizeof *ways)
        return -EINVAL;
    *way = ways[kind];
    return 0;
}

static int tree_options(const struct pprofil_tree_options *asked,
                        struct report_tree_options *options)
{
    struct pprofil_tree_options all = {0};

    api_copy(&all, sizeof all, asked, asked->size);
    *options = (struct report_tree_options){
        .of = {.by = all.by, .limit = all.limit, .no_inlines = all.no_inlines, .fold = all.fold},
        .function = all.function,
        .least = all.least,
        .depth = all.depth,
    };
    int error = tree_kind(all.kind, &options->kind);
    bool of_function = all.kind == PPROFIL_TREE_CALLERS || all.kind == PPROFIL_TREE_CALLEES;
    if (error == 0 && (all.by > PPROFIL_BY_LINE || (of_function && all.function == NULL) ||
                       !(all.least >= 0 && all.least <= 1)))
        error = -EINVAL;
    return error;
}

int pprofil_tree_new(pprofil_profile *profile, const struct pprofil_tree_options *asked,
                     pprofil_tree **result)
{
    struct report_tree_options options;
    int error = tree_options(asked, &options);

    profile->problem[0] = '\0';
    if (error != 0)
        return error;
    struct pprofil_tree *tree = calloc(1, sizeof *tree);
    if (tree == NULL)
        return -ENOMEM;
    error = api_need_symbolizer(profile);
    if (error == 0)
        error = report_tree(profile->profile, profile->symbolizer, &options, &tree->tree,
                            profile->problem, sizeof profile->problem);
    if (error != 0) {
        free(tree);
        return error;
    }
    *result = tree;
    return 0;
}

void pprofil_tree_free(pprofil_tree *tree)
{
    if (tree == NULL)
        return;
    report_tree_free(tree->tree);
    free(tree);
}

uint32_t pprofil_tree_count(const pprofil_tree *tree)
{
    return tree->tree->count;
}

void pprofil_tree_row(const pprofil_tree *tree, uint32_t i, struct pprofil_tree_row *row,
                      size_t size)
{
    const struct report_tree_row *from = &tree->tree->rows[i];
    struct pprofil_tree_row all = {
        .row = api_row(&from->row),
        .parent = from->parent,
        .depth = from->depth,
        .indent = from->indent,
        .below = from->below,
        .cut = from->cut,
        .last = from->last,
        .inlined = from->inlined,
    };
    api_copy(row, size, &all, sizeof all);
}

void pprofil_tree_totals(const pprofil_tree *tree, struct pprofil_tree_totals *totals, size_t size)
{
    const struct report_tree *from = tree->tree;
    struct pprofil_tree_totals all = {
        .all = from->all,
        .samples = from->samples,
        .ns = from->ns,
        .root_samples = from->root_samples,
        .root_ns = from->root_ns,
        .again_ns = from->again_ns,
        .rest_ns = from->rest_ns,
    };
    api_copy(totals, size, &all, sizeof all);
}
