/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paints the code of a function: source lines, each followed by its instructions, with their shares of the function's
 * time. The count of a source line is the sum of the counts of its instructions. So the function's time is the sum over
 * the instructions alone, or over the source lines if there are no instructions.
 */
#include "config.h"

#include "base/path.h"
#include "view.h"

#include <errno.h>
#include <inttypes.h>


#define SHARE_WIDTH 6
#define SAMPLES_WIDTH 8
#define BOTH_WIDTH 16 /* of the samples of two profiles */
#define LINE_WIDTH 6
#define FILE_WIDTH 22
#define NAME_WIDTH_MIN 8
#define INDENT 2       /* indent of instructions, in columns */
#define FOR_SAMPLES 80 /* least width of a screen that shows samples */
#define FOR_FILES 110  /* least width of a screen that shows file names */

/* The time of the function, ns. */
struct code_whole {
    uint64_t now, old; /* `old`: in the old profile, if two are compared */
};

static struct code_whole code_whole(const struct snapshot *now)
{
    uint64_t instructions = 0, lines = 0;
    struct code_whole whole = {0};

    for (uint32_t i = 0; i < now->code_count; i++) {
        *(now->code[i].source ? &lines : &instructions) += now->code[i].ns;
        whole.old += now->code_old != NULL ? now->code_old[i].ns : 0;
    }
    whole.now = instructions > 0 ? instructions : lines;
    return whole;
}

static double code_share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

/* Puts the shares of a row in both profiles: parts of the function's time in each of them. */
static int code_put_both(const struct snapshot *now, struct canvas *canvas, int row, uint32_t index,
                         const struct code_whole *all)
{
    const struct pprofil_code_row *line = &now->code[index];
    const struct snapshot_counts *old = &now->code_old[index];
    double before = code_share(old->ns, all->old), after = code_share(line->ns, all->now);
    char text[64];

    if (old->ns > 0)
        paint_per_cent(canvas, row, 0, SHARE_WIDTH, STYLE_PLAIN, before, 1);
    if (line->ns > 0)
        paint_per_cent(canvas, row, SHARE_WIDTH + 1, SHARE_WIDTH, STYLE_PLAIN, after, 1);
    if (canvas->columns < FOR_SAMPLES)
        return 2 * (SHARE_WIDTH + 1);
    snprintf(text, sizeof text, "%" PRIu64 " -> %" PRIu64, old->samples, line->samples);
    if (old->samples > 0 || line->samples > 0)
        canvas_put_right(canvas, row, 2 * (SHARE_WIDTH + 1), BOTH_WIDTH, STYLE_FIGURE, text);
    return 2 * (SHARE_WIDTH + 1) + BOTH_WIDTH + 2;
}

/* Puts the counts of a row, if it has any. Returns the column where the rest of the line begins. */
static int code_put_counts(struct canvas *canvas, int row, const struct pprofil_code_row *line,
                           uint64_t all, enum style style)
{
    char text[24];

    if (line->ns > 0 && all > 0)
        paint_per_cent(canvas, row, 0, SHARE_WIDTH, style, (double)line->ns / (double)all, 1);
    if (canvas->columns < FOR_SAMPLES)
        return SHARE_WIDTH + 1;
    snprintf(text, sizeof text, "%" PRIu64, line->samples);
    if (line->samples > 0)
        canvas_put_right(canvas, row, SHARE_WIDTH + 1, SAMPLES_WIDTH, STYLE_FIGURE, text);
    return SHARE_WIDTH + SAMPLES_WIDTH + 3;
}

static const char *code_file_name(const char *path)
{
    return path != NULL ? path_base_name(path) : "";
}

static int code_put_line_number(struct canvas *canvas, int row, int column, const struct pprofil_code_row *line)
{
    char text[4096];
    int width = canvas->columns < FOR_FILES ? LINE_WIDTH : FILE_WIDTH;

    if (width == FILE_WIDTH && line->file != NULL)
        snprintf(text, sizeof text, "%s:%" PRIu32, code_file_name(line->file), line->line);
    else
        snprintf(text, sizeof text, "%" PRIu32, line->line);
    if (line->line > 0 && characters_width(text, width + 1) <= width)
        canvas_put_right(canvas, row, column, width, STYLE_DIM, text);
    else if (line->line > 0)
        paint_text(canvas, row, column, width, STYLE_DIM, &(struct paint_text){.text = text, .tail = true});
    return column + width + 1;
}

static int code_put_address(struct canvas *canvas, int row, int column, const struct pprofil_code_row *line)
{
    return column + INDENT + canvas_printf(canvas, row, column + INDENT, -1, STYLE_DIM, "%" PRIx64, line->address) + 2;
}

static void code_put_line(const struct model *model, struct canvas *canvas, int row, uint32_t index,
                          const struct code_whole *all)
{
    const struct pprofil_code_row *line = &model->now.code[index];
    bool both = model->now.code_old != NULL;
    enum style heat = both || line->ns == 0 || all->now == 0 ? STYLE_PLAIN : paint_heat(code_share(line->ns, all->now));
    int column = both ? code_put_both(&model->now, canvas, row, index, all)
                      : code_put_counts(canvas, row, line, all->now, heat);

    column = line->source ? code_put_line_number(canvas, row, column, line)
                          : code_put_address(canvas, row, column, line);
    paint_text(canvas, row, column, -1, line->source ? STYLE_SOURCE : heat,
               &(struct paint_text){.text = line->text == NULL ? "" : line->text,
                                    .tabs = true,
                                    .sideways = model->sideways,
                                    .search = model->search});
}

static bool code_some_newer(const struct snapshot *now)
{
    for (uint32_t i = 0; i < now->code_count; i++)
        if (now->code[i].newer)
            return true;
    return false;
}

static void code_put_title(const struct model *model, struct canvas *canvas, int row)
{
    static const char newer[] = "source is newer than the program";
    const char *what = model->compares ? "old% and new% of the code of" : "code of";
    int column = canvas_put(canvas, row, 0, -1, STYLE_LABEL, what) + 1;
    int room = canvas->columns - column;

    if (code_some_newer(&model->now))
        room -= (int)sizeof newer + 1;
    column += paint_name(canvas, row, column, room < NAME_WIDTH_MIN ? NAME_WIDTH_MIN : room, STYLE_TITLE,
                         model->code_name);
    if (code_some_newer(&model->now))
        canvas_put(canvas, row, column + 2, -1, STYLE_WARNING, newer);
}

static const char *code_why_none(const struct snapshot *now)
{
    if (now->code_state == -EAGAIN)
        return "the code is being read";
    if (now->code_problem != NULL && now->code_problem[0] != '\0')
        return now->code_problem;
    return now->code_state < 0 ? pprofil_error_text(now->code_state) : "waiting for the code";
}

int view_code(struct model *model, struct canvas *canvas, int row, int rows)
{
    const struct snapshot *now = &model->now;
    const struct code_whole all = code_whole(now);

    model->header_row = 0;
    code_put_title(model, canvas, row);
    paint_list(model, row + 1, rows - 1);
    if (now->code_count == 0)
        paint_words(canvas, row + 2, rows - 2, STYLE_TITLE, code_why_none(now));
    for (uint32_t i = 0; i < model->page_rows && model->top + i < now->code_count; i++) {
        code_put_line(model, canvas, row + 1 + (int)i, model->top + i, &all);
        if (model->top + i == model->selected)
            paint_selected(canvas, row + 1 + (int)i);
    }
    return row + rows;
}
