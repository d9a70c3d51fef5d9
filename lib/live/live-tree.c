/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Live views: call trees of a session that is sampling. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "live/live-internal.h"
#include "report/live-calls.h"

#define USUAL_LIMIT 4096 /* number of rows of a tree, if the caller sets no limit */

struct pprofil_live_tree {
    struct live_calls calls;
};

int pprofil_live_tree_new(pprofil_live *live, const struct pprofil_live_tree_options *options,
                          const struct pprofil_filter *filter, pprofil_live_tree **result)
{
    struct pprofil_live_tree_options wanted = {0};
    struct report_options report = {.by = PPROFIL_BY_FUNCTION, .live = true, .no_inlines = !live->inlines};

    memcpy(&wanted, options, options->size < sizeof wanted ? options->size : sizeof wanted);
    report.limit = wanted.limit != 0 ? wanted.limit : USUAL_LIMIT;
    if (wanted.kind != PPROFIL_TREE_CALLS && wanted.kind != PPROFIL_TREE_CALLERS && wanted.kind != PPROFIL_TREE_CALLEES)
        return -EINVAL;
    int error = live_exchange(live);
    if (error == 0)
        error = live_filter(live, filter, &report.filter);
    if (error != 0)
        return error;
    struct pprofil_live_tree *tree = calloc(1, sizeof *tree);
    if (tree == NULL)
        return -ENOMEM;
    error = live_calls_find(live->profile, &report, wanted.kind, wanted.function, &live->nodes, &tree->calls);
    if (error != 0) {
        pprofil_live_tree_free(tree);
        return error;
    }
    *result = tree;
    return 0;
}

void pprofil_live_tree_free(pprofil_live_tree *tree)
{
    if (tree == NULL)
        return;
    live_calls_clear(&tree->calls);
    free(tree);
}

uint32_t pprofil_live_tree_count(const pprofil_live_tree *tree)
{
    return tree->calls.count;
}

uint64_t pprofil_live_tree_ns(const pprofil_live_tree *tree, uint64_t *tree_ns)
{
    if (tree_ns != NULL)
        *tree_ns = tree->calls.root_ns;
    return tree->calls.ns;
}

void pprofil_live_tree_at(const pprofil_live_tree *tree, uint32_t i, struct pprofil_live_call *call, size_t size)
{
    const struct pprofil_live_call *from = &tree->calls.rows[i];

    memcpy(call, from, size < sizeof *from ? size : sizeof *from);
}
