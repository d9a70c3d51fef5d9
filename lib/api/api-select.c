/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of pprofil.h that make and describe a part of a profile. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "report/report.h"

#define WHAT_SIZE 512 /* bytes of the text that describes a selection */

/* --- selections -------------------------------------------------------------------------- */

static struct pprofil_selection selection_copy(const struct pprofil_selection *selection)
{
    struct pprofil_selection all = {0};

    api_copy(&all, sizeof all, selection, selection->size);
    return all;
}

bool pprofil_selection_any(const struct pprofil_selection *selection)
{
    struct pprofil_selection all = selection_copy(selection);

    return all.pid_count > 0 || all.comm != NULL || all.thread != NULL || all.object != NULL || all.function != NULL ||
           all.focus != NULL || all.ignore != NULL || all.from_ns != 0 || all.to_ns != 0 || all.row_name != NULL ||
           all.process_row != 0 || all.thread_row != 0 || all.object_row != 0 ||
           all.wait != NULL || all.wait_row != 0 || all.host != NULL || all.job != NULL || all.rank != NULL;
}

__attribute__((format(printf, 2, 3))) static void what_append(char *what, const char *format, ...)
{
    size_t length = strlen(what);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what + length, WHAT_SIZE - length, format, arguments);
    va_end(arguments);
}

/* Returns the selection as command options, a text that the caller frees; NULL: no memory. */
static char *selection_describe(const struct pprofil_selection *selection)
{
    const struct {
        const char *option, *value;
    } names[] = {{"--comm", selection->comm},     {"--thread", selection->thread},
                 {"--object", selection->object}, {"--function", selection->function},
                 {"--focus", selection->focus},   {"--ignore", selection->ignore},
                 {"--wait", selection->wait},     {"--host", selection->host},
                 {"--job", selection->job},       {"--rank", selection->rank}};
    char *what = calloc(1, WHAT_SIZE);

    if (what == NULL)
        return NULL;
    for (size_t i = 0; i < selection->pid_count; i++)
        what_append(what, "%s%u", i == 0 ? "--pid " : ",", selection->pids[i]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].value != NULL)
            what_append(what, "%s%s %s", *what != '\0' ? " " : "", names[i].option, names[i].value);
    if (selection->row_name != NULL)
        what_append(what, "%s'%s'", *what != '\0' ? " " : "", selection->row_name);
    if (selection->from_ns != 0)
        what_append(what, "%s--from %g", *what != '\0' ? " " : "", (double)selection->from_ns / 1e9);
    if (selection->to_ns != 0)
        what_append(what, "%s--to %g", *what != '\0' ? " " : "", (double)selection->to_ns / 1e9);
    return what;
}

/* Adds the text of the selection to the command (the profiled command line), because a file has a field for the
 * command, but none for the selection. */
static void add_to_command(struct pprofil_profile *part)
{
    const char *command = part->profile->command;
    char *all = NULL;

    if (asprintf(&all, "%s%s(only %s: %.1f %%)", command != NULL ? command : "",
                 command != NULL ? " " : "", part->selected, 100 * part->selected_share) < 0)
        return;
    free(part->profile->command);
    part->profile->command = all;
}

/* Returns true if pprofil_selection.row_name is a condition for rows of this grouping. */
static bool rows_have_names(enum pprofil_by by)
{
    return report_is_grouping(by) && by != PPROFIL_BY_FUNCTION && by != PPROFIL_BY_LINE;
}

static uint64_t total_time(const struct profile_totals *totals)
{
    return totals->wall ? totals->wall_ns : totals->cpu_ns;
}

int pprofil_profile_select(pprofil_profile *profile, const struct pprofil_selection *asked, pprofil_profile **result)
{
    struct pprofil_selection selection = selection_copy(asked);
    struct pprofil_profile *part = calloc(1, sizeof *part);

    profile->problem[0] = '\0';
    if (selection.row_name != NULL && !rows_have_names((enum pprofil_by)selection.row_by)) {
        free(part);
        return -EINVAL;
    }
    if (part == NULL || (part->selected = selection_describe(&selection)) == NULL) {
        free(part);
        return -ENOMEM;
    }
    int error = api_need_symbolizer(profile);
    if (error == 0)
        error = profile_number_generations(profile->profile);
    if (error == 0)
        error = report_select(profile->profile, profile->symbolizer, &selection, &part->profile,
                              profile->problem, sizeof profile->problem);
    if (error != 0) {
        free(part->selected);
        free(part);
        return error;
    }
    uint64_t all = total_time(&profile->profile->totals);
    part->selected_of = profile->profile->totals.samples;
    part->selected_share = all == 0 ? 0 : (double)total_time(&part->profile->totals) / (double)all;
    add_to_command(part);
    *result = part;
    return 0;
}

int pprofil_profile_selected(const pprofil_profile *profile, const char **what, double *share, uint64_t *of_samples)
{
    if (profile->selected == NULL)
        return PPROFIL_ERROR_NO_SELECTION;
    *what = profile->selected;
    *share = profile->selected_share;
    *of_samples = profile->selected_of;
    return 0;
}
