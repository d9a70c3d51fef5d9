/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes snapshots of two saved profiles: what differs between them. The tests are those of pprofil_diff_new and
 * pprofil_diff_tree_new. If there are conditions, they select a part of each profile, and the tests are made anew with
 * these parts. What was made is kept until the conditions change, because saved profiles do not.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot-source.h"

enum { OLD, NEW, SIDES };

struct diff_rows {
    struct pprofil_diff_row *all; /* owned; NULL: not made yet */
    uint32_t count;
    struct pprofil_diff_totals totals;
};

struct source_diff {
    pprofil_profile *whole[SIDES]; /* borrowed */
    /* owned: the parts of the profiles that meet the conditions; NULL: there are no conditions */
    pprofil_profile *parts[SIDES];
    struct snapshot_condition conditions[SNAPSHOT_CONDITIONS];
    unsigned condition_count;
    struct diff_rows by[SNAPSHOT_GROUPINGS];
    pprofil_diff_tree *tree;                /* owned; NULL: not made yet */
    struct pprofil_diff_call *calls;        /* owned: the rows of the tree */
    uint64_t code_id;                       /* id of the function whose code is in `annotations`; 0: none */
    pprofil_annotation *annotations[SIDES]; /* owned; NULL: the profile does not have the function, or no code */
};

static pprofil_profile *diff_side(const struct source_diff *diff, int side)
{
    return diff->parts[side] != NULL ? diff->parts[side] : diff->whole[side];
}

int source_diff_open(pprofil_profile *old, pprofil_profile *new, struct source_diff **result)
{
    struct source_diff *diff = calloc(1, sizeof *diff);

    if (diff == NULL)
        return -ENOMEM;
    diff->whole[OLD] = old;
    diff->whole[NEW] = new;
    *result = diff;
    return 0;
}

static void diff_drop_code(struct source_diff *diff)
{
    diff->code_id = 0;
    for (int side = 0; side < SIDES; side++) {
        pprofil_annotation_free(diff->annotations[side]);
        diff->annotations[side] = NULL;
    }
}

/* Frees what was made for the conditions in force. */
static void diff_drop(struct source_diff *diff)
{
    diff_drop_code(diff);
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++) {
        free(diff->by[by].all);
        diff->by[by] = (struct diff_rows){0};
    }
    free(diff->calls);
    pprofil_diff_tree_free(diff->tree);
    diff->calls = NULL;
    diff->tree = NULL;
    diff->condition_count = 0;
    for (int side = 0; side < SIDES; side++) {
        pprofil_profile_close(diff->parts[side]);
        diff->parts[side] = NULL;
    }
}

void source_diff_free(struct source_diff *diff)
{
    if (diff == NULL)
        return;
    diff_drop(diff);
    free(diff);
}

/* --- conditions ---------------------------------------------------------------------------- */

static int diff_select(struct source_diff *diff, const struct snapshot_condition *condition)
{
    for (int side = 0; side < SIDES; side++) {
        const struct pprofil_selection selection = {
            .size = sizeof selection, .row_by = (int)condition->by, .row_name = condition->name[side]};
        pprofil_profile *part;
        int error = pprofil_profile_select(diff_side(diff, side), &selection, &part);
        if (error != 0)
            return error;
        pprofil_profile_close(diff->parts[side]);
        diff->parts[side] = part;
    }
    diff->conditions[diff->condition_count++] = *condition;
    return 0;
}

static bool diff_meets(const struct source_diff *diff, const struct snapshot_wants *wants)
{
    bool same = diff->condition_count == wants->condition_count;

    for (unsigned i = 0; same && i < wants->condition_count; i++)
        same = diff->conditions[i].by == wants->conditions[i].by &&
               strcmp(diff->conditions[i].name[OLD], wants->conditions[i].name[OLD]) == 0 &&
               strcmp(diff->conditions[i].name[NEW], wants->conditions[i].name[NEW]) == 0;
    return same;
}

static int diff_meet(struct source_diff *diff, const struct snapshot_wants *wants)
{
    int error = 0;

    if (diff_meets(diff, wants))
        return 0;
    diff_drop(diff);
    for (unsigned i = 0; error == 0 && i < wants->condition_count; i++)
        error = diff_select(diff, &wants->conditions[i]);
    return error;
}

/* --- rows ---------------------------------------------------------------------------------- */

static int diff_make_rows(struct source_diff *diff, enum pprofil_by by)
{
    const struct pprofil_diff_options options = {.size = sizeof options, .rows = by};
    struct diff_rows *rows = &diff->by[by];
    pprofil_diff *made;
    int error = rows->all != NULL ? 0 : pprofil_diff_new(diff_side(diff, OLD), diff_side(diff, NEW), &options, &made);

    if (error != 0 || rows->all != NULL)
        return error;
    pprofil_diff_totals(made, &rows->totals, sizeof rows->totals);
    rows->count = pprofil_diff_count(made);
    rows->all = calloc(rows->count + 1u, sizeof *rows->all);
    for (uint32_t i = 0; rows->all != NULL && i < rows->count; i++)
        pprofil_diff_row(made, i, &rows->all[i], sizeof rows->all[i]);
    pprofil_diff_free(made);
    return rows->all != NULL ? 0 : -ENOMEM;
}

/* The counts of a row are those of the new profile. The id of a row is its place, which stays the same as long as the
 * conditions do. */
static struct pprofil_row diff_row(const struct pprofil_diff_row *change, uint64_t id)
{
    const struct pprofil_change *self = &change->self, *total = &change->total;

    return (struct pprofil_row){.name = change->name,
                                .object = change->object[NEW][0] != '\0' ? change->object[NEW] : change->object[OLD],
                                .file = "",
                                .hottest = "",
                                .line = change->line,
                                .samples = self->samples[NEW],
                                .ns = self->ns[NEW],
                                .share = self->share[NEW],
                                .id = id,
                                .total_samples = total->samples[NEW],
                                .total_ns = total->ns[NEW],
                                .total_share = total->share[NEW]};
}

static int diff_take_rows(struct source_diff *diff, enum pprofil_by by, struct snapshot_rows *rows)
{
    int error = diff_make_rows(diff, by);

    if (error != 0)
        return error;
    rows->count = diff->by[by].count;
    rows->changes = diff->by[by].all;
    rows->rows = calloc(rows->count + 1u, sizeof *rows->rows);
    rows->taken = rows->rows != NULL;
    for (uint32_t i = 0; rows->taken && i < rows->count; i++)
        rows->rows[i] = diff_row(&rows->changes[i], i + 1);
    return rows->taken ? 0 : -ENOMEM;
}

/* --- calls --------------------------------------------------------------------------------- */

static int diff_make_calls(struct source_diff *diff)
{
    int error = diff->tree != NULL ? 0
                                   : pprofil_diff_tree_new(diff_side(diff, OLD), diff_side(diff, NEW), 0, &diff->tree);

    if (error != 0 || diff->calls != NULL)
        return error;
    diff->calls = calloc(pprofil_diff_tree_count(diff->tree) + 1u, sizeof *diff->calls);
    for (uint32_t i = 0; diff->calls != NULL && i < pprofil_diff_tree_count(diff->tree); i++)
        pprofil_diff_tree_at(diff->tree, i, &diff->calls[i], sizeof diff->calls[i]);
    return diff->calls != NULL ? 0 : -ENOMEM;
}

/* Returns a row with the counts of the new profile. Without times, a sample counts as 1 ns. */
static struct pprofil_live_call diff_call(const struct pprofil_diff_call *change, bool timed)
{
    return (struct pprofil_live_call){.name = change->name,
                                      .object = change->object,
                                      .id = change->id,
                                      .parent = change->parent,
                                      .below = change->below,
                                      .samples = change->samples[NEW],
                                      .ns = timed ? change->ns[NEW] : change->samples[NEW],
                                      .total_samples = change->total_samples[NEW],
                                      .total_ns = timed ? change->total_ns[NEW] : change->total_samples[NEW]};
}

static int diff_take_calls(struct source_diff *diff, struct snapshot_calls *calls)
{
    bool timed = false;
    int error = diff_make_calls(diff);

    if (error != 0)
        return error;
    calls->count = pprofil_diff_tree_count(diff->tree);
    calls->changes = diff->calls;
    calls->rows = calloc(calls->count + 1u, sizeof *calls->rows);
    calls->taken = calls->rows != NULL;
    for (uint32_t i = 0; i < calls->count; i++)
        timed = timed || diff->calls[i].total_ns[NEW] > 0;
    for (uint32_t i = 0; calls->taken && i < calls->count; i++) {
        calls->rows[i] = diff_call(&diff->calls[i], timed);
        if (calls->rows[i].parent == PPROFIL_TREE_TOP)
            calls->all_ns += calls->rows[i].total_ns;
    }
    calls->tree_ns = calls->all_ns;
    return calls->taken ? 0 : -ENOMEM;
}

/* --- code ---------------------------------------------------------------------------------- */

static int diff_take_code(struct source_diff *diff, uint64_t id, struct snapshot *snapshot)
{
    const struct diff_rows *functions = &diff->by[PPROFIL_BY_FUNCTION];
    const struct pprofil_diff_row *row = id <= functions->count ? &functions->all[id - 1] : NULL;
    int error = 0;

    if (diff->code_id != id) {
        diff_drop_code(diff);
        diff->code_id = id;
        for (int side = 0; row != NULL && error == 0 && side < SIDES; side++)
            if (row->id[side] != 0)
                error = pprofil_annotate(diff_side(diff, side), row->id[side], &diff->annotations[side]);
    }
    return error == 0 || error == -ENOENT ? source_diff_take_code(diff->annotations, snapshot) : error;
}

/* --- the whole ----------------------------------------------------------------------------- */

int source_diff_take(struct source_diff *diff, const struct snapshot_wants *wants, struct snapshot *snapshot)
{
    int error = diff_meet(diff, wants);

    for (unsigned by = 0; error == 0 && by < SNAPSHOT_GROUPINGS; by++)
        if (wants->by[by])
            error = diff_take_rows(diff, (enum pprofil_by)by, &snapshot->by[by]);
    if (error == 0 && wants->calls)
        error = diff_take_calls(diff, &snapshot->calls);
    if (error == 0 && wants->code_id != 0)
        error = diff_take_code(diff, wants->code_id, snapshot);
    for (int side = 0; side < SIDES; side++)
        pprofil_profile_totals(diff_side(diff, side), &snapshot->comparison.of[side],
                               sizeof snapshot->comparison.of[side]);
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++)
        snapshot->comparison.by[by] = diff->by[by].totals;
    return error;
}
