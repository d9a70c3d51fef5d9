/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the rows of a report as comma-separated values (RFC 4180), with a header line. */
#include "config.h"

#include <inttypes.h>

#include "report.h"

#define NO_TOTALS ",,,," /* total_share, total_error95, total_ns and total_samples of a part that has no stacks */

void report_print_csv_group(FILE *out, const struct pprofil_row *group)
{
    if (group == NULL) {
        fputs("group,group_pid,group_tid,", out);
        return;
    }
    csv_print_text(out, group->name);
    fputc(',', out);
    if (group->pid != 0)
        fprintf(out, "%" PRIu32, group->pid);
    fputc(',', out);
    if (group->tid != 0)
        fprintf(out, "%" PRIu32, group->tid);
    fputc(',', out);
}

int report_print_csv(FILE *out, pprofil_profile *profile, const pprofil_report *report, const struct report_view *view)
{
    bool totals = pprofil_report_has_totals(report);

    (void)profile;
    if (view->group == NULL) {
        report_columns_csv(out, NULL, totals, false);
        fputs("\r\n", out);
    }
    for (uint32_t i = 0; i < pprofil_report_count(report); i++) {
        struct pprofil_row row;
        pprofil_report_row(report, i, &row, sizeof row);
        report_scale_row(view, &row);
        if (view->group != NULL)
            report_print_csv_group(out, view->group);
        report_columns_csv(out, &row, totals, false);
        fputs(view->group_totals && !totals ? NO_TOTALS "\r\n" : "\r\n", out);
    }
    return 0;
}

/* Prints the rows of a tree. A row with an empty name stands for all the branches that were cut off
 * at this place. The last field of this row is the number of these branches. */
int report_print_tree_csv(FILE *out, pprofil_profile *profile, const pprofil_tree *tree, const struct report_view *view)
{
    (void)profile;
    (void)view;
    report_columns_csv(out, NULL, true, true);
    fputs(",depth,parent,inlined,cut\r\n", out);
    for (uint32_t i = 0; i < pprofil_tree_count(tree); i++) {
        struct pprofil_tree_row row;
        pprofil_tree_row(tree, i, &row, sizeof row);
        report_columns_csv(out, &row.row, true, true);
        fprintf(out, ",%" PRIu32 ",", row.depth);
        if (row.parent != PPROFIL_TREE_TOP)
            fprintf(out, "%" PRIu32, row.parent);
        fprintf(out, ",%d,%" PRIu32 "\r\n", row.inlined, row.cut);
    }
    return 0;
}
