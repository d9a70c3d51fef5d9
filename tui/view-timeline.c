/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paints the time line: a ruler with times, a line for all threads, and a line for each thread. The height of a bar is
 * the part of the time for which the thread was on a CPU. If the thread did something else for most of the time of a
 * cell, the cell shows that instead.
 */
#include "config.h"

#include "view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_WIDTH 24
#define NARROW 80 /* screens with fewer columns have shorter names */
#define NARROW_NAME 14
#define SHARE_WIDTH 6
#define TICK_COLUMNS 16 /* least distance between two times on the ruler */
#define ROW_LINES 3     /* the ruler, the legend and the status line */
#define VISIBLE 0.05F   /* a state with a smaller share of a cell is not shown */

static int timeline_name_width(int columns)
{
    return columns < NARROW ? NARROW_NAME : NAME_WIDTH;
}

void view_timeline_place(struct model *model, int columns)
{
    model->timeline.at = timeline_name_width(columns) + 1 + SHARE_WIDTH + 1;
    model->timeline.columns = columns - model->timeline.at;
}

/* Returns the distance between two times on the ruler, ns: 1, 2 or 5 times a power of ten. */
static uint64_t timeline_tick(const struct snapshot_timeline *line)
{
    double least = (double)(line->to_ns - line->from_ns) / line->columns * TICK_COLUMNS;
    uint64_t decade = 1000000;

    while ((double)decade * 10 < least)
        decade *= 10;
    return (double)decade >= least       ? decade
           : (double)decade * 2 >= least ? decade * 2
           : (double)decade * 5 >= least ? decade * 5
                                         : decade * 10;
}

static void timeline_put_time(struct canvas *canvas, int row, int column, enum style style, uint64_t ns, uint64_t step)
{
    int decimals = step >= 1000000000 ? 0 : step >= 100000000 ? 1 : step >= 10000000 ? 2 : 3;

    canvas_printf(canvas, row, column, -1, style, "%.*f s", decimals, (double)ns / 1e9);
}

static void timeline_put_ruler(const struct model *model, struct canvas *canvas, int row)
{
    const struct model_timeline *timeline = &model->timeline;
    const struct snapshot_timeline *line = &timeline->now;
    uint64_t step = timeline_tick(line), length = line->to_ns - line->from_ns;
    uint32_t first, end;

    canvas_style(canvas, row, 0, -1, STYLE_HEADER);
    canvas_put(canvas, row, 0, timeline_name_width(canvas->columns), STYLE_HEADER, "thread");
    canvas_put_right(canvas, row, timeline->at - 1 - SHARE_WIDTH, SHARE_WIDTH, STYLE_HEADER,
                     model->wall ? "wall%" : "CPU%");
    for (uint64_t time = (line->from_ns + step - 1) / step * step; time < line->to_ns; time += step) {
        int column = (int)((double)(time - line->from_ns) / (double)length * line->columns);
        canvas_put(canvas, row, timeline->at + column, 1, STYLE_HEADER, canvas->utf8 ? "╵" : "'");
        timeline_put_time(canvas, row, timeline->at + column + 1, STYLE_HEADER, time, step);
    }
    timeline_range(timeline, &first, &end);
    canvas_style(canvas, row, timeline->at + (int)first, (int)(end - first), STYLE_SELECTED);
}

/* Paints a cell that is not a bar of CPU time. Returns false if the cell is one. */
static bool timeline_put_other(struct canvas *canvas, int row, int column, const struct snapshot_cell *cell)
{
    if (cell->waiting > cell->running && cell->waiting >= cell->blocked && cell->waiting >= VISIBLE)
        canvas_put(canvas, row, column, 1, STYLE_WARNING, "w");
    else if (cell->blocked > cell->running && cell->blocked >= VISIBLE)
        canvas_put(canvas, row, column, 1, STYLE_HOT, "D");
    else if (cell->running < VISIBLE && cell->asleep >= VISIBLE)
        canvas_put(canvas, row, column, 1, STYLE_DIM, canvas->utf8 ? "·" : ".");
    else
        return false;
    return true;
}

static void timeline_put_cells(const struct model *model, struct canvas *canvas, int row,
                               const struct snapshot_cell *cells, bool is_sum)
{
    const struct model_timeline *timeline = &model->timeline;
    float highest = 1;

    for (uint32_t i = 0; is_sum && i < timeline->now.columns; i++)
        highest = fmaxf(highest, ceilf(cells[i].running));
    for (uint32_t i = 0; i < timeline->now.columns && (int)i < timeline->columns; i++) {
        int column = timeline->at + (int)i;
        if (is_sum || !timeline_put_other(canvas, row, column, &cells[i]))
            canvas_spark(canvas, row, column, 1, STYLE_SPARK, &cells[i].running, 1, (double)highest);
    }
}

static void timeline_put_line(const struct model *model, struct canvas *canvas, int row, uint32_t index)
{
    const struct model_timeline *timeline = &model->timeline;
    const struct snapshot_timeline *line = &timeline->now;
    int width = timeline_name_width(canvas->columns);
    char name[96] = "all";
    double share = 1;

    if (index > 0) {
        const struct pprofil_row *thread = &line->rows[index - 1];
        snprintf(name, sizeof name, "%.64s %" PRIu32, thread->name, thread->tid);
        share = thread->share;
    }
    paint_text(canvas, row, 0, width, index == 0 ? STYLE_TITLE : paint_heat(share),
               &(struct paint_text){.text = name, .search = model->search});
    paint_per_cent(canvas, row, timeline->at - 1 - SHARE_WIDTH, SHARE_WIDTH, STYLE_FIGURE, share, 1);
    timeline_put_cells(model, canvas, row, &line->cells[(size_t)index * line->columns], index == 0);
}

/* Sums the time of a line's cells in a range of columns, s. */
static double timeline_sum(const struct snapshot_timeline *line, uint32_t index, uint32_t first, uint32_t end)
{
    double width = (double)(line->to_ns - line->from_ns) / 1e9 / line->columns, sum = 0;

    for (uint32_t i = first; i < end && i < line->columns; i++)
        sum += (double)line->cells[(size_t)index * line->columns + i].running * width;
    return sum;
}

static void timeline_put_status(const struct model *model, struct canvas *canvas, int row)
{
    const struct snapshot_timeline *line = &model->timeline.now;
    uint32_t first, end;
    bool marked = timeline_range(&model->timeline, &first, &end);
    double from = (double)timeline_time(line, first) / 1e9, to = (double)timeline_time(line, end) / 1e9;
    double seconds = timeline_sum(line, model->selected <= line->count ? model->selected : 0, first, end);

    canvas_style(canvas, row, 0, -1, STYLE_HEADER);
    canvas_printf(canvas, row, 0, -1, STYLE_HEADER, "%.3f to %.3f s: %.3f s of CPU time, %.0f %%  %s", from, to,
                  seconds, to > from ? 100 * seconds / (to - from) : 0,
                  marked ? "Enter: only this range" : "Space: begin a range; Enter: only this thread");
}

static void timeline_put_empty(const struct model *model, struct canvas *canvas, int row, int rows)
{
    const char *why = !model->timeline.now.taken ? "waiting for the first window"
                      : model->saved             ? "the file does not say when its samples were taken"
                                                 : "nothing was sampled yet";

    paint_words(canvas, row, rows, STYLE_TITLE, why);
}

int view_timeline(struct model *model, struct canvas *canvas, int row, int rows)
{
    uint32_t count = timeline_lines(model);

    model->header_row = 0;
    paint_list(model, row + 1, rows - ROW_LINES);
    if (count == 0 || rows <= ROW_LINES) {
        timeline_put_empty(model, canvas, row + 1, rows - 1);
        return row + rows;
    }
    timeline_put_ruler(model, canvas, row);
    for (uint32_t i = 0; i < model->page_rows && model->top + i < count; i++) {
        int at = row + 1 + (int)i, cursor = model->timeline.at + (int)model->timeline.cursor;
        timeline_put_line(model, canvas, at, model->top + i);
        if (model->top + i == model->selected)
            canvas_style(canvas, at, 0, model->timeline.at - 1, STYLE_SELECTED);
        if (model->top + i == model->selected)
            canvas_style(canvas, at, cursor, 1, STYLE_SELECTED);
    }
    canvas_put(canvas, row + rows - 2, 0, -1, STYLE_DIM,
               model->wall ? "bars: on a CPU   w: waiting for a CPU   D: uninterruptible   .: asleep"
                           : "bars: on a CPU");
    timeline_put_status(model, canvas, row + rows - 1);
    return row + rows;
}
