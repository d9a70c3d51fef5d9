/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of a call tree: shares, and names behind as many blanks as there are branches above. */
#include "config.h"

#include "view.h"

#include <stdio.h>

#include "phrases.h"
#include "view-paint.h"

#define FOR_SELF 60   /* columns of a screen that has room for a row's own share */
#define FOR_OBJECT 100
#define OBJECT_WIDTH 24
#define INDENT_MAX 40 /* levels */
#define SHARE_WIDTH 6

static void put_titles(const struct model *model, struct canvas *canvas, int row)
{
    const struct calls *calls = &model->calls;
    bool since = calls->whole || calls->filled == 0;
    int column = 0;

    canvas_style(canvas, row, 0, -1, STYLE_HEADER);
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
                                calls->kind == PPROFIL_TREE_CALLERS ? "callers" : "callees",
                                model->calls_name);
    if (canvas->columns >= FOR_OBJECT && column < canvas->columns - OBJECT_WIDTH)
        canvas_put(canvas, row, canvas->columns - OBJECT_WIDTH, -1, STYLE_HEADER, "object");
}

/* Levels without a choice are no further in: stacks are deep and screens are not wide. */
static unsigned indent_of(const struct calls *calls, uint32_t row)
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

static const char *mark_of(const struct calls_row *row, bool utf8)
{
    if (row->child == CALLS_NONE)
        return "  ";
    if (row->open)
        return utf8 ? "▾ " : "- ";
    return utf8 ? "▸ " : "+ ";
}

static void put_line(const struct model *model, struct canvas *canvas, int row, uint32_t index)
{
    const struct calls *calls = &model->calls;
    const struct calls_row *line = &calls->rows[index];
    double share = calls_share(calls, index);
    enum style style = line->call.pending ? STYLE_DIM : paint_heat(share);
    bool objects = canvas->columns >= FOR_OBJECT;
    int end = canvas->columns - (objects ? OBJECT_WIDTH + 1 : 0), column = 0;

    paint_per_cent(canvas, row, column, SHARE_WIDTH, style, share, 1);
    column += SHARE_WIDTH + 1;
    if (canvas->columns >= FOR_SELF) {
        paint_per_cent(canvas, row, column, SHARE_WIDTH, STYLE_DIM, calls_self(calls, index), 1);
        column += SHARE_WIDTH + 1;
    }
    unsigned indent = indent_of(calls, index);
    int most = (end - column) / 2;
    column += (int)indent * 2 > most ? most : (int)indent * 2;
    column += canvas_put(canvas, row, column, -1, STYLE_DIM, mark_of(line, canvas->utf8));
    column += paint_text(canvas, row, column, end - column - line->call.pending, style,
                         &(struct paint_text){.text = line->call.name, .search = model->search});
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
    put_titles(model, canvas, row);
    paint_list(model, row + 1, rows - 1);
    if (calls->line_count == 0) {
        phrase_calls(model, words, sizeof words);
        paint_words(canvas, row + 2, rows - 2, STYLE_TITLE, words);
    }
    for (uint32_t i = 0; i < model->page_rows && model->top + i < calls->line_count; i++) {
        put_line(model, canvas, row + 1 + (int)i, calls->lines[model->top + i]);
        if (model->top + i == model->selected)
            paint_selected(canvas, row + 1 + (int)i);
    }
    return row + rows;
}
