/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paints the picker: the processes that pprofil can attach to, and the other processes with the reason why it cannot
 * attach to them. */
#include "config.h"

#include "view.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "columns.h"

#define HEAD 3 /* number of lines above the titles */

/* A process in the list. The paint functions of the columns get a pointer to it as `row`. */
struct entry {
    const struct pprofil_candidate *process;
    double cpu;
};

static void picker_paint_mark(const struct pen *pen, const void *row)
{
    bool marked = marks_have(pen->model, ((const struct entry *)row)->process->pid);

    canvas_put(pen->canvas, pen->row, pen->column, pen->width, STYLE_HOT, marked ? "*" : "");
}

static void picker_paint_pid(const struct pen *pen, const void *row)
{
    pen_number(pen, pen->style, ((const struct entry *)row)->process->pid);
}

static void picker_paint_threads(const struct pen *pen, const void *row)
{
    pen_number(pen, pen->style, ((const struct entry *)row)->process->threads);
}

static void picker_paint_user(const struct pen *pen, const void *row)
{
    pen_text(pen, pen->style, ((const struct entry *)row)->process->user);
}

static void picker_paint_cpu(const struct pen *pen, const void *row)
{
    pen_per_cent(pen, pen->style, ((const struct entry *)row)->cpu, 1);
}

/* Returns the reason why pprofil cannot attach to a process. Leaves out its pid and its name,
 * because other columns of the line show them. */
static const char *picker_reason(const struct pprofil_candidate *process)
{
    char subject[64];
    int length = snprintf(subject, sizeof subject, "%" PRIu32 " (%s) ", process->pid, process->comm);

    if (strncmp(process->refused, subject, (size_t)length) != 0)
        return process->refused;
    const char *reason = process->refused + length;
    return strncmp(reason, "is ", 3) == 0 ? reason + 3 : reason;
}

static void picker_paint_command(const struct pen *pen, const void *row)
{
    const struct pprofil_candidate *process = ((const struct entry *)row)->process;
    char text[512];

    snprintf(text, sizeof text, "%s%s%s%s", process->command[0] != '\0' ? process->command : process->comm,
             process->refused[0] != '\0' ? " (" : "", picker_reason(process), process->refused[0] != '\0' ? ")" : "");
    paint_text(pen->canvas, pen->row, pen->column, pen->width, pen->style,
               &(struct paint_text){.text = text,
                                    .sideways = pen->model->sideways,
                                    .search = pen->model->prompt == PROMPT_FILTER ? pen->model->text
                                                                                  : NULL});
}

/* clang-format off */
static const struct column columns[] = {
    {"",        NULL,  NULL,  1,   0, 0, -1, COLUMN_TEXT,   picker_paint_mark},
    {"PID",     NULL,  NULL,  7,   0, 0, -1, COLUMN_FIGURE, picker_paint_pid},
    {"USER",    NULL,  NULL,  8,  16, 1, -1, COLUMN_TEXT,   picker_paint_user},
    {"CPU%",    NULL,  NULL,  6,   0, 0, -1, COLUMN_FIGURE, picker_paint_cpu},
    {"THREADS", NULL,  NULL,  7,   0, 2, -1, COLUMN_FIGURE, picker_paint_threads},
    {"COMMAND", NULL,  NULL, 14, 200, 0, -1, COLUMN_TEXT,   picker_paint_command},
    {0}};
/* clang-format on */

static void picker_put_question(const struct model *model, struct canvas *canvas, int row)
{
    const char *key = paint_key(KEY_IN_PICKER, ACTION_ENTER, 0);
    bool brief = canvas->columns < 70;

    if (model->marked_count > 0)
        canvas_printf(canvas, row, 0, -1, STYLE_LABEL,
                      brief ? "%s attaches to all marked"
                            : "Which processes? Type to narrow the list; %s attaches to all marked",
                      key);
    else
        canvas_printf(canvas, row, 0, -1, STYLE_LABEL,
                      brief ? "Which process? %s attaches"
                            : "Which process? Type to narrow the list; %s attaches to the one selected",
                      key);
}

static void picker_put_head(const struct model *model, struct canvas *canvas, int row)
{
    int column = canvas_put(canvas, row, 0, -1, STYLE_TITLE, "pprofil top") + 2;

    column += canvas_printf(canvas, row, column, -1, STYLE_LABEL, "%" PRIu32 " of %" PRIu32 " processes",
                            model->picked_count, model->candidate_count);
    if (model->marked_count > 0)
        canvas_printf(canvas, row, column, -1, STYLE_TITLE, ", %" PRIu32 " marked", model->marked_count);
    picker_put_question(model, canvas, row + 1);
    column = canvas_put(canvas, row + 2, 0, -1, STYLE_LABEL, "filter:") + 1;
    if (model->prompt != PROMPT_FILTER)
        return;
    column += canvas_put(canvas, row + 2, column, -1, STYLE_FIGURE, model->text);
    canvas->cursor_row = row + 2;
    canvas->cursor_column = column < canvas->columns ? column : canvas->columns - 1;
}

/* If pprofil cannot attach to the selected process, puts the reason on the line `row` above the
 * list, because the process's own line may not have room for it. */
static void picker_put_reason(const struct pprofil_candidate *process, struct canvas *canvas, int row)
{
    if (process->refused[0] == '\0')
        return;
    canvas_style(canvas, row, 0, -1, STYLE_PLAIN);
    canvas_printf(canvas, row, 0, canvas->columns, STYLE_PLAIN, "%*s", canvas->columns, "");
    paint_name(canvas, row, 0, -1, STYLE_WARNING, process->refused);
}

static void picker_put_line(const struct model *model, struct canvas *canvas,
                            const struct column_span *spans, int count, int row, uint32_t index)
{
    uint32_t which = model->picked[index];
    const struct pprofil_candidate *process = &model->candidates[which];
    struct entry entry = {process, model->candidate_cpu == NULL ? (double)NAN : model->candidate_cpu[which]};
    struct pen pen = {.canvas = canvas, .row = row, .model = model, .index = index};

    pen.style = process->refused[0] != '\0' ? STYLE_DIM : STYLE_PLAIN;
    columns_paint(spans, count, &pen, &entry);
}

int view_picker(struct model *model, struct canvas *canvas, int row, int rows)
{
    struct column_span spans[COLUMNS_MAX];
    int count = columns_layout(columns, canvas->columns, true, spans), list = row + HEAD + 1;

    model->header_row = 0;
    picker_put_head(model, canvas, row);
    columns_titles(spans, count, canvas, row + HEAD, -1, false);
    paint_list(model, list, rows - HEAD - 1);
    for (uint32_t i = 0; i < model->page_rows && model->top + i < model->picked_count; i++) {
        uint32_t index = model->top + i;
        picker_put_line(model, canvas, spans, count, list + (int)i, index);
        if (index != model->selected)
            continue;
        paint_selected(canvas, list + (int)i);
        picker_put_reason(&model->candidates[model->picked[index]], canvas, row + 1);
    }
    if (model->picked_count == 0)
        paint_words(canvas, list + 1, rows - HEAD - 2, STYLE_TITLE,
                    model->candidate_count == 0 ? "processes are being listed" : "no process has this in its name");
    return row + rows;
}
