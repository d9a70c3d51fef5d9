/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* diff-report: how a diff is printed. */
#ifndef PPROFIL_DIFF_REPORT_H
#define PPROFIL_DIFF_REPORT_H

#include "report.h"

struct diff_view {
    enum pprofil_diff_by by;
    enum report_format format;
    bool colour;          /* of REPORT_TEXT */
    const char *paths[2]; /* paths of the files, to be printed */
    const pprofil_profile *profiles[2];
};

/* Prints the diff. Returns 0 or -ENOMEM. The caller asks the stream for its errors. */
int diff_print(FILE *out, const pprofil_diff *diff, const struct diff_view *view);

#endif
