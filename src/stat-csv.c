/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the figures of pprofil stat as comma-separated values (RFC 4180), a line for each process, with a header. A
 * field whose value is not known is empty. */
#include "config.h"

#include <inttypes.h>
#include <sys/wait.h>

#include "stat-report.h"

static void stat_print_csv_number(FILE *out, bool known, uint64_t number)
{
    fputc(',', out);
    if (known)
        fprintf(out, "%" PRIu64, number);
}

static void stat_print_csv_process(FILE *out, const struct pprofil_usage *usage)
{
    const struct stat_figure *figure;
    bool ended = usage->status >= 0, exited = ended && WIFEXITED(usage->status);

    fprintf(out, "%" PRIu32, usage->pid);
    stat_print_csv_number(out, usage->ppid != 0, usage->ppid);
    fputc(',', out);
    csv_print_text(out, usage->comm);
    stat_print_csv_number(out, exited, (uint64_t)WEXITSTATUS(usage->status));
    stat_print_csv_number(out, ended && !exited, (uint64_t)WTERMSIG(usage->status));
    stat_print_csv_number(out, usage->threads != 0, usage->threads);
    for (unsigned i = 0; (figure = stat_figure_at(i)) != NULL; i++) {
        uint64_t value = stat_figure_value(figure, usage);
        stat_print_csv_number(out, value != PPROFIL_UNKNOWN, value);
    }
    fputs("\r\n", out);
}

int stat_print_csv(FILE *out, const struct stat_figures *figures)
{
    const struct stat_figure *figure;

    fputs("pid,ppid,comm,exit_status,signal,threads", out);
    for (unsigned i = 0; (figure = stat_figure_at(i)) != NULL; i++)
        fprintf(out, ",%s", figure->name);
    fputs("\r\n", out);
    for (uint32_t i = 0; i < figures->shown; i++)
        stat_print_csv_process(out, &figures->usages[i]);
    return 0;
}
