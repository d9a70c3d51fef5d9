/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paints what differs between two profiles: the header and the columns of the tables. Words, marks and colours are
 * those of pprofil diff.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "columns.h"
#include "diff-words.h"
#include "view.h"

#define LOW_ROWS 16 /* screens with fewer rows do not show how much each profile has */

/* --- the header ---------------------------------------------------------------------------- */

/* Puts the names of both files. If they do not fit, their beginnings are cut off. */
static void diff_put_paths(const struct model *model, struct canvas *canvas, int row, int column)
{
    static const char arrow[] = " -> ";
    int room = canvas->columns - column - (int)(sizeof arrow - 1);
    int old = characters_width(model->paths[0], canvas->columns);
    int new = characters_width(model->paths[1], canvas->columns);

    if (old + new > room) {
        int half = room / 2;
        old = old < half ? old : new < room - half ? room - new : half;
    }
    column += paint_text(canvas, row, column, old, STYLE_TITLE,
                         &(struct paint_text){.text = model->paths[0], .tail = true});
    column += canvas_put(canvas, row, column, -1, STYLE_LABEL, arrow);
    paint_text(canvas, row, column, -1, STYLE_TITLE, &(struct paint_text){.text = model->paths[1], .tail = true});
}

/* Puts how much a profile has, and its command. */
static void diff_put_side(const struct model *model, struct canvas *canvas, int row, int column, int side)
{
    char text[256];

    diff_words_side(side == 0 ? "old" : "new", &model->now.comparison.of[side], text, sizeof text);
    column += canvas_put(canvas, row, column, -1, STYLE_FIGURE, text);
    if (model->commands[side][0] == '\0')
        return;
    column += canvas_put(canvas, row, column, -1, STYLE_FIGURE, ": ");
    paint_name(canvas, row, column, -1, STYLE_FIGURE, model->commands[side]);
}

static void diff_put_verdict(const struct model *model, struct canvas *canvas, int row, int column)
{
    enum pprofil_by by = model->page == PAGE_TABLE ? model->view : PPROFIL_BY_FUNCTION;
    char text[512], *rows;

    diff_words_verdict(&model->now.comparison.by[by], PPROFIL_DIFF_SHARE, by, text, sizeof text);
    rows = strstr(text, "; ");
    bool fits = characters_width(text, canvas->columns + 1) <= canvas->columns - column;
    /* on a narrow screen, what is said of the rows matters more than what is said of the whole */
    canvas_put(canvas, row, column, -1, STYLE_TITLE, fits || rows == NULL ? text : rows + 2);
}

int view_diff_header(const struct model *model, struct canvas *canvas, int row)
{
    int column = canvas->columns >= 60 ? canvas_put(canvas, row, 0, -1, STYLE_LABEL, "pprofil diff:") + 1 : 0;

    diff_put_paths(model, canvas, row++, column);
    if (!model->have_snapshot)
        return row;
    for (int side = 0; canvas->rows >= LOW_ROWS && side < 2; side++)
        diff_put_side(model, canvas, row++, 0, side);
    diff_put_verdict(model, canvas, row++, 0);
    return view_filter_line(model, canvas, row);
}

void view_diff_frame_head(const struct model *model, struct canvas *canvas)
{
    int column = canvas_put(canvas, 0, 0, -1, STYLE_TITLE, "# pprofil diff: ");

    diff_put_paths(model, canvas, 0, column);
    for (int side = 0; side < 2; side++)
        diff_put_side(model, canvas, 1 + side, canvas_put(canvas, 1 + side, 0, -1, STYLE_PLAIN, "# "), side);
    diff_put_verdict(model, canvas, 3, canvas_put(canvas, 3, 0, -1, STYLE_PLAIN, "# "));
}

/* --- cells --------------------------------------------------------------------------------- */

static enum style diff_change_style(const struct pprofil_change *change)
{
    if (!change->significant)
        return STYLE_PLAIN;
    return change->change > 0 ? STYLE_MORE : STYLE_LESS;
}

enum style view_diff_style(const struct pprofil_diff_row *row)
{
    return diff_change_style(row->self.significant ? &row->self : &row->total);
}

char view_diff_mark(const struct pprofil_diff_call *call)
{
    if (call->verdict != PPROFIL_DIFF_SIGNIFICANT)
        return ' ';
    return call->total_share[1] > call->total_share[0] ? '+' : '-';
}

static const struct pprofil_change *diff_self(const void *row)
{
    return &((const struct table_row *)row)->change->self;
}

static const struct pprofil_change *diff_total(const void *row)
{
    return &((const struct table_row *)row)->change->total;
}

static void diff_put_mark(const struct pen *pen, const struct pprofil_change *change)
{
    const char *mark = !change->significant ? "" : change->change > 0 ? "+" : "-";

    canvas_put(pen->canvas, pen->row, pen->column, pen->width, diff_change_style(change), mark);
}

static void diff_put_points(const struct pen *pen, const struct pprofil_change *change)
{
    char text[32];

    snprintf(text, sizeof text, "%+.2f", 100 * (change->share[1] - change->share[0]));
    canvas_put_right(pen->canvas, pen->row, pen->column, pen->width, diff_change_style(change), text);
}

static void diff_paint_mark(const struct pen *pen, const void *row)
{
    diff_put_mark(pen, diff_self(row));
}

static void diff_paint_old(const struct pen *pen, const void *row)
{
    pen_per_cent(pen, pen->style, diff_self(row)->share[0], 2);
}

static void diff_paint_new(const struct pen *pen, const void *row)
{
    pen_per_cent(pen, pen->style, diff_self(row)->share[1], 2);
}

static void diff_paint_points(const struct pen *pen, const void *row)
{
    diff_put_points(pen, diff_self(row));
}

static void diff_paint_interval(const struct pen *pen, const void *row)
{
    const struct pprofil_change *change = diff_self(row);
    char text[48];

    if (!isfinite(change->low) || !isfinite(change->high))
        return;
    snprintf(text, sizeof text, "%+.2f..%+.2f", 100 * change->low, 100 * change->high);
    canvas_put_right(pen->canvas, pen->row, pen->column, pen->width, STYLE_DIM, text);
}

static void diff_paint_total_mark(const struct pen *pen, const void *row)
{
    diff_put_mark(pen, diff_total(row));
}

static void diff_paint_total_old(const struct pen *pen, const void *row)
{
    pen_per_cent(pen, pen->style, diff_total(row)->share[0], 2);
}

static void diff_paint_total_new(const struct pen *pen, const void *row)
{
    pen_per_cent(pen, pen->style, diff_total(row)->share[1], 2);
}

static void diff_paint_total_points(const struct pen *pen, const void *row)
{
    diff_put_points(pen, diff_total(row));
}

/* Writes what an object was called and is called, or in which profile alone it is. */
static void diff_paint_object(const struct pen *pen, const void *row)
{
    const char *const *object = ((const struct table_row *)row)->change->object;
    bool both = object[0][0] != '\0' && object[1][0] != '\0';
    char text[1024];

    if (both && strcmp(object[0], object[1]) != 0)
        snprintf(text, sizeof text, "%s -> %s", object[0], object[1]);
    else if (both)
        snprintf(text, sizeof text, "%s", object[1]);
    else
        snprintf(text, sizeof text, "%s (%s)", object[object[0][0] == '\0'], object[0][0] == '\0' ? "new" : "old");
    pen_text(pen, STYLE_DIM, text);
}

/* --- the columns of each view ---------------------------------------------------------------- */

#define NONE (-1)
/* clang-format off */
/*                  title      ascii wall least most prio sort                   kind           paint */
#define SELF       {"",         NULL, NULL,  1,  0, 0, NONE,                  COLUMN_TEXT,   diff_paint_mark}, \
                   {"old%",     NULL, NULL,  6,  0, 0, TABLE_BY_OLD,          COLUMN_FIGURE, diff_paint_old}, \
                   {"new%",     NULL, NULL,  6,  0, 0, TABLE_BY_TOTAL,        COLUMN_FIGURE, diff_paint_new}, \
                   {"points",   NULL, NULL,  7,  0, 0, TABLE_BY_CHANGE,       COLUMN_FIGURE, diff_paint_points}, \
                   {"95% of points", NULL, NULL, 16, 0, 5, NONE,              COLUMN_FIGURE, diff_paint_interval}
#define TOTALS     {"",         NULL, NULL,  1,  0, 2, NONE,                  COLUMN_TEXT,   diff_paint_total_mark}, \
                   {"old tot%", NULL, NULL,  8,  0, 4, NONE,                  COLUMN_FIGURE, diff_paint_total_old}, \
                   {"new tot%", NULL, NULL,  8,  0, 3, NONE,                  COLUMN_FIGURE, diff_paint_total_new}, \
                   {"points",   NULL, NULL,  7,  0, 2, TABLE_BY_TOTAL_CHANGE, COLUMN_FIGURE, diff_paint_total_points}
#define NAME(title) {title,     NULL, NULL, 22, 80, 0, TABLE_BY_NAME,         COLUMN_TEXT,   view_paint_name}
#define LINE       {"file:line", NULL, NULL, 22, 60, 0, TABLE_BY_NAME,        COLUMN_TEXT,   view_paint_line}
#define OBJECT     {"object",   NULL, NULL, 10, 36, 1, TABLE_BY_OBJECT,       COLUMN_TEXT,   diff_paint_object}
#define RENAMED    {"object",   NULL, NULL, 22, 80, 0, TABLE_BY_NAME,         COLUMN_TEXT,   diff_paint_object}

static const struct column by_function[] = {SELF, NAME("function"), OBJECT, {0}};
static const struct column by_called_function[] = {SELF, TOTALS, NAME("function"), OBJECT, {0}};
static const struct column by_object[] = {SELF, RENAMED, {0}};
static const struct column by_called_object[] = {SELF, TOTALS, RENAMED, {0}};
static const struct column by_line[] = {SELF, LINE, OBJECT, {0}};
static const struct column by_called_line[] = {SELF, TOTALS, LINE, OBJECT, {0}};
static const struct column by_thread[] = {SELF, NAME("thread"), {0}};
static const struct column by_process[] = {SELF, NAME("process"), {0}};
static const struct column by_syscall[] = {SELF, NAME("system call"), {0}};
static const struct column by_state[] = {SELF, NAME("state"), {0}};
static const struct column by_wait[] = {SELF, NAME("waits for"), {0}};
/* clang-format on */

const struct column *view_diff_columns(const struct model *model)
{
    static const struct column *const columns[SNAPSHOT_GROUPINGS][2] = {
        [PPROFIL_BY_FUNCTION] = {by_function, by_called_function},
        [PPROFIL_BY_OBJECT] = {by_object, by_called_object},
        [PPROFIL_BY_LINE] = {by_line, by_called_line},
        [PPROFIL_BY_THREAD] = {by_thread, by_thread},
        [PPROFIL_BY_PROCESS] = {by_process, by_process},
        [PPROFIL_BY_SYSCALL] = {by_syscall, by_syscall},
        [PPROFIL_BY_STATE] = {by_state, by_state},
        [PPROFIL_BY_WAIT] = {by_wait, by_wait},
    };

    return columns[model->view][model->stacks];
}
