/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A block of a function: what it is, what was looked for and is not there, and its rows with what
 * they have of the block's time.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "annotate.h"
#include "base/utf8.h"

#define BOLD "\033[1m"
#define HOT "\033[31m"
#define WARM "\033[33m"
#define PLAIN "\033[0m"

static double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

static const char *heat(double part)
{
    if (part >= 0.10)
        return HOT;
    return part >= 0.02 ? WARM : "";
}

void annotate_begin_line(FILE *out, const struct pprofil_code_row *row,
                         const struct pprofil_code_about *about, const struct annotate_view *view)
{
    if (view->colour)
        fputs(heat(share(row->ns, about->ns)), out);
    if (row->ns > 0 || row->samples > 0)
        fprintf(out, "%7.2f %8" PRIu64, 100 * share(row->ns, about->ns), row->samples);
    else
        fprintf(out, "%16s", "");
    if (view->stacks && row->total_samples > 0)
        fprintf(out, " %7.2f %8" PRIu64, 100 * share(row->total_ns, about->total_ns),
                row->total_samples);
    else if (view->stacks)
        fprintf(out, "%17s", "");
}

void annotate_end_line(FILE *out, const struct annotate_view *view)
{
    fputs(view->colour ? PLAIN "\n" : "\n", out);
}

/* --- the head -------------------------------------------------------------------------- */

static void print_head(FILE *out, const struct pprofil_code_about *about,
                       const struct annotate_view *view)
{
    fputs(view->colour ? BOLD "# " : "# ", out);
    utf8_print_harmless(out, view->name);
    fputs(" in ", out);
    utf8_print_harmless(out, about->object);
    fprintf(out, ", %" PRIx64 "-%" PRIx64 "%s\n", about->start, about->end,
            view->colour ? PLAIN : "");
    fprintf(out, "# %" PRIu64 " samples, %.3f s, %.2f %% of the profile", about->samples,
            (double)about->ns / 1e9, 100 * share(about->ns, view->whole_ns));
    if (view->stacks)
        fprintf(out, "; with what it called %.3f s, %.2f %%", (double)about->total_ns / 1e9,
                100 * share(about->total_ns, view->whole_ns));
    fputc('\n', out);
}

/* Returns whether any source is there. */
static bool print_sources(FILE *out, const pprofil_code *code)
{
    const char *path;
    bool found, newer, any = false;
    uint32_t i = 0;

    for (; pprofil_code_source(code, i, &path, &found, &newer) == 0; i++) {
        any = any || found;
        if (found && !newer)
            continue;
        fputs(found ? "# source is newer than the program, lines may be others: "
                    : "# source is not there: ",
              out);
        utf8_print_harmless(out, path);
        fputc('\n', out);
    }
    if (i == 0)
        fputs("# no source lines: there is no debug information for this code\n", out);
    return any;
}

static void print_headings(FILE *out, const struct annotate_view *view)
{
    fputs("  self%  samples", out);
    if (view->stacks)
        fputs("  total%  samples", out);
    fputc('\n', out);
}

/* --- instructions ------------------------------------------------------------------------ */

/* Where lines come from is said when that changes. */
struct origin {
    const char *file, *inlined;
};

static void print_origin(FILE *out, const struct pprofil_code_row *row, struct origin *origin,
                         const struct annotate_view *view)
{
    if (row->file == origin->file && strcmp(row->inlined, origin->inlined) == 0)
        return;
    *origin = (struct origin){row->file, row->inlined};
    fprintf(out, "%*s", view->stacks ? 35 : 18, "");
    utf8_print_harmless(out, row->file);
    if (row->inlined[0] != '\0')
        fprintf(out, " (inlined: %s)", row->inlined);
    fputc('\n', out);
}

static void print_inlined_instruction(FILE *out, const struct pprofil_code_row *row,
                                      struct origin *origin, const struct annotate_view *view)
{
    if (strcmp(row->inlined, origin->inlined) == 0)
        return;
    origin->inlined = row->inlined;
    fprintf(out, "%*s", view->stacks ? 35 : 18, "");
    fputs(row->inlined[0] != '\0' ? "(inlined: " : "(", out);
    utf8_print_harmless(out, row->inlined[0] != '\0' ? row->inlined : view->name);
    fputs(")\n", out);
}

static int print_rows(FILE *out, const pprofil_code *code, const struct pprofil_code_about *about,
                      const struct annotate_view *view)
{
    struct origin origin = {"", ""};
    struct pprofil_code_row row;
    struct arrows *arrows;
    int error = arrows_new(code, &arrows);

    if (error != 0)
        return error;
    for (uint32_t i = 0; i < pprofil_code_count(code); i++) {
        pprofil_code_row(code, i, &row, sizeof row);
        if (row.source && view->what == ANNOTATE_INSTRUCTIONS)
            continue;
        if (row.source)
            print_origin(out, &row, &origin, view);
        else
            print_inlined_instruction(out, &row, &origin, view);
        annotate_begin_line(out, &row, about, view);
        if (row.source)
            fprintf(out, "%6" PRIu32 "  %s", row.line, row.text);
        else
            fprintf(out, "  %10" PRIx64 " %s %s", row.address, arrows_beside(arrows, i, false),
                    row.text);
        annotate_end_line(out, view);
    }
    arrows_free(arrows);
    return 0;
}

int annotate_print(FILE *out, const pprofil_code *code, const struct annotate_view *view)
{
    struct annotate_view shown = *view;
    struct pprofil_code_about about;

    pprofil_code_about(code, &about, sizeof about);
    print_head(out, &about, view);
    bool any = print_sources(out, code);
    if (!any)
        shown.what = ANNOTATE_INSTRUCTIONS;
    print_headings(out, &shown);
    if (shown.what == ANNOTATE_SOURCE)
        return annotate_print_lines(out, code, &shown);
    return print_rows(out, code, &about, &shown);
}
