/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints reports of two levels: the rows of one grouping, such as processes, and below each of them the rows of a
 * second one, such as its functions, or its tree of calls. Each group is a part of the profile
 * (pprofil_profile_select), of which a report is made. Shares are parts of the time of the whole profile.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "output-stream.h"
#include "report.h"

#define BOLD "\033[1m"

/* Returns what selects a row of the first level. */
static struct pprofil_selection group_selection(const struct pprofil_row *row, enum pprofil_by by)
{
    struct pprofil_selection selection = {.size = sizeof selection};

    switch (by) {
    case PPROFIL_BY_OBJECT:
        selection.object_row = row->id;
        break;
    case PPROFIL_BY_THREAD:
        selection.thread_row = row->id;
        break;
    case PPROFIL_BY_WAIT:
        selection.wait_row = row->id;
        break;
    case PPROFIL_BY_PROGRAM:
    case PPROFIL_BY_HOST:
    case PPROFIL_BY_JOB:
    case PPROFIL_BY_RANK:
        selection.row_name = row->name;
        selection.row_by = (int)by;
        break;
    default:
        selection.process_row = row->id;
    }
    return selection;
}

/*
 * Makes a share of a group's time a share of the whole time. The two shares multiply. Their errors are of independent
 * draws (how many samples fell into the group, and where in it), so the relative errors add as squares.
 */
static void group_scale_share(const struct pprofil_row *group, double *share, double *error95)
{
    *error95 = hypot(group->share * *error95, *share * group->error95);
    *share *= group->share;
}

void report_scale_row(const struct report_view *view, struct pprofil_row *row)
{
    if (view->group == NULL || view->group->share >= 1)
        return;
    group_scale_share(view->group, &row->share, &row->error95);
    group_scale_share(view->group, &row->total_share, &row->total_error95);
}

static const char *group_word(enum pprofil_by by, bool plural)
{
    if (by == PPROFIL_BY_OBJECT)
        return plural ? "objects" : "object";
    if (by == PPROFIL_BY_THREAD)
        return plural ? "threads" : "thread";
    if (by == PPROFIL_BY_PROGRAM)
        return plural ? "programs" : "program";
    if (by == PPROFIL_BY_WAIT)
        return plural ? "waits" : "wait";
    if (by == PPROFIL_BY_HOST)
        return plural ? "hosts" : "host";
    if (by == PPROFIL_BY_JOB)
        return plural ? "jobs" : "job";
    if (by == PPROFIL_BY_RANK)
        return plural ? "ranks" : "rank";
    return plural ? "processes" : "process";
}

void report_print_group_head(FILE *out, const struct report_view *view)
{
    const struct pprofil_row *row = view->group;

    uint32_t number = view->groups == PPROFIL_BY_THREAD ? row->tid : row->pid; /* 0: unknown, or an object */

    fprintf(out, "\n%s# %s ", view->colour ? BOLD : "", group_word(view->groups, false));
    utf8_print_harmless(out, row->name);
    if (number != 0)
        fprintf(out, " %" PRIu32, number);
    fprintf(out, ": %.2f %% +- %.2f, %.3f s%s\n", 100 * row->share, 100 * row->error95, (double)row->ns / 1e9,
            view->colour ? OUTPUT_PLAIN : "");
}

/* Prints a group. -ENOENT: the group does not have the function whose callers or callees are printed. */
static int group_print(FILE *out, pprofil_profile *profile, const struct pprofil_row *row,
                       const struct report_view *view)
{
    const struct pprofil_selection selection = group_selection(row, view->groups);
    struct report_view below = *view;
    pprofil_profile *part;
    int error = pprofil_profile_select(profile, &selection, &part);

    if (error != 0)
        return error;
    below.group = row;
    error = report_print_part(out, part, &below);
    pprofil_profile_close(part);
    return error;
}

/* Prints what stands above all groups. An error of the whole, such as a function that nobody has called, is found here,
 * before anything is printed. */
static int groups_print_head(FILE *out, pprofil_profile *profile, const struct report_view *view)
{
    pprofil_tree *tree = NULL;
    int error = view->tree ? report_make_tree(profile, view, &tree) : 0;

    if (error != 0)
        return error;
    if (view->format == REPORT_CSV) {
        report_print_csv_group(out, NULL);
        report_columns_csv(out, NULL, view->group_totals, false);
        fputs("\r\n", out);
    } else if (view->format == REPORT_JSON) {
        error = report_print_groups_json(out, profile, view);
    } else {
        report_print_head(out, profile, view->colour);
    }
    if (tree != NULL && view->format == REPORT_TEXT)
        report_print_tree_title(out, tree, view);
    pprofil_tree_free(tree);
    return error;
}

/* Prints the groups but those without the function whose callers or callees are printed. */
static int groups_print(FILE *out, pprofil_profile *profile, const pprofil_report *report, struct report_view *view)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < pprofil_report_count(report); i++) {
        struct pprofil_row row;
        pprofil_report_row(report, i, &row, sizeof row);
        error = group_print(out, profile, &row, view);
        view->groups_before += error == 0;
        if (error == -ENOENT)
            error = 0;
    }
    if (error == 0 && view->format == REPORT_JSON)
        fputs("\n]\n}\n", out);
    return error;
}

int report_print_groups(FILE *out, pprofil_profile *profile, const struct report_view *asked)
{
    const struct pprofil_report_options options = {.size = sizeof options, .by = asked->groups, .limit = asked->limit};
    struct report_view view = *asked;
    pprofil_report *report;
    int error = pprofil_report_new(profile, &options, &report);
    uint64_t rest;

    if (error != 0)
        return error;
    view.group_totals = view.by <= PPROFIL_BY_LINE && pprofil_profile_has_stacks(profile);
    error = groups_print_head(out, profile, &view);
    if (error == 0)
        error = groups_print(out, profile, report, &view);
    uint32_t hidden = pprofil_report_all(report, &rest) - pprofil_report_count(report);
    if (error == 0 && hidden > 0 && view.format == REPORT_TEXT)
        fprintf(out, "\n# %" PRIu32 " more %s, %.3f s; -n 0 shows all\n", hidden, group_word(view.groups, hidden > 1),
                (double)rest / 1e9);
    pprofil_report_free(report);
    return error;
}
