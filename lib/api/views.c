/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trees and selections as pprofil.h shows them. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/select.h"
#include "report/tree.h"
#include "session/session.h"

#define WHAT_SIZE 512 /* bytes of what was selected, for people */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

const char *pprofil_profile_problem(const pprofil_profile *profile)
{
    return profile->problem;
}

/* --- stacks ------------------------------------------------------------------------------ */

bool pprofil_profile_has_stacks(const pprofil_profile *profile)
{
    return report_has_stacks(profile->profile);
}

int pprofil_profile_incomplete(const pprofil_profile *profile, unsigned i, const char **why,
                               double *share)
{
    struct report_stacks stacks;
    int error = report_stacks(profile->profile, &stacks);

    if (error == 0 && !stacks.any)
        error = -ENODATA;
    else if (error == 0 && i >= stacks.mark_count)
        error = -ENOENT;
    if (error == 0) {
        *why = stacks.marks[i].why;
        *share = stacks.ns == 0 ? 0 : (double)stacks.marks[i].ns / (double)stacks.ns;
    }
    report_stacks_clear(&stacks);
    return error;
}

/* --- trees ------------------------------------------------------------------------------- */

static int tree_kind(enum pprofil_tree_kind kind, enum report_tree_kind *way)
{
    static const enum report_tree_kind ways[] = {
        [PPROFIL_TREE_CALLS] = REPORT_TREE_CALLS,
        [PPROFIL_TREE_INVERTED] = REPORT_TREE_INVERTED,
        [PPROFIL_TREE_CALLERS] = REPORT_TREE_CALLERS,
        [PPROFIL_TREE_CALLEES] = REPORT_TREE_CALLEES,
    };
    if (kind >= sizeof ways / sizeof *ways)
        return -EINVAL;
    *way = ways[kind];
    return 0;
}

static int tree_options(const struct pprofil_tree_options *asked,
                        struct report_tree_options *options)
{
    struct pprofil_tree_options all = {0};

    memcpy(&all, asked, least(asked->size, sizeof all));
    *options = (struct report_tree_options){
        .of = {.by = all.by, .limit = all.limit, .no_inlines = all.no_inlines, .fold = all.fold},
        .function = all.function,
        .least = all.least,
        .depth = all.depth,
    };
    int error = tree_kind(all.kind, &options->kind);
    bool of_function = all.kind == PPROFIL_TREE_CALLERS || all.kind == PPROFIL_TREE_CALLEES;
    if (error == 0 && (all.by > PPROFIL_BY_LINE || (of_function && all.function == NULL) ||
                       !(all.least >= 0 && all.least <= 1)))
        error = -EINVAL;
    return error;
}

int pprofil_tree_new(pprofil_profile *profile, const struct pprofil_tree_options *asked,
                     pprofil_tree **result)
{
    struct report_tree_options options;
    int error = tree_options(asked, &options);

    profile->problem[0] = '\0';
    if (error != 0)
        return error;
    struct pprofil_tree *tree = calloc(1, sizeof *tree);
    if (tree == NULL)
        return -ENOMEM;
    error = public_need_symbolizer(profile);
    if (error == 0)
        error = report_tree(profile->profile, profile->symbolizer, &options, &tree->tree,
                            profile->problem, sizeof profile->problem);
    if (error != 0) {
        free(tree);
        return error;
    }
    *result = tree;
    return 0;
}

void pprofil_tree_free(pprofil_tree *tree)
{
    if (tree == NULL)
        return;
    report_tree_free(tree->tree);
    free(tree);
}

uint32_t pprofil_tree_count(const pprofil_tree *tree)
{
    return tree->tree->count;
}

void pprofil_tree_row(const pprofil_tree *tree, uint32_t i, struct pprofil_tree_row *row,
                      size_t size)
{
    const struct report_tree_row *from = &tree->tree->rows[i];
    struct pprofil_tree_row all = {
        .row = public_row(&from->row),
        .parent = from->parent,
        .depth = from->depth,
        .indent = from->indent,
        .below = from->below,
        .cut = from->cut,
        .last = from->last,
        .inlined = from->inlined,
    };
    memcpy(row, &all, least(size, sizeof all));
}

void pprofil_tree_totals(const pprofil_tree *tree, struct pprofil_tree_totals *totals, size_t size)
{
    const struct report_tree *from = tree->tree;
    struct pprofil_tree_totals all = {
        .all = from->all,
        .samples = from->samples,
        .ns = from->ns,
        .root_samples = from->root_samples,
        .root_ns = from->root_ns,
        .again_ns = from->again_ns,
        .rest_ns = from->rest_ns,
    };
    memcpy(totals, &all, least(size, sizeof all));
}

/* --- selections -------------------------------------------------------------------------- */

static struct pprofil_selection told(const struct pprofil_selection *selection)
{
    struct pprofil_selection all = {0};

    memcpy(&all, selection, least(selection->size, sizeof all));
    return all;
}

bool pprofil_selection_any(const struct pprofil_selection *selection)
{
    struct pprofil_selection all = told(selection);

    return all.pid_count > 0 || all.comm != NULL || all.thread != NULL || all.object != NULL ||
           all.function != NULL || all.focus != NULL || all.ignore != NULL;
}

__attribute__((format(printf, 2, 3))) static void append(char *what, const char *format, ...)
{
    size_t length = strlen(what);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what + length, WHAT_SIZE - length, format, arguments);
    va_end(arguments);
}

/* As it is given to the command. */
static char *describe(const struct pprofil_selection *selection)
{
    const struct {
        const char *option, *value;
    } names[] = {{"--comm", selection->comm},     {"--thread", selection->thread},
                 {"--object", selection->object}, {"--function", selection->function},
                 {"--focus", selection->focus},   {"--ignore", selection->ignore}};
    char *what = calloc(1, WHAT_SIZE);

    if (what == NULL)
        return NULL;
    for (size_t i = 0; i < selection->pid_count; i++)
        append(what, "%s%u", i == 0 ? "--pid " : ",", selection->pids[i]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].value != NULL)
            append(what, "%s%s %s", *what != '\0' ? " " : "", names[i].option, names[i].value);
    return what;
}

/* What opens the part later has to see that it is one. */
static void tell_command(struct pprofil_profile *part)
{
    const char *command = part->profile->command;
    char *all = NULL;

    if (asprintf(&all, "%s%s(only %s: %.1f %%)", command != NULL ? command : "",
                 command != NULL ? " " : "", part->selected, 100 * part->selected_share) < 0)
        return;
    free(part->profile->command);
    part->profile->command = all;
}

static uint64_t time_of(const struct profile_totals *totals)
{
    return totals->wall ? totals->wall_ns : totals->cpu_ns;
}

int pprofil_profile_select(pprofil_profile *profile, const struct pprofil_selection *asked,
                           pprofil_profile **result)
{
    struct pprofil_selection selection = told(asked);
    struct select_options options = {
        .pids = selection.pids,
        .pid_count = selection.pid_count,
        .comm = selection.comm,
        .thread = selection.thread,
        .object = selection.object,
        .function = selection.function,
        .focus = selection.focus,
        .ignore = selection.ignore,
        .no_inlines = selection.no_inlines,
    };
    struct pprofil_profile *part = calloc(1, sizeof *part);

    profile->problem[0] = '\0';
    if (part == NULL || (part->selected = describe(&selection)) == NULL) {
        free(part);
        return -ENOMEM;
    }
    int error = public_need_symbolizer(profile);
    if (error == 0)
        error = report_select(profile->profile, profile->symbolizer, &options, &part->profile,
                              profile->problem, sizeof profile->problem);
    if (error != 0) {
        free(part->selected);
        free(part);
        return error;
    }
    uint64_t all = time_of(&profile->profile->totals);
    part->selected_of = profile->profile->totals.samples;
    part->selected_share = all == 0 ? 0 : (double)time_of(&part->profile->totals) / (double)all;
    tell_command(part);
    *result = part;
    return 0;
}

int pprofil_profile_selected(const pprofil_profile *profile, const char **what, double *share,
                             uint64_t *of_samples)
{
    if (profile->selected == NULL)
        return -ENODATA;
    *what = profile->selected;
    *share = profile->selected_share;
    *of_samples = profile->selected_of;
    return 0;
}
