/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* diff-report: how a diff is printed. */
#ifndef PPROFIL_DIFF_REPORT_H
#define PPROFIL_DIFF_REPORT_H

#include "report.h"

struct diff_view {
    enum pprofil_diff_by by;
    enum report_format format;
    bool colour;          /* TEXT */
    const char *paths[2]; /* of the files, for people */
    const pprofil_profile *profiles[2];
};

/* Prints the diff. 0 or -ENOMEM; an error of the stream is left to the caller. */
int diff_print(FILE *out, const pprofil_diff *diff, const struct diff_view *view);

#endif
