/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* diff-sides: the files of the two sides of pprofil diff. Each side may have several runs of a program. */
#ifndef PPROFIL_DIFF_SIDES_H
#define PPROFIL_DIFF_SIDES_H

#include "merge.h"
#include "options.h"

/* An empty struct is all 0. */
struct diff_side {
    struct merge_inputs inputs;
    pprofil_profile **runs; /* owned, with inputs.count profiles */
    pprofil_profile *whole; /* all runs together; owned, unless there is one run: then it is that run */
    char title[PATH_MAX];   /* for people: the path of the file, or the first path and how many there are */
};

/* Opens the files of a side, and merges them. Returns 0, or complains and returns EXIT_OWN_FAILURE. The caller calls
 * diff_side_close in any case. */
int diff_side_open(struct diff_side *side, const struct selection_request *selection);
void diff_side_close(struct diff_side *side);

#endif
