/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A call tree over time. A row's time in a window is its time now minus its time at the end of the previous window. The
 * previous tree may lack a row because the row was too small for it. Then the previous time of the row is unknown and
 * counts as 0, so the difference is too large. Therefore the share of a row is limited to the share of its parent.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "calls.h"
#include "table.h"

/* Rows with at least this share of the whole time are unfolded until the user folds them. */
#define OPEN_SHARE 0.05
#define FOLDS_MAX 4096
#define DEEPEST_OPEN 512 /* levels; deeper rows are folded until the user unfolds them */

void calls_free(struct calls *calls)
{
    free(calls->rows);
    free(calls->lines);
    free(calls->folds);
    free(calls->boxes);
    *calls = (struct calls){.first = CALLS_NONE};
}

void calls_clear(struct calls *calls)
{
    struct calls kept = {.kind = calls->kind,
                         .function = calls->function,
                         .whole = calls->whole,
                         .by_change = calls->by_change,
                         .first = CALLS_NONE,
                         .folds = calls->folds,
                         .fold_count = calls->fold_count};

    calls->folds = NULL;
    calls_free(calls);
    *calls = kept;
}

/* --- rows by their ids ----------------------------------------------------------------------- */

struct id_entry {
    uint64_t id;
    uint32_t row;
};

static int calls_compare_ids(const void *left, const void *right)
{
    const struct id_entry *a = left, *b = right;

    return (a->id > b->id) - (a->id < b->id);
}

/* Returns an array of the rows, sorted by id, or NULL for want of memory. The caller frees the array. */
static struct id_entry *calls_index_ids(const struct calls *calls)
{
    struct id_entry *entries = calloc(calls->count + 1u, sizeof *entries);

    for (uint32_t i = 0; entries != NULL && i < calls->count; i++)
        entries[i] = (struct id_entry){calls->rows[i].call.id, i};
    if (entries != NULL && calls->count > 1)
        qsort(entries, calls->count, sizeof *entries, calls_compare_ids);
    return entries;
}

uint32_t calls_find(const struct calls *calls, uint64_t id)
{
    for (uint32_t i = 0; id != 0 && i < calls->count; i++)
        if (calls->rows[i].call.id == id)
            return i;
    return CALLS_NONE;
}

/* --- windows --------------------------------------------------------------------------------- */

static double calls_part(uint64_t of, uint64_t all)
{
    return all == 0 ? 0 : fmin((double)of / (double)all, 1);
}

static void calls_carry(struct calls_row *row, const struct calls_row *before)
{
    row->before_ns = before->before_ns;
    row->before_self_ns = before->before_self_ns;
    row->smooth_share = before->smooth_share;
    row->smooth_self = before->smooth_self;
}

static void calls_close_window(struct calls *calls)
{
    uint64_t window_ns = table_growth(calls->all_ns, calls->before_ns);
    bool first = calls->filled == 0;

    calls->before_ns = calls->all_ns;
    calls->filled += window_ns > 0;
    for (uint32_t i = 0; i < calls->count; i++) {
        struct calls_row *row = &calls->rows[i];
        double share = calls_part(table_growth(row->call.total_ns, row->before_ns), window_ns);
        double self = calls_part(table_growth(row->call.ns, row->before_self_ns), window_ns);
        row->before_ns = row->call.total_ns;
        row->before_self_ns = row->call.ns;
        if (window_ns == 0) /* nothing ran in the window, so it has no shares */
            continue;
        row->smooth_share = table_smooth_share(first, row->smooth_share, share);
        row->smooth_self = table_smooth_share(first, row->smooth_self, self);
        if (row->call.parent != UINT32_MAX)
            row->smooth_share = fmin(row->smooth_share, calls->rows[row->call.parent].smooth_share);
        row->smooth_self = fmin(row->smooth_self, row->smooth_share);
    }
}

static struct calls_row *calls_new_rows(const struct calls *calls, const struct snapshot_calls *tree)
{
    struct calls_row *rows = calloc(tree->count + 1u, sizeof *rows);
    struct id_entry *ids = calls_index_ids(calls);

    for (uint32_t i = 0; rows != NULL && ids != NULL && i < tree->count; i++) {
        const struct pprofil_live_call *call = &tree->rows[i];
        struct id_entry wanted = {call->id, 0};
        const struct id_entry *before = bsearch(&wanted, ids, calls->count, sizeof *ids, calls_compare_ids);
        rows[i].call = *call;
        rows[i].change = tree->changes != NULL ? &tree->changes[i] : NULL;
        rows[i].depth = call->parent == UINT32_MAX ? 0 : rows[call->parent].depth + 1;
        if (before != NULL)
            calls_carry(&rows[i], &calls->rows[before->row]);
        if (rows[i].call.name == NULL)
            rows[i].call.name = "";
        if (rows[i].call.object == NULL)
            rows[i].call.object = "";
    }
    if (ids == NULL) {
        free(rows);
        rows = NULL;
    }
    free(ids);
    return rows;
}

static void calls_remember_first(struct calls *calls)
{
    calls->before_ns = calls->all_ns;
    for (uint32_t i = 0; i < calls->count; i++) {
        calls->rows[i].before_ns = calls->rows[i].call.total_ns;
        calls->rows[i].before_self_ns = calls->rows[i].call.ns;
    }
}

int calls_take(struct calls *calls, const struct snapshot_calls *tree, double seconds)
{
    bool first = !calls->taken;
    uint32_t *lines = calloc(tree->count + 1u, sizeof *lines);
    struct calls_row *rows = lines != NULL ? calls_new_rows(calls, tree) : NULL;

    if (rows == NULL) {
        free(lines);
        return -ENOMEM;
    }
    free(calls->rows);
    free(calls->lines);
    calls->rows = rows;
    calls->lines = lines;
    calls->count = tree->count;
    calls->all_ns = tree->all_ns;
    calls->tree_ns = tree->tree_ns;
    calls->taken = true;
    calls->box_count = 0; /* the boxes belong to the previous rows */
    if (first)
        calls_remember_first(calls);
    else if (seconds > 0)
        calls_close_window(calls);
    calls_arrange(calls);
    return 0;
}

double calls_share(const struct calls *calls, uint32_t row)
{
    const struct calls_row *here = &calls->rows[row];

    return calls->whole || calls->filled == 0 ? calls_part(here->call.total_ns, calls->all_ns) : here->smooth_share;
}

double calls_self(const struct calls *calls, uint32_t row)
{
    const struct calls_row *here = &calls->rows[row];

    return calls->whole || calls->filled == 0 ? calls_part(here->call.ns, calls->all_ns) : here->smooth_self;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Returns by what a row is sorted among its siblings: its share or the size of its change, in 1/10000. */
static long calls_rank(const struct calls *calls, uint32_t row)
{
    const struct pprofil_diff_call *change = calls->rows[row].change;

    if (calls->by_change && change != NULL)
        return lround(fabs(change->total_share[1] - change->total_share[0]) * 1e4);
    return lround(calls_share(calls, row) * 1e4);
}

struct sorted {
    long rank;
    uint64_t ns, id;
    uint32_t row, parent;
};

static int calls_compare_rows(const void *left, const void *right)
{
    const struct sorted *a = left, *b = right;

    if (a->rank != b->rank)
        return a->rank > b->rank ? -1 : 1;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

/* Makes the list of each row's children, the largest child first. The smallest rows are added first, because a row is
 * added at the front of its list. Returns false for want of memory. */
static bool calls_link_rows(struct calls *calls)
{
    struct sorted *sorted = calloc(calls->count + 1u, sizeof *sorted);

    if (sorted == NULL)
        return false;
    for (uint32_t i = 0; i < calls->count; i++) {
        struct calls_row *row = &calls->rows[i];
        row->child = row->sibling = CALLS_NONE;
        sorted[i] = (struct sorted){calls_rank(calls, i), row->call.total_ns, row->call.id, i, row->call.parent};
    }
    if (calls->count > 1)
        qsort(sorted, calls->count, sizeof *sorted, calls_compare_rows);
    calls->first = CALLS_NONE;
    for (uint32_t i = calls->count; i > 0; i--) {
        uint32_t row = sorted[i - 1].row, parent = sorted[i - 1].parent;
        uint32_t *first = parent == UINT32_MAX ? &calls->first : &calls->rows[parent].child;
        calls->rows[row].sibling = *first;
        *first = row;
    }
    free(sorted);
    return true;
}

static bool calls_row_is_open(const struct calls *calls, uint32_t row)
{
    const struct calls_row *here = &calls->rows[row];

    for (uint32_t i = 0; i < calls->fold_count; i++)
        if (calls->folds[i].id == here->call.id)
            return calls->folds[i].open;
    double old = here->change != NULL ? here->change->total_share[0] : 0;
    return here->depth < DEEPEST_OPEN && fmax(calls_part(here->call.total_ns, calls->all_ns), old) >= OPEN_SHARE;
}

void calls_arrange(struct calls *calls)
{
    calls->line_count = 0;
    if (!calls_link_rows(calls))
        return;
    for (uint32_t at = calls->first; at != CALLS_NONE;) {
        struct calls_row *row = &calls->rows[at];
        calls->lines[calls->line_count++] = at;
        row->open = row->child != CALLS_NONE && calls_row_is_open(calls, at);
        if (row->open) {
            at = row->child;
            continue;
        }
        while (at != CALLS_NONE && calls->rows[at].sibling == CALLS_NONE)
            at = calls->rows[at].call.parent;
        if (at != CALLS_NONE)
            at = calls->rows[at].sibling;
    }
}

void calls_fold(struct calls *calls, uint32_t row, bool open)
{
    uint64_t id = calls->rows[row].call.id;
    uint32_t at = 0;

    while (at < calls->fold_count && calls->folds[at].id != id)
        at++;
    if (at == calls->fold_count) {
        struct calls_fold *larger = at < FOLDS_MAX ? realloc(calls->folds, (at + 1u) * sizeof *larger) : NULL;
        if (larger == NULL)
            return;
        calls->folds = larger;
        calls->fold_count++;
    }
    calls->folds[at] = (struct calls_fold){id, open};
    calls_arrange(calls);
}
