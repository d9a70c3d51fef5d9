/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the figures of pprofil stat as text: a group of lines for each process, then the total, then the functions. */
#include "config.h"

#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "base/utf8.h"
#include "output-stream.h"
#include "stat-report.h"

#define BOLD "\033[1m"
#define VALUE_WIDTH 11
#define LABEL_WIDTH 13
#define CELL_WIDTH (VALUE_WIDTH + LABEL_WIDTH + 2)
#define CELLS 3u /* in a line, if there is room */
#define VALUE_SIZE 32

static void stat_format_bytes(uint64_t bytes, char text[VALUE_SIZE])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    unsigned unit = 0;

    for (; value >= 1024; unit++)
        value /= 1024;
    snprintf(text, VALUE_SIZE, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

/* A value that is not known is blank. */
static void stat_format(const struct stat_figure *figure, const struct pprofil_usage *usage, char text[VALUE_SIZE])
{
    uint64_t value = stat_figure_value(figure, usage);

    if (value == PPROFIL_UNKNOWN)
        text[0] = '\0';
    else if (figure->unit == STAT_TIME)
        snprintf(text, VALUE_SIZE, "%.4f s", (double)value / 1e9);
    else if (figure->unit == STAT_BYTES)
        stat_format_bytes(value, text);
    else
        snprintf(text, VALUE_SIZE, "%" PRIu64, value);
}

static void stat_print_cells(FILE *out, const struct pprofil_usage *usage, unsigned columns)
{
    const struct stat_figure *figure;
    unsigned cells = columns == 0 || columns / CELL_WIDTH > CELLS ? CELLS : columns / CELL_WIDTH;
    char value[VALUE_SIZE];

    for (unsigned i = 0; (figure = stat_figure_at(i)) != NULL; i++) {
        bool last = cells <= 1 || i % CELLS % cells == cells - 1 || i % CELLS == CELLS - 1;
        stat_format(figure, usage, value);
        fprintf(out, "%*s %-*s", VALUE_WIDTH, value, last ? 0 : LABEL_WIDTH + 1, figure->label);
        fputs(last ? "\n" : "", out);
    }
}

static void stat_print_status(FILE *out, int32_t status)
{
    if (status < 0)
        return;
    if (WIFEXITED(status))
        fprintf(out, ", exit status %d", WEXITSTATUS(status));
    else
        fprintf(out, ", killed by signal %d%s", WTERMSIG(status), WCOREDUMP(status) ? " (core dumped)" : "");
}

static void stat_print_process(FILE *out, const struct pprofil_usage *usage, const struct report_view *view)
{
    fputs(view->colour ? "\n" BOLD : "\n", out);
    utf8_print_harmless(out, usage->comm);
    fprintf(out, "%s(%" PRIu32 ")%s", usage->comm[0] != '\0' ? " " : "", usage->pid, view->colour ? OUTPUT_PLAIN : "");
    stat_print_status(out, usage->status);
    if (usage->threads > 0)
        fprintf(out, ", %" PRIu32 " thread%s", usage->threads, usage->threads == 1 ? "" : "s");
    fputc('\n', out);
    stat_print_cells(out, usage, view->columns);
}

static void stat_print_head(FILE *out, const struct stat_figures *figures, const pprofil_profile *profile, bool colour)
{
    struct pprofil_totals totals;

    pprofil_profile_totals(profile, &totals, sizeof totals);
    fputs(colour ? "\n" BOLD "# pprofil stat: " : "\n# pprofil stat: ", out);
    utf8_print_harmless(out, pprofil_profile_command(profile));
    fprintf(out, "%s\n# %.3f s elapsed, %" PRIu32 " process%s\n", colour ? OUTPUT_PLAIN : "",
            (double)totals.elapsed_ns / 1e9, figures->count, figures->count == 1 ? "" : "es");
    if (totals.lost > 0)
        fprintf(out, "# %" PRIu64 " events were lost: processes may be missing\n", totals.lost);
}

int stat_print_text(FILE *out, const struct stat_figures *figures, pprofil_profile *profile,
                    const struct report_view *view)
{
    uint32_t hidden = figures->count - figures->shown;

    stat_print_head(out, figures, profile, view->colour);
    for (uint32_t i = 0; i < figures->shown; i++)
        stat_print_process(out, &figures->usages[i], view);
    if (hidden > 0)
        fprintf(out, "# %" PRIu32 " more process%s; -n 0 shows all\n", hidden, hidden == 1 ? "" : "es");
    if (figures->count > 1) {
        fprintf(out, "\ntotal of %" PRIu32 " processes", figures->count);
        if (figures->total.threads > 0)
            fprintf(out, ", %" PRIu32 " threads", figures->total.threads);
        fputc('\n', out);
        stat_print_cells(out, &figures->total, view->columns);
    }
    return report_print(out, profile, view);
}
