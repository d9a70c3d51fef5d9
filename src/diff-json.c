/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A diff for programs, as one JSON object: {"by", "old", "new", "whole", "functions",
 * "significant", "rows"}.
 */
#include "config.h"

#include <errno.h>
#include <math.h>

#include "diff-view.h"
#include "report-json.h"

static const char *const words[] = {
    [PPROFIL_DIFF_SHARE] = "share",
    [PPROFIL_DIFF_TIME] = "seconds",
    [PPROFIL_DIFF_TIME_A_SECOND] = "seconds per second",
};

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *make_side(const struct pprofil_change *change, int side)
{
    return json_pack("{s:I, s:I, s:f, s:f}", "samples", json_uint(change->samples[side]), "ns",
                     json_uint(change->ns[side]), "share", change->share[side], "value",
                     change->value[side]);
}

static json_t *make_change(const struct pprofil_change *change)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:b}", "old", make_side(change, 0),
                     "new", make_side(change, 1), "change", number(change->change), "low",
                     number(change->low), "high", number(change->high), "p", change->p, "q",
                     change->q, "significant", change->significant);
}

static json_t *make_row(const struct pprofil_diff_row *row, bool stacks)
{
    json_t *object = json_pack("{s:o, s:o, s:o, s:o}", "name", json_text(row->name), "old_object",
                               json_text(row->object[0]), "object", json_text(row->object[1]),
                               "self", make_change(&row->self));

    if (stacks && object != NULL)
        json_object_set_new(object, "total", make_change(&row->total));
    return object;
}

static json_t *make_file(const struct diff_view *view, int side)
{
    return json_pack("{s:o, s:o}", "path", json_text(view->paths[side]), "command",
                     json_text(pprofil_profile_command(view->profiles[side])));
}

int diff_print_json(FILE *out, const pprofil_diff *diff, const struct diff_view *view)
{
    struct pprofil_diff_totals totals;
    json_t *rows = json_array();

    pprofil_diff_totals(diff, &totals, sizeof totals);
    for (uint32_t i = 0; i < pprofil_diff_count(diff); i++) {
        struct pprofil_diff_row row;
        pprofil_diff_row(diff, i, &row, sizeof row);
        json_array_append_new(rows, make_row(&row, totals.stacks));
    }
    json_t *document =
        json_pack("{s:s, s:o, s:o, s:b, s:o, s:I, s:I, s:o}", "by", words[view->by], "old",
                  make_file(view, 0), "new", make_file(view, 1), "wall", totals.wall, "whole",
                  make_change(&totals.whole), "functions", (json_int_t)totals.rows, "significant",
                  (json_int_t)totals.significant, "rows", rows);
    int error = document == NULL ? -ENOMEM : 0;
    if (error == 0 && json_dumpf(document, out, json_flags(out)) != 0)
        error = errno != 0 ? -errno : -EIO;
    fputc('\n', out);
    json_decref(document);
    return error;
}
