/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the rows of a report as comma-separated values (RFC 4180), with a header line. */
#include "config.h"

#include <inttypes.h>

#include "report.h"

int report_print_csv(FILE *out, pprofil_profile *profile, const pprofil_report *report, const struct report_view *view)
{
    bool totals = pprofil_report_has_totals(report);

    (void)profile;
    (void)view;
    report_columns_csv(out, NULL, totals, false);
    fputs("\r\n", out);
    for (uint32_t i = 0; i < pprofil_report_count(report); i++) {
        struct pprofil_row row;
        pprofil_report_row(report, i, &row, sizeof row);
        report_columns_csv(out, &row, totals, false);
        fputs("\r\n", out);
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
