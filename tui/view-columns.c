/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The columns of the tables. An entry has a column's title, its least and greatest width, its
 * priority, the order that a click on the title selects, and a function that paints a cell.
 */
#include "config.h"

#include "columns.h"

#include <inttypes.h>
#include <math.h>

#include "view.h"

#define LOW_HISTORY 0.1F /* a bar of the full height stands for this share, or for a larger one */

/* Paints the smoothed share. After a window without samples the previous share stays, in a dim style. In the batch mode
 * "-" is painted instead, because each frame shows only its own window. */
static void table_paint_window(const struct pen *pen, const void *row)
{
    const struct table *table = pen->table;
    bool known = table->filled > 0 && !(table->empty && table->unsmoothed);

    pen_per_cent(pen, table->empty ? STYLE_DIM : pen->style,
                 known ? ((const struct table_row *)row)->smooth_share : (double)NAN, 1);
}

static void table_paint_window_error(const struct pen *pen, const void *row)
{
    const struct table_row *line = row;

    pen_per_cent(pen, STYLE_DIM, pen->table->windows > 0 ? line->window_error95 : (double)NAN, 1);
}

/* Paints the share of the function including all its callees. */
static void table_paint_inclusive(const struct pen *pen, const void *row)
{
    const struct table_row *line = row;
    const struct table *table = pen->table;

    pen_per_cent(pen, table->empty ? STYLE_DIM : pen->style,
                 table->filled > 0 ? line->smooth_inclusive : (double)NAN, 1);
}

static void table_paint_total(const struct pen *pen, const void *row)
{
    pen_per_cent(pen, pen->style, ((const struct table_row *)row)->total.share, 2);
}

static void table_paint_error(const struct pen *pen, const void *row)
{
    pen_per_cent(pen, STYLE_DIM, ((const struct table_row *)row)->total.error95, 2);
}

static void table_paint_seconds(const struct pen *pen, const void *row)
{
    double seconds = (double)((const struct table_row *)row)->total.ns / 1e9;
    char text[32];

    snprintf(text, sizeof text, "%.*f", seconds < 1000 ? 3 : 0, seconds);
    canvas_put_right(pen->canvas, pen->row, pen->column, pen->width, STYLE_FIGURE, text);
}

/* Paints the use of CPUs in per cent of one CPU. For a thread, larger values than 100 % become 100 %. There are such
 * values because the first measurement of a sleeping thread may include CPU time from before the window. */
static void table_paint_cpu(const struct pen *pen, const void *row)
{
    const struct table *table = pen->table;
    const struct table_row *line = row;
    double cpus = table->empty ? 0 : line->smooth_cpus;

    if (line->total.tid != 0)
        cpus = fmin(cpus, 1);
    pen_per_cent(pen, pen->style, table->windows > 0 ? cpus : (double)NAN, 1);
}

/* Paints a bar for each of the row's shares in the last windows. The largest of these shares has a
 * bar of the full height, because other columns show the share as a number. But if all these shares
 * are below LOW_HISTORY, the full height stands for LOW_HISTORY, so that noise stays low. */
static void table_paint_history(const struct pen *pen, const void *row)
{
    const float *history = ((const struct table_row *)row)->history;
    float highest = LOW_HISTORY;

    for (int i = 0; i < TABLE_WINDOWS; i++)
        if (history[i] > highest)
            highest = history[i];
    canvas_spark(pen->canvas, pen->row, pen->column, pen->width, STYLE_SPARK, history, TABLE_WINDOWS, (double)highest);
}

static void table_paint_pid(const struct pen *pen, const void *row)
{
    pen_number(pen, STYLE_FIGURE, ((const struct table_row *)row)->total.pid);
}

static void table_paint_tid(const struct pen *pen, const void *row)
{
    pen_number(pen, STYLE_FIGURE, ((const struct table_row *)row)->total.tid);
}

/* --- names ----------------------------------------------------------------------------- */

void view_paint_name(const struct pen *pen, const void *row)
{
    const struct table_row *line = row;

    pen_row_name(pen, line, false, pen->column, line->total.name);
}

static void table_paint_path(const struct pen *pen, const void *row)
{
    const struct table_row *line = row;

    pen_row_name(pen, line, true, pen->column, line->total.name);
}

static void table_put_place(const struct pen *pen, enum style style, const char *file, uint32_t line,
                            const char *search)
{
    char text[4096];

    if (line == 0)
        snprintf(text, sizeof text, "%s", file);
    else
        snprintf(text, sizeof text, "%s:%" PRIu32, file, line);
    paint_text(pen->canvas, pen->row, pen->column, pen->width, style,
               &(struct paint_text){.text = text,
                                    .tail = true,
                                    .search = search,
                                    .sideways = search == NULL ? 0 : pen->model->sideways});
}

void view_paint_line(const struct pen *pen, const void *row)
{
    const struct table_row *line = row;

    if (line->total.pending)
        pen_row_name(pen, line, true, pen->column, line->total.name);
    else
        table_put_place(pen, pen->style, line->total.name, line->total.line, pen->model->search);
}

static void table_paint_place(const struct pen *pen, const void *row)
{
    const struct table_row *line = row;

    table_put_place(pen, STYLE_DIM, line->total.file, line->total.line, NULL);
}

static void table_paint_object(const struct pen *pen, const void *row)
{
    pen_text(pen, STYLE_DIM, ((const struct table_row *)row)->total.object);
}

static void table_paint_hottest(const struct pen *pen, const void *row)
{
    const char *hottest = ((const struct table_row *)row)->total.hottest;

    paint_text(pen->canvas, pen->row, pen->column, pen->width, STYLE_DIM,
               &(struct paint_text){.text = hottest == NULL ? "" : hottest,
                                    .sideways = pen->model->sideways});
}

/* --- the columns of each view ---------------------------------------------------------- */

#define NONE (-1)
#define FIGURE COLUMN_FIGURE
#define TEXT COLUMN_TEXT
#define PICTURE COLUMN_PICTURE
/* clang-format off */
/*       title     ascii     wall      least most prio sort             kind     paint */
#define WINDOW {"win%",   NULL,     NULL,     6,  0, 0, TABLE_BY_WINDOW, FIGURE, table_paint_window}
#define WINDOW_ERROR \
               {"±95%",   "+-95%",  NULL,     5,  0, 9, NONE,            FIGURE, table_paint_window_error}
#define TOTAL  {"total%", NULL,     NULL,     6,  0, 1, TABLE_BY_TOTAL,  FIGURE, table_paint_total}
#define ERROR  {"±95%",   "+-95%",  NULL,     5,  0, 5, NONE,            FIGURE, table_paint_error}
#define SECONDS {"CPU s", NULL,     "wall s", 8,  0, 4, TABLE_BY_TOTAL,  FIGURE, table_paint_seconds}
#define CPU    {"CPU%",   NULL,     "wall%",  6,  0, 0, TABLE_BY_WINDOW, FIGURE, table_paint_cpu}
#define HISTORY {"history", NULL,   NULL,     8, 30, 6, NONE,            PICTURE, table_paint_history}
#define OBJECT {"object", NULL,     NULL,    10, 24, 2, TABLE_BY_OBJECT, TEXT,    table_paint_object}
#define PID    {"PID",    NULL,     NULL,     7,  0, 7, TABLE_BY_PID,    FIGURE, table_paint_pid}
#define HOTTEST {"hottest", NULL, NULL, 14, 40, 2, NONE,        TEXT,    table_paint_hottest}
#define SHARES WINDOW, WINDOW_ERROR, TOTAL, ERROR, SECONDS, HISTORY

/* In a saved profile there are no windows: columns of the window and of the present state are left out. */
#define SAVED_TOTAL {"self%", NULL, NULL, 6, 0, 0, TABLE_BY_WINDOW, FIGURE, table_paint_total}
#define SAVED_ERROR {"±95%", "+-95%", NULL, 5, 0, 3, NONE, FIGURE, table_paint_error}
#define SAVED_SHARES SAVED_TOTAL, SAVED_ERROR, SECONDS, HISTORY
static const struct column saved_by_function[] = {
    SAVED_SHARES,
    {"function",  NULL, NULL, 22, 60, 0, TABLE_BY_NAME, TEXT,   view_paint_name}, OBJECT,
    {"file:line", NULL, NULL, 14, 40, 7, NONE,          TEXT,   table_paint_place}, {0}};
static const struct column saved_by_called_function[] = {
    SAVED_TOTAL, SAVED_ERROR,
    {"total%",    NULL, NULL,  6,  0, 1, TABLE_BY_INCLUSIVE, FIGURE, table_paint_inclusive}, SECONDS, HISTORY,
    {"function",  NULL, NULL, 22, 60, 0, TABLE_BY_NAME, TEXT,   view_paint_name}, OBJECT,
    {"file:line", NULL, NULL, 14, 40, 7, NONE,          TEXT,   table_paint_place}, {0}};
static const struct column saved_by_object[] = {
    SAVED_SHARES, {"object", NULL, NULL, 22, 80, 0, TABLE_BY_NAME, TEXT, table_paint_path}, {0}};
static const struct column saved_by_line[] = {
    SAVED_SHARES,
    {"file:line", NULL, NULL, 22, 80, 0, TABLE_BY_NAME, TEXT,   view_paint_line}, OBJECT, {0}};
static const struct column saved_by_thread[] = {
    SAVED_SHARES, PID, {"TID", NULL, NULL, 7, 0, 1, TABLE_BY_PID, FIGURE, table_paint_tid},
    {"thread",    NULL, NULL, 10, 16, 0, TABLE_BY_NAME, TEXT,   view_paint_name}, HOTTEST, {0}};
static const struct column saved_by_process[] = {
    SAVED_SHARES, {"PID", NULL, NULL, 7, 0, 0, TABLE_BY_PID, FIGURE, table_paint_pid},
    {"status",    NULL, NULL, 10,  0, 2, NONE,          TEXT,   view_paint_status},
    {"process",   NULL, NULL, 14, 60, 0, TABLE_BY_NAME, TEXT,   view_paint_process}, HOTTEST, {0}};
static const struct column saved_by_state[] = {
    SAVED_SHARES, {"state", NULL, NULL, 17, 80, 0, TABLE_BY_NAME, TEXT, view_paint_name}, {0}};
static const struct column saved_by_wait[] = {
    SAVED_SHARES, {"waits for", NULL, NULL, 17, 200, 0, TABLE_BY_NAME, TEXT, view_paint_name}, {0}};
static const struct column saved_by_syscall[] = {
    SAVED_SHARES, {"system call", NULL, NULL, 16, 80, 0, TABLE_BY_NAME, TEXT, view_paint_name}, {0}};

static const struct column by_function[] = {
    SHARES,
    {"function",  NULL, NULL, 22, 60, 0, TABLE_BY_NAME, TEXT,   view_paint_name}, OBJECT,
    {"file:line", NULL, NULL, 14, 40, 7, NONE,          TEXT,   table_paint_place}, {0}};
/* The columns of the view of functions if there are stacks. */
static const struct column by_called_function[] = {
    WINDOW, WINDOW_ERROR,
    {"calls%",    NULL, NULL,  6,  0, 1, TABLE_BY_INCLUSIVE, FIGURE, table_paint_inclusive},
    {"total%",    NULL, NULL,  6,  0, 3, TABLE_BY_TOTAL, FIGURE, table_paint_total},
    ERROR, SECONDS, HISTORY,
    {"function",  NULL, NULL, 22, 60, 0, TABLE_BY_NAME, TEXT,   view_paint_name}, OBJECT,
    {"file:line", NULL, NULL, 14, 40, 7, NONE,          TEXT,   table_paint_place}, {0}};
static const struct column by_object[] = {
    SHARES, {"object", NULL, NULL, 22, 80, 0, TABLE_BY_NAME, TEXT,   table_paint_path}, {0}};
static const struct column by_line[] = {
    SHARES,
    {"file:line", NULL, NULL, 22, 80, 0, TABLE_BY_NAME, TEXT,   view_paint_line}, OBJECT, {0}};
static const struct column by_thread[] = {
    CPU, {"total%", NULL, NULL, 6, 0, 6, TABLE_BY_TOTAL, FIGURE, table_paint_total},
    HISTORY, PID, {"TID", NULL, NULL, 7, 0, 1, TABLE_BY_PID, FIGURE, table_paint_tid},
    {"S",         NULL, NULL,  1,  0, 0, NONE,          TEXT,   view_paint_state},
    {"thread",    NULL, NULL, 10, 16, 0, TABLE_BY_NAME, TEXT,   view_paint_name}, HOTTEST,
    {"asleep in", NULL, NULL, 12, 20, 3, NONE,          TEXT,   view_paint_sleeps_in}, {0}};
static const struct column by_process[] = {
    CPU, {"total%", NULL, NULL, 6, 0, 3, TABLE_BY_TOTAL, FIGURE, table_paint_total}, SECONDS, HISTORY,
    {"PID",       NULL, NULL,  7,  0, 0, TABLE_BY_PID,  FIGURE, table_paint_pid},
    {"status",    NULL, NULL, 10,  0, 1, NONE,          TEXT,   view_paint_status},
    {"process",   NULL, NULL, 14, 60, 0, TABLE_BY_NAME, TEXT,   view_paint_process}, HOTTEST, {0}};
static const struct column by_state[] = {
    SHARES, {"state", NULL, NULL, 17, 80, 0, TABLE_BY_NAME, TEXT, view_paint_name}, {0}};
static const struct column by_wait[] = {
    SHARES, {"waits for", NULL, NULL, 17, 200, 0, TABLE_BY_NAME, TEXT, view_paint_name}, {0}};
static const struct column by_syscall[] = {
    SHARES, {"in it", NULL, NULL, 6, 0, 2, NONE, FIGURE, view_paint_in_call},
    {"system call", NULL, NULL, 16, 80, 0, TABLE_BY_NAME, TEXT,   view_paint_name}, {0}};
/* clang-format on */

const struct column *view_columns(const struct model *model)
{
    static const struct column *const columns[SNAPSHOT_GROUPINGS][2] = {
        [PPROFIL_BY_FUNCTION] = {by_function, saved_by_function},
        [PPROFIL_BY_OBJECT] = {by_object, saved_by_object},
        [PPROFIL_BY_LINE] = {by_line, saved_by_line},
        [PPROFIL_BY_THREAD] = {by_thread, saved_by_thread},
        [PPROFIL_BY_PROCESS] = {by_process, saved_by_process},
        [PPROFIL_BY_SYSCALL] = {by_syscall, saved_by_syscall},
        [PPROFIL_BY_STATE] = {by_state, saved_by_state},
        [PPROFIL_BY_WAIT] = {by_wait, saved_by_wait},
    };

    if (model->compares)
        return view_diff_columns(model);
    if (model->stacks && model->view == PPROFIL_BY_FUNCTION)
        return model->saved ? saved_by_called_function : by_called_function;
    return columns[model->view][model->saved];
}
