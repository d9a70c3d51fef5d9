/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The flame view: a line of the screen for each level of calls, callees below. Boxes begin with a
 * bar, so that they can be told apart without colours. The last line says what is selected.
 */
#include "config.h"

#include "view.h"

#include <string.h>

#include "phrases.h"
#include "view-paint.h"

static enum style style_of(const struct pprofil_live_call *call)
{
    if (call == NULL || (call->name[0] == '[' && call->object[0] == '\0'))
        return STYLE_FLAME_ALL;
    if (call->object[0] == '[' || call->object[0] == '/' || strcmp(call->object, "anon") == 0)
        return STYLE_FLAME_RUN_TIME;
    return strstr(call->object, ".so") != NULL ? STYLE_FLAME_LIBRARY : STYLE_FLAME_PROGRAM;
}

/* Levels from flame_top on are shown: the selected one and its callers, as far as they fit. */
static uint32_t scroll(struct model *model, uint32_t selected, uint32_t rows)
{
    uint32_t level = model->calls.boxes[selected].level, deepest = 0;

    for (uint32_t i = 0; i < model->calls.box_count; i++)
        if (model->calls.boxes[i].level > deepest)
            deepest = model->calls.boxes[i].level;
    if (model->flame_top + rows > deepest + 1)
        model->flame_top = deepest + 1 > rows ? deepest + 1 - rows : 0;
    if (level < model->flame_top)
        model->flame_top = level;
    if (level >= model->flame_top + rows)
        model->flame_top = level - rows + 1;
    return deepest + 1;
}

static void put_box(const struct model *model, struct canvas *canvas, int row,
                    const struct calls_box *box, bool selected)
{
    const struct pprofil_live_call *call =
        box->row == CALLS_NONE ? NULL : &model->calls.rows[box->row].call;
    enum style style = selected ? STYLE_SELECTED : style_of(call);

    for (int i = 0; i < box->width; i++)
        canvas_put(canvas, row, box->column + i, 1, style, " ");
    canvas_put(canvas, row, box->column, 1, style, canvas->utf8 ? "▏" : "|");
    if (box->width > 2)
        paint_text(canvas, row, box->column + 1, box->width - 1, style,
                   &(struct paint_text){.text = call == NULL ? "all" : call->name,
                                        .search = model->search});
}

static void put_status(const struct model *model, struct canvas *canvas, int row,
                       const struct calls_box *box)
{
    const struct calls *calls = &model->calls;
    bool since = calls->whole || calls->filled == 0, all = box->row == CALLS_NONE;
    uint64_t ns = all ? calls->all_ns : calls->rows[box->row].call.total_ns;
    double share = all ? 1 : calls_share(calls, box->row);
    char figures[96];

    snprintf(figures, sizeof figures, "%.1f %% of %s, %.2f s", 100 * share,
             since ? "all" : "window", (double)ns / 1e9);
    int width = canvas->columns - (int)strlen(figures) - 2;
    canvas_style(canvas, row, 0, -1, STYLE_HEADER);
    paint_name(canvas, row, 0, width, STYLE_HEADER, all ? "all" : calls->rows[box->row].call.name);
    canvas_put_right(canvas, row, width + 1, canvas->columns - width - 1, STYLE_HEADER, figures);
}

int view_flame(struct model *model, struct canvas *canvas, int row, int rows)
{
    struct calls *calls = &model->calls;
    uint32_t zoom = calls_find(calls, model->flame_zoom);
    char words[PHRASE_SIZE];

    model->header_row = 0;
    paint_list(model, row, rows - 1);
    model->flame_columns = canvas->columns;
    if (calls_flame(calls, zoom, canvas->columns) != 0 || calls->box_count == 0 || rows < 2) {
        phrase_calls(model, words, sizeof words);
        paint_words(canvas, row + 1, rows - 1, STYLE_TITLE, words);
        return row + rows;
    }
    uint32_t selected = calls_box_of(calls, calls_find(calls, model->flame_selected));
    if (selected == CALLS_NONE)
        selected = 0;
    model->flame_levels = scroll(model, selected, (uint32_t)rows - 1);
    for (uint32_t i = 0; i < calls->box_count; i++) {
        int64_t line = (int64_t)calls->boxes[i].level - model->flame_top;
        if (line >= 0 && line < rows - 1)
            put_box(model, canvas, row + (int)line, &calls->boxes[i], i == selected);
    }
    put_status(model, canvas, row + rows - 1, &calls->boxes[selected]);
    return row + rows;
}
