/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints a diff as text, CSV or JSON. Text has a heading that shows what was compared, a row for
 * each function, and at the end the number of functions that changed significantly. JSON is one
 * object: {"by", "old", "new", "whole", "functions", "significant", "rows", "detectable"}.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/fit-name.h"
#include "base/utf8.h"
#include "output-stream.h"
#include "report.h"
#include "tui/diff-words.h"

/* --- text -------------------------------------------------------------------------------- */

#define BOLD "\033[1m"
#define MORE "\033[31m"
#define LESS "\033[32m"

static const struct {
    const char *heading;
    double scale; /* factor that converts a compared value for printing */
    int digits;
} intervals[] = {
    [PPROFIL_DIFF_SHARE] = {"   95% of points", 100, 2},
    [PPROFIL_DIFF_TIME] = {"  95% of seconds", 1, 3},
    [PPROFIL_DIFF_TIME_A_SECOND] = {"     95% of s/s ", 1, 4},
};

static double seconds_of(uint64_t ns)
{
    return (double)ns / 1e9;
}

/* Returns '+' for a significant increase, '-' for a significant decrease, and ' ' for a change that may be chance. */
static char diff_mark(const struct pprofil_change *change)
{
    if (!change->significant)
        return ' ';
    return change->change > 0 ? '+' : '-';
}

static const char *diff_colour(const struct pprofil_change *change)
{
    if (!change->significant)
        return "";
    return change->change > 0 ? MORE : LESS;
}

static void diff_print_side(FILE *out, const char *side, const pprofil_profile *profile)
{
    const char *command = pprofil_profile_command(profile);
    struct pprofil_totals totals;
    char text[256];

    pprofil_profile_totals(profile, &totals, sizeof totals);
    diff_words_side(side, &totals, text, sizeof text);
    fprintf(out, "# %s%s", text, command[0] != '\0' ? ": " : "");
    utf8_print_harmless(out, command);
    fputc('\n', out);
}

static void diff_print_head(FILE *out, const struct diff_view *view)
{
    fputs(view->colour ? BOLD "# pprofil diff: " : "# pprofil diff: ", out);
    utf8_print_harmless(out, view->paths[0]);
    fputs(" -> ", out);
    utf8_print_harmless(out, view->paths[1]);
    fputs(view->colour ? OUTPUT_PLAIN "\n" : "\n", out);
    diff_print_side(out, "old", view->profiles[0]);
    diff_print_side(out, "new", view->profiles[1]);
}

/* Which columns of text fit, and the widths of those that have names. */
struct diff_layout {
    bool stacks, seconds, interval; /* columns of totals, of seconds, and of the intervals of changes */
    size_t name, object;            /* 0: any width */
    bool utf8;
};

#define SHARES_WIDTH 25u /* of the columns of shares */
#define SECONDS_WIDTH 27u
#define INTERVAL_WIDTH 18u
#define TOTALS_WIDTH 34u
#define NAMES_MIN 40u /* columns that are kept for names and objects, if anything else can be left out */
#define NAME_WIDTH 30u
#define OBJECT_WIDTH 18u

/* On a narrow terminal the seconds are left out first, because the shares say as much, and then the intervals. */
static struct diff_layout diff_layout_of(const struct diff_view *view, bool stacks)
{
    struct diff_layout layout = {.stacks = stacks, .seconds = true, .interval = true, .utf8 = report_in_utf8()};
    size_t figures = SHARES_WIDTH + SECONDS_WIDTH + INTERVAL_WIDTH + (stacks ? TOTALS_WIDTH : 0);

    if (view->columns == 0)
        return layout;
    if (figures + NAMES_MIN > view->columns) {
        layout.seconds = false;
        figures -= SECONDS_WIDTH;
    }
    if (figures + NAMES_MIN > view->columns) {
        layout.interval = false;
        figures -= INTERVAL_WIDTH;
    }
    size_t left = figures + NAMES_MIN < view->columns ? view->columns - figures : NAMES_MIN;
    layout.object = OBJECT_WIDTH < left / 3 ? OBJECT_WIDTH : left / 3;
    layout.name = left - layout.object - 4 - (sizeof " (new)" - 1); /* 4: the gaps before both */
    return layout;
}

static void diff_print_headings(FILE *out, const struct diff_view *view, const struct diff_layout *layout)
{
    fputs("   old%    new%  points", out); /* columns of self time */
    if (layout->seconds)
        fputs("    old s    new s   diff s", out);
    if (layout->interval)
        fprintf(out, "  %16s", intervals[view->by].heading);
    if (layout->stacks)
        fputs("   old total%  new total%  points", out);
    fprintf(out, "  %-*s  object\n", (int)(layout->name > 0 ? layout->name : NAME_WIDTH), "function");
}

/* Prints the seconds of a run: with several runs, their mean. */
static void diff_print_seconds(FILE *out, const struct pprofil_change *change, const struct diff_view *view)
{
    double old = seconds_of(change->ns[0]) / view->runs[0], new = seconds_of(change->ns[1]) / view->runs[1];

    fprintf(out, " %8.3f %8.3f %+8.3f", old, new, new - old);
}

static void diff_print_interval(FILE *out, const struct pprofil_change *change, const struct diff_view *view)
{
    double scale = intervals[view->by].scale;
    int digits = intervals[view->by].digits;

    if (isfinite(change->low) && isfinite(change->high))
        fprintf(out, "  %+7.*f..%+7.*f", digits, scale * change->low, digits, scale * change->high);
    else
        fprintf(out, "  %16s", "");
}

static void diff_print_object(FILE *out, const char *object, const struct diff_layout *layout)
{
    char text[512];

    if (layout->object > 0) {
        fit_name(object, layout->object, layout->utf8, text, sizeof text);
        object = text;
    }
    utf8_print_harmless(out, object);
}

static void diff_print_name(FILE *out, const struct pprofil_diff_row *row, const struct diff_layout *layout)
{
    const char *old = row->object[0], *new = row->object[1], *name = row->name;
    size_t width = layout->name > 0 ? layout->name : NAME_WIDTH;
    char whole[4096], fitted[512];

    if (layout->name > 0) {
        fit_short_name(row->name, whole, sizeof whole);
        fit_name(whole, layout->name, layout->utf8, fitted, sizeof fitted);
        name = fitted;
    }
    fputs("  ", out);
    utf8_print_harmless(out, name);
    for (size_t length = fit_width(name); length < width; length++)
        fputc(' ', out);
    fputs("  ", out);
    if (old[0] != '\0' && new[0] != '\0' && strcmp(old, new) != 0) {
        diff_print_object(out, old, layout);
        fputs(" -> ", out);
    }
    diff_print_object(out, new[0] != '\0' ? new : old, layout);
    if (old[0] == '\0' || new[0] == '\0')
        fprintf(out, layout->name > 0 ? " (%s)" : " (only in %s)", old[0] == '\0' ? "new" : "old");
}

static void diff_print_row(FILE *out, const struct pprofil_diff_row *row, const struct diff_view *view,
                           const struct diff_layout *layout)
{
    const struct pprofil_change *self = &row->self, *total = &row->total;
    const char *colour = diff_colour(self->significant ? self : total);

    fputs(view->colour ? colour : "", out);
    fprintf(out, "%c%6.2f  %6.2f  %+6.2f", diff_mark(self), 100 * self->share[0], 100 * self->share[1],
            100 * (self->share[1] - self->share[0]));
    if (layout->seconds)
        diff_print_seconds(out, self, view);
    if (layout->interval)
        diff_print_interval(out, self, view);
    if (layout->stacks)
        fprintf(out, "  %c%10.2f  %10.2f  %+6.2f", diff_mark(total), 100 * total->share[0], 100 * total->share[1],
                100 * (total->share[1] - total->share[0]));
    diff_print_name(out, row, layout);
    fputs(view->colour && colour[0] != '\0' ? OUTPUT_PLAIN "\n" : "\n", out);
}

/* Prints the last lines. The first of them is such as "total CPU 1.230 s -> 1.100 s, -10.6 % +- 3.0 %; 5 of 120
 * functions changed significantly". */
static void diff_print_verdict(FILE *out, const struct pprofil_diff_totals *totals, const struct diff_view *view)
{
    char text[512];

    diff_words_verdict(totals, view->by, PPROFIL_BY_FUNCTION, text, sizeof text);
    fprintf(out, "%s# %s%s\n", view->colour ? BOLD : "", text, view->colour ? OUTPUT_PLAIN : "");
    if (diff_words_detectable(totals, view->by, text, sizeof text) > 0) {
        fputs("# ", out);
        utf8_print_harmless(out, text);
        fputc('\n', out);
    }
    if (totals->significant > 0 && view->by == PPROFIL_DIFF_SHARE)
        fputs("# note: these are shares: if one grows, the others shrink; --absolute compares seconds\n", out);
    if (totals->significant > 0 && view->runs[0] + view->runs[1] == 2)
        fputs("# note: each profile is one run; how much the runs of one program differ is not known from these\n",
              out);
}

static void diff_print_text(FILE *out, const pprofil_diff *diff, const struct diff_view *view)
{
    struct pprofil_diff_totals totals;
    uint32_t count = pprofil_diff_count(diff);

    pprofil_diff_totals(diff, &totals, sizeof totals);
    const struct diff_layout layout = diff_layout_of(view, totals.stacks);
    diff_print_head(out, view);
    if (count > 0)
        diff_print_headings(out, view, &layout);
    for (uint32_t i = 0; i < count; i++) {
        struct pprofil_diff_row row;
        pprofil_diff_row(diff, i, &row, sizeof row);
        diff_print_row(out, &row, view, &layout);
    }
    if (count < totals.rows)
        fprintf(out, "# %" PRIu32 " more row%s; -n 0 shows all\n", totals.rows - count,
                totals.rows - count == 1 ? "" : "s");
    diff_print_verdict(out, &totals, view);
}

/* --- CSV and JSON ------------------------------------------------------------------------ */

#define AT(member) offsetof(struct pprofil_change, member)

static const struct diff_column {
    struct field field;
    bool sides; /* there are two values, one for the old profile and one for the new profile */
} columns[] = {
    {{"significant", FIELD_FLAG, AT(significant)}, false},
    {{"samples", FIELD_COUNT, AT(samples)}, true},
    {{"ns", FIELD_COUNT, AT(ns)}, true},
    {{"share", FIELD_REAL, AT(share)}, true},
    {{"value", FIELD_REAL, AT(value)}, true},
    {{"change", FIELD_REAL, AT(change)}, false},
    {{"low", FIELD_REAL, AT(low)}, false},
    {{"high", FIELD_REAL, AT(high)}, false},
    {{"p", FIELD_PROBABILITY, AT(p)}, false},
    {{"q", FIELD_PROBABILITY, AT(q)}, false},
};
#define COLUMNS (sizeof columns / sizeof *columns)

static void diff_print_csv_headings(FILE *out, const char *prefix)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (columns[i].sides)
            fprintf(out, ",%sold_%s,%snew_%s", prefix, columns[i].field.name, prefix, columns[i].field.name);
        else
            fprintf(out, ",%s%s", prefix, columns[i].field.name);
}

static void diff_print_csv_change(FILE *out, const struct pprofil_change *change)
{
    for (size_t i = 0; i < COLUMNS; i++)
        for (int side = 0; side <= columns[i].sides; side++) {
            fputc(',', out);
            field_print_csv(out, &columns[i].field, change, side);
        }
}

static void diff_print_csv(FILE *out, const pprofil_diff *diff)
{
    struct pprofil_diff_totals totals;

    pprofil_diff_totals(diff, &totals, sizeof totals);
    fputs("name,old_object,object", out);
    diff_print_csv_headings(out, "");
    if (totals.stacks)
        diff_print_csv_headings(out, "total_");
    fputs("\r\n", out);
    for (uint32_t i = 0; i < pprofil_diff_count(diff); i++) {
        struct pprofil_diff_row row;
        pprofil_diff_row(diff, i, &row, sizeof row);
        csv_print_text(out, row.name);
        fputc(',', out);
        csv_print_text(out, row.object[0]);
        fputc(',', out);
        csv_print_text(out, row.object[1]);
        diff_print_csv_change(out, &row.self);
        if (totals.stacks)
            diff_print_csv_change(out, &row.total);
        fputs("\r\n", out);
    }
}

static json_t *diff_json_side(const struct pprofil_change *change, int side)
{
    json_t *object = json_object();

    for (size_t i = 0; i < COLUMNS; i++)
        if (columns[i].sides)
            field_add_json(object, &columns[i].field, change, side);
    return object;
}

/* Returns a change as a JSON object. The last member of the object is "significant", which is the
 * first column in CSV. */
static json_t *diff_json_change(const struct pprofil_change *change)
{
    json_t *object = json_pack("{s:o, s:o}", "old", diff_json_side(change, 0), "new", diff_json_side(change, 1));

    for (size_t i = 1; i <= COLUMNS; i++)
        if (!columns[i % COLUMNS].sides)
            field_add_json(object, &columns[i % COLUMNS].field, change, 0);
    return object;
}

static json_t *diff_json_row(const struct pprofil_diff_row *row, bool stacks)
{
    json_t *object = json_pack("{s:o, s:o, s:o, s:o}", "name", json_text(row->name), "old_object",
                               json_text(row->object[0]), "object", json_text(row->object[1]), "self",
                               diff_json_change(&row->self));

    if (stacks && object != NULL)
        json_object_set_new(object, "total", diff_json_change(&row->total));
    return object;
}

static json_t *diff_json_file(const struct diff_view *view, int side)
{
    const char *command = pprofil_profile_command(view->profiles[side]);

    return json_pack("{s:o, s:o}", "path", json_text(view->paths[side]), "command",
                     command[0] != '\0' ? json_text(command) : json_null());
}

static const char *const compared[] = {
    [PPROFIL_DIFF_SHARE] = "share",
    [PPROFIL_DIFF_TIME] = "seconds",
    [PPROFIL_DIFF_TIME_A_SECOND] = "seconds per second",
};

static json_t *diff_json_detectable(const struct pprofil_diff_totals *totals)
{
    return json_pack("{s:o, s:f, s:f}", "name", json_text(totals->largest), "old_value", totals->largest_value,
                     "change", totals->detectable);
}

static int diff_print_json(FILE *out, const pprofil_diff *diff, const struct diff_view *view)
{
    struct pprofil_diff_totals totals;
    json_t *rows = json_array();

    pprofil_diff_totals(diff, &totals, sizeof totals);
    for (uint32_t i = 0; i < pprofil_diff_count(diff); i++) {
        struct pprofil_diff_row row;
        pprofil_diff_row(diff, i, &row, sizeof row);
        json_array_append_new(rows, diff_json_row(&row, totals.stacks));
    }
    json_t *document = json_pack("{s:s, s:o, s:o, s:b, s:o, s:I, s:I, s:o}", "by", compared[view->by], "old",
                                 diff_json_file(view, 0), "new", diff_json_file(view, 1), "wall", totals.wall, "whole",
                                 diff_json_change(&totals.whole), "functions", (json_int_t)totals.rows, "significant",
                                 (json_int_t)totals.significant, "rows", rows);
    if (document != NULL && totals.largest != NULL)
        json_object_set_new(document, "detectable", diff_json_detectable(&totals));
    int error = document == NULL ? -ENOMEM : 0;
    if (error == 0 && json_dumpf(document, out, json_flags(out)) != 0)
        error = errno != 0 ? -errno : -EIO;
    fputc('\n', out);
    json_decref(document);
    return error;
}

int diff_print(FILE *out, const pprofil_diff *diff, const struct diff_view *view)
{
    if (view->format == REPORT_JSON)
        return diff_print_json(out, diff, view);
    if (view->format == REPORT_CSV)
        diff_print_csv(out, diff);
    else
        diff_print_text(out, diff, view);
    return 0;
}
