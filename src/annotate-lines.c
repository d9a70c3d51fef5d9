/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Source lines in the order of their files: the instructions of a line are often in several
 * places, and a line has what all of them have. Lines between, of which no code was made, are shown
 * where they are few.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "base/utf8.h"

#define FEW 8u /* lines without code */

/* Rows of one line. */
struct line {
    struct pprofil_code_row row;
    uint32_t file;  /* its number in the code */
    uint32_t first; /* the row that it was met at first */
};

static uint32_t find_file(const pprofil_code *code, const char *path)
{
    const char *known;
    bool found, newer;
    uint32_t i = 0;

    while (pprofil_code_source(code, i, &known, &found, &newer) == 0 && known != path)
        i++;
    return i;
}

static int annotate_lines_compare(const void *left, const void *right)
{
    const struct line *a = left, *b = right;

    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->row.line != b->row.line)
        return a->row.line < b->row.line ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static void annotate_lines_add(struct pprofil_code_row *into, const struct pprofil_code_row *row)
{
    into->samples += row->samples;
    into->ns += row->ns;
    into->total_samples += row->total_samples;
    into->total_ns += row->total_ns;
    if (row->inlined[0] == '\0') /* the function's own line, too */
        into->inlined = "";
}

static uint32_t collect(const pprofil_code *code, struct line *lines)
{
    uint32_t count = 0, kept = 0;

    for (uint32_t i = 0; i < pprofil_code_count(code); i++) {
        struct line *line = &lines[count];
        pprofil_code_row(code, i, &line->row, sizeof line->row);
        if (!line->row.source)
            continue;
        line->first = i;
        line->file = find_file(code, line->row.file);
        count++;
    }
    if (count > 1)
        qsort(lines, count, sizeof *lines, annotate_lines_compare);
    for (uint32_t i = 1; i < count; i++)
        if (lines[i].file == lines[kept].file && lines[i].row.line == lines[kept].row.line)
            annotate_lines_add(&lines[kept].row, &lines[i].row);
        else
            lines[++kept] = lines[i];
    return count == 0 ? 0 : kept + 1;
}

static void print_line(FILE *out, const struct pprofil_code_row *row, const char *text,
                       const struct pprofil_code_about *about, const struct annotate_view *view)
{
    annotate_begin_line(out, row, about, view);
    fprintf(out, "%6" PRIu32 "  %s", row->line, text);
    if (row->inlined[0] != '\0')
        fprintf(out, "  [%s]", row->inlined);
    annotate_end_line(out, view);
}

static void print_between(FILE *out, const pprofil_code *code, const struct line *before,
                          const struct line *after, const struct pprofil_code_about *about,
                          const struct annotate_view *view)
{
    struct pprofil_code_row empty = {.inlined = "", .line = before->row.line + 1};

    if (after->row.line - before->row.line > FEW) {
        fprintf(out, "  ...\n");
        return;
    }
    for (; empty.line < after->row.line; empty.line++) {
        const char *text = pprofil_code_line(code, before->file, empty.line);
        print_line(out, &empty, text != NULL ? text : "", about, view);
    }
}

/* What the instructions have whose lines are not there to be shown. */
static void print_rest(FILE *out, const struct line *lines, uint32_t count,
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
    fputs("  in lines that are not there: --instructions shows where", out);
    annotate_end_line(out, view);
}

int annotate_print_lines(FILE *out, const pprofil_code *code, const struct annotate_view *view)
{
    struct line *lines = calloc(pprofil_code_count(code) + 1u, sizeof *lines);
    struct pprofil_code_about about;

    if (lines == NULL)
        return -ENOMEM;
    pprofil_code_about(code, &about, sizeof about);
    uint32_t count = collect(code, lines);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || lines[i].file != lines[i - 1].file) {
            fputs("  ", out);
            utf8_print_harmless(out, lines[i].row.file);
            fputc('\n', out);
        } else {
            print_between(out, code, &lines[i - 1], &lines[i], &about, view);
        }
        print_line(out, &lines[i].row, lines[i].row.text, &about, view);
    }
    print_rest(out, lines, count, &about, view);
    free(lines);
    return 0;
}
