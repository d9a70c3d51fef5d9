/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time line: what each thread did when. The first line of the list is the sum of all threads, and each other line
 * is a thread. A cursor is on one column of the picture. The user marks a column, moves the cursor, and enters the
 * range between them, which then filters all views.
 */
#include "config.h"

#include <stdlib.h>

#include "model-internal.h"

#define FIRST_COLUMNS 80 /* columns of the picture until the view has set their number */

uint64_t timeline_time(const struct snapshot_timeline *line, uint32_t column)
{
    double width = line->columns > 0 ? (double)(line->to_ns - line->from_ns) / line->columns : 0;

    return line->from_ns + (uint64_t)(width * column);
}

bool timeline_range(const struct model_timeline *timeline, uint32_t *first, uint32_t *end)
{
    *first = timeline->marked && timeline->mark < timeline->cursor ? timeline->mark : timeline->cursor;
    *end = (timeline->marked && timeline->mark > timeline->cursor ? timeline->mark : timeline->cursor) + 1;
    return timeline->marked;
}

enum effect timeline_open(struct model *model)
{
    if (model->compares) {
        model_answer(model, "the time line is of one file: pprofil view NEW");
        return EFFECT_PAINT;
    }
    model->timeline.marked = false;
    model->page = PAGE_TIMELINE;
    list_settle(model);
    return EFFECT_SNAPSHOT;
}

void timeline_want(const struct model *model, struct snapshot_wants *wants)
{
    int columns = model->timeline.columns;

    wants->timeline = model->page == PAGE_TIMELINE && !(model->paused && model->timeline.now.taken);
    wants->timeline_columns = columns > 0 ? (uint32_t)columns : FIRST_COLUMNS;
}

void timeline_take(struct model *model, struct snapshot *snapshot)
{
    struct model_timeline *timeline = &model->timeline;
    struct snapshot_timeline *fresh = &snapshot->timeline;

    if (!fresh->taken)
        return;
    /* the cursor and the mark stay at their times, as far as possible */
    if (timeline->now.columns > 0 && timeline->now.columns != fresh->columns) {
        timeline->cursor = (uint32_t)((uint64_t)timeline->cursor * fresh->columns / timeline->now.columns);
        timeline->mark = (uint32_t)((uint64_t)timeline->mark * fresh->columns / timeline->now.columns);
    }
    snapshot_timeline_free(&timeline->now);
    timeline->now = *fresh;
    *fresh = (struct snapshot_timeline){0};
    if (timeline->now.columns > 0 && timeline->cursor >= timeline->now.columns)
        timeline->cursor = timeline->now.columns - 1;
}

uint32_t timeline_lines(const struct model *model)
{
    const struct snapshot_timeline *line = &model->timeline.now;

    return line->taken && line->columns > 0 ? line->count + 1 : 0;
}

enum effect timeline_sideways(struct model *model, int steps)
{
    struct model_timeline *timeline = &model->timeline;
    int64_t to = (int64_t)timeline->cursor + steps, last = (int64_t)timeline->now.columns - 1;

    timeline->cursor = (uint32_t)(to < 0 || last < 0 ? 0 : to > last ? last : to);
    return EFFECT_PAINT;
}

enum effect timeline_mark(struct model *model)
{
    struct model_timeline *timeline = &model->timeline;

    timeline->marked = !timeline->marked;
    timeline->mark = timeline->cursor;
    if (timeline->marked)
        model_answer(model, "move the cursor to the other end, and press Enter");
    return EFFECT_PAINT;
}

void timeline_click(struct model *model, int column)
{
    struct model_timeline *timeline = &model->timeline;

    if (column >= timeline->at && column < timeline->at + timeline->columns)
        timeline_sideways(model, column - timeline->at - (int)timeline->cursor);
}

enum effect timeline_enter(struct model *model)
{
    struct model_timeline *timeline = &model->timeline;
    const struct snapshot_timeline *line = &timeline->now;
    uint32_t first, end;

    if (!line->taken || line->columns == 0)
        return EFFECT_NONE;
    if (timeline_range(timeline, &first, &end)) {
        timeline->marked = false;
        return filter_push_range(model, timeline_time(line, first), timeline_time(line, end));
    }
    if (model->selected > 0 && model->selected <= line->count)
        return filter_push_thread(model, &line->rows[model->selected - 1]);
    model_answer(model, "Space begins a range of time");
    return EFFECT_PAINT;
}

bool timeline_unmark(struct model *model)
{
    bool was = model->page == PAGE_TIMELINE && model->timeline.marked;

    if (was)
        model->timeline.marked = false;
    return was;
}
