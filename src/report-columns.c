/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The columns of reports, as a table. Each row of the table has a column's names and its places in CSV and JSON. In
 * text, the columns are in the order of the table. CSV and JSON have other orders, which programs may rely on.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/fit-name.h"
#include "base/utf8.h"
#include "report.h"

static void column_print_place(FILE *out, const struct pprofil_row *row)
{
    if (row->file[0] == '\0')
        return;
    fputc('(', out);
    utf8_print_harmless(out, row->file);
    if (row->line != 0)
        fprintf(out, ":%" PRIu32, row->line);
    fputc(')', out);
}

static void column_print_line(FILE *out, const struct pprofil_row *row)
{
    utf8_print_harmless(out, row->name);
    if (row->line != 0)
        fprintf(out, ":%" PRIu32, row->line);
}

#define AT(member) offsetof(struct pprofil_row, member)
#define BY(grouping) (1u << PPROFIL_BY_##grouping)
#define BY_ALL (BY(RANK) * 2 - 1)
#define BY_NONE 0
#define BY_CODE (BY(FUNCTION) | BY(LINE))
#define BY_TASK (BY(THREAD) | BY(PROCESS))
#define TOTAL REPORT_TOTAL
#define OPTIONAL REPORT_OPTIONAL
#define FLAT (REPORT_FLAT | REPORT_OPTIONAL)

/* clang-format off */
static const struct report_column columns[] = {
/*   {{name,           kind,         value},             csv json flags  shown by      wide  text */
    {{"share",         FIELD_REAL,   AT(share)},           1,  4,        0, BY_ALL,        6, .text = "self%"},
    {{"error95",       FIELD_REAL,   AT(error95)},         2,  5,        0, BY_ALL,        5, .text = "±95%",
     .ascii = "+-95%"},
    {{"ns",            FIELD_COUNT,  AT(ns)},              3,  3,        0, BY_ALL,        8, .text = "CPU s",
     .wall = "wall s"},
    {{"samples",       FIELD_COUNT,  AT(samples)},         4,  2,        0, BY_NONE,       0, .text = NULL},
    {{"total_share",   FIELD_REAL,   AT(total_share)},    11, 13,    TOTAL, BY_ALL,        6, .text = "total%"},
    {{"total_error95", FIELD_REAL,   AT(total_error95)},  12, 14,    TOTAL, BY_ALL,        5, .text = "±95%",
     .ascii = "+-95%"},
    {{"total_ns",      FIELD_COUNT,  AT(total_ns)},       13, 12,    TOTAL, BY_NONE,       0, .text = NULL},
    {{"total_samples", FIELD_COUNT,  AT(total_samples)},  14, 11,    TOTAL, BY_NONE,       0, .text = NULL},
    {{"pid",           FIELD_NUMBER, AT(pid)},             9,  9,     FLAT, BY_TASK,       7, .text = "pid"},
    {{"tid",           FIELD_NUMBER, AT(tid)},            10, 10,     FLAT, BY(THREAD),    7, .text = "tid"},
    {{"name",          FIELD_TEXT,   AT(name)},            5,  1,        0, BY(FUNCTION), 30, .text = "function"},
    {{"object",        FIELD_TEXT,   AT(object)},          6,  6, OPTIONAL, BY_CODE,      18, .text = "object"},
    {{"file",          FIELD_TEXT,   AT(file)},            7,  7, OPTIONAL, BY(FUNCTION),  0, .text = "(file:line)",
     .print = column_print_place},
    {{"line",          FIELD_NUMBER, AT(line)},            8,  8, OPTIONAL, BY(LINE),      0, .text = "file:line",
     .print = column_print_line},
    /* the columns below are only in text: they show the name of a row at the end of its line, under
     * a heading that names the grouping */
    {{NULL,            FIELD_TEXT,   AT(name)},            0,  0,        0, BY(OBJECT),    0, .text = "object"},
    {{NULL,            FIELD_TEXT,   AT(name)},            0,  0,        0, BY(THREAD),    0, .text = "thread"},
    {{NULL,            FIELD_TEXT,   AT(name)},            0,  0,        0, BY(PROCESS),   0, .text = "process"},
    {{NULL,            FIELD_TEXT,   AT(name)},            0,  0,        0, BY(SYSCALL),   0, .text = "system call"},
    {{NULL,            FIELD_TEXT,   AT(name)},            0,  0,        0, BY(STATE),     0, .text = "state"},
    {{NULL,            FIELD_TEXT,   AT(name)},            0,  0,        0, BY(WAIT),      0, .text = "waits for"},
    {{NULL,            FIELD_TEXT,   AT(name)},            0,  0,        0, BY(PROGRAM),   0, .text = "program"},
    {{NULL,            FIELD_TEXT,   AT(name)},            0,  0,        0, BY(HOST),      0, .text = "host"},
    {{NULL,            FIELD_TEXT,   AT(name)},            0,  0,        0, BY(JOB),       0, .text = "job"},
    {{NULL,            FIELD_TEXT,   AT(name)},            0,  0,        0, BY(RANK),      0, .text = "rank"},
};
/* clang-format on */
#define COLUMNS (sizeof columns / sizeof *columns)
#define GAP "  " /* between two columns of text */

/* --- CSV and JSON ------------------------------------------------------------------------ */

static const struct report_column *column_at(unsigned place, bool json)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if ((json ? columns[i].json : columns[i].csv) == place)
            return &columns[i];
    return NULL;
}

static bool column_is_shown(const struct report_column *column, bool totals, bool tree)
{
    return (totals || !(column->flags & REPORT_TOTAL)) && !(tree && column->flags & REPORT_FLAT);
}

/* Returns true if the value of an optional column is not known, or does not exist in this row. */
static bool column_is_empty(const struct report_column *column, const struct pprofil_row *row)
{
    const struct field *field = &column->field;

    return column->flags & REPORT_OPTIONAL &&
           (field->kind == FIELD_TEXT ? field_text(field, row)[0] == '\0' : field_count(field, row, 0) == 0);
}

void report_columns_csv(FILE *out, const struct pprofil_row *row, bool totals, bool tree)
{
    const struct report_column *column;

    for (unsigned place = 1; (column = column_at(place, false)) != NULL; place++) {
        if (!column_is_shown(column, totals, tree))
            continue;
        fputs(place > 1 ? "," : "", out);
        if (row == NULL)
            fputs(column->field.name, out);
        else if (!column_is_empty(column, row))
            field_print_csv(out, &column->field, row, 0);
    }
}

json_t *report_columns_json(const struct pprofil_row *row, bool totals, bool tree)
{
    const struct report_column *column;
    json_t *object = json_object();
    int error = 0;

    for (unsigned place = 1; error == 0 && (column = column_at(place, true)) != NULL; place++)
        if (column_is_shown(column, totals, tree) && !column_is_empty(column, row))
            error = field_add_json(object, &column->field, row, 0);
    if (error == 0)
        return object;
    json_decref(object);
    return NULL;
}

/* --- text -------------------------------------------------------------------------------- */

static void print_spaces(FILE *out, size_t from, size_t to)
{
    for (; from < to; from++)
        fputc(' ', out);
}

/* Returns the width of a column in text. */
static size_t column_width(const struct report_column *column, const struct report_layout *layout)
{
    if (column->field.offset == AT(name) && column->width > 0)
        return layout->name;
    return column->field.offset == AT(object) ? layout->object : column->width;
}

static void column_print_heading(FILE *out, const struct report_column *column, bool wall, bool utf8,
                                 const struct report_layout *layout)
{
    const char *text = column->text;

    if (wall && column->wall != NULL)
        text = column->wall;
    else if (!utf8 && column->ascii != NULL)
        text = column->ascii;
    if (column->field.kind != FIELD_TEXT)
        print_spaces(out, fit_width(text), column->width);
    fputs(text, out);
    if (column->field.kind == FIELD_TEXT)
        print_spaces(out, fit_width(text), column_width(column, layout));
}

/* Prints one value of a row in the text form of a report. Shares are in per cent, and times in seconds. */
static void column_print_cell(FILE *out, const struct report_column *column, const struct pprofil_row *row,
                              const struct report_layout *layout)
{
    const struct field *field = &column->field;
    int width = (int)column->width;

    if (column->print != NULL) {
        column->print(out, row);
    } else if (field->kind == FIELD_TEXT) {
        utf8_print_harmless(out, field_text(field, row));
        print_spaces(out, fit_width(field_text(field, row)), column_width(column, layout));
    } else if (field->kind == FIELD_REAL) {
        fprintf(out, "%*.2f", width, 100 * field_real(field, row, 0));
    } else if (field->kind == FIELD_COUNT) {
        fprintf(out, "%*.3f", width, (double)field_count(field, row, 0) / 1e9);
    } else {
        fprintf(out, "%*" PRIu64, width, field_count(field, row, 0));
    }
}

size_t report_columns_figures(enum pprofil_by by, bool totals)
{
    size_t width = 0;

    for (size_t i = 0; i < COLUMNS; i++)
        if ((columns[i].by & 1u << by) && column_is_shown(&columns[i], totals, false) &&
            columns[i].field.kind != FIELD_TEXT && columns[i].print == NULL)
            width += columns[i].width + sizeof GAP - 1;
    return width;
}

void report_columns_text(FILE *out, const struct pprofil_row *row, enum pprofil_by by, bool totals, bool wall,
                         const struct report_layout *layout)
{
    const char *gap = "";

    for (size_t i = 0; i < COLUMNS; i++) {
        const struct report_column *column = &columns[i];
        if (!(column->by & 1u << by) || !column_is_shown(column, totals, false))
            continue;
        if (column->print == column_print_place && layout->place == 0)
            continue;
        fputs(gap, out);
        if (row == NULL)
            column_print_heading(out, column, wall, layout->utf8, layout);
        else
            column_print_cell(out, column, row, layout);
        gap = GAP;
    }
}
