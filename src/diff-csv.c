/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rows of a diff as RFC 4180 comma-separated values, with a header line: self, then total.
 */
#include "config.h"

#include <inttypes.h>

#include "diff-view.h"

static void print_headings(FILE *out, const char *prefix)
{
    static const char *const names[] = {
        "significant", "old_samples", "new_samples", "old_ns",    "new_ns", "old_share", "new_share",
        "old_value",   "new_value",   "change",      "low",       "high",   "p",         "q",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fprintf(out, ",%s%s", prefix, names[i]);
}

static void print_change(FILE *out, const struct pprofil_change *change)
{
    fprintf(out, ",%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, change->significant,
            change->samples[0], change->samples[1], change->ns[0], change->ns[1]);
    fprintf(out, ",%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.3g,%.3g", change->share[0],
            change->share[1], change->value[0], change->value[1], change->change, change->low,
            change->high, change->p, change->q);
}

int diff_print_csv(FILE *out, const pprofil_diff *diff, const struct diff_view *view)
{
    struct pprofil_diff_totals totals;

    (void)view;
    pprofil_diff_totals(diff, &totals, sizeof totals);
    fputs("name,old_object,object", out);
    print_headings(out, "");
    if (totals.stacks)
        print_headings(out, "total_");
    fputs("\r\n", out);
    for (uint32_t i = 0; i < pprofil_diff_count(diff); i++) {
        struct pprofil_diff_row row;
        pprofil_diff_row(diff, i, &row, sizeof row);
        put_field(out, row.name);
        fputc(',', out);
        put_field(out, row.object[0]);
        fputc(',', out);
        put_field(out, row.object[1]);
        print_change(out, &row.self);
        if (totals.stacks)
            print_change(out, &row.total);
        fputs("\r\n", out);
    }
    return 0;
}
