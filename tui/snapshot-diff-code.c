/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes the code of a function with the counts of two profiles. Lines of the source are the same if their files have
 * the same name and their numbers are equal. They are sorted by file and number, and have the sums of their
 * instructions, as pprofil annotate prints them. Without lines, instructions are the same if the code did not change
 * between the profiles.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "snapshot-source.h"

enum { OLD, NEW, SIDES };

/* Gaps between lines with counts are filled if they are no longer than this. */
#define GAP_LINES_MAX 8

struct diff_line {
    struct pprofil_code_row row; /* of the new profile, or of the old one if the new one does not have it */
    const char *file;            /* last component of the path of the source file */
    int side;                    /* of the profile that `row` is from */
    struct snapshot_counts of[SIDES];
};

struct diff_lines {
    struct diff_line *all; /* owned */
    uint32_t count;
};

/* --- collecting rows ----------------------------------------------------------------------- */

static int lines_add(struct diff_lines *lines, const struct pprofil_code_row *row, int side)
{
    int error = array_grow(&lines->all, lines->count, sizeof *lines->all);

    if (error != 0)
        return error;
    struct diff_line *line = &lines->all[lines->count++];
    *line = (struct diff_line){.row = *row, .side = side, .file = row->file != NULL ? path_base_name(row->file) : ""};
    line->of[side] = (struct snapshot_counts){row->samples, row->ns};
    return 0;
}

static int lines_collect(const pprofil_annotation *annotation, bool source, int side, struct diff_lines *lines)
{
    const pprofil_code *code;
    int error = 0;

    for (uint32_t block = 0; (code = pprofil_annotation_code(annotation, block)) != NULL; block++)
        for (uint32_t i = 0; error == 0 && i < pprofil_code_count(code); i++) {
            struct pprofil_code_row row;
            pprofil_code_row(code, i, &row, sizeof row);
            if (row.source == source)
                error = lines_add(lines, &row, side);
        }
    return error;
}

/* Sorts rows so that equal ones follow each other, those of the new profile first. */
static int lines_compare(const void *left, const void *right)
{
    const struct diff_line *a = left, *b = right;
    int order = strcmp(a->file, b->file);

    if (a->row.source && order != 0)
        return order;
    if (a->row.source && a->row.line != b->row.line)
        return a->row.line < b->row.line ? -1 : 1;
    if (!a->row.source && a->row.address != b->row.address)
        return a->row.address < b->row.address ? -1 : 1;
    return b->side - a->side;
}

static bool lines_are_same(const struct diff_line *a, const struct diff_line *b)
{
    return a->row.source ? strcmp(a->file, b->file) == 0 && a->row.line == b->row.line
                         : a->row.address == b->row.address;
}

static void lines_join(struct diff_lines *lines)
{
    uint32_t kept = 0;

    if (lines->count > 1)
        qsort(lines->all, lines->count, sizeof *lines->all, lines_compare);
    for (uint32_t i = 1; i < lines->count; i++) {
        struct diff_line *into = &lines->all[kept], *line = &lines->all[i];
        if (!lines_are_same(into, line)) {
            lines->all[++kept] = *line;
            continue;
        }
        for (int side = 0; side < SIDES; side++) {
            into->of[side].samples += line->of[side].samples;
            into->of[side].ns += line->of[side].ns;
        }
    }
    lines->count = lines->count > 0 ? kept + 1 : 0;
}

/* --- instructions -------------------------------------------------------------------------- */

static bool is_same_instruction(const struct pprofil_code_row *a, const struct pprofil_code_row *b)
{
    if (a->address != b->address || a->text == NULL || b->text == NULL)
        return false;
    return strcmp(a->text, b->text) == 0;
}

/* Returns true if the instructions of both profiles are the same. If not, those of the old one say nothing about those
 * of the new one. */
static bool instructions_are_same(const struct diff_lines *old, const struct diff_lines *new)
{
    bool same = old->count == new->count;

    for (uint32_t i = 0; same && i < old->count; i++)
        same = is_same_instruction(&old->all[i].row, &new->all[i].row);
    return same;
}

/* Takes the instructions of the profile that has the function; if both do, those of the new one. */
static int lines_take_instructions(pprofil_annotation *const annotations[SIDES], struct diff_lines *lines)
{
    struct diff_lines of[SIDES] = {0};
    int error = 0;

    for (int side = 0; error == 0 && side < SIDES; side++)
        if (annotations[side] != NULL)
            error = lines_collect(annotations[side], false, side, &of[side]);
    bool same = error == 0 && instructions_are_same(&of[OLD], &of[NEW]);
    for (uint32_t i = 0; same && i < of[NEW].count; i++)
        of[NEW].all[i].of[OLD] = of[OLD].all[i].of[OLD];
    *lines = of[of[NEW].count > 0 ? NEW : OLD];
    free(of[of[NEW].count > 0 ? OLD : NEW].all);
    return error;
}

/* --- source lines --------------------------------------------------------------------------- */

/* Returns the text of a source line without counts, or NULL. */
static const char *source_text(pprofil_annotation *const annotations[SIDES], const char *path, uint32_t line)
{
    for (int side = SIDES; side-- > 0;) {
        const pprofil_code *code = annotations[side] != NULL ? pprofil_annotation_code(annotations[side], 0) : NULL;
        const char *known;
        bool found, newer;
        for (uint32_t i = 0; code != NULL && pprofil_code_source(code, i, &known, &found, &newer) == 0; i++)
            if (strcmp(known, path) == 0)
                return pprofil_code_line(code, i, line);
    }
    return NULL;
}

/* Adds the lines between two lines of a file, which have no counts. */
static int lines_fill_gap(pprofil_annotation *const annotations[SIDES], const struct diff_line *before, uint32_t end,
                          struct diff_lines *filled)
{
    struct pprofil_code_row row = {.source = true, .file = before->row.file, .inlined = ""};
    int error = 0;

    if (end - before->row.line > GAP_LINES_MAX)
        return 0;
    for (row.line = before->row.line + 1; error == 0 && row.line < end; row.line++) {
        row.text = source_text(annotations, row.file, row.line);
        if (row.text != NULL)
            error = lines_add(filled, &row, NEW);
    }
    return error;
}

static int lines_take_source(pprofil_annotation *const annotations[SIDES], struct diff_lines *filled)
{
    struct diff_lines lines = {0};
    int error = 0;

    for (int side = 0; error == 0 && side < SIDES; side++)
        if (annotations[side] != NULL)
            error = lines_collect(annotations[side], true, side, &lines);
    lines_join(&lines);
    for (uint32_t i = 0; error == 0 && i < lines.count; i++) {
        if (i > 0 && strcmp(lines.all[i].file, lines.all[i - 1].file) == 0) {
            const struct diff_line before = lines.all[i - 1];
            error = lines_fill_gap(annotations, &before, lines.all[i].row.line, filled);
        }
        if (error == 0)
            error = array_grow(&filled->all, filled->count, sizeof *filled->all);
        if (error == 0)
            filled->all[filled->count++] = lines.all[i];
    }
    free(lines.all);
    return error;
}

/* --- the whole ----------------------------------------------------------------------------- */

static void code_explain(pprofil_annotation *const annotations[SIDES], struct snapshot *snapshot)
{
    for (int side = 0; side < SIDES; side++)
        if (annotations[side] != NULL)
            snapshot->code_problem = pprofil_annotation_problem(annotations[side]);
    snapshot->code_state = PPROFIL_ERROR_NO_CODE;
}

int source_diff_take_code(pprofil_annotation *const annotations[SIDES], struct snapshot *snapshot)
{
    struct diff_lines lines = {0};
    int error = lines_take_source(annotations, &lines);

    if (error == 0 && lines.count == 0)
        error = lines_take_instructions(annotations, &lines);
    if (error == 0) {
        snapshot->code = calloc(lines.count + 1u, sizeof *snapshot->code);
        snapshot->code_old = calloc(lines.count + 1u, sizeof *snapshot->code_old);
        error = snapshot->code == NULL || snapshot->code_old == NULL ? -ENOMEM : 0;
    }
    for (uint32_t i = 0; error == 0 && i < lines.count; i++) {
        snapshot->code[i] = lines.all[i].row;
        snapshot->code[i].samples = lines.all[i].of[NEW].samples;
        snapshot->code[i].ns = lines.all[i].of[NEW].ns;
        snapshot->code_old[i] = lines.all[i].of[OLD];
    }
    snapshot->code_count = error == 0 ? lines.count : 0;
    if (error == 0 && lines.count == 0)
        code_explain(annotations, snapshot);
    free(lines.all);
    return error;
}
