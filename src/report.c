/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows on a stream: which, and in which of the three formats.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

static const char *const groupings[] = {
    [PPROFIL_BY_FUNCTION] = "function", [PPROFIL_BY_OBJECT] = "object",
    [PPROFIL_BY_LINE] = "line",         [PPROFIL_BY_THREAD] = "thread",
    [PPROFIL_BY_PROCESS] = "process",   [PPROFIL_BY_SYSCALL] = "syscall",
    [PPROFIL_BY_STATE] = "state",
};

static const char *const kinds[] = {
    [PPROFIL_TREE_CALLS] = "calls",
    [PPROFIL_TREE_INVERTED] = "inverted",
    [PPROFIL_TREE_CALLERS] = "callers",
    [PPROFIL_TREE_CALLEES] = "callees",
};

static const struct {
    const char *name;
    int (*print)(FILE *out, pprofil_profile *profile, const pprofil_report *report,
                 const struct view *view);
    int (*print_tree)(FILE *out, pprofil_profile *profile, const pprofil_tree *tree,
                      const struct view *view);
} formats[] = {
    [VIEW_TEXT] = {"text", view_print_text, view_print_tree_text},
    [VIEW_JSON] = {"json", view_print_json, view_print_tree_json},
    [VIEW_CSV] = {"csv", view_print_csv, view_print_tree_csv},
};

const char *view_kind_name(enum pprofil_tree_kind kind)
{
    return kinds[kind];
}

int view_by_name(const char *name)
{
    for (int i = 0; i < (int)(sizeof groupings / sizeof *groupings); i++)
        if (strcmp(name, groupings[i]) == 0)
            return i;
    return -1;
}

int view_format_name(const char *name)
{
    for (int i = 0; i < (int)(sizeof formats / sizeof *formats); i++)
        if (strcmp(name, formats[i].name) == 0)
            return i;
    return -1;
}

bool view_colour(FILE *out)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    if (no_color != NULL && *no_color != '\0')
        return false;
    return isatty(fileno(out)) && term != NULL && strcmp(term, "dumb") != 0;
}

static int print_flat(FILE *out, pprofil_profile *profile, const struct view *view)
{
    struct pprofil_report_options options = {.size = sizeof options,
                                             .by = view->by,
                                             .limit = view->limit,
                                             .totals = true,
                                             .by_total = view->by_total,
                                             .no_inlines = view->no_inlines};
    pprofil_report *report;
    int error = pprofil_report_new_with(profile, &options, &report);

    if (error != 0)
        return error;
    error = formats[view->format].print(out, profile, report, view);
    pprofil_report_free(report);
    return error;
}

static int print_tree(FILE *out, pprofil_profile *profile, const struct view *view)
{
    struct pprofil_tree_options options = {.size = sizeof options,
                                           .kind = view->kind,
                                           .by = view->by,
                                           .function = view->function,
                                           .least = view->least,
                                           .depth = view->depth,
                                           .limit = view->limit,
                                           .no_inlines = view->no_inlines,
                                           .fold = view->fold};
    pprofil_tree *tree;
    int error = pprofil_tree_new(profile, &options, &tree);

    if (error != 0)
        return error;
    error = formats[view->format].print_tree(out, profile, tree, view);
    pprofil_tree_free(tree);
    return error;
}

int view_print(FILE *out, pprofil_profile *profile, const struct view *view)
{
    int error = view->tree ? print_tree(out, profile, view) : print_flat(out, profile, view);

    if (error == 0 && (fflush(out) != 0 || ferror(out)))
        error = errno != 0 ? -errno : -EIO;
    return error;
}
