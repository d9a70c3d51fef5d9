/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds which functions of two profiles belong together, and counts their samples. Functions of both profiles with the
 * same name and object share an element of diff_functions.all.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "report/diff-functions.h"
#include "report/row.h"

/* --- functions ------------------------------------------------------------------------- */

int diff_functions_need(struct diff_functions *functions, const char *name, uint32_t line, const char *object,
                        const char *own, int side, uint32_t *index)
{
    uint32_t ids[2], before = functions->keys.count;
    int error = profile_string(functions->names, name, &ids[0]);

    if (error == 0)
        error = profile_string(functions->names, object, &ids[1]);
    if (error == 0)
        error = array_grow(&functions->all, before, sizeof *functions->all);
    if (error != 0)
        return error;
    const struct sum *sum = sums_need(&functions->keys, (const uint64_t[]){(uint64_t)line << 32 | ids[0], ids[1]});
    if (sum == NULL)
        return -ENOMEM;
    *index = (uint32_t)(sum - functions->keys.all);
    struct diff_function *found = &functions->all[*index];
    if (functions->keys.count > before)
        *found = (struct diff_function){.name = name, .object = {"", ""}, .name_id = ids[0], .line = line};
    found->object[side] = own;
    return 0;
}

static int diff_find_functions(struct diff_functions *functions, const struct profile *profile, int side)
{
    uint32_t *at = functions->at[side] = calloc(profile->location_count + 1u, sizeof *at);
    int error = at == NULL ? -ENOMEM : 0;

    for (uint32_t i = 1; error == 0 && i < profile->location_count; i++) {
        const struct profile_location *place = &profile->locations[i];
        const char *object = path_base_name(profile->strings[profile->objects[place->object].path]);
        uint32_t name = profile->functions[row_function(place)].name;
        error = diff_functions_need(functions, name != 0 ? profile->strings[name] : object, 0, object, object, side,
                                    &at[i]);
        if (error == 0 && functions->all[at[i]].id[side] == 0)
            functions->all[at[i]].id[side] = report_id(profile, PPROFIL_BY_FUNCTION, i);
    }
    return error;
}

/* --- counts ---------------------------------------------------------------------------- */

/* Counts a sample for its thread, process, system call or state. */
static void diff_count_subject(struct diff_functions *functions, const struct profile *profile,
                               const struct profile_sample *sample, int side)
{
    uint64_t ns = functions->timed ? report_ns(profile, sample) : sample->count;
    struct diff_function *found = &functions->all[functions->at[side][row_subject(functions->by, sample)]];

    diff_sums_count(&functions->whole.of[side], sample->count, ns);
    diff_sums_count(&found->self.of[side], sample->count, ns);
    diff_sums_count(&found->total.of[side], sample->count, ns);
}

static void diff_count_sample(struct diff_functions *functions, const struct profile *profile,
                              const struct profile_sample *sample, int side)
{
    const uint32_t *at = functions->at[side];
    uint64_t ns = functions->timed ? report_ns(profile, sample) : sample->count;
    uint32_t leaf = profile->nodes[sample->node].location;

    functions->samples++;
    diff_sums_count(&functions->whole.of[side], sample->count, ns);
    if (leaf != PROFILE_NONE)
        diff_sums_count(&functions->all[at[leaf]].self.of[side], sample->count, ns);
    functions->stacks = functions->stacks || profile->nodes[sample->node].parent != PROFILE_NONE;
    for (uint32_t node = sample->node; node != PROFILE_NONE; node = profile->nodes[node].parent) {
        struct diff_function *found = &functions->all[at[profile->nodes[node].location]];
        if (found->seen != functions->samples)
            diff_sums_count(&found->total.of[side], sample->count, ns);
        found->seen = functions->samples;
    }
}

void diff_functions_count(struct diff_functions *functions, const struct profile *profile, int side)
{
    const struct report_options options = {.by = functions->by};
    bool is_code = functions->by <= PPROFIL_BY_LINE;

    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (row_counts(profile, &options, &profile->samples[i]))
            (is_code ? diff_count_sample : diff_count_subject)(functions, profile, &profile->samples[i], side);
}

/* --- what was renamed -------------------------------------------------------------------- */

bool diff_function_is_renamed(const struct diff_function *function)
{
    return diff_function_is_in(function, DIFF_OLD) && diff_function_is_in(function, DIFF_NEW) &&
           strcmp(function->object[DIFF_OLD], function->object[DIFF_NEW]) != 0;
}

#define OBJECT_UNKNOWN UINT32_MAX

/* Functions with the same name, each of which is in only one of the two profiles. count[side]: how many of them are in
 * the profile `side`. index[side]: index in diff_functions.all of the last of those in this profile. */
struct unmatched_name {
    uint32_t index[DIFF_SIDES], count[DIFF_SIDES];
};

/* What is known about an object's name. */
struct renamed_object {
    bool in[DIFF_SIDES]; /* the profile has samples of functions in an object of this name */
    /* for an object that is only in the old profile: index of its new name in diff_functions.names. 0: none;
     * OBJECT_UNKNOWN: its functions are in several objects now */
    uint32_t now;
};

struct renaming {
    struct diff_functions *functions;
    struct unmatched_name *names;   /* owned; by index of the name in functions->names */
    struct renamed_object *objects; /* owned; likewise */
};

static bool diff_function_is_only_in(const struct diff_function *function, int side)
{
    return diff_function_is_in(function, side) && !diff_function_is_in(function, 1 - side);
}

static void diff_find_unmatched(struct renaming *renaming)
{
    const struct diff_functions *functions = renaming->functions;

    for (uint32_t i = 0; i < functions->keys.count; i++)
        for (int side = 0; side < DIFF_SIDES; side++) {
            const struct diff_function *found = &functions->all[i];
            struct unmatched_name *name = &renaming->names[found->name_id];
            if (diff_function_is_in(found, side))
                renaming->objects[functions->keys.all[i].key[1]].in[side] = true;
            if (!diff_function_is_only_in(found, side))
                continue;
            name->index[side] = i;
            name->count[side]++;
        }
}

/* Moves what the old profile has of a function to the function of the new profile that is the same one. */
static void diff_join(struct renaming *renaming, uint32_t old, uint32_t new)
{
    struct diff_function *from = &renaming->functions->all[old], *into = &renaming->functions->all[new];

    into->object[DIFF_OLD] = from->object[DIFF_OLD];
    into->id[DIFF_OLD] = from->id[DIFF_OLD];
    into->self.of[DIFF_OLD] = from->self.of[DIFF_OLD];
    into->total.of[DIFF_OLD] = from->total.of[DIFF_OLD];
    from->self = from->total = (struct diff_pair){0};
    renaming->functions->moved[old] = new + 1;
}

/* Joins functions whose name shows that they are the same, and learns from them which objects were renamed. */
static void diff_join_unmatched(struct renaming *renaming)
{
    const struct sum *keys = renaming->functions->keys.all;

    for (uint32_t i = 0; i < renaming->functions->names->string_count; i++) {
        const struct unmatched_name *name = &renaming->names[i];
        if (name->count[DIFF_OLD] != 1 || name->count[DIFF_NEW] != 1)
            continue;
        uint32_t new = (uint32_t)keys[name->index[DIFF_NEW]].key[1];
        struct renamed_object *object = &renaming->objects[keys[name->index[DIFF_OLD]].key[1]];
        diff_join(renaming, name->index[DIFF_OLD], name->index[DIFF_NEW]);
        if (!object->in[DIFF_NEW] && !renaming->objects[new].in[DIFF_OLD])
            object->now = object->now == 0 || object->now == new ? new : OBJECT_UNKNOWN;
    }
}

/* Joins the other functions of renamed objects. */
static void diff_join_objects(struct renaming *renaming)
{
    const struct diff_functions *functions = renaming->functions;

    for (uint32_t i = 0; i < functions->keys.count; i++) {
        const uint64_t *key = functions->keys.all[i].key;
        uint32_t now = renaming->objects[key[1]].now;
        if (now == 0 || now == OBJECT_UNKNOWN || !diff_function_is_only_in(&functions->all[i], DIFF_OLD))
            continue;
        const struct sum *sum = sums_find(&functions->keys, (const uint64_t[]){key[0], now});
        if (sum != NULL && diff_function_is_only_in(&functions->all[sum - functions->keys.all], DIFF_NEW))
            diff_join(renaming, i, (uint32_t)(sum - functions->keys.all));
    }
}

/* Makes the locations of the old profile lead to the functions to which their samples were moved. */
static void diff_move_locations(struct renaming *renaming, uint32_t location_count)
{
    for (uint32_t i = 1; i < location_count; i++) {
        uint32_t *at = &renaming->functions->at[DIFF_OLD][i];
        if (renaming->functions->moved[*at] != 0)
            *at = renaming->functions->moved[*at] - 1;
    }
}

/* Notes the new names of the renamed objects. */
static int diff_keep_renamed(struct diff_functions *functions, const struct renamed_object *objects)
{
    functions->renamed_count = functions->names->string_count;
    functions->renamed = calloc(functions->renamed_count + 1u, sizeof *functions->renamed);
    if (functions->renamed == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < functions->renamed_count; i++)
        functions->renamed[i] = objects[i].now == OBJECT_UNKNOWN ? 0 : objects[i].now;
    return 0;
}

const char *diff_object_renamed(const struct diff_functions *functions, const char *name)
{
    uint32_t index;

    if (profile_string(functions->names, name, &index) != 0 || index >= functions->renamed_count ||
        functions->renamed[index] == 0)
        return name;
    return functions->names->strings[functions->renamed[index]];
}

static int diff_join_renamed(struct diff_functions *functions, uint32_t location_count)
{
    struct renaming renaming = {
        .functions = functions,
        .names = calloc(functions->names->string_count + 1u, sizeof *renaming.names),
        .objects = calloc(functions->names->string_count + 1u, sizeof *renaming.objects),
    };
    int error = renaming.names == NULL || renaming.objects == NULL ? -ENOMEM : 0;

    functions->moved = calloc(functions->keys.count + 1u, sizeof *functions->moved);
    if (functions->moved == NULL)
        error = -ENOMEM;
    if (error == 0) {
        diff_find_unmatched(&renaming);
        diff_join_unmatched(&renaming);
        diff_join_objects(&renaming);
        diff_move_locations(&renaming, location_count);
        error = diff_keep_renamed(functions, renaming.objects);
    }
    free(renaming.names);
    free(renaming.objects);
    return error;
}

/* --- weights ----------------------------------------------------------------------------- */

/* Estimates, for each function of one profile, the sum of the squares of its samples' weights. Adds these sums up
 * for the whole profile. */
void diff_functions_estimate(struct diff_functions *functions, int side)
{
    struct diff_spread *spread = &functions->spread[side];

    for (uint32_t i = 0; i < functions->keys.count; i++)
        diff_spread_add(spread, &functions->all[i].self.of[side]);
    functions->whole.of[side].squares = 0;
    for (uint32_t i = 0; i < functions->keys.count; i++) {
        diff_settle(&functions->all[i].self.of[side], spread);
        diff_settle(&functions->all[i].total.of[side], spread);
        functions->whole.of[side].squares += functions->all[i].self.of[side].squares;
    }
}

/* --- the whole --------------------------------------------------------------------------- */

bool diff_is_timed(const struct profile *profile)
{
    const struct profile_totals *totals = &profile->totals;

    return totals->samples == 0 || (totals->wall ? totals->wall_ns : totals->cpu_ns) > 0;
}

int diff_functions_begin(const struct profile *const profiles[DIFF_SIDES], enum pprofil_by by,
                         struct diff_functions *functions)
{
    *functions = (struct diff_functions){.names = profile_new(), .by = by};
    functions->timed = diff_is_timed(profiles[DIFF_OLD]) && diff_is_timed(profiles[DIFF_NEW]);
    return functions->names == NULL ? -ENOMEM : 0;
}

int diff_functions_find(const struct profile *const profiles[DIFF_SIDES], struct diff_functions *functions)
{
    int error = diff_functions_begin(profiles, PPROFIL_BY_FUNCTION, functions);

    for (int side = 0; error == 0 && side < DIFF_SIDES; side++)
        error = diff_find_functions(functions, profiles[side], side);
    for (int side = 0; error == 0 && side < DIFF_SIDES; side++)
        diff_functions_count(functions, profiles[side], side);
    if (error == 0)
        error = diff_join_renamed(functions, profiles[DIFF_OLD]->location_count);
    for (int side = 0; error == 0 && side < DIFF_SIDES; side++)
        diff_functions_estimate(functions, side);
    return error;
}

void diff_functions_clear(struct diff_functions *functions)
{
    profile_free(functions->names);
    sums_clear(&functions->keys);
    free(functions->all);
    free(functions->renamed);
    free(functions->moved);
    for (int side = 0; side < DIFF_SIDES; side++)
        free(functions->at[side]);
}
