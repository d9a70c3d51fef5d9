/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paints the lines above the table. Each line is a sequence of facts, the most important first. A
 * fact that does not fit is left out as a whole. The number of lines depends on the height of the
 * screen. On a low screen, the facts of two or three lines share one line.
 */
#include "config.h"

#include "view.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define NARROW 80     /* screens with fewer columns have shorter texts */
#define SHORT_ROWS 16 /* screens with fewer rows have a header of three lines */
#define TALL_ROWS 30  /* least height of a screen with a header of five lines */
#define SPARK_WIDTH_MIN 8

/* A line of the header. Facts are put into it from left to right. */
struct line {
    struct canvas *canvas;
    int row, column;
};

static bool header_is_narrow(const struct line *line)
{
    return line->canvas->columns < NARROW;
}

/* Puts a fact: a label, which may be "", and a figure. If the fact does not fit, it is left out. */
static void header_put_fact(struct line *line, const char *label, enum style style, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void header_put_fact(struct line *line, const char *label, enum style style, const char *format, ...)
{
    char figure[PHRASE_SIZE];
    int gap = line->column == 0 ? 0 : header_is_narrow(line) ? 1 : 2;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(figure, sizeof figure, format, arguments);
    va_end(arguments);

    int space = line->canvas->columns - line->column - gap;
    int label_width = characters_width(label, 64), blank = label_width > 0;
    int needed = label_width + blank + characters_width(figure, PHRASE_SIZE);
    if (needed > space)
        return;
    line->column += gap;
    canvas_put(line->canvas, line->row, line->column, -1, STYLE_LABEL, label);
    canvas_put(line->canvas, line->row, line->column + label_width + blank, -1, style, figure);
    line->column += needed;
}

static void header_put_title(const struct model *model, struct line *line)
{
    char elapsed[32];
    int columns = line->canvas->columns;

    paint_elapsed(model->now.totals.elapsed_ns, elapsed, sizeof elapsed);
    int targets = characters_width(model->targets, columns / 2);
    int end = columns - characters_width(elapsed, columns) - 1;

    if (columns >= 60)
        line->column = canvas_put(line->canvas, line->row, 0, -1, STYLE_LABEL,
                                  model->saved ? "pprofil view" : "pprofil top") +
                       2;
    int most = end - targets - 2 - line->column;
    line->column += paint_name(line->canvas, line->row, line->column, most, STYLE_TITLE, model->command) + 2;
    paint_name(line->canvas, line->row, line->column, targets, STYLE_FIGURE, model->targets);
    canvas_put(line->canvas, line->row, end + 1, -1, STYLE_LABEL, elapsed);
}

/* Puts a sparkline of the target's CPU use in the last minute. The full height is the largest
 * number of CPUs that were used, rounded up. */
static void header_put_minute(const struct model *model, struct line *line, int width)
{
    float highest = 1;

    for (int i = 0; i < MODEL_MINUTE; i++)
        if (model->minute[i] > highest)
            highest = ceilf(model->minute[i]);
    if (width > MODEL_MINUTE)
        width = MODEL_MINUTE;
    if (width < SPARK_WIDTH_MIN)
        return;
    canvas_spark(line->canvas, line->row, line->column + 1, width, STYLE_SPARK, model->minute, MODEL_MINUTE,
                 (double)highest);
    line->column += width + 1;
}

/* Puts the CPU use. While nothing is sampled, the CPU use is unknown. */
static void header_put_cpu(const struct model *model, struct line *line)
{
    const struct snapshot *now = &model->now;

    if (model->have_snapshot && (!now->sampling || now->ended || now->dead))
        header_put_fact(line, "CPU", STYLE_FIGURE, "-");
    else
        header_put_fact(line, "CPU", STYLE_FIGURE, "%.1f %%", 100 * model->target_cpu);
}

/* Puts the longest text about the threads that fits into the line. */
static void header_put_threads(const struct model *model, struct line *line)
{
    char text[PHRASE_SIZE];

    for (int brief = 0; brief <= 2; brief++) {
        phrase_threads(model, brief, text, sizeof text);
        if (line->column + 2 + characters_width(text, PHRASE_SIZE) <= line->canvas->columns)
            break;
    }
    header_put_fact(line, "", STYLE_FIGURE, "%s", text);
}

/* Puts the CPU use, the sparkline and the threads. The sparkline gets the columns that the text
 * about the threads leaves free. */
static void header_put_cpu_and_threads(const struct model *model, struct line *line)
{
    char text[PHRASE_SIZE];

    header_put_cpu(model, line);
    phrase_threads(model, header_is_narrow(line) ? 2 : 1, text, sizeof text);
    header_put_minute(model, line, line->canvas->columns - line->column - 3 - characters_width(text, PHRASE_SIZE));
    header_put_threads(model, line);
}

static void header_put_losses(const struct model *model, struct line *line)
{
    const struct pprofil_totals *totals = &model->now.totals;
    bool brief = header_is_narrow(line);
    char limit[PHRASE_SIZE];

    if (!brief || totals->lost > 0)
        header_put_fact(line, "lost", totals->lost > 0 ? STYLE_WARNING : STYLE_FIGURE, "%" PRIu64, totals->lost);
    if (totals->untraced > 0)
        header_put_fact(line, "untraced", STYLE_WARNING, "%" PRIu32, totals->untraced);
    phrase_limit(&model->now, limit, sizeof limit);
    if (limit[0] != '\0')
        header_put_fact(line, "", STYLE_FIGURE, "%s", limit);
}

static void header_put_sampling(const struct model *model, struct line *line)
{
    if (header_is_narrow(line))
        header_put_fact(line, "", STYLE_FIGURE, "%.0f/%.0f Hz", model->achieved_hz, model->asked_hz);
    else
        header_put_fact(line, "samples/s", STYLE_FIGURE, "%.0f asked, %.0f achieved", model->asked_hz,
                        model->achieved_hz);
    header_put_losses(model, line);
    header_put_fact(line, header_is_narrow(line) ? "stopped" : "target stopped", STYLE_FIGURE, "%.2f %%",
                    100 * model->stopped_share);
}

/* Puts a text about how the program has ended, or that all targets have ended. Processes that the
 * program started may run on. */
static void header_put_end(const struct snapshot *now, struct line *line)
{
    char text[PHRASE_SIZE];

    phrase_outcome(now, header_is_narrow(line) || now->dead, text, sizeof text);
    header_put_fact(line, "", STYLE_WARNING, "%s", text);
}

/* Puts warnings, and states that are unusual, such as a pause. */
static void header_put_state(const struct model *model, struct line *line)
{
    const struct snapshot *now = &model->now;

    if (model->have_snapshot && now->dead)
        header_put_fact(line, "", STYLE_WARNING, "supervisor died: nothing new comes");
    if (model->have_snapshot && (now->ended || now->status >= 0))
        header_put_end(now, line);
    if (model->have_snapshot && !now->dead && !now->ended && !now->sampling)
        header_put_fact(line, "", STYLE_WARNING, "sampling stopped");
    if (model->silent_seconds > 0)
        header_put_fact(line, "", STYLE_WARNING, "no news of the supervisor for %u s", model->silent_seconds);
    if (model->paused)
        header_put_fact(line, "", STYLE_WARNING, "PAUSED");
}

static void header_put_mode(const struct model *model, struct line *line)
{
    char states[PHRASE_SIZE];

    header_put_fact(line, "", STYLE_FIGURE, "%s time", model->wall ? "wall" : "CPU");
    header_put_fact(line, "window", STYLE_FIGURE, "%g s", model->window_seconds);
    phrase_states(model, states, sizeof states);
    if (states[0] != '\0')
        header_put_fact(line, "", STYLE_FIGURE, "%s", states);
    if (model->now.pending > 0)
        header_put_fact(line, "names to look up", STYLE_FIGURE, "%" PRIu32, model->now.pending);
}

static int header_lines(const struct canvas *canvas)
{
    if (canvas->rows < SHORT_ROWS)
        return 3;
    return canvas->rows < TALL_ROWS ? 4 : 5;
}

bool view_has_filter_line(const struct canvas *canvas)
{
    return canvas->rows >= SHORT_ROWS;
}

void view_breadcrumb(const struct model *model, const struct canvas *canvas, char *text, size_t size)
{
    char *between, *rest;

    model_breadcrumb(model, text, size);
    while (!canvas->utf8 && (between = strstr(text, "›")) != NULL) {
        *between = '>';
        rest = between + strlen("›");
        memmove(between + 1, rest, strlen(rest) + 1);
    }
}

int view_filter_line(const struct model *model, struct canvas *canvas, int row)
{
    char text[PHRASE_SIZE * 2];

    if (model->filter_count == 0 || !view_has_filter_line(canvas))
        return row;
    view_breadcrumb(model, canvas, text, sizeof text);
    int column = canvas_put(canvas, row, 0, -1, STYLE_LABEL, "only") + 1;
    paint_text(canvas, row, column, -1, STYLE_TITLE, &(struct paint_text){.text = text, .tail = true});
    return row + 1;
}

/* Puts what a saved profile consists of. */
static void header_put_saved(const struct model *model, struct line *line)
{
    const struct pprofil_totals *totals = &model->now.totals;
    double seconds = (double)(model->wall ? totals->wall_ns : totals->cpu_ns) / 1e9;

    header_put_fact(line, "samples", STYLE_FIGURE, "%" PRIu64, totals->samples);
    header_put_fact(line, "", STYLE_FIGURE, "%.3f s of %s time", seconds, model->wall ? "wall" : "CPU");
    header_put_fact(line, "threads", STYLE_FIGURE, "%" PRIu32, totals->threads_seen);
    header_put_fact(line, "processes", STYLE_FIGURE, "%" PRIu32, totals->processes_seen);
}

/* Puts the average use of CPUs, and when they were used. */
static void header_put_use(const struct model *model, struct line *line)
{
    const struct pprofil_totals *totals = &model->now.totals;

    if (totals->elapsed_ns > 0 && totals->cpu_ns > 0)
        header_put_fact(line, "CPU", STYLE_FIGURE, "%.1f %%",
                        100.0 * (double)totals->cpu_ns / (double)totals->elapsed_ns);
    header_put_minute(model, line, line->canvas->columns - line->column - 1);
}

static int view_saved_header(const struct model *model, struct canvas *canvas, int row)
{
    struct line line[3];
    char states[PHRASE_SIZE];

    for (int i = 0; i < 3; i++)
        line[i] = (struct line){canvas, row + i, 0};
    header_put_title(model, &line[0]);
    header_put_use(model, &line[1]);
    header_put_saved(model, &line[2]);
    phrase_states(model, states, sizeof states);
    if (states[0] != '\0')
        header_put_fact(&line[2], "", STYLE_FIGURE, "%s", states);
    if (model->now.pending > 0)
        header_put_fact(&line[2], "names to look up", STYLE_FIGURE, "%" PRIu32, model->now.pending);
    return view_filter_line(model, canvas, row + 3);
}

int view_header(const struct model *model, struct canvas *canvas, int row)
{
    int lines = header_lines(canvas);
    struct line line[5];

    if (model->compares)
        return view_diff_header(model, canvas, row);
    if (model->saved)
        return view_saved_header(model, canvas, row);

    for (int i = 0; i < 5; i++)
        line[i] = (struct line){canvas, row + i, 0};
    header_put_title(model, &line[0]);
    if (lines == 5) {
        header_put_cpu(model, &line[1]);
        header_put_minute(model, &line[1], canvas->columns - line[1].column - 1);
        header_put_threads(model, &line[2]);
    } else {
        header_put_cpu_and_threads(model, &line[1]);
    }
    if (lines > 3)
        header_put_sampling(model, &line[lines - 2]);
    header_put_state(model, &line[lines - 1]);
    if (lines == 3)
        header_put_sampling(model, &line[lines - 1]);
    header_put_mode(model, &line[lines - 1]);
    return view_filter_line(model, canvas, row + lines);
}
