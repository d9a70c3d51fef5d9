/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pages of calls: the list of a call tree, and the flame view. Both show the same tree.
 * Snapshots have the tree only while one of these pages is on the screen. The tree begins anew when
 * another tree is opened, or when the pages are opened again.
 */
#include "config.h"

#include <limits.h>
#include <stdio.h>

#include "model-internal.h"

bool calls_is_page(const struct model *model)
{
    return model->page == PAGE_CALLS || model->page == PAGE_FLAME;
}

static bool calls_lack_stacks(struct model *model)
{
    if (model->stacks)
        return false;
    model_answer(model, "no stacks are taken: start with -g to see who calls");
    return true;
}

static enum effect calls_begin(struct model *model, enum model_page page, enum pprofil_tree_kind kind,
                               uint64_t function)
{
    struct calls *calls = &model->calls;
    bool same = calls_is_page(model) && calls->kind == kind && calls->function == function;

    if (!same) {
        calls_clear(calls);
        calls->kind = kind;
        calls->function = function;
        model->calls_ns = 0;
        model->flame_zoom = model->flame_selected = 0;
        model->positions[SNAPSHOT_GROUPINGS + PAGE_CALLS] = (struct model_position){0};
    }
    model->page = page;
    list_settle(model);
    list_follow(model);
    return calls->taken ? EFFECT_PAINT : EFFECT_SNAPSHOT;
}

enum effect calls_open(struct model *model, enum model_page page)
{
    if (calls_lack_stacks(model))
        return EFFECT_PAINT;
    return calls_begin(model, page, PPROFIL_TREE_CALLS, 0);
}

/* --- callers and callees of a function --------------------------------------------------- */

static uint32_t calls_selected(const struct model *model)
{
    if (model->page == PAGE_FLAME)
        return calls_find(&model->calls, model->flame_selected);
    return model->selected < model->calls.line_count ? model->calls.lines[model->selected] : CALLS_NONE;
}

/* Returns the id of the selected function, or 0 if none is selected. Sets *name to its name. */
static uint64_t calls_selected_function(const struct model *model, const char **name)
{
    const struct table *table = model_table(model);

    if (calls_is_page(model)) {
        uint32_t row = calls_selected(model);
        *name = row != CALLS_NONE ? model->calls.rows[row].call.name : "";
        return row != CALLS_NONE ? model->calls.rows[row].call.function : 0;
    }
    if (model->page == PAGE_CODE && model->code_by == PPROFIL_BY_FUNCTION) {
        *name = model->code_name;
        return model->code_id;
    }
    if (model->page != PAGE_TABLE || model->view != PPROFIL_BY_FUNCTION ||
        model->selected >= table->count || table->rows[model->selected].total.pending)
        return 0;
    *name = table->rows[model->selected].total.name;
    return table->rows[model->selected].total.id;
}

enum effect calls_open_function(struct model *model, enum pprofil_tree_kind kind)
{
    const char *name = "";

    if (model->page == PAGE_PICKER || model->page == PAGE_OUTPUT)
        return EFFECT_NONE;
    if (calls_lack_stacks(model))
        return EFFECT_PAINT;
    if (model->compares) {
        model_answer(model, "callers and callees are of one file; %s shows all calls of both", keys_name('7'));
        return EFFECT_PAINT;
    }
    uint64_t function = calls_selected_function(model, &name);
    if (function == 0) {
        model_answer(model, "only functions with a name have callers and callees");
        return EFFECT_PAINT;
    }
    snprintf(model->calls_name, sizeof model->calls_name, "%s", name);
    return calls_begin(model, PAGE_CALLS, kind, function);
}

/* --- snapshots --------------------------------------------------------------------------- */

/* Takes the call tree of a snapshot, if the snapshot has one. The first window after a pause includes
 * the pause, so that no time is missing. */
void calls_take_snapshot(struct model *model, const struct snapshot *snapshot, bool due)
{
    bool first = !model->calls.taken;
    double seconds = first ? 0 : ((double)snapshot->time_ns - (double)model->calls_ns) / 1e9;

    if (!snapshot->calls.taken || (model->paused && !first))
        return;
    if (calls_take(&model->calls, &snapshot->calls, due ? seconds : 0) != 0) {
        model_say(model, snapshot->time_ns, "out of memory: some figures are old");
        return;
    }
    if (due || first)
        model->calls_ns = snapshot->time_ns;
}

/* --- moving ------------------------------------------------------------------------------ */

enum effect calls_measure(struct model *model)
{
    struct calls *calls = &model->calls;

    if (model->compares)
        calls->by_change = !calls->by_change;
    else
        calls->whole = !calls->whole;
    calls_arrange(calls);
    list_follow(model);
    if (model->compares) {
        model_answer(model, "sorted by %s",
                     calls->by_change ? "the size of the change" : "the share in the new profile");
        return EFFECT_PAINT;
    }
    model_answer(model, calls->whole ? "shares of the time since the start" : "shares of the last window");
    return EFFECT_PAINT;
}

enum effect calls_enter(struct model *model)
{
    struct calls *calls = &model->calls;
    uint32_t row = calls_selected(model);

    if (model->page == PAGE_FLAME) {
        model->flame_zoom = model->flame_selected;
        model->flame_top = 0;
        return EFFECT_PAINT;
    }
    if (row == CALLS_NONE || calls->rows[row].child == CALLS_NONE)
        return EFFECT_NONE;
    calls_fold(calls, row, !calls->rows[row].open);
    list_select_id(model, calls->rows[row].call.id);
    return EFFECT_PAINT;
}

bool flame_unzoom(struct model *model)
{
    bool zoomed = model->page == PAGE_FLAME && model->flame_zoom != 0;

    if (zoomed)
        model->flame_zoom = 0;
    return zoomed;
}

static enum effect calls_fold_sideways(struct model *model, int steps)
{
    struct calls *calls = &model->calls;
    uint32_t row = calls_selected(model);

    if (row == CALLS_NONE)
        return EFFECT_NONE;
    const struct calls_row *here = &calls->rows[row];
    uint64_t id = here->call.id;
    if (steps > 0 && here->open)
        id = calls->rows[here->child].call.id;
    else if (steps > 0 && here->child != CALLS_NONE)
        calls_fold(calls, row, true);
    else if (steps < 0 && here->open)
        calls_fold(calls, row, false);
    else if (steps < 0 && here->call.parent != UINT32_MAX)
        id = calls->rows[here->call.parent].call.id;
    list_select_id(model, id);
    return EFFECT_PAINT;
}

/* --- the flame view ---------------------------------------------------------------------- */

static enum effect flame_step(struct model *model, int levels, int boxes)
{
    struct calls *calls = &model->calls;
    uint32_t zoom = calls_find(calls, model->flame_zoom);

    if (calls_flame(calls, zoom, model->flame_columns) != 0 || calls->box_count == 0)
        return EFFECT_NONE;
    uint32_t box = calls_box_of(calls, calls_find(calls, model->flame_selected));
    if (box == CALLS_NONE) /* the selected row is gone, or it has no box because its share is too small */
        box = 0;
    uint32_t row = calls->boxes[calls_box_step(calls, box, levels, boxes)].row;
    model->flame_selected = row == CALLS_NONE ? 0 : calls->rows[row].call.id;
    return EFFECT_PAINT;
}

enum effect flame_move(struct model *model, int levels)
{
    return flame_step(model, levels < -4096 ? -4096 : levels > 4096 ? 4096 : levels, 0);
}

enum effect calls_sideways(struct model *model, int steps)
{
    return model->page == PAGE_FLAME ? flame_step(model, 0, steps) : calls_fold_sideways(model, steps);
}

void flame_click(struct model *model, int row, int column)
{
    const struct calls *calls = &model->calls;
    int64_t level = (int64_t)row - model->list_row + model->flame_top;

    for (uint32_t i = 0; i < calls->box_count && row >= (int)model->list_row; i++) {
        const struct calls_box *box = &calls->boxes[i];
        if (box->level == level && column >= box->column && column < box->column + box->width)
            model->flame_selected = box->row == CALLS_NONE ? 0 : calls->rows[box->row].call.id;
    }
}
