/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the figures of pprofil stat as one JSON object: {"command", "elapsed_ns", "processes", "total", "profile"}.
 * The last member is what pprofil report -f json prints. A value that is not known is null. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "stat-report.h"

static json_t *stat_json_if(bool known, uint64_t number)
{
    return known ? json_integer(json_uint(number)) : json_null();
}

static int stat_json_add_figures(json_t *object, const struct pprofil_usage *usage)
{
    const struct stat_figure *figure;
    int failed = json_object_set_new(object, "threads", stat_json_if(usage->threads != 0, usage->threads));

    for (unsigned i = 0; (figure = stat_figure_at(i)) != NULL; i++) {
        uint64_t value = stat_figure_value(figure, usage);
        failed |= json_object_set_new(object, figure->name, stat_json_if(value != PPROFIL_UNKNOWN, value));
    }
    return failed;
}

static json_t *stat_json_process(const struct pprofil_usage *usage)
{
    bool ended = usage->status >= 0, exited = ended && WIFEXITED(usage->status);
    json_t *object = json_pack("{s:I, s:o, s:o, s:o, s:o}", "pid", (json_int_t)usage->pid, "ppid",
                               stat_json_if(usage->ppid != 0, usage->ppid), "comm", json_text(usage->comm),
                               "exit_status", stat_json_if(exited, (uint64_t)WEXITSTATUS(usage->status)), "signal",
                               stat_json_if(ended && !exited, (uint64_t)WTERMSIG(usage->status)));

    stat_json_add_figures(object, usage);
    return object;
}

static json_t *stat_json_processes(const struct stat_figures *figures)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < figures->shown; i++)
        json_array_append_new(list, stat_json_process(&figures->usages[i]));
    return list;
}

static json_t *stat_json_total(const struct stat_figures *figures)
{
    json_t *object = json_pack("{s:I}", "processes", (json_int_t)figures->count);

    stat_json_add_figures(object, &figures->total);
    return object;
}

/* Returns what report_print prints, as an object. Stores the error of report_print in *error. */
static json_t *stat_json_profile(pprofil_profile *profile, const struct report_view *view, int *error)
{
    char *text = NULL;
    size_t size;
    json_t *object = NULL;

    FILE *stream = open_memstream(&text, &size);
    *error = stream != NULL ? report_print(stream, profile, view) : -errno;
    if (stream != NULL && fclose(stream) == 0)
        object = json_loadb(text, size, 0, NULL);
    free(text);
    return object;
}

int stat_print_json(FILE *out, const struct stat_figures *figures, pprofil_profile *profile,
                    const struct report_view *view)
{
    struct pprofil_totals totals;
    int error;

    pprofil_profile_totals(profile, &totals, sizeof totals);
    json_t *rows = stat_json_profile(profile, view, &error);
    json_t *document = json_pack("{s:o, s:o, s:o, s:o, s:o}", "command", json_text(pprofil_profile_command(profile)),
                                 "elapsed_ns", stat_json_if(totals.elapsed_ns > 0, totals.elapsed_ns), "processes",
                                 stat_json_processes(figures), "total", stat_json_total(figures), "profile",
                                 rows != NULL ? rows : json_null());
    if (error == 0 && (document == NULL || json_dumpf(document, out, json_flags(out)) != 0))
        error = -ENOMEM;
    fputc('\n', out);
    json_decref(document);
    return error;
}
