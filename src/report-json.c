/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints a report as one JSON object: {"command", "totals": {...}, "rows": [...]}. The rows of a
 * tree are a flat list, too, because readers of JSON limit the depth of nested objects.
 */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "report.h"

static json_t *json_uint_if(bool known, uint64_t number)
{
    return known ? json_integer(json_uint(number)) : json_null();
}

static json_t *json_real_if(bool known, double number)
{
    return known ? json_real(number) : json_null();
}

static json_t *json_totals(const pprofil_profile *profile)
{
    struct pprofil_totals totals;

    pprofil_profile_totals(profile, &totals, sizeof totals);
    bool run = report_knows_run(&totals);
    return json_pack(
        "{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:b}",
        "samples", json_uint(totals.samples), "cpu_ns", json_uint(totals.cpu_ns), "wall_ns", json_uint(totals.wall_ns),
        "elapsed_ns", json_uint_if(totals.elapsed_ns > 0, totals.elapsed_ns), "target_cpu_ns",
        json_uint_if(run, totals.target_cpu_ns), "stopped_ns", json_uint_if(run, totals.stopped_ns),
        "supervisor_cpu_ns", json_uint_if(run, totals.supervisor_cpu_ns), "lost", json_uint_if(run, totals.lost),
        "throttled_ns", json_uint_if(run, totals.throttled_ns), "repaired", json_uint_if(run, totals.repaired),
        "full_ns", json_uint_if(run, totals.full_ns), "sample_cost_ns",
        json_uint_if(totals.sample_cost_ns > 0, totals.sample_cost_ns), "overhead",
        json_real_if(totals.overhead > 0, totals.overhead), "continued", json_uint_if(run, totals.continued),
        "cut_short", json_uint_if(run, totals.cut_short), "threads", (json_int_t)totals.threads_seen, "processes",
        (json_int_t)totals.processes_seen, "untraced", json_uint_if(run, totals.untraced), "asked_hz",
        json_real_if(totals.asked_hz > 0, totals.asked_hz), "wall", totals.wall);
}

static json_t *json_incomplete(const pprofil_profile *profile)
{
    json_t *list = json_array();
    const char *why;
    double share;

    for (unsigned i = 0; pprofil_profile_incomplete(profile, i, &why, &share) == 0; i++)
        json_array_append_new(list, json_pack("{s:o, s:f}", "why", json_text(why), "share", share));
    return list;
}

/* Returns the row of the first level as a document: the group to which the rows of a report of two levels belong. */
static json_t *json_group(const struct report_view *view)
{
    return json_pack("{s:o}", "group", report_columns_json(view->group, false, false));
}

/* Returns a document with the members that reports and trees have in common. */
static json_t *json_document(const pprofil_profile *profile)
{
    const char *command = pprofil_profile_command(profile);
    json_t *document = json_pack("{s:o, s:o}", "command", command[0] != '\0' ? json_text(command) : json_null(),
                                 "totals", json_totals(profile));
    const char *what;
    double share;
    uint64_t samples;

    if (pprofil_profile_selected(profile, &what, &share, &samples) == 0)
        json_object_set_new(document, "part",
                            json_pack("{s:o, s:f, s:I}", "of", json_text(what), "share", share,
                                      "samples_of", json_uint(samples)));
    if (pprofil_profile_has_stacks(profile))
        json_object_set_new(document, "incomplete", json_incomplete(profile));
    return document;
}

/* --- rows -------------------------------------------------------------------------------- */

/* The state of printing the rows. A report may have millions of rows, and an object takes two kilobytes per row. So all
 * other members are printed first. Then each row is made, printed and freed, one after the other. */
struct json_rows {
    FILE *out;
    const char *between;
    int error;
};

/* Prints JSON text, with `depth` additional blanks at the beginning of each line. JSON strings contain no line ends. */
static void print_indented(FILE *out, const char *text, int depth)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        fprintf(out, "%*s%.*s", depth, "", (int)length, text);
        text += length;
        if (*text == '\n')
            fputc(*text++, out);
    }
}

/* Prints the document up to the beginning of its list of rows or groups. Frees the document. */
static struct json_rows json_list_begin(FILE *out, json_t *document, const char *name)
{
    char *text = document == NULL ? NULL : json_dumps(document, json_flags(out));
    size_t length = text == NULL ? 0 : strlen(text);
    struct json_rows rows = {.out = out, .between = "\n", .error = text == NULL ? -ENOMEM : 0};

    json_decref(document);
    if (text != NULL) {
        text[length - strlen("\n}")] = '\0';
        fprintf(out, "%s,\n \"%s\": [", text, name);
    }
    free(text);
    return rows;
}

/* Begins the rows of a report, or of a group. Groups have commas between them. */
static struct json_rows json_rows_begin(FILE *out, const struct report_view *view, json_t *document)
{
    if (view->group != NULL)
        fputs(view->groups_before > 0 ? ",\n" : "\n", out);
    return json_list_begin(out, document, "rows");
}

/* Prints a row and frees it. */
static void json_rows_add(struct json_rows *rows, json_t *row)
{
    char *text = row == NULL ? NULL : json_dumps(row, json_flags(rows->out));

    json_decref(row);
    if (text == NULL)
        rows->error = -ENOMEM;
    if (rows->error == 0) {
        fputs(rows->between, rows->out);
        print_indented(rows->out, text, 2);
        rows->between = ",\n";
    }
    free(text);
}

/* Prints the end of the document. Returns 0 or -ENOMEM. The caller checks the stream for errors of writing. */
static int json_rows_end(struct json_rows *rows, const struct report_view *view)
{
    if (rows->error == 0)
        fprintf(rows->out, "%s]\n}%s", rows->between[0] == '\n' ? "" : "\n ", view->group != NULL ? "" : "\n");
    return rows->error;
}

int report_print_groups_json(FILE *out, const pprofil_profile *profile, const struct report_view *view)
{
    json_t *document = json_document(profile);

    json_object_set_new(document, "by", json_string(choices_groupings.at((unsigned)view->groups)));
    return json_list_begin(out, document, "groups").error;
}

int report_print_json(FILE *out, pprofil_profile *profile, const pprofil_report *report, const struct report_view *view)
{
    struct json_rows rows =
        json_rows_begin(out, view, view->group != NULL ? json_group(view) : json_document(profile));

    for (uint32_t i = 0; rows.error == 0 && i < pprofil_report_count(report); i++) {
        struct pprofil_row row;
        pprofil_report_row(report, i, &row, sizeof row);
        report_scale_row(view, &row);
        json_rows_add(&rows, report_columns_json(&row, pprofil_report_has_totals(report), false));
    }
    return json_rows_end(&rows, view);
}

static json_t *json_tree_row(const struct pprofil_tree_row *row)
{
    json_t *object = report_columns_json(&row->row, true, true);

    json_object_set_new(object, "depth", json_integer(row->depth));
    json_object_set_new(object, "parent", row->parent == PPROFIL_TREE_TOP ? json_null() : json_integer(row->parent));
    json_object_set_new(object, "below", json_integer(row->below));
    if (row->cut > 0)
        json_object_set_new(object, "cut", json_integer(row->cut));
    if (row->inlined)
        json_object_set_new(object, "inlined", json_true());
    return object;
}

static const char *const json_tree_kinds[] = {
    [PPROFIL_TREE_CALLS] = "calls",
    [PPROFIL_TREE_INVERTED] = "inverted",
    [PPROFIL_TREE_CALLERS] = "callers",
    [PPROFIL_TREE_CALLEES] = "callees",
};

static json_t *json_tree(const pprofil_tree *tree, const struct report_view *view)
{
    struct pprofil_tree_totals totals;

    pprofil_tree_totals(tree, &totals, sizeof totals);
    json_t *object = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "kind", json_tree_kinds[view->kind], "all",
                               (json_int_t)totals.all, "samples", json_uint(totals.samples), "ns", json_uint(totals.ns),
                               "root_samples", json_uint(totals.root_samples), "root_ns", json_uint(totals.root_ns),
                               "again_ns", json_uint(totals.again_ns), "rest_ns", json_uint(totals.rest_ns));
    if (view->function != NULL)
        json_object_set_new(object, "function", json_text(view->function));
    return object;
}

int report_print_tree_json(FILE *out, pprofil_profile *profile, const pprofil_tree *tree,
                           const struct report_view *view)
{
    json_t *document = view->group != NULL ? json_group(view) : json_document(profile);

    json_object_set_new(document, "tree", json_tree(tree, view));
    struct json_rows rows = json_rows_begin(out, view, document);
    for (uint32_t i = 0; rows.error == 0 && i < pprofil_tree_count(tree); i++) {
        struct pprofil_tree_row row;
        pprofil_tree_row(tree, i, &row, sizeof row);
        report_scale_row(view, &row.row);
        json_rows_add(&rows, json_tree_row(&row));
    }
    return json_rows_end(&rows, view);
}
