/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sums samples for flat reports: see flat-sums.h.
 *
 * New samples are added to the nodes of their stacks (changed.h). Then a walk visits these nodes. For each sum, the
 * walk counts how many frames on the stack of the present node belong to the sum. So the time of a function that calls
 * itself is added only once.
 *
 * The samples of a location without a name are in a sum for unnamed code. When the location gets its name, its samples
 * belong to another sum. So a sample with an unnamed location on its stack waits: it is added for one report, and is
 * taken out again after the report. If a name changes, all sums are made again. Only code that was made at run time
 * changes its name.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/flat-sums.h"
#include "report/row.h"

#define WALK_SAMPLES_MAX 65536u

struct update {
    struct flat_sums *sums;
    const struct profile *profile;
    const struct report_options *options;
    uint32_t unwalked; /* number of samples that were added since the last walk */
};

void flat_sums_clear(struct flat_sums *sums)
{
    sums_clear(&sums->sums);
    hottest_clear(&sums->hottest);
    added_clear(&sums->added);
    free(sums->known);
    free(sums->frame_sums);
    free(sums->waiting);
    free(sums->kept);
    changed_clear(&sums->changed);
    free(sums->on_stack);
    *sums = (struct flat_sums){0};
}

static bool is_code(enum pprofil_by by)
{
    return by == PPROFIL_BY_FUNCTION || by == PPROFIL_BY_LINE || by == PPROFIL_BY_OBJECT;
}

/* --- the sums of a location -------------------------------------------------------------- */

/* Returns true if the name or the lines of a location, whichever this report needs, have been looked up. From then on,
 * the samples of the location stay in the same sums. */
static bool is_looked_up(const struct update *update, uint32_t location)
{
    uint32_t needs = update->options->live ? row_needs(update->options) : 0;
    return (update->profile->locations[location].looked & needs) == needs;
}

/* Lets a sum take its name from a frame of a location, if this frame is a better choice than the frame that the sum
 * uses now. A location that has not been looked up may later get another name, which does not fit the sum. So a
 * location that has been looked up replaces one that has not. */
static void flat_sums_name_by(const struct update *update, struct sum *sum, uint32_t location, uint32_t frame)
{
    if (is_looked_up(update, location) && !is_looked_up(update, sum->location))
        sum->location = PROFILE_NONE;
    row_name_by(update->profile, sum, location, frame);
}

static int flat_sums_remember(struct flat_sums *sums, uint32_t value)
{
    int error = array_grow(&sums->frame_sums, sums->frame_sum_count, sizeof *sums->frame_sums);

    if (error == 0)
        sums->frame_sums[sums->frame_sum_count++] = value;
    return error;
}

/* Makes the missing sums for the frames of a location. If the location has been looked up, its samples stay in these
 * sums, so the indexes of the sums are stored in frame_sums. */
static int flat_sums_need_location(const struct update *update, uint32_t location)
{
    struct flat_sums *sums = update->sums;
    bool is_final = is_looked_up(update, location);
    uint32_t first, end;
    uint64_t key[2];
    int error = 0;

    if (sums->known[location] != 0)
        return 0;
    row_frames(&update->profile->locations[location], update->options, &first, &end);
    if (is_final) {
        error = flat_sums_remember(sums, end - first);
        sums->known[location] = sums->frame_sum_count;
    }
    for (uint32_t frame = first; error == 0 && frame < end; frame++) {
        row_frame_key(update->profile, location, frame, update->options, key);
        struct sum *sum = sums_need(&sums->sums, key);
        if (sum == NULL)
            return -ENOMEM;
        flat_sums_name_by(update, sum, location, frame);
        if (is_final)
            error = flat_sums_remember(sums, (uint32_t)(sum - sums->sums.all));
    }
    return error;
}

/* Returns the index of a frame's sum, which must exist. `first` is the index of the location's first frame. */
static uint32_t flat_sum_of(const struct update *update, uint32_t location, uint32_t first, uint32_t frame)
{
    const struct flat_sums *sums = update->sums;
    uint64_t key[2];

    if (sums->known[location] != 0)
        return sums->frame_sums[sums->known[location] + frame - first];
    row_frame_key(update->profile, location, frame, update->options, key);
    return (uint32_t)(sums_find(&sums->sums, key) - sums->sums.all);
}

/* --- stacks ------------------------------------------------------------------------------ */

static int flat_sums_enter(void *context, uint32_t node)
{
    const struct update *update = context;
    struct flat_sums *sums = update->sums;
    uint32_t location = update->profile->nodes[node].location, first, end;
    int error = flat_sums_need_location(update, location);

    if (error == 0)
        error = array_extend(&sums->on_stack, &sums->on_stack_count, sums->sums.count, sizeof *sums->on_stack);
    row_frames(&update->profile->locations[location], update->options, &first, &end);
    for (uint32_t frame = first; error == 0 && frame < end; frame++)
        sums->on_stack[flat_sum_of(update, location, first, frame)]++;
    return error;
}

/* The walk calls this function when it leaves a node. Adds `self` to the sum of the node's innermost frame, and takes
 * all frames of the node off the stack. Adds `total` to a sum when the last frame that belongs to this sum leaves the
 * stack. So the time of a function that calls itself is added only once. */
static void flat_sums_leave(void *context, uint32_t node, const struct amount *self, const struct amount *total)
{
    const struct update *update = context;
    struct flat_sums *sums = update->sums;
    uint32_t location = update->profile->nodes[node].location, first, end;

    row_frames(&update->profile->locations[location], update->options, &first, &end);
    amount_add(&sums->sums.all[flat_sum_of(update, location, first, first)].self, self);
    for (uint32_t frame = first; frame < end; frame++) {
        uint32_t sum = flat_sum_of(update, location, first, frame);
        if (--sums->on_stack[sum] == 0)
            amount_add(&sums->sums.all[sum].total, total);
    }
}

static int flat_sums_walk(struct update *update)
{
    static const struct changed_visitor visitor = {flat_sums_enter, flat_sums_leave};
    struct flat_sums *sums = update->sums;

    return changed_walk(&sums->changed, &visitor, update, &sums->all);
}

/* --- samples ----------------------------------------------------------------------------- */

static int flat_sums_add_leaf(const struct update *update, uint32_t location, const struct amount *more)
{
    struct flat_sums *sums = update->sums;
    uint32_t first, end;
    int error = flat_sums_need_location(update, location);

    if (error != 0)
        return error;
    row_frames(&update->profile->locations[location], update->options, &first, &end);
    amount_add(&sums->sums.all[flat_sum_of(update, location, first, first)].self, more);
    amount_add(&sums->all, more);
    return 0;
}

static int flat_sums_add_subject(const struct update *update, const struct profile_sample *sample,
                                 const struct amount *more)
{
    struct flat_sums *sums = update->sums;
    uint32_t subject = row_subject(update->options->by, sample);
    int error = array_extend(&sums->known, &sums->known_count, subject + 1, sizeof *sums->known);
    uint64_t key[2];

    if (error == 0 && sums->known[subject] == 0) {
        row_task_key(update->profile, sample, update->options->by, key);
        struct sum *sum = sums_need(&sums->sums, key);
        if (sum == NULL)
            return -ENOMEM;
        sums->known[subject] = (uint32_t)(sum - sums->sums.all) + 1;
        sum->subject = subject;
    }
    if (error != 0)
        return error;
    amount_add(&sums->sums.all[sums->known[subject] - 1].self, more);
    amount_add(&sums->all, more);
    return 0;
}

static int flat_sums_add(struct update *update, uint32_t index, const struct amount *more)
{
    const struct profile_sample *sample = &update->profile->samples[index];

    if (!is_code(update->options->by))
        return flat_sums_add_subject(update, sample, more);
    const struct profile_node *node = &update->profile->nodes[sample->node];
    if (!update->options->stacks)
        return flat_sums_add_leaf(update, node->location, more);
    update->sums->has_stacks = update->sums->has_stacks || node->parent != PROFILE_NONE;
    return changed_add(&update->sums->changed, update->profile, sample->node, more);
}

/* Returns true if all locations on the stack of a sample have been looked up. If not, the sample must wait for them. */
static bool is_settled(const struct update *update, const struct profile_sample *sample)
{
    const struct profile_node *nodes = update->profile->nodes;

    if (!update->options->live || !is_code(update->options->by))
        return true;
    for (uint32_t node = sample->node; node != PROFILE_NONE; node = nodes[node].parent)
        if (!is_looked_up(update, nodes[node].location))
            return false;
    return true;
}

static int flat_sums_wait(struct flat_sums *sums, uint32_t sample)
{
    int error = array_grow(&sums->waiting, sums->waiting_count, sizeof *sums->waiting);

    if (error == 0)
        sums->waiting[sums->waiting_count++] = sample;
    return error;
}

/* Adds a sample. Walks after every WALK_SAMPLES_MAX samples, so that the changed nodes of a large profile are never all
 * in memory. */
static int flat_sums_add_and_walk(struct update *update, uint32_t sample, const struct amount *more)
{
    int error = flat_sums_add(update, sample, more);

    if (error != 0 || ++update->unwalked < WALK_SAMPLES_MAX)
        return error;
    update->unwalked = 0;
    return flat_sums_walk(update);
}

static int flat_sums_add_new(struct update *update)
{
    struct flat_sums *sums = update->sums;
    struct amount more;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < update->profile->sample_count; i++) {
        if (!added_more(&sums->added, update->profile, update->options, i, &more))
            continue;
        if (!is_settled(update, &update->profile->samples[i])) {
            error = flat_sums_wait(sums, i);
            continue;
        }
        amount_add(&sums->added.amounts[i], &more);
        error = flat_sums_add_and_walk(update, i, &more);
    }
    return error == 0 ? flat_sums_walk(update) : error;
}

/* Marks the locations of a sample's stack: used[location]. seen: an element for each node; its callers are marked. */
static void flat_sums_mark_stack(const struct update *update, uint32_t sample, bool *seen, bool *used)
{
    const struct profile *profile = update->profile;
    uint32_t node = profile->samples[sample].node;

    used[profile->nodes[node].location] = true;
    for (; update->options->stacks && node != PROFILE_NONE && !seen[node]; node = profile->nodes[node].parent) {
        seen[node] = true;
        used[profile->nodes[node].location] = true;
    }
}

/* Makes the sums of a report that is not live, in the order of the profile's locations. The order matters, because a
 * sum takes its name from the first location that is added to it, and a saved profile has the order of the locations,
 * but not that of the samples. A live report makes the missing sums as it needs them. */
static int flat_sums_need_in_order(const struct update *update)
{
    const struct profile *profile = update->profile;
    bool *seen = calloc(profile->node_count, sizeof *seen), *used = calloc(profile->location_count + 1u, sizeof *used);
    int error = seen == NULL || used == NULL ? -ENOMEM : 0;
    struct amount more;

    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        if (added_more(&update->sums->added, profile, update->options, i, &more))
            flat_sums_mark_stack(update, i, seen, used);
    for (uint32_t i = 0; error == 0 && i < profile->location_count; i++)
        if (used[i])
            error = flat_sums_need_location(update, i);
    free(seen);
    free(used);
    return error;
}

/* Keeps a copy of the sums, which do not contain the waiting samples yet. */
static int flat_sums_keep(struct flat_sums *sums)
{
    size_t size = sums->sums.count * sizeof *sums->kept;

    free(sums->kept);
    sums->kept = malloc(size + 1);
    if (sums->kept == NULL)
        return -ENOMEM;
    if (size > 0)
        memcpy(sums->kept, sums->sums.all, size);
    sums->kept_count = sums->sums.count;
    sums->kept_all = sums->all;
    return 0;
}

/* Adds the samples that wait for names to the sums. */
static int flat_sums_add_waiting(struct update *update)
{
    struct flat_sums *sums = update->sums;
    int error = sums->waiting_count > 0 ? flat_sums_keep(sums) : 0;

    for (uint32_t i = 0; error == 0 && i < sums->waiting_count; i++) {
        const struct profile_sample *sample =
            report_sample(update->profile, &update->options->filter, sums->waiting[i]);
        const struct amount more = {sample->count, report_ns(update->profile, sample)};
        error = flat_sums_add_and_walk(update, sums->waiting[i], &more);
    }
    return error == 0 ? flat_sums_walk(update) : error;
}

/* --- the whole --------------------------------------------------------------------------- */

int flat_sums_update(struct flat_sums *sums, const struct profile *profile, const struct report_options *options)
{
    struct update update = {sums, profile, options, 0};

    if (sums->by != options->by || sums->no_inlines != options->no_inlines || sums->stacks != options->stacks ||
        added_is_other(&sums->added, profile, &options->filter)) {
        flat_sums_clear(sums);
        added_begin(&sums->added, profile, &options->filter);
        sums->by = options->by;
        sums->no_inlines = options->no_inlines;
        sums->stacks = options->stacks;
    }
    sums->added.filter = options->filter; /* its samples in a range may be in another array now */
    sums->waiting_count = 0;
    int error = added_grow(&sums->added, profile);
    if (error == 0 && is_code(options->by))
        error = array_extend(&sums->known, &sums->known_count, profile->location_count, sizeof *sums->known);
    if (error == 0 && is_code(options->by) && !options->live)
        error = flat_sums_need_in_order(&update);
    if (error == 0)
        error = flat_sums_add_new(&update);
    if (error == 0)
        error = flat_sums_add_waiting(&update);
    if (error == 0 && options->live && (options->by == PPROFIL_BY_THREAD || options->by == PPROFIL_BY_PROCESS))
        error = hottest_update(&sums->hottest, profile, options);
    if (error != 0)
        flat_sums_clear(sums);
    return error;
}

static struct report_options flat_sums_options(const struct flat_sums *sums)
{
    return (struct report_options){.by = sums->by,
                                   .no_inlines = sums->no_inlines,
                                   .stacks = sums->stacks,
                                   .live = true,
                                   .filter = sums->added.filter};
}

/* Takes the samples that wait for names out of the sums. A sum that was added for them may refer to a location that has
 * not been looked up. Removes this reference, so that the sum can take its name from another location. */
void flat_sums_settle(struct flat_sums *sums, const struct profile *profile)
{
    const struct report_options options = flat_sums_options(sums);
    const struct update update = {sums, profile, &options, 0};

    if (sums->waiting_count == 0)
        return;
    sums->waiting_count = 0;
    sums->all = sums->kept_all;
    if (sums->kept_count > 0)
        memcpy(sums->sums.all, sums->kept, sums->kept_count * sizeof *sums->kept);
    for (uint32_t i = sums->kept_count; i < sums->sums.count; i++) {
        struct sum *sum = &sums->sums.all[i];
        sum->self = sum->total = (struct amount){0};
        if (!is_looked_up(&update, sum->location))
            sum->location = PROFILE_NONE;
    }
    free(sums->kept);
    sums->kept = NULL;
}

void flat_sums_named(struct flat_sums *sums, const struct profile *profile, uint32_t location)
{
    const struct report_options options = flat_sums_options(sums);
    const struct profile_location *place = &profile->locations[location];
    uint32_t first, end;
    uint64_t key[2];

    /* code that was made at run time may have got another name. The hottest functions are found by name, so they must
     * be found again */
    if (!is_code(sums->by) && profile->objects[place->object].kind == PROFILE_OBJECT_ANON)
        hottest_clear(&sums->hottest);
    if (!is_code(sums->by) || location >= sums->known_count || sums->known[location] == 0)
        return;
    const uint32_t *known = &sums->frame_sums[sums->known[location] - 1];
    row_frames(place, &options, &first, &end);
    bool is_same = known[0] == end - first;
    for (uint32_t i = 0; is_same && i < end - first; i++) {
        struct sum *sum = &sums->sums.all[known[1 + i]];
        row_frame_key(profile, location, first + i, &options, key);
        is_same = key[0] == sum->key[0] && key[1] == sum->key[1];
        /* the look-up of lines may have added lines to the location, so the line with this key may now have another
         * index */
        if (is_same && sum->location == location)
            sum->frame = first + i;
        if (is_same)
            row_name_by(profile, sum, location, first + i);
    }
    if (!is_same)
        flat_sums_clear(sums);
}
