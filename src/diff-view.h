/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* diff-view: how a diff is printed. */
#ifndef PPROFIL_DIFF_VIEW_H
#define PPROFIL_DIFF_VIEW_H

#include "command.h"

struct diff_view {
    enum pprofil_diff_by by;
    enum view_format format;
    bool colour;          /* TEXT */
    const char *paths[2]; /* of the files */
    const pprofil_profile *profiles[2];
};

/* Prints it, and leaves the stream's error to the caller. 0 or a negative errno. */
int diff_print_text(FILE *out, const pprofil_diff *diff, const struct diff_view *view);
int diff_print_json(FILE *out, const pprofil_diff *diff, const struct diff_view *view);
int diff_print_csv(FILE *out, const pprofil_diff *diff, const struct diff_view *view);

#endif
