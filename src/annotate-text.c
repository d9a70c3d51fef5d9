/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints a block of a function's code as text. A heading shows what the block is and which sources
 * were not found. The rows follow, each with its share of the block's time.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "base/utf8.h"
#include "output-stream.h"
#include "report.h"

#define BOLD "\033[1m"
/* If two lines with code are at most this many lines apart, the lines between them are printed, too. */
#define GAP_LINES_MAX 8u

static double share_of(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

static void annotate_begin_line(FILE *out, const struct pprofil_code_row *row,
                         const struct pprofil_code_about *about, const struct annotate_view *view)
{
    if (view->hottest != NULL && row->ns > view->hottest->ns)
        *view->hottest = (struct annotate_hottest){row->ns, ftell(out)};
    if (view->colour)
        fputs(output_colour_of_share(share_of(row->ns, about->ns)), out);
    if (row->ns > 0 || row->samples > 0)
        fprintf(out, "%7.2f %8" PRIu64, 100 * share_of(row->ns, about->ns), row->samples);
    else
        fprintf(out, "%16s", "");
    if (view->stacks && row->total_samples > 0)
        fprintf(out, " %7.2f %8" PRIu64, 100 * share_of(row->total_ns, about->total_ns), row->total_samples);
    else if (view->stacks)
        fprintf(out, "%17s", "");
}

static void annotate_end_line(FILE *out, const struct annotate_view *view)
{
    fputs(view->colour ? OUTPUT_PLAIN "\n" : "\n", out);
}

/* --- the head -------------------------------------------------------------------------- */

static void annotate_print_head(FILE *out, const struct pprofil_code_about *about, const struct annotate_view *view)
{
    fputs(view->colour ? BOLD "# " : "# ", out);
    utf8_print_harmless(out, view->name);
    fputs(" in ", out);
    utf8_print_harmless(out, about->object);
    if (!about->lines_only)
        fprintf(out, ", %" PRIx64 "-%" PRIx64, about->start, about->end);
    fputs(view->colour ? OUTPUT_PLAIN "\n" : "\n", out);
    fprintf(out, "# %" PRIu64 " samples, %.3f s, %.2f %% of the profile", about->samples, (double)about->ns / 1e9,
            100 * share_of(about->ns, view->whole_ns));
    if (view->stacks)
        fprintf(out, "; with what it called %.3f s, %.2f %%", (double)about->total_ns / 1e9,
                100 * share_of(about->total_ns, view->whole_ns));
    fputc('\n', out);
}

/* Prints which source files are missing, or newer than the program. Returns true if at least one source was found. */
static bool annotate_print_sources(FILE *out, const pprofil_code *code)
{
    const char *path;
    bool found, newer, any = false;
    uint32_t i = 0;

    for (; pprofil_code_source(code, i, &path, &found, &newer) == 0; i++) {
        any = any || found;
        if (found && !newer)
            continue;
        fputs(found ? "# source is newer than the program, its lines may have moved: " : "# source not found: ", out);
        utf8_print_harmless(out, path);
        fputc('\n', out);
    }
    if (i == 0)
        fputs("# no source lines: there is no debug information for this code\n", out);
    return any;
}

static void annotate_print_headings(FILE *out, const struct annotate_view *view)
{
    fputs("  self%  samples", out);
    if (view->stacks)
        fputs("  total%  samples", out);
    fputc('\n', out);
}

/* --- instructions ------------------------------------------------------------------------ */

/* The source file and the inlined function of the row printed last. They are printed again only
 * when one of them changes. */
struct origin {
    const char *file, *inlined;
};

static void annotate_print_origin(FILE *out, const struct pprofil_code_row *row, struct origin *origin,
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

static void annotate_print_inlined(FILE *out, const struct pprofil_code_row *row,
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

static int annotate_print_rows(FILE *out, const pprofil_code *code, const struct pprofil_code_about *about,
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
            annotate_print_origin(out, &row, &origin, view);
        else
            annotate_print_inlined(out, &row, &origin, view);
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

/* --- source lines -------------------------------------------------------------------------
 * The lines are sorted by file, then by line number. The instructions of one line are often in
 * several places. The counts of a line are the sums over all these places. */

/* A source line with the sums of all its rows. */
struct line {
    struct pprofil_code_row row;
    uint32_t file;  /* index of the file in the code's list of sources */
    uint32_t first; /* index of the first row of the line */
};

static uint32_t line_file(const pprofil_code *code, const char *path)
{
    const char *known;
    bool found, newer;
    uint32_t i = 0;

    while (pprofil_code_source(code, i, &known, &found, &newer) == 0 && known != path)
        i++;
    return i;
}

static int compare_lines(const void *left, const void *right)
{
    const struct line *a = left, *b = right;

    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->row.line != b->row.line)
        return a->row.line < b->row.line ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static void line_add(struct pprofil_code_row *into, const struct pprofil_code_row *row)
{
    into->samples += row->samples;
    into->ns += row->ns;
    into->total_samples += row->total_samples;
    into->total_ns += row->total_ns;
    if (row->inlined[0] == '\0') /* some instructions of the line are in no inlined function */
        into->inlined = "";
}

static uint32_t collect_lines(const pprofil_code *code, struct line *lines)
{
    uint32_t count = 0, kept = 0;

    for (uint32_t i = 0; i < pprofil_code_count(code); i++) {
        struct line *line = &lines[count];
        pprofil_code_row(code, i, &line->row, sizeof line->row);
        if (!line->row.source)
            continue;
        line->first = i;
        line->file = line_file(code, line->row.file);
        count++;
    }
    if (count > 1)
        qsort(lines, count, sizeof *lines, compare_lines);
    for (uint32_t i = 1; i < count; i++)
        if (lines[i].file == lines[kept].file && lines[i].row.line == lines[kept].row.line)
            line_add(&lines[kept].row, &lines[i].row);
        else
            lines[++kept] = lines[i];
    return count == 0 ? 0 : kept + 1;
}

static void annotate_print_line(FILE *out, const struct pprofil_code_row *row, const char *text,
                                const struct pprofil_code_about *about, const struct annotate_view *view)
{
    annotate_begin_line(out, row, about, view);
    fprintf(out, "%6" PRIu32 "  %s", row->line, text);
    if (row->inlined[0] != '\0')
        fprintf(out, "  [%s]", row->inlined);
    annotate_end_line(out, view);
}

static void annotate_print_gap(FILE *out, const pprofil_code *code, const struct line *before, const struct line *after,
                               const struct pprofil_code_about *about, const struct annotate_view *view)
{
    struct pprofil_code_row empty = {.inlined = "", .line = before->row.line + 1};

    if (after->row.line - before->row.line > GAP_LINES_MAX) {
        fprintf(out, "  ...\n");
        return;
    }
    for (; empty.line < after->row.line; empty.line++) {
        const char *text = pprofil_code_line(code, before->file, empty.line);
        annotate_print_line(out, &empty, text != NULL ? text : "", about, view);
    }
}

/* Prints the sum of the counts of instructions whose source lines were not found. */
static void annotate_print_rest(FILE *out, const struct line *lines, uint32_t count,
                                const struct pprofil_code_about *about, const struct annotate_view *view)
{
    struct pprofil_code_row rest = {.samples = about->samples, .ns = about->ns};

    for (uint32_t i = 0; i < count; i++) {
        rest.samples -= lines[i].row.samples;
        rest.ns -= lines[i].row.ns;
    }
    if (rest.samples == 0 && rest.ns == 0)
        return;
    annotate_begin_line(out, &rest, about, view);
    fputs("  in lines that were not found; --instructions shows them", out);
    annotate_end_line(out, view);
}

static int annotate_print_lines(FILE *out, const pprofil_code *code, const struct annotate_view *view)
{
    struct line *lines = calloc(pprofil_code_count(code) + 1u, sizeof *lines);
    struct pprofil_code_about about;

    if (lines == NULL)
        return -ENOMEM;
    pprofil_code_about(code, &about, sizeof about);
    uint32_t count = collect_lines(code, lines);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || lines[i].file != lines[i - 1].file) {
            fputs("  ", out);
            utf8_print_harmless(out, lines[i].row.file);
            fputc('\n', out);
        } else {
            annotate_print_gap(out, code, &lines[i - 1], &lines[i], &about, view);
        }
        annotate_print_line(out, &lines[i].row, lines[i].row.text, &about, view);
    }
    annotate_print_rest(out, lines, count, &about, view);
    free(lines);
    return 0;
}

int annotate_print(FILE *out, const pprofil_code *code, const struct annotate_view *view)
{
    struct annotate_view shown = *view;
    struct pprofil_code_about about;

    pprofil_code_about(code, &about, sizeof about);
    annotate_print_head(out, &about, view);
    bool any = annotate_print_sources(out, code);
    if (about.lines_only)
        shown.what = ANNOTATE_SOURCE;
    else if (!any)
        shown.what = ANNOTATE_INSTRUCTIONS;
    annotate_print_headings(out, &shown);
    if (shown.what == ANNOTATE_SOURCE)
        return annotate_print_lines(out, code, &shown);
    return annotate_print_rows(out, code, &about, &shown);
}
