/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What happens when the user enters a row or goes back. Entering a function or a line opens the page of its code.
 * Entering any other row adds a filter to all views. A row must pass all filters. Going back removes the last filter,
 * which remembers the view and the row that the user came from.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model-internal.h"

static enum effect filter_open_code(struct model *model, const struct pprofil_row *row)
{
    free(model->now.code);
    free(model->now.code_old);
    model->now.code = NULL;
    model->now.code_old = NULL;
    model->now.code_count = 0;
    model->now.code_state = -EAGAIN;
    model->now.code_problem = NULL;
    model->code_by = model->view;
    model->code_id = row->id;
    if (model->view == PPROFIL_BY_LINE && row->line > 0)
        snprintf(model->code_name, sizeof model->code_name, "%s:%" PRIu32, row->name, row->line);
    else
        snprintf(model->code_name, sizeof model->code_name, "%s", row->name);
    model->positions[SNAPSHOT_GROUPINGS + PAGE_CODE] = (struct model_position){0};
    model->page = PAGE_CODE;
    list_settle(model);
    return EFFECT_SNAPSHOT;
}

/* Restricts step->filter to a row, and writes step->label. */
static void filter_describe(struct model_filter *step, const struct pprofil_row *row)
{
    char *label = step->label;
    size_t size = sizeof step->label;

    switch (step->by) {
    case PPROFIL_BY_THREAD:
        step->filter.pid = row->pid;
        step->filter.tid = row->tid;
        step->filter.thread = row->id;
        snprintf(label, size, "%.70s %" PRIu32, row->name, row->tid);
        break;
    case PPROFIL_BY_PROCESS:
        step->filter.pid = row->pid;
        step->filter.process = row->id;
        snprintf(label, size, "%.70s %" PRIu32, row->name, row->pid);
        break;
    case PPROFIL_BY_OBJECT:
        step->filter.object = row->id;
        snprintf(label, size, "%.90s", row->name);
        break;
    case PPROFIL_BY_SYSCALL:
        step->filter.syscall = row->id;
        snprintf(label, size, "%.90s", row->name);
        break;
    case PPROFIL_BY_STATE:
        step->filter.state = row->id;
        snprintf(label, size, "%.90s", row->name);
        break;
    case PPROFIL_BY_WAIT:
        step->filter.wait = row->id;
        snprintf(label, size, "%.90s", row->name);
        break;
    case PPROFIL_BY_PROGRAM: /* this one and the next three have no view */
    case PPROFIL_BY_HOST:
    case PPROFIL_BY_JOB:
    case PPROFIL_BY_RANK:
    case PPROFIL_BY_FUNCTION:
    case PPROFIL_BY_LINE:
        break;
    }
}

static bool filter_equals(const struct pprofil_filter *one, const struct pprofil_filter *other)
{
    return one->pid == other->pid && one->tid == other->tid && one->object == other->object &&
           one->syscall == other->syscall && one->process == other->process &&
           one->thread == other->thread && one->state == other->state && one->wait == other->wait &&
           one->from_ns == other->from_ns && one->to_ns == other->to_ns;
}

/* Shows a message: the filters stay as they are while the display is held still. Counts for other filters would need a
 * new snapshot, which a held display does not show. */
static enum effect filter_stay_held(struct model *model)
{
    model_answer(model, "the display is held still: %s lets it go on", keys_name(' '));
    return EFFECT_PAINT;
}

/* Begins all views anew after a change of the filter, because all counts are different now. */
static enum effect filter_apply(struct model *model, enum pprofil_by by)
{
    for (unsigned i = 0; i < SNAPSHOT_GROUPINGS; i++)
        model->positions[i] = (struct model_position){0};
    view_clear_tables(model);
    view_open(model, by);
    return EFFECT_SNAPSHOT;
}

/* Returns a filter to which a condition can be added: it has all conditions that are in force. */
static struct model_filter filter_next(const struct model *model, enum pprofil_by by, uint64_t selected)
{
    struct model_filter step = {.by = by, .selected = selected};

    if (model->filter_count > 0)
        step.filter = model->filters[model->filter_count - 1].filter;
    step.filter.size = sizeof step.filter;
    return step;
}

static enum effect filter_push(struct model *model, const struct model_filter *step)
{
    if (!model->compares && model->filter_count > 0 &&
        filter_equals(&step->filter, &model->filters[model->filter_count - 1].filter))
        return view_open(model, PPROFIL_BY_FUNCTION); /* the filters select this row already */
    if (model->paused)
        return filter_stay_held(model);
    if (model->filter_count == MODEL_FILTERS) {
        model_answer(model, "at most %d filters can be in force: Backspace leaves one", MODEL_FILTERS);
        return EFFECT_PAINT;
    }
    model->filters[model->filter_count++] = *step;
    return filter_apply(model, PPROFIL_BY_FUNCTION);
}

enum effect filter_push_range(struct model *model, uint64_t from_ns, uint64_t to_ns)
{
    struct model_filter step = filter_next(model, model->view, model->selected_id);

    step.filter.from_ns = from_ns;
    step.filter.to_ns = to_ns;
    snprintf(step.label, sizeof step.label, "%.2f to %.2f s", (double)from_ns / 1e9, (double)to_ns / 1e9);
    return filter_push(model, &step);
}

enum effect filter_push_thread(struct model *model, const struct pprofil_row *row)
{
    struct model_filter step = filter_next(model, PPROFIL_BY_THREAD, row->id);

    filter_describe(&step, row);
    return filter_push(model, &step);
}

static enum effect filter_push_row(struct model *model, const struct pprofil_row *row)
{
    struct model_filter step = filter_next(model, model->view, row->id);

    filter_describe(&step, row);
    return filter_push(model, &step);
}

/* Adds a filter to both of two compared profiles, in which rows are found by name. */
static enum effect filter_push_condition(struct model *model, const struct table_row *row)
{
    struct model_filter step = filter_next(model, model->view, row->total.id);
    struct snapshot_condition *condition = &step.condition;

    condition->by = model->view;
    for (int side = 0; side < 2; side++)
        snprintf(condition->name[side], sizeof condition->name[side], "%s",
                 model->view == PPROFIL_BY_OBJECT ? row->change->object[side] : row->total.name);
    snprintf(step.label, sizeof step.label, "%.90s", row->total.name);
    for (unsigned i = 0; i < model->filter_count; i++)
        if (model->filters[i].condition.by == model->view)
            return view_open(model, PPROFIL_BY_FUNCTION); /* the view has only this row already */
    return filter_push(model, &step);
}

enum effect filter_enter(struct model *model)
{
    const struct table *table = model_table(model);

    if (model->page != PAGE_TABLE || model->selected >= table->count)
        return EFFECT_NONE;
    /* a copy, because filter_push clears the table */
    const struct table_row line = table->rows[model->selected];
    struct pprofil_row row = line.total;
    if (row.pending) { /* a row without a name; when the name is known, another row replaces it */
        model_answer(model, "its name is still being looked up");
        return EFFECT_PAINT;
    }
    if (model->view == PPROFIL_BY_LINE && model->compares) {
        model_answer(model, "of two files, functions have code: %s", keys_name('1'));
        return EFFECT_PAINT;
    }
    if (model->view == PPROFIL_BY_LINE && row.line == 0 && row.file[0] == '\0') {
        model_answer(model, "no line is known for it: functions have code, too");
        return EFFECT_PAINT; /* the row is the sum of many lines */
    }
    if (model->view == PPROFIL_BY_FUNCTION || model->view == PPROFIL_BY_LINE)
        return filter_open_code(model, &row);
    return line.change != NULL ? filter_push_condition(model, &line) : filter_push_row(model, &row);
}

static enum effect filter_pop(struct model *model)
{
    struct model_filter step = model->filters[--model->filter_count];
    enum effect effect = filter_apply(model, step.by);

    list_select_id(model, step.selected);
    return effect;
}

enum effect filter_back(struct model *model)
{
    if (model->page == PAGE_OUTPUT && model->back == PAGE_CODE) {
        model->page = PAGE_CODE;
        list_settle(model);
        return EFFECT_SNAPSHOT;
    }
    if (model->page == PAGE_OUTPUT && (model->back == PAGE_CALLS || model->back == PAGE_FLAME))
        return calls_open(model, model->back);
    if (flame_unzoom(model) || timeline_unmark(model))
        return EFFECT_PAINT;
    if (calls_is_page(model) || model->page == PAGE_TIMELINE || model->page == PAGE_OUTPUT || model->page == PAGE_CODE)
        return view_open(model, model->view);
    if (model->page != PAGE_TABLE)
        return EFFECT_NONE;
    if (model->filter_count > 0)
        return model->paused ? filter_stay_held(model) : filter_pop(model);
    if (model->search[0] == '\0')
        return EFFECT_NONE;
    model->search[0] = '\0'; /* matches are not marked any more */
    return EFFECT_PAINT;
}
