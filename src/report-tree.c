/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints a call tree as text. Lines show where the tree branches. An only child is not indented
 * further than its parent, so that a deep tree does not become a wide one.
 *
 *   total%  ±95%   self%  function                  object
 *   100.00  0.39    0.00  _start                    prog
 *   100.00  0.39    1.20  main                      prog
 *    70.10  2.84   10.00  ├─ parse                  prog
 *    60.10  3.04   60.10  │  next_token             prog
 *    28.70  2.80   28.70  └─ evaluate               prog
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fit-name.h"
#include "base/utf8.h"
#include "output-stream.h"
#include "report.h"

#define DRAWN_MAX 32u     /* levels of indent that are drawn; a deeper row shows its level as a number */
#define NAME_MIN 12u      /* on a terminal, names keep at least so many characters */
#define LEVEL_WIDTH 6u    /* of the number of a level, which is hardly ever larger than 999 */
#define OBJECT_WIDEST 20u /* on a terminal, objects are cut to so many, and to one part of OBJECT_PART of the line */
#define OBJECT_PART 6u
#define WIDEST_NAMES 72u  /* greatest width of the column of names; a longer name shifts the rest of its line */

struct tree_drawing {
    const char *line, *fork, *end, *gap; /* strings that draw the tree, each three columns wide */
    const char *interval;                /* heading of the interval's column, five columns wide */
};

static const struct tree_drawing in_utf8 = {"│  ", "├─ ", "└─ ", "   ", " ±95%"};
static const struct tree_drawing in_ascii = {"|  ", "|- ", "`- ", "   ", "+-95%"};

struct tree_printer {
    FILE *out;
    const pprofil_tree *tree;
    const struct report_view *view;
    const struct tree_drawing *drawing;
    /* owned: for each level of indent, true if the last branch at that level has begun, so that no
     * line is drawn at this level any more */
    bool *ended;
    uint32_t most;  /* greatest indent of a row */
    uint32_t drawn; /* levels of indent that are drawn */
    size_t width;   /* width of the column of names */
    size_t object;  /* width that objects may have; 0: any */
    bool short_names, utf8;
    bool recursion; /* the tree has a function that calls itself directly */
};

/* Writes the text for the column of names, without the lines of the tree. */
static void tree_row_name(const struct tree_printer *printer, const struct pprofil_tree_row *row, char *name,
                          size_t size)
{
    char shorter[4000];
    const char *text = row->row.name;

    if (printer->short_names) {
        fit_short_name(text, shorter, sizeof shorter);
        text = shorter;
    }
    if (row->cut > 0)
        snprintf(name, size, "[%" PRIu32 " more]", row->cut);
    else if (printer->view->by == PPROFIL_BY_LINE && row->row.line != 0)
        snprintf(name, size, "%s:%" PRIu32, text, row->row.line);
    else
        snprintf(name, size, "%s%s", text, row->inlined ? " (inlined)" : "");
}

static size_t tree_drawn_width(const struct tree_printer *printer, uint32_t indent)
{
    return indent <= printer->drawn ? 3 * (size_t)indent : 3 * (size_t)printer->drawn + LEVEL_WIDTH;
}

static bool tree_is_branch(const struct tree_printer *printer, const struct pprofil_tree_row *row)
{
    struct pprofil_tree_row parent;

    if (row->parent == PPROFIL_TREE_TOP)
        return false;
    pprofil_tree_row(printer->tree, row->parent, &parent, sizeof parent);
    return row->indent > parent.indent;
}

static size_t tree_print_branches(const struct tree_printer *printer, const struct pprofil_tree_row *row)
{
    const struct tree_drawing *drawing = printer->drawing;
    uint32_t drawn = row->indent;
    bool branch = tree_is_branch(printer, row);

    if (branch)
        printer->ended[row->indent] = row->last;
    if (drawn > printer->drawn) {
        int width = fprintf(printer->out, "(%" PRIu32 ") ", row->indent);
        fprintf(printer->out, "%*s", width < (int)LEVEL_WIDTH ? (int)LEVEL_WIDTH - width : 0, "");
        drawn = printer->drawn;
    }
    for (uint32_t i = 1; i < drawn; i++)
        fputs(printer->ended[i] ? drawing->gap : drawing->line, printer->out);
    if (row->indent > printer->drawn)
        fputs(drawn > 0 ? drawing->gap : "", printer->out);
    else if (row->indent > 0 && branch)
        fputs(row->last ? drawing->end : drawing->fork, printer->out);
    else if (row->indent > 0)
        fputs(printer->ended[row->indent] ? drawing->gap : drawing->line, printer->out);
    return tree_drawn_width(printer, row->indent);
}

static bool tree_shows_self(const struct report_view *view)
{
    return view->kind != PPROFIL_TREE_INVERTED;
}

static void tree_print_row(const struct tree_printer *printer, const struct pprofil_tree_row *row)
{
    FILE *out = printer->out;
    char name[4096], fitted[512], object[256];
    size_t drawn = tree_drawn_width(printer, row->indent);
    const char *text = name;

    tree_row_name(printer, row, name, sizeof name);
    if (printer->object > 0) {
        size_t room = printer->width > drawn + NAME_MIN ? printer->width - drawn : NAME_MIN;
        fit_name(name, room, printer->utf8, fitted, sizeof fitted);
        text = fitted;
    }
    if (printer->view->colour)
        fputs(output_colour_of_share(row->row.total_share), out);
    fprintf(out, "%6.2f  %5.2f  ", 100 * row->row.total_share, 100 * row->row.total_error95);
    if (tree_shows_self(printer->view) && row->cut == 0)
        fprintf(out, "%6.2f  ", 100 * row->row.share);
    else if (tree_shows_self(printer->view))
        fputs("        ", out);
    if (printer->view->colour)
        fputs(OUTPUT_PLAIN, out);
    size_t width = tree_print_branches(printer, row) + fit_width(text);
    utf8_print_harmless(out, text);
    if (row->row.object[0] != '\0' && printer->view->by != PPROFIL_BY_OBJECT) {
        for (; width < printer->width + 2; width++)
            fputc(' ', out);
        if (width > printer->width + 2)
            fputs("  ", out);
        if (printer->object > 0)
            fit_name(row->row.object, printer->object, printer->utf8, object, sizeof object);
        utf8_print_harmless(out, printer->object > 0 ? object : row->row.object);
    }
    fputc('\n', out);
}

/* Returns true if the row has the same function as its parent. */
static bool tree_is_recursion(const struct tree_printer *printer, const struct pprofil_tree_row *row)
{
    struct pprofil_tree_row parent;

    if (row->parent == PPROFIL_TREE_TOP || row->cut > 0)
        return false;
    pprofil_tree_row(printer->tree, row->parent, &parent, sizeof parent);
    return strcmp(row->row.name, parent.row.name) == 0 &&
           strcmp(row->row.object, parent.row.object) == 0 && row->row.line == parent.row.line;
}

static void tree_measure(struct tree_printer *printer, size_t *object_width)
{
    char name[4096];

    for (uint32_t i = 0; i < pprofil_tree_count(printer->tree); i++) {
        struct pprofil_tree_row row;
        pprofil_tree_row(printer->tree, i, &row, sizeof row);
        tree_row_name(printer, &row, name, sizeof name);
        size_t object = fit_width(row.row.object);
        if (printer->object > 0 && object > *object_width)
            *object_width = object;
        size_t width = tree_drawn_width(printer, row.indent) + fit_width(name);
        if (width > printer->width && width <= WIDEST_NAMES)
            printer->width = width;
        if (row.indent > printer->most)
            printer->most = row.indent;
        printer->recursion |= tree_is_recursion(printer, &row);
    }
}

/* Makes names and objects fit into the terminal. figures: width of the columns before the names. */
static void tree_fit(struct tree_printer *printer, size_t object, size_t figures)
{
    size_t columns = printer->view->columns, gap = 2;

    size_t widest = columns / OBJECT_PART < OBJECT_WIDEST ? columns / OBJECT_PART : OBJECT_WIDEST;
    printer->object = object < widest ? object : widest;
    if (printer->view->by == PPROFIL_BY_OBJECT || printer->object == 0)
        printer->object = 1; /* there are no objects, but names must fit */
    size_t most = columns > figures + gap + printer->object + NAME_MIN ? columns - figures - gap - printer->object
                                                                       : NAME_MIN;
    if (printer->width > most)
        printer->width = most;
    size_t levels = most > LEVEL_WIDTH + NAME_MIN ? (most - LEVEL_WIDTH - NAME_MIN) / 3 : 0;
    if (printer->drawn > levels)
        printer->drawn = (uint32_t)levels;
}

void report_print_tree_title(FILE *out, const pprofil_tree *tree, const struct report_view *view)
{
    static const char *const what[] = {
        [PPROFIL_TREE_CALLS] = "calls, from the top down",
        [PPROFIL_TREE_INVERTED] = "what runs, and below it who called it",
        [PPROFIL_TREE_CALLERS] = "who called",
        [PPROFIL_TREE_CALLEES] = "what was called by",
    };
    struct pprofil_tree_totals totals;

    pprofil_tree_totals(tree, &totals, sizeof totals);
    double ns = totals.ns > 0 ? (double)totals.ns : 1;
    fprintf(out, "# %s", what[view->kind]);
    if (view->function != NULL) {
        fputs(" '", out);
        utf8_print_harmless(out, view->function);
        fprintf(out, "', which is on the stack %.2f %% of the time", 100 * (double)totals.root_ns / ns);
    }
    if (totals.again_ns > 0)
        fprintf(out, " (%.2f %% more than once: its outermost call counts)", 100 * (double)totals.again_ns / ns);
    fputc('\n', out);
}

static void tree_print_foot(const struct tree_printer *printer, const struct pprofil_tree_totals *totals)
{
    const struct report_view *view = printer->view;
    uint32_t count = pprofil_tree_count(printer->tree);
    double group = view->group != NULL ? view->group->share : 1;
    FILE *out = printer->out;

    if (printer->recursion)
        fputs("# functions call themselves: --fold makes one row of them\n", out);
    if (totals->rest_ns == 0 && totals->all <= count)
        return;
    if (totals->rest_ns > 0)
        fprintf(out, "# %.2f %% of the time is in what is not shown",
                totals->ns == 0 ? 0 : 100 * group * (double)totals->rest_ns / (double)totals->ns);
    else
        fputs("# smaller branches are not shown", out);
    if (view->least > 0)
        fprintf(out, "; --min 0 shows what is below %g %%", 100 * view->least);
    if (view->limit > 0 && count >= view->limit)
        fprintf(out, "; -n 0 shows more than %" PRIu32 " rows", view->limit);
    if (view->depth > 0)
        fputs("; --depth 0 shows all levels", out);
    fputc('\n', out);
}

int report_print_tree_text(FILE *out, pprofil_profile *profile, const pprofil_tree *tree,
                           const struct report_view *view)
{
    struct tree_printer printer = {.out = out, .tree = tree, .view = view, .width = 30, .drawn = DRAWN_MAX};
    struct pprofil_tree_totals totals;
    uint32_t count = pprofil_tree_count(tree);
    size_t object = 0;

    printer.utf8 = report_in_utf8();
    printer.drawing = printer.utf8 ? &in_utf8 : &in_ascii;
    printer.short_names = report_wants_short_names(view);
    printer.object = report_is_fitted(view);
    pprofil_tree_totals(tree, &totals, sizeof totals);
    tree_measure(&printer, &object);
    if (report_is_fitted(view))
        tree_fit(&printer, object, tree_shows_self(view) ? 23 : 15);
    printer.ended = calloc(printer.most + 1u, sizeof *printer.ended);
    if (printer.ended == NULL)
        return -ENOMEM;
    if (view->group == NULL)
        report_print_head(out, profile, view->colour);
    else
        report_print_group_head(out, view);
    if (totals.samples > 0 && !pprofil_profile_has_stacks(profile))
        fputs("# the profile has no stacks: -g records them\n", out);
    if (view->group == NULL)
        report_print_tree_title(out, tree, view);
    if (count > 0)
        fprintf(out, "total%%  %s  %s%-*s  %s\n", printer.drawing->interval,
                tree_shows_self(view) ? " self%  " : "", (int)printer.width,
                view->by == PPROFIL_BY_LINE     ? "file:line"
                : view->by == PPROFIL_BY_OBJECT ? "object"
                                                : "function",
                view->by == PPROFIL_BY_OBJECT ? "" : "object");
    for (uint32_t i = 0; i < count; i++) {
        struct pprofil_tree_row row;
        pprofil_tree_row(tree, i, &row, sizeof row);
        report_scale_row(view, &row.row);
        tree_print_row(&printer, &row);
    }
    tree_print_foot(&printer, &totals);
    free(printer.ended);
    return 0;
}
