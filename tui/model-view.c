/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Chooses the table on the screen and its order, and says what the next snapshot must have. Some tables are kept: once
 * the user has opened such a table, each snapshot updates it, so that its history is complete when the user opens it
 * again. Any other table is cleared when the user leaves it, because its history would have gaps.
 *
 * While the display is paused, snapshots still update the tables, and the screen shows copies (frozen)
 * of the tables as they were when the pause began.
 */
#include "config.h"

#include <stdlib.h>

#include "model-internal.h"

#define SHOWN_AT_FIRST 50 /* assumed number of rows on the screen, until the view has set page_rows */
#define BIT(sort) (1u << (sort))

/* The sequence of the views for ACTION_NEXT_VIEW. The last two views exist only if elapsed time is
 * sampled. */
static const enum pprofil_by order[SNAPSHOT_GROUPINGS] = {
    PPROFIL_BY_FUNCTION, PPROFIL_BY_OBJECT,  PPROFIL_BY_THREAD,
    PPROFIL_BY_PROCESS,  PPROFIL_BY_SYSCALL, PPROFIL_BY_LINE,
    PPROFIL_BY_STATE,    PPROFIL_BY_WAIT,
};

static const struct {
    bool kept;
    /* The user can sort any table by TABLE_BY_WINDOW and TABLE_BY_TOTAL. `sorts` is the set of the
     * other orders of this table: a bit BIT(enum table_sort) for each. */
    unsigned sorts;
} views[SNAPSHOT_GROUPINGS] = {
    [PPROFIL_BY_FUNCTION] = {true, BIT(TABLE_BY_NAME) | BIT(TABLE_BY_OBJECT)},
    [PPROFIL_BY_OBJECT] = {false, BIT(TABLE_BY_NAME)},
    [PPROFIL_BY_LINE] = {false, BIT(TABLE_BY_NAME) | BIT(TABLE_BY_OBJECT)},
    [PPROFIL_BY_THREAD] = {true, BIT(TABLE_BY_NAME) | BIT(TABLE_BY_PID)},
    [PPROFIL_BY_PROCESS] = {true, BIT(TABLE_BY_NAME) | BIT(TABLE_BY_PID)},
    [PPROFIL_BY_SYSCALL] = {false, BIT(TABLE_BY_NAME)},
    [PPROFIL_BY_STATE] = {true, BIT(TABLE_BY_NAME)},
    [PPROFIL_BY_WAIT] = {false, BIT(TABLE_BY_NAME)},
};

static bool view_is_kept(enum pprofil_by by)
{
    return views[by].kept;
}

static bool view_can_sort_changes(const struct model *model, enum pprofil_by by, enum table_sort sort)
{
    if (sort == TABLE_BY_TOTAL_CHANGE)
        return model->stacks && by <= PPROFIL_BY_LINE;
    return sort == TABLE_BY_CHANGE || sort == TABLE_BY_OLD || sort == TABLE_BY_TOTAL || sort == TABLE_BY_NAME ||
           (sort == TABLE_BY_OBJECT && (views[by].sorts & BIT(TABLE_BY_OBJECT)) != 0);
}

static enum table_sort view_usual_sort(const struct model *model)
{
    return model->compares ? TABLE_BY_CHANGE : TABLE_BY_WINDOW;
}

static bool view_can_sort(const struct model *model, enum pprofil_by by, enum table_sort sort)
{
    if (model->compares)
        return view_can_sort_changes(model, by, sort);
    if (sort == TABLE_BY_INCLUSIVE)
        return model->stacks && by == PPROFIL_BY_FUNCTION;
    return ((views[by].sorts | BIT(TABLE_BY_WINDOW) | BIT(TABLE_BY_TOTAL)) & BIT(sort)) != 0;
}

void view_arrange(const struct model *model, struct table *table, enum pprofil_by by, const struct snapshot *snapshot)
{
    enum table_sort sort = view_can_sort(model, by, model->sort) ? model->sort : view_usual_sort(model);

    if (by == PPROFIL_BY_PROCESS && sort == TABLE_BY_WINDOW)
        table_sort_tree(table, snapshot);
    else
        table_sort(table, sort);
}

static void view_arrange_present(struct model *model)
{
    view_arrange(model, &model->tables[model->view], model->view, &model->now);
    view_arrange(model, &model->frozen[model->view], model->view, &model->now);
    list_follow(model);
}

/* --- views --------------------------------------------------------------------------------- */

enum effect view_open(struct model *model, enum pprofil_by by)
{
    if (model->compares && (by == PPROFIL_BY_STATE || by == PPROFIL_BY_WAIT) && !model->wall) {
        model_answer(model, "all threads run in profiles of CPU time: %s need elapsed time (-w)",
                     by == PPROFIL_BY_STATE ? "states" : "waits");
        return EFFECT_PAINT;
    }
    if (by == PPROFIL_BY_WAIT && !model->wall)
        model_answer(model, model->saved ? "no thread waits in a profile of CPU time: record it with -w"
                                         : "no thread waits in CPU time: w samples elapsed time");
    if (by != model->view && !view_is_kept(model->view))
        table_clear(&model->tables[model->view]);
    model->page = PAGE_TABLE;
    model->view = by;
    if (!view_can_sort(model, by, model->sort))
        model->sort = view_usual_sort(model);
    list_settle(model);
    view_arrange_present(model);
    return model_table(model)->taken ? EFFECT_PAINT : EFFECT_SNAPSHOT;
}

/* Returns how many views of `order` there are. A view of elapsed time that is open stays there. */
static int view_table_count(const struct model *model)
{
    if (model->wall || model->view == PPROFIL_BY_WAIT)
        return SNAPSHOT_GROUPINGS;
    return SNAPSHOT_GROUPINGS - (model->view == PPROFIL_BY_STATE ? 1 : 2);
}

/* Opens the next view if `step` is 1, or the previous view if it is -1. If there are stacks, the list of calls and the
 * flame view come after the tables. If the page of code or of output is shown, opens the table of the present view
 * instead. */
enum effect view_step(struct model *model, int step)
{
    int tables = view_table_count(model);
    int at = 0, count = tables + (model->stacks ? 2 : 0);

    while (at < tables - 1 && order[at] != model->view)
        at++;
    if (calls_is_page(model))
        at = tables + (model->page == PAGE_FLAME);
    if (model->page == PAGE_TABLE || calls_is_page(model))
        at = (at + step + count) % count;
    if (at >= tables)
        return calls_open(model, at == tables ? PAGE_CALLS : PAGE_FLAME);
    return view_open(model, order[at]);
}

void view_clear_tables(struct model *model)
{
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++) {
        table_clear(&model->tables[by]);
        table_clear(&model->frozen[by]);
    }
    calls_clear(&model->calls);
    list_follow(model);
}

/* --- orders -------------------------------------------------------------------------------- */

static int view_next_sort(const struct model *model)
{
    int sort = (int)model->sort;

    do
        sort = (sort + 1) % TABLE_SORTS;
    while (!view_can_sort(model, model->view, (enum table_sort)sort));
    return sort;
}

enum effect view_sort_by(struct model *model, int sort)
{
    static const char *const names[TABLE_SORTS] = {
        [TABLE_BY_WINDOW] = "the last window",
        [TABLE_BY_TOTAL] = "the time since the start",
        [TABLE_BY_INCLUSIVE] = "the last window, with what was called",
        [TABLE_BY_NAME] = "name",
        [TABLE_BY_OBJECT] = "object",
        [TABLE_BY_PID] = "number",
        [TABLE_BY_CHANGE] = "the size of the change, what is significant first",
        [TABLE_BY_TOTAL_CHANGE] = "the change with what was called",
        [TABLE_BY_OLD] = "the time in the old profile",
    };

    if (model->page != PAGE_TABLE || sort >= TABLE_SORTS)
        return EFFECT_NONE;
    if (sort >= 0 && !view_can_sort(model, model->view, (enum table_sort)sort))
        return EFFECT_NONE;
    if (sort < 0)
        sort = view_next_sort(model);
    model->sort = (enum table_sort)sort;
    view_arrange_present(model);
    bool new = model->compares &&sort == TABLE_BY_TOTAL;
    model_answer(model, "sorted by %s", new ? "the time in the new profile" : names[sort]);
    return EFFECT_PAINT;
}

/* --- the pause ----------------------------------------------------------------------------- */

static void view_thaw(struct model *model)
{
    model->paused = false;
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++)
        table_free(&model->frozen[by]);
}

static bool view_freeze(struct model *model)
{
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++)
        if (model->tables[by].taken && table_copy(&model->frozen[by], &model->tables[by]) != 0)
            return false;
    return true;
}

enum effect view_pause(struct model *model)
{
    bool pause = !model->paused;

    model->paused = pause && view_freeze(model);
    if (!model->paused)
        view_thaw(model);
    if (pause && !model->paused)
        model_answer(model, "out of memory: the display cannot be held still");
    if (model->page == PAGE_TABLE)
        view_arrange_present(model);
    /* the next window of calls includes the pause; its beginning counts as unknown */
    model->calls_ns = 0;
    /* EFFECT_SNAPSHOT: after a pause, the code and the threads on the screen may be old */
    return pause ? EFFECT_PAINT : EFFECT_SNAPSHOT;
}

/* --- what the next snapshot must have ----------------------------------------------------- */

static void model_want_shown(struct model *model, struct snapshot_wants *wants)
{
    const struct table *table = model_table(model);
    uint32_t rows = model->page_rows > 0 ? model->page_rows : SHOWN_AT_FIRST;

    if (model->top >= table->count)
        return;
    if (rows > table->count - model->top)
        rows = table->count - model->top;
    if (rows > model->shown_size) {
        uint64_t *larger = realloc(model->shown, rows * sizeof *larger);
        if (larger == NULL)
            return; /* out of memory: the definitions of these functions are looked up later */
        model->shown = larger;
        model->shown_size = rows;
    }
    for (uint32_t i = 0; i < rows; i++)
        model->shown[i] = table->rows[model->top + i].total.id;
    wants->shown = model->shown;
    wants->shown_count = rows;
}

/* Each snapshot has the table of functions. Other kept tables (view_is_kept) are in each snapshot once
 * the user has opened them, so that their history is complete. */
void model_wants(struct model *model, struct snapshot_wants *wants)
{
    /* rows that get names are new rows, whose history in a saved profile is not only the last window */
    bool awaits_names = model->saved && model->now.pending > 0;

    list_settle(model);
    *wants = (struct snapshot_wants){.tasks = true, .processes = true, .shown_by = model->view};
    wants->command = model->command[0] == '\0';
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++)
        wants->by[by] = by == model->view || by == PPROFIL_BY_FUNCTION ||
                        (by == PPROFIL_BY_STATE && model->wall) || /* the header needs this grouping */
                        (view_is_kept(by) && model->tables[by].taken);
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++)
        wants->history[by] = wants->by[by] && (!model->tables[by].taken || awaits_names);
    wants->use = model->saved && wants->history[PPROFIL_BY_FUNCTION];
    wants->window_ns = (uint64_t)(model->window_seconds * 1e9);
    if (model->filter_count > 0)
        wants->filter = model->filters[model->filter_count - 1].filter;
    wants->filter.size = sizeof wants->filter;
    wants->condition_count = model->compares ? model->filter_count : 0;
    for (unsigned i = 0; i < wants->condition_count; i++)
        wants->conditions[i] = model->filters[i].condition;
    if (model->page == PAGE_CODE) {
        wants->code_by = model->code_by;
        wants->code_id = model->code_id;
    }
    timeline_want(model, wants);
    wants->calls = calls_is_page(model) && model->stacks && !(model->paused && model->calls.taken);
    wants->calls_kind = model->calls.kind;
    wants->calls_function = model->calls.function;
    if (model->page == PAGE_TABLE)
        model_want_shown(model, wants);
}
