/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes the rows of a report and prints them as text, JSON or CSV, or in another program's style.
 */
#include "config.h"

#include <errno.h>

#include "report.h"

static const struct {
    int (*print)(FILE *out, pprofil_profile *profile, const pprofil_report *report, const struct report_view *view);
    int (*print_tree)(FILE *out, pprofil_profile *profile, const pprofil_tree *tree, const struct report_view *view);
} formats[] = {
    [REPORT_TEXT] = {report_print_text, report_print_tree_text},
    [REPORT_JSON] = {report_print_json, report_print_tree_json},
    [REPORT_CSV] = {report_print_csv, report_print_tree_csv},
};

static int report_print_flat(FILE *out, pprofil_profile *profile, const struct report_view *view)
{
    struct pprofil_report_options options = {.size = sizeof options,
                                             .by = view->by,
                                             .limit = view->limit,
                                             .totals = true,
                                             .by_total = view->by_total,
                                             .no_inlines = view->no_inlines};
    pprofil_report *report;
    int error = pprofil_report_new(profile, &options, &report);

    if (error != 0)
        return error;
    error = formats[view->format].print(out, profile, report, view);
    pprofil_report_free(report);
    return error;
}

int report_make_tree(pprofil_profile *profile, const struct report_view *view, pprofil_tree **tree)
{
    const struct pprofil_tree_options options = {.size = sizeof options,
                                                 .kind = view->kind,
                                                 .by = view->by,
                                                 .function = view->function,
                                                 .least = view->least,
                                                 .depth = view->depth,
                                                 .limit = view->limit,
                                                 .no_inlines = view->no_inlines,
                                                 .fold = view->fold};

    return pprofil_tree_new(profile, &options, tree);
}

static int report_print_tree(FILE *out, pprofil_profile *profile, const struct report_view *view)
{
    pprofil_tree *tree;
    int error = report_make_tree(profile, view, &tree);

    if (error != 0)
        return error;
    error = formats[view->format].print_tree(out, profile, tree, view);
    pprofil_tree_free(tree);
    return error;
}

bool report_knows_run(const struct pprofil_totals *totals)
{
    return totals->target_cpu_ns > 0 || totals->supervisor_cpu_ns > 0 || totals->stopped_ns > 0;
}

int report_print_part(FILE *out, pprofil_profile *profile, const struct report_view *view)
{
    if (view->imbalance)
        return report_print_imbalance(out, profile, view);
    return view->tree ? report_print_tree(out, profile, view) : report_print_flat(out, profile, view);
}

int report_print(FILE *out, pprofil_profile *profile, const struct report_view *view)
{
    int error = view->grouped ? report_print_groups(out, profile, view) : report_print_part(out, profile, view);

    if (error == 0 && (fflush(out) != 0 || ferror(out)))
        error = errno != 0 ? -errno : -EIO;
    return error;
}

/* --- as other systems' programs printed it ------------------------------------------------- */

/* An error that pprofil_style_print returns is an error of the file at `path`. Errors of writing
 * are not returned, so the caller checks the stream for them. */
int style_view_print(FILE *out, const char *path, const struct style_view *view)
{
    int error = pprofil_style_print(path, view->name, &view->options, out, stderr);

    if (error == PPROFIL_ERROR_EXPLAINED) /* stderr has the explanation */
        return EXIT_OWN_FAILURE;
    if (error == PPROFIL_ERROR_NOT_PROFILED && view->options.object != NULL)
        return complain("%s: nothing of '%s' was profiled", path, view->options.object);
    if (error == PPROFIL_ERROR_NOT_PROFILED)
        return complain("%s: no program's file was profiled", path);
    return error != 0 ? complain_file(path, error, false) : 0;
}
