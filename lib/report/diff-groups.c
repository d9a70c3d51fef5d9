/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds which objects, lines, threads, processes, system calls, states or waits of two profiles belong together, and
 * counts their samples: see diff-functions.h. All of them are found by name, as functions are, because numbers and
 * addresses differ from run to run.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/path.h"
#include "report/diff-functions.h"
#include "report/row.h"

/* --- objects and lines ------------------------------------------------------------------- */

/* `functions` knows which objects were renamed. */
static int groups_add_location(struct diff_functions *groups, const struct diff_functions *functions,
                               const struct profile *profile, int side, uint32_t location)
{
    const struct profile_location *place = &profile->locations[location];
    const char *own = path_base_name(profile->strings[profile->objects[place->object].path]);
    const char *object = side == DIFF_OLD ? diff_object_renamed(functions, own) : own;
    const struct profile_line *line = row_line(place, 0);
    uint32_t *index = &groups->at[side][location];

    if (groups->by == PPROFIL_BY_OBJECT)
        return diff_functions_need(groups, object, 0, object, own, side, index);
    if (line->file == 0)
        return diff_functions_need(groups, "[no line]", 0, object, own, side, index);
    return diff_functions_need(groups, path_base_name(profile->strings[line->file]), line->line, object, own, side,
                               index);
}

/* The new profile comes first, so that renamed objects have names that live as long as this profile. */
static int groups_find_code(const struct profile *const profiles[DIFF_SIDES], struct diff_functions *groups)
{
    struct diff_functions functions;
    int error = diff_functions_find(profiles, &functions);

    for (int side = DIFF_SIDES; error == 0 && side-- > 0;) {
        groups->at[side] = calloc(profiles[side]->location_count + 1u, sizeof *groups->at[side]);
        if (groups->at[side] == NULL)
            error = -ENOMEM;
        for (uint32_t i = 1; error == 0 && i < profiles[side]->location_count; i++)
            error = groups_add_location(groups, &functions, profiles[side], side, i);
    }
    diff_functions_clear(&functions);
    return error;
}

/* --- threads, processes, system calls, states and waits ------------------------------------------ */

static uint32_t groups_subject_count(const struct profile *profile, enum pprofil_by by)
{
    return by == PPROFIL_BY_SYSCALL ? profile->syscall_count
           : by == PPROFIL_BY_STATE ? PROFILE_STATES
           : by == PPROFIL_BY_WAIT  ? PROFILE_STATES + profile->wait_count
                                    : profile->thread_count;
}

static int groups_find_subjects(const struct profile *profile, int side, struct diff_functions *groups)
{
    uint32_t count = groups_subject_count(profile, groups->by);
    int error = 0;

    groups->at[side] = calloc(count + 1u, sizeof *groups->at[side]);
    if (groups->at[side] == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; error == 0 && i < count; i++)
        error = diff_functions_need(groups, row_subject_name(profile, groups->by, i), 0, "", "", side,
                                    &groups->at[side][i]);
    return error;
}

/* --- the whole --------------------------------------------------------------------------- */

int diff_groups_find(const struct profile *const profiles[DIFF_SIDES], enum pprofil_by by,
                     struct diff_functions *groups)
{
    if (by == PPROFIL_BY_FUNCTION)
        return diff_functions_find(profiles, groups);
    int error = diff_functions_begin(profiles, by, groups);
    if (error == 0 && (by == PPROFIL_BY_OBJECT || by == PPROFIL_BY_LINE))
        error = groups_find_code(profiles, groups);
    else
        for (int side = 0; error == 0 && side < DIFF_SIDES; side++)
            error = groups_find_subjects(profiles[side], side, groups);
    for (int side = 0; error == 0 && side < DIFF_SIDES; side++)
        diff_functions_count(groups, profiles[side], side);
    for (int side = 0; error == 0 && side < DIFF_SIDES; side++)
        diff_functions_estimate(groups, side);
    return error;
}
