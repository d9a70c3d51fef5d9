/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* diff-report: prints the diff of two profiles as text, CSV or JSON. */
#ifndef PPROFIL_DIFF_REPORT_H
#define PPROFIL_DIFF_REPORT_H

#include "report.h"

struct diff_view {
    enum pprofil_diff_by by;
    enum report_format format;
    bool colour;          /* text has colours */
    const char *paths[2]; /* paths of the old and the new file, for printing */
    const pprofil_profile *profiles[2];
};

/* Prints the diff. Returns 0, or for JSON a negative errno. For text and CSV the caller checks the
 * stream for errors of writing. */
int diff_print(FILE *out, const pprofil_diff *diff, const struct diff_view *view);

#endif
