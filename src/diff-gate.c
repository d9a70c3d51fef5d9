/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Judges a comparison for builds: which functions fail, and reports of it as Markdown and as JUnit's XML. */
#include "config.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "diff-gate.h"

#define GATE_TEXT_SIZE 256u

/* --- the verdict ----------------------------------------------------------------------------- */

static bool gate_change_fails(const struct diff_gate *gate, const struct pprofil_change *change)
{
    if (!change->significant)
        return false;
    return gate->limit < 0 || change->change > gate->limit * change->value[0];
}

static bool gate_judges(const struct diff_gate *gate, const struct pprofil_diff_row *row)
{
    return gate->function == NULL || (row != NULL && fnmatch(gate->function, row->name, 0) == 0);
}

bool diff_gate_fails(const struct diff_gate *gate, const struct pprofil_diff_totals *totals,
                     const struct pprofil_diff_row *row)
{
    if (!gate_judges(gate, row))
        return false;
    if (row == NULL)
        return gate_change_fails(gate, &totals->whole);
    return gate_change_fails(gate, &row->self) || gate_change_fails(gate, &row->total);
}

uint32_t diff_gate_judged(const struct diff_gate *gate, const pprofil_diff *diff)
{
    struct pprofil_diff_row row;
    uint32_t judged = gate_judges(gate, NULL);

    for (uint32_t i = 0; i < pprofil_diff_count(diff); i++) {
        pprofil_diff_row(diff, i, &row, sizeof row);
        judged += gate_judges(gate, &row);
    }
    return judged;
}

uint32_t diff_gate_count(const struct diff_gate *gate, const pprofil_diff *diff)
{
    struct pprofil_diff_totals totals;
    struct pprofil_diff_row row;

    pprofil_diff_totals(diff, &totals, sizeof totals);
    uint32_t failed = diff_gate_fails(gate, &totals, NULL);
    for (uint32_t i = 0; i < pprofil_diff_count(diff); i++) {
        pprofil_diff_row(diff, i, &row, sizeof row);
        failed += diff_gate_fails(gate, &totals, &row);
    }
    return failed;
}

/* --- texts ----------------------------------------------------------------------------------- */

static void gate_value(const struct diff_view *view, double value, char text[GATE_TEXT_SIZE])
{
    if (view->by == PPROFIL_DIFF_SHARE)
        snprintf(text, GATE_TEXT_SIZE, "%.2f %%", 100 * value);
    else
        snprintf(text, GATE_TEXT_SIZE, view->by == PPROFIL_DIFF_TIME ? "%.3f s" : "%.4f s/s", value);
}

/* Writes a change relative to the old value, as in "+5.2 % (+3.1 to +7.3)". */
static void gate_change(const struct pprofil_change *change, char text[GATE_TEXT_SIZE])
{
    double old = change->value[0];

    if (old <= 0)
        snprintf(text, GATE_TEXT_SIZE, change->value[1] > 0 ? "new" : "unchanged");
    else
        snprintf(text, GATE_TEXT_SIZE, "%+.1f %% (%+.1f to %+.1f)", 100 * change->change / old, 100 * change->low / old,
                 100 * change->high / old);
}

/* Returns the change of a row that says most: that which fails, or that which is significant, or its own time if it has
 * any. */
static const struct pprofil_change *gate_main_change(const struct diff_gate *gate, const struct pprofil_diff_row *row)
{
    bool self_fails = gate_change_fails(gate, &row->self), total_fails = gate_change_fails(gate, &row->total);

    if (self_fails != total_fails)
        return self_fails ? &row->self : &row->total;
    if (row->self.significant != row->total.significant)
        return row->self.significant ? &row->self : &row->total;
    return row->self.value[0] > 0 || row->self.value[1] > 0 ? &row->self : &row->total;
}

/* Returns the last component of the path of a row's object; "": the row is no code. */
static const char *gate_object(const struct pprofil_diff_row *row)
{
    const char *before = row->object[0], *after = row->object[1];

    if (after != NULL && after[0] != '\0')
        return after;
    return before != NULL ? before : "";
}

/* Prints how a value has changed, as in "3.960 s -> 4.180 s, +5.3 % (+2.9 to +7.6)". */
static void gate_print_change(FILE *out, const struct diff_view *view, const struct pprofil_change *change)
{
    char old[GATE_TEXT_SIZE], new[GATE_TEXT_SIZE], how[GATE_TEXT_SIZE];

    gate_value(view, change->value[0], old);
    gate_value(view, change->value[1], new);
    gate_change(change, how);
    fprintf(out, "%s -> %s, %s", old, new, how);
}

/* Prints how the whole profiles differ. If shares are compared, times of whole profiles are not tested. */
static void gate_print_total(FILE *out, const struct diff_view *view, const struct pprofil_diff_totals *totals)
{
    const struct diff_view times = {.by = PPROFIL_DIFF_TIME};
    bool is_tested = view->by != PPROFIL_DIFF_SHARE;

    gate_print_change(out, is_tested ? view : &times, &totals->whole);
    if (is_tested)
        fprintf(out, ", q %.2g", totals->whole.q);
}

/* --- Markdown -------------------------------------------------------------------------------- */

static void gate_print_markdown_character(FILE *out, char character)
{
    if (strchr("\\`*_{}[]<>|#&", character) != NULL)
        fputc('\\', out);
    fputc(character, out);
}

/* Prints a name that anybody may have chosen: valid UTF-8 without control characters. */
static void gate_print_name(FILE *out, const char *name, void (*print_character)(FILE *out, char character))
{
    char *copy = strdup(name);

    if (copy == NULL)
        return;
    utf8_make_harmless(copy, "");
    for (const char *at = copy; *at != '\0'; at++)
        print_character(out, *at);
    free(copy);
}

static void gate_print_markdown_text(FILE *out, const char *text)
{
    gate_print_name(out, text, gate_print_markdown_character);
}

static void gate_print_markdown_row(FILE *out, const struct diff_gate *gate, const struct pprofil_diff_totals *totals,
                                    const struct pprofil_diff_row *row, const struct diff_view *view)
{
    const struct pprofil_change *change = gate_main_change(gate, row);
    char old[GATE_TEXT_SIZE], new[GATE_TEXT_SIZE], how[GATE_TEXT_SIZE];

    gate_value(view, change->value[0], old);
    gate_value(view, change->value[1], new);
    gate_change(change, how);
    fprintf(out, "| %s | ", diff_gate_fails(gate, totals, row) ? "**fails**" : "");
    gate_print_markdown_text(out, row->name);
    fprintf(out, "%s | ", change == &row->total ? ", with what it calls" : "");
    gate_print_markdown_text(out, gate_object(row));
    fprintf(out, " | %s | %s | %s | %.2g |\n", old, new, how, change->q);
}

void diff_gate_print_markdown(FILE *out, const struct diff_gate *gate, const pprofil_diff *diff,
                              const struct diff_view *view)
{
    struct pprofil_diff_totals totals;
    struct pprofil_diff_row row;
    uint32_t failed = diff_gate_count(gate, diff), printed = 0;

    pprofil_diff_totals(diff, &totals, sizeof totals);
    bool total_fails = diff_gate_fails(gate, &totals, NULL);
    failed -= total_fails;
    fprintf(out, "### Profile: %" PRIu32 " of %" PRIu32 " functions changed significantly, %" PRIu32 " fail%s%s\n\n",
            totals.significant, totals.rows, failed, failed == 1 ? "s" : "",
            total_fails ? ", and the total fails" : "");
    fputs("Old: ", out);
    gate_print_markdown_text(out, view->paths[0]);
    fputs("; new: ", out);
    gate_print_markdown_text(out, view->paths[1]);
    fputs("; total: ", out);
    gate_print_total(out, view, &totals);
    fputs(".\n\n", out);
    for (uint32_t i = 0; i < pprofil_diff_count(diff); i++) {
        pprofil_diff_row(diff, i, &row, sizeof row);
        if (!row.self.significant && !row.total.significant)
            continue;
        if (printed++ == 0)
            fputs("| | function | object | old | new | change (95 %) | q |\n|---|---|---|---:|---:|---|---:|\n", out);
        gate_print_markdown_row(out, gate, &totals, &row, view);
    }
    if (printed == 0)
        fputs("No function changed by more than chance explains.\n", out);
}

/* --- JUnit ----------------------------------------------------------------------------------- */

static void gate_print_xml_character(FILE *out, char character)
{
    static const struct {
        char character;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};

    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (entities[i].character == character) {
            fputs(entities[i].entity, out);
            return;
        }
    fputc(character, out);
}

static void gate_print_case(FILE *out, const struct diff_gate *gate, const struct pprofil_diff_totals *totals,
                            const struct pprofil_diff_row *row, const struct diff_view *view)
{
    const struct pprofil_change *change = row == NULL ? NULL : gate_main_change(gate, row);
    const char *object = row == NULL ? "" : gate_object(row);
    bool fails = diff_gate_fails(gate, totals, row);

    fputs("  <testcase classname=\"", out); /* functions of several objects may have the same name */
    gate_print_name(out, object[0] != '\0' ? object : "pprofil", gate_print_xml_character);
    fputs("\" name=\"", out);
    gate_print_name(out, row == NULL ? "total" : row->name, gate_print_xml_character);
    fprintf(out, "\" time=\"0\">%s", fails ? "<failure message=\"" : "<system-out>");
    if (change == NULL) {
        gate_print_total(out, view, totals);
    } else {
        gate_print_change(out, view, change);
        fprintf(out, ", q %.2g", change->q);
    }
    fputs(fails ? "\"/></testcase>\n" : "</system-out></testcase>\n", out);
}

void diff_gate_print_junit(FILE *out, const struct diff_gate *gate, const pprofil_diff *diff,
                           const struct diff_view *view)
{
    struct pprofil_diff_totals totals;
    struct pprofil_diff_row row;

    pprofil_diff_totals(diff, &totals, sizeof totals);
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"pprofil diff\" tests=\"%" PRIu32
            "\" failures=\"%" PRIu32 "\">\n",
            diff_gate_judged(gate, diff), diff_gate_count(gate, diff));
    if (gate_judges(gate, NULL))
        gate_print_case(out, gate, &totals, NULL, view);
    for (uint32_t i = 0; i < pprofil_diff_count(diff); i++) {
        pprofil_diff_row(diff, i, &row, sizeof row);
        if (gate_judges(gate, &row))
            gate_print_case(out, gate, &totals, &row, view);
    }
    fputs("</testsuite>\n", out);
}
