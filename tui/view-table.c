/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paints the table of the present view: titles, and the rows that fit or a reason why there are
 * none. Also paints the frames of the batch mode. */
#include "config.h"

#include "view.h"

#include <string.h>

#include "base/fit-name.h"
#include "columns.h"

static double table_row_share(const struct table *table, const struct table_row *row)
{
    return table->filled > 0 ? row->smooth_share : row->total.share;
}

/* --- the whole name of the selected function ------------------------------------------------ */

/* Returns the width of the column with the names, or 0. */
static int table_name_width(const struct model *model, int columns)
{
    struct column_span spans[COLUMNS_MAX];
    int count = columns_layout(view_columns(model), columns, true, spans);

    for (int i = 0; i < count; i++)
        if (spans[i].column->paint == view_paint_name)
            return spans[i].width;
    return 0;
}

const char *view_whole_name(const struct model *model, int columns)
{
    const struct table *table = model_table(model);
    char text[4096];

    if (model->page != PAGE_TABLE || model->view != PPROFIL_BY_FUNCTION || model->help || !model->chosen ||
        model->selected >= table->count)
        return NULL;
    const char *name = table->rows[model->selected].total.name;
    int width = table_name_width(model, columns);
    fit_short_name(name, text, sizeof text);
    bool shortened = !model->whole_names && strcmp(name, text) != 0;
    return shortened || characters_width(name, width + 1) > width ? name : NULL;
}

/* --- the table ------------------------------------------------------------------------------- */

static void table_paint_lines(const struct model *model, struct canvas *canvas, int row, bool screen,
                              uint32_t first, uint32_t end)
{
    const struct table *table = model_table(model);
    struct column_span spans[COLUMNS_MAX];
    int count = columns_layout(view_columns(model), canvas->columns, screen, spans);

    columns_titles(spans, count, canvas, row++, (int)model->sort, model->now.totals.wall);
    for (uint32_t i = first; i < end && i < table->count; i++, row++) {
        struct pen pen = {.canvas = canvas, .row = row, .model = model, .table = table, .index = i};
        pen.style = table->rows[i].change != NULL ? view_diff_style(table->rows[i].change)
                                                  : paint_heat(table_row_share(table, &table->rows[i]));
        columns_paint(spans, count, &pen, &table->rows[i]);
    }
}

int view_table(struct model *model, struct canvas *canvas, int row, int rows)
{
    const struct table *table = model_table(model);
    char words[PHRASE_SIZE];

    model->header_row = row > 0 ? (uint32_t)row : 0;
    paint_list(model, row + 1, rows - 1);
    table_paint_lines(model, canvas, row, true, model->top, model->top + model->page_rows);
    if (table->count == 0) {
        phrase_empty(model, words, sizeof words);
        paint_words(canvas, row + 2, rows - 2, STYLE_TITLE, words);
    } else if (model->selected >= model->top && model->selected < table->count &&
               model->selected - model->top < model->page_rows) {
        paint_selected(canvas, row + 1 + (int)(model->selected - model->top));
    }
    return row + rows;
}

int view_sort_at(const struct model *model, int columns, int column)
{
    struct column_span spans[COLUMNS_MAX];
    int count = columns_layout(view_columns(model), columns, true, spans);

    for (int i = 0; i < count; i++)
        if (column >= spans[i].at && column < spans[i].at + spans[i].width)
            return spans[i].column->sort;
    return -1;
}

/* --- a frame of text ------------------------------------------------------------------- */

#define FRAME_HEAD 4       /* number of lines above the titles */
#define FRAME_ROWS_MAX 1000000 /* greatest number of rows in a frame */

/* Puts the lines 0, 1 and 3 of a saved profile, which has neither a window nor threads that run now. */
static void frame_put_saved(const struct model *model, struct canvas *canvas)
{
    const struct pprofil_totals *totals = &model->now.totals;
    char elapsed[32];

    paint_elapsed(totals->elapsed_ns, elapsed, sizeof elapsed);
    canvas_printf(canvas, 0, 0, -1, STYLE_TITLE, "# pprofil view: %s, %s; %s", model->command, model->targets, elapsed);
    canvas_printf(canvas, 1, 0, -1, STYLE_PLAIN, "# %u process%s, %u thread%s", totals->processes_seen,
                  totals->processes_seen == 1 ? "" : "es", totals->threads_seen, totals->threads_seen == 1 ? "" : "s");
    canvas_printf(canvas, 3, 0, -1, STYLE_PLAIN, "# %s by %s time", phrase_view((int)model->view, false),
                  totals->wall ? "wall" : "CPU");
}

/* Puts the lines 0, 1 and 3 of a running session. */
static void frame_put_session(const struct model *model, struct canvas *canvas)
{
    const struct pprofil_totals *totals = &model->now.totals;
    char text[PHRASE_SIZE], elapsed[32];
    int at;

    paint_elapsed(totals->elapsed_ns, elapsed, sizeof elapsed);
    at = canvas_printf(canvas, 0, 0, -1, STYLE_TITLE, "# pprofil top: %s, %s; %s; CPU ",
                       model->command, model->targets, elapsed);
    if (model->now.ended || model->now.dead)
        canvas_put(canvas, 0, at, -1, STYLE_TITLE, "-");
    else
        canvas_printf(canvas, 0, at, -1, STYLE_TITLE, "%.1f %%", 100 * model->target_cpu);
    phrase_threads(model, 0, text, sizeof text);
    canvas_printf(canvas, 1, 0, -1, STYLE_PLAIN, "# %s", text);
    at = canvas_printf(canvas, 3, 0, -1, STYLE_PLAIN, "# %s by %s time, window %g s",
                       phrase_view((int)model->view, false), totals->wall ? "wall" : "CPU", model->window_seconds);
    if (model->now.dead)
        at += canvas_put(canvas, 3, at, -1, STYLE_PLAIN, "; the supervisor died: nothing new comes");
    if (model->silent_seconds > 0)
        at += canvas_printf(canvas, 3, at, -1, STYLE_PLAIN, "; no news of the supervisor for %u s",
                            model->silent_seconds);
    if (model->now.ended || model->now.status >= 0) {
        phrase_outcome(&model->now, false, text, sizeof text);
        canvas_printf(canvas, 3, at, -1, STYLE_PLAIN, "; %s", text);
    }
}

static void frame_put_head(const struct model *model, struct canvas *canvas)
{
    const struct pprofil_totals *totals = &model->now.totals;
    char text[PHRASE_SIZE];

    if (model->saved)
        frame_put_saved(model, canvas);
    else
        frame_put_session(model, canvas);
    int at = canvas_printf(canvas, 2, 0, -1, STYLE_PLAIN, "# %.0f Hz asked, %.0f achieved", model->asked_hz,
                           model->achieved_hz);
    phrase_limit(&model->now, text, sizeof text);
    if (text[0] != '\0')
        at += canvas_printf(canvas, 2, at, -1, STYLE_PLAIN, ": %s", text);
    at += canvas_printf(canvas, 2, at, -1, STYLE_PLAIN, "; target stopped %.2f %% of its CPU time; lost %llu",
                        100 * model->stopped_share, (unsigned long long)totals->lost);
    if (totals->untraced > 0)
        canvas_printf(canvas, 2, at, -1, STYLE_PLAIN, "; threads not traced %u", totals->untraced);
}

int view_frame(struct model *model, struct canvas *canvas, int columns, uint32_t most)
{
    uint32_t count = model_table(model)->count;
    char words[PHRASE_SIZE];

    if (most > 0 && count > most)
        count = most;
    if (count > FRAME_ROWS_MAX)
        count = FRAME_ROWS_MAX;
    int error = canvas_resize(canvas, FRAME_HEAD + 1 + (int)count, columns);
    if (error != 0)
        return error;
    if (model->compares)
        view_diff_frame_head(model, canvas);
    else
        frame_put_head(model, canvas);
    if (count > 0) {
        table_paint_lines(model, canvas, FRAME_HEAD, false, 0, count);
    } else {
        phrase_empty(model, words, sizeof words);
        canvas_printf(canvas, FRAME_HEAD, 0, -1, STYLE_PLAIN, "# %s", words);
    }
    return 0;
}
