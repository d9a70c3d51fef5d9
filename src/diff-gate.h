/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* diff-gate: decides whether a diff is bad enough to stop a build, and says so for people and for build servers. */
#ifndef PPROFIL_DIFF_GATE_H
#define PPROFIL_DIFF_GATE_H

#include "report.h"

struct diff_gate {
    /* a function fails if it takes longer by more than this share of its old value, and chance does not explain that;
     * negative: there is no limit, and any significant change of any kind is a failure */
    double limit;
    const char *function; /* only functions whose names match this pattern of glob(7) are judged; NULL: all */
};

/* Returns true if a row, or the whole, has failed. row: NULL: the whole. */
bool diff_gate_fails(const struct diff_gate *gate, const struct pprofil_diff_totals *totals,
                     const struct pprofil_diff_row *row);
/* Returns the number of rows that are judged, plus 1 if the whole is judged. diff: must have all rows. */
uint32_t diff_gate_judged(const struct diff_gate *gate, const pprofil_diff *diff);
/* Returns the number of rows that have failed, plus 1 if the whole has failed. diff: must have all rows. */
uint32_t diff_gate_count(const struct diff_gate *gate, const pprofil_diff *diff);

/* Print the verdict: a table in Markdown, as for the comment of a pull request; and a file of JUnit, with a test case
 * for each function that was judged. The caller checks the stream for errors of writing. */
void diff_gate_print_markdown(FILE *out, const struct diff_gate *gate, const pprofil_diff *diff,
                              const struct diff_view *view);
void diff_gate_print_junit(FILE *out, const struct diff_gate *gate, const pprofil_diff *diff,
                           const struct diff_view *view);

#endif
