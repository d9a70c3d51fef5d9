/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens and merges the runs of each side of a diff: see diff-sides.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "diff-sides.h"

/* Adds a run to the profile of all runs. */
static int diff_side_merge(struct diff_side *side, size_t i)
{
    int error = i == 0 ? pprofil_profile_new(&side->whole) : 0;

    if (error == 0)
        error = pprofil_profile_merge(side->whole, side->runs[i], 0);
    if (error == PPROFIL_ERROR_MIXED_TIMES)
        return complain("%s: some profiles are of elapsed time, others of CPU time", side->inputs.paths[i]);
    return error == 0 ? 0 : complain_file(side->inputs.paths[i], error, false);
}

static int diff_side_open_run(struct diff_side *side, size_t i, const struct selection_request *selection)
{
    side->runs[i] = selection_open(selection, side->inputs.paths[i]);
    if (side->runs[i] == NULL)
        return EXIT_OWN_FAILURE;
    /* merging keeps names, and each run has its own; so they are looked up before */
    const struct pprofil_file file = {.size = sizeof file};
    pprofil_profile_symbolize(side->runs[i], side->inputs.paths[i], &file);
    return diff_side_merge(side, i);
}

int diff_side_open(struct diff_side *side, const struct selection_request *selection)
{
    size_t count = side->inputs.count;
    int status = 0;

    side->runs = calloc(count + 1, sizeof *side->runs);
    if (side->runs == NULL)
        return complain_file(side->inputs.paths[0], -ENOMEM, false);
    snprintf(side->title, sizeof side->title, count == 1 ? "%s" : "%s and %zu more", side->inputs.paths[0], count - 1);
    if (count == 1) {
        side->whole = side->runs[0] = selection_open(selection, side->inputs.paths[0]);
        return side->whole != NULL ? 0 : EXIT_OWN_FAILURE;
    }
    for (size_t i = 0; status == 0 && i < count; i++)
        status = diff_side_open_run(side, i, selection);
    return status;
}

void diff_side_close(struct diff_side *side)
{
    if (side->runs != NULL && side->whole != side->runs[0])
        pprofil_profile_close(side->whole);
    for (size_t i = 0; side->runs != NULL && i < side->inputs.count; i++)
        pprofil_profile_close(side->runs[i]);
    free(side->runs);
    merge_inputs_clear(&side->inputs);
}
