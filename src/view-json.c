/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The same rows for programs, as one JSON object: {"command", "totals": {...}, "rows": [...]}.
 */
#include "config.h"

#include <errno.h>
#include <jansson.h>

#include "command.h"

/* Names may be in any encoding; JSON may not. */
static json_t *text(const char *bytes)
{
    json_t *string = json_string(bytes);
    if (string != NULL)
        return string;

    char safe[512];
    size_t length = 0;
    for (; bytes[length] != '\0' && length < sizeof safe - 1; length++)
        safe[length] = (bytes[length] & 0x80) ? '?' : bytes[length];
    safe[length] = '\0';
    return json_string(safe);
}

static json_int_t integer(uint64_t number)
{
    return number > INT64_MAX ? INT64_MAX : (json_int_t)number;
}

static json_t *make_totals(const pprofil_profile *profile)
{
    struct pprofil_totals totals;

    pprofil_profile_totals(profile, &totals, sizeof totals);
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:b}",
        "samples", integer(totals.samples), "cpu_ns", integer(totals.cpu_ns),
        "wall_ns", integer(totals.wall_ns), "elapsed_ns", integer(totals.elapsed_ns),
        "target_cpu_ns", integer(totals.target_cpu_ns), "stopped_ns", integer(totals.stopped_ns),
        "supervisor_cpu_ns", integer(totals.supervisor_cpu_ns), "lost", integer(totals.lost),
        "throttled_ns", integer(totals.throttled_ns), "repaired", integer(totals.repaired),
        "threads", (json_int_t)totals.threads_seen, "processes",
        (json_int_t)totals.processes_seen, "asked_hz", totals.asked_hz, "wall", totals.wall);
}

static json_t *make_row(const struct pprofil_row *row)
{
    json_t *object = json_pack("{s:o, s:I, s:I, s:f, s:f}", "name", text(row->name),
                               "samples", integer(row->samples), "ns", integer(row->ns),
                               "share", row->share, "error95", row->error95);

    if (row->object[0] != '\0')
        json_object_set_new(object, "object", text(row->object));
    if (row->file[0] != '\0')
        json_object_set_new(object, "file", text(row->file));
    if (row->line != 0)
        json_object_set_new(object, "line", json_integer(row->line));
    if (row->pid != 0)
        json_object_set_new(object, "pid", json_integer(row->pid));
    if (row->tid != 0)
        json_object_set_new(object, "tid", json_integer(row->tid));
    return object;
}

int view_print_json(FILE *out, pprofil_profile *profile, const pprofil_report *report,
                    const struct view *view)
{
    json_t *rows = json_array();

    (void)view;
    for (uint32_t i = 0; i < pprofil_report_count(report); i++) {
        struct pprofil_row row;
        pprofil_report_row(report, i, &row, sizeof row);
        json_array_append_new(rows, make_row(&row));
    }
    json_t *document = json_pack("{s:o, s:o, s:o}", "command",
                                 text(pprofil_profile_command(profile)), "totals",
                                 make_totals(profile), "rows", rows);
    int error = document == NULL ? -ENOMEM : 0;
    if (error == 0 && json_dumpf(document, out, JSON_INDENT(1)) != 0)
        error = errno != 0 ? -errno : -EIO;
    fputc('\n', out);
    json_decref(document);
    return error;
}
