/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paints the list of calls and the flame view.
 *
 * The list of a call tree shows shares and names. Names of callees are indented below their callers.
 *
 * The flame view has a line for each level of calls, with callees below their callers. A box begins with a bar, so that
 * boxes can be told apart without colours. The last line shows the name of the selected box.
 */
#include "config.h"

#include "view.h"

#include <stdio.h>
#include <string.h>


#define FOR_SELF 60   /* least width of a screen that shows a row's self share */
#define FOR_OBJECT 100
#define OBJECT_WIDTH 24
#define INDENT_MAX 40 /* greatest indent of a row, in levels */
#define SHARE_WIDTH 6

/* --- shares of two profiles: a mark, both shares, and their difference ----------------------- */

#define POINTS_WIDTH 7
#define DIFF_WIDTH (2 + 2 * (SHARE_WIDTH + 1) + POINTS_WIDTH + 1)

static void calls_put_diff_titles(const struct model *model, struct canvas *canvas, int row)
{
    bool by_change = model->calls.by_change;
    int column = 2;

    canvas_put_right(canvas, row, column, SHARE_WIDTH, STYLE_HEADER, "old%");
    column += SHARE_WIDTH + 1;
    canvas_put_right(canvas, row, column, SHARE_WIDTH, by_change ? STYLE_HEADER : STYLE_SORTED, "new%");
    column += SHARE_WIDTH + 1;
    canvas_put_right(canvas, row, column, POINTS_WIDTH, by_change ? STYLE_SORTED : STYLE_HEADER, "points");
    canvas_put(canvas, row, DIFF_WIDTH, -1, STYLE_HEADER, "function, and what it calls");
    if (canvas->columns >= FOR_OBJECT)
        canvas_put(canvas, row, canvas->columns - OBJECT_WIDTH, -1, STYLE_HEADER, "object");
}

static enum style calls_diff_style(const struct pprofil_diff_call *call)
{
    if (call->verdict == PPROFIL_DIFF_CHANCE)
        return STYLE_PLAIN;
    return call->total_share[1] > call->total_share[0] ? STYLE_MORE : STYLE_LESS;
}

static void calls_put_diff(struct canvas *canvas, int row, const struct pprofil_diff_call *call)
{
    enum style style = calls_diff_style(call);
    char text[32];
    int column = 2;

    canvas_printf(canvas, row, 0, 1, style, "%c", view_diff_mark(call));
    for (int side = 0; side < 2; side++) {
        paint_per_cent(canvas, row, column, SHARE_WIDTH, style, call->total_share[side], 2);
        column += SHARE_WIDTH + 1;
    }
    snprintf(text, sizeof text, "%+.2f", 100 * (call->total_share[1] - call->total_share[0]));
    canvas_put_right(canvas, row, column, POINTS_WIDTH, style, text);
}

/* --- the list -------------------------------------------------------------------------------- */

static void calls_put_titles(const struct model *model, struct canvas *canvas, int row)
{
    const struct calls *calls = &model->calls;
    bool since = calls->whole || calls->filled == 0;
    int column = 0;

    canvas_style(canvas, row, 0, -1, STYLE_HEADER);
    if (model->compares) {
        calls_put_diff_titles(model, canvas, row);
        return;
    }
    canvas_put_right(canvas, row, column, SHARE_WIDTH, STYLE_SORTED, since ? "all%" : "win%");
    column += SHARE_WIDTH + 1;
    if (canvas->columns >= FOR_SELF) {
        canvas_put_right(canvas, row, column, SHARE_WIDTH, STYLE_HEADER, "self%");
        column += SHARE_WIDTH + 1;
    }
    if (calls->kind == PPROFIL_TREE_CALLS)
        column += canvas_put(canvas, row, column, -1, STYLE_HEADER, "function, and what it calls");
    else
        column += canvas_printf(canvas, row, column, -1, STYLE_HEADER, "%s of %s",
                                calls->kind == PPROFIL_TREE_CALLERS ? "callers" : "callees", model->calls_name);
    if (canvas->columns >= FOR_OBJECT && column < canvas->columns - OBJECT_WIDTH)
        canvas_put(canvas, row, canvas->columns - OBJECT_WIDTH, -1, STYLE_HEADER, "object");
}

/* Returns the number of levels by which a row is indented. Stacks are deep and screens are not wide.
 * So a row without siblings has the same indent as its parent, unless the parent is a root. */
static unsigned calls_indent(const struct calls *calls, uint32_t row)
{
    unsigned indent = 0;

    for (uint32_t at = row; indent < INDENT_MAX && calls->rows[at].call.parent != UINT32_MAX;) {
        uint32_t parent = calls->rows[at].call.parent;
        bool only = calls->rows[parent].child == at && calls->rows[at].sibling == CALLS_NONE;
        indent += !only || calls->rows[parent].depth == 0;
        at = parent;
    }
    return indent;
}

static const char *calls_mark(const struct calls_row *row, bool utf8)
{
    if (row->child == CALLS_NONE)
        return "  ";
    if (row->open)
        return utf8 ? "▾ " : "- ";
    return utf8 ? "▸ " : "+ ";
}

/* Puts the shares of a row. Returns the column where the rest of the line begins. */
static int calls_put_shares(const struct model *model, struct canvas *canvas, int row, uint32_t index, enum style style)
{
    const struct calls *calls = &model->calls;

    if (calls->rows[index].change != NULL) {
        calls_put_diff(canvas, row, calls->rows[index].change);
        return DIFF_WIDTH;
    }
    paint_per_cent(canvas, row, 0, SHARE_WIDTH, style, calls_share(calls, index), 1);
    if (canvas->columns < FOR_SELF)
        return SHARE_WIDTH + 1;
    paint_per_cent(canvas, row, SHARE_WIDTH + 1, SHARE_WIDTH, STYLE_DIM, calls_self(calls, index), 1);
    return 2 * (SHARE_WIDTH + 1);
}

static void calls_put_line(const struct model *model, struct canvas *canvas, int row, uint32_t index)
{
    const struct calls *calls = &model->calls;
    const struct calls_row *line = &calls->rows[index];
    double share = calls_share(calls, index);
    enum style style = line->call.pending     ? STYLE_DIM
                       : line->change != NULL ? calls_diff_style(line->change)
                                              : paint_heat(share);
    bool objects = canvas->columns >= FOR_OBJECT;
    int end = canvas->columns - (objects ? OBJECT_WIDTH + 1 : 0);
    int column = calls_put_shares(model, canvas, row, index, style);
    unsigned indent = calls_indent(calls, index);
    int most = (end - column) / 2;
    column += (int)indent * 2 > most ? most : (int)indent * 2;
    column += canvas_put(canvas, row, column, -1, STYLE_DIM, calls_mark(line, canvas->utf8));
    column += paint_function(model, canvas, row, column, end - column - line->call.pending, style, line->call.name, 0);
    if (line->call.pending)
        canvas_put(canvas, row, column, 1, STYLE_DIM, canvas->utf8 ? "…" : "~");
    if (objects)
        paint_name(canvas, row, end + 1, OBJECT_WIDTH, STYLE_DIM, line->call.object);
}

int view_calls(struct model *model, struct canvas *canvas, int row, int rows)
{
    const struct calls *calls = &model->calls;
    char words[PHRASE_SIZE];

    model->header_row = 0;
    calls_put_titles(model, canvas, row);
    paint_list(model, row + 1, rows - 1);
    if (calls->line_count == 0) {
        phrase_calls(model, words, sizeof words);
        paint_words(canvas, row + 2, rows - 2, STYLE_TITLE, words);
    }
    for (uint32_t i = 0; i < model->page_rows && model->top + i < calls->line_count; i++) {
        calls_put_line(model, canvas, row + 1 + (int)i, calls->lines[model->top + i]);
        if (model->top + i == model->selected)
            paint_selected(canvas, row + 1 + (int)i);
    }
    return row + rows;
}

/* --- the flame view -------------------------------------------------------------------------- */

static enum style flame_diff_style(const struct pprofil_diff_call *call)
{
    if (call->verdict == PPROFIL_DIFF_CHANCE)
        return STYLE_FLAME_SAME;
    return call->total_share[1] > call->total_share[0] ? STYLE_FLAME_MORE : STYLE_FLAME_LESS;
}

static enum style flame_box_style(const struct calls_row *row)
{
    const struct pprofil_live_call *call = row == NULL ? NULL : &row->call;

    if (row != NULL && row->change != NULL)
        return flame_diff_style(row->change);
    if (call == NULL || (call->name[0] == '[' && call->object[0] == '\0'))
        return STYLE_FLAME_ALL;
    if (call->object[0] == '[' || call->object[0] == '/' || strcmp(call->object, "anon") == 0)
        return STYLE_FLAME_RUN_TIME;
    return strstr(call->object, ".so") != NULL ? STYLE_FLAME_LIBRARY : STYLE_FLAME_PROGRAM;
}

/* Scrolls flame_top as little as possible, so that the selected box is in view. Leaves no line empty
 * if the levels fill the page. Returns the number of levels. */
static uint32_t flame_scroll(struct model *model, uint32_t selected, uint32_t rows)
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

static void flame_put_box(const struct model *model, struct canvas *canvas, int row,
                          const struct calls_box *box, bool selected)
{
    const struct calls_row *line = box->row == CALLS_NONE ? NULL : &model->calls.rows[box->row];
    enum style style = selected ? STYLE_SELECTED : flame_box_style(line);
    char mark = line != NULL && line->change != NULL ? view_diff_mark(line->change) : ' ';
    int column = box->column + 1;

    for (int i = 0; i < box->width; i++)
        canvas_put(canvas, row, box->column + i, 1, style, " ");
    canvas_put(canvas, row, box->column, 1, style, canvas->utf8 ? "▏" : "|");
    if (mark != ' ' && box->width > 1) /* the colours, for those who do not see them */
        column += canvas_printf(canvas, row, column, 1, style, "%c", mark);
    if (box->width > 2)
        paint_function(model, canvas, row, column, box->column + box->width - column, style,
                       line == NULL ? "all" : line->call.name, 0);
}

static const char *flame_verdict(enum pprofil_diff_verdict verdict)
{
    return verdict == PPROFIL_DIFF_SIGNIFICANT ? ", significantly"
           : verdict == PPROFIL_DIFF_PART      ? ", as its function did"
                                               : ", maybe chance";
}

static void flame_put_status(const struct model *model, struct canvas *canvas, int row, const struct calls_box *box)
{
    const struct calls *calls = &model->calls;
    bool since = calls->whole || calls->filled == 0, all = box->row == CALLS_NONE;
    uint64_t ns = all ? calls->all_ns : calls->rows[box->row].call.total_ns;
    double share = all ? 1 : calls_share(calls, box->row);
    char figures[96];

    const struct pprofil_diff_call *change = all ? NULL : calls->rows[box->row].change;

    if (change != NULL)
        snprintf(figures, sizeof figures, "%.2f -> %.2f %%, %+.2f points%s", 100 * change->total_share[0],
                 100 * change->total_share[1], 100 * (change->total_share[1] - change->total_share[0]),
                 flame_verdict(change->verdict));
    else
        snprintf(figures, sizeof figures, "%.1f %% of %s, %.2f s", 100 * share, since ? "all" : "window",
                 (double)ns / 1e9);
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
    model->flame_levels = flame_scroll(model, selected, (uint32_t)rows - 1);
    for (uint32_t i = 0; i < calls->box_count; i++) {
        int64_t line = (int64_t)calls->boxes[i].level - model->flame_top;
        if (line >= 0 && line < rows - 1)
            flame_put_box(model, canvas, row + (int)line, &calls->boxes[i], i == selected);
    }
    flame_put_status(model, canvas, row + rows - 1, &calls->boxes[selected]);
    return row + rows;
}
