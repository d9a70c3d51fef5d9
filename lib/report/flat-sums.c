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

#include "base/array.h"
#include "report/flat-sums-internal.h"
#include "report/row.h"

#define WALK_SAMPLES_MAX 65536u

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

/* --- stacks ------------------------------------------------------------------------------ */

static int flat_sums_enter(void *context, uint32_t node)
{
    const struct flat_update *update = context;
    struct flat_sums *sums = update->sums;
    uint32_t location = update->profile->nodes[node].location, first, end;
    int error = flat_need_location(update, location);

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
    const struct flat_update *update = context;
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

static int flat_sums_walk(struct flat_update *update)
{
    static const struct changed_visitor visitor = {flat_sums_enter, flat_sums_leave};
    struct flat_sums *sums = update->sums;

    return changed_walk(&sums->changed, &visitor, update, &sums->all);
}

/* --- samples ----------------------------------------------------------------------------- */

static int flat_sums_add_leaf(const struct flat_update *update, uint32_t location, const struct amount *more)
{
    struct flat_sums *sums = update->sums;
    uint32_t first, end;
    int error = flat_need_location(update, location);

    if (error != 0)
        return error;
    row_frames(&update->profile->locations[location], update->options, &first, &end);
    amount_add(&sums->sums.all[flat_sum_of(update, location, first, first)].self, more);
    amount_add(&sums->all, more);
    return 0;
}

static int flat_sums_add_subject(const struct flat_update *update, const struct profile_sample *sample,
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

static int flat_sums_add(struct flat_update *update, uint32_t index, const struct amount *more)
{
    const struct profile_sample *sample = &update->profile->samples[index];

    if (!flat_is_code(update->options->by))
        return flat_sums_add_subject(update, sample, more);
    const struct profile_node *node = &update->profile->nodes[sample->node];
    if (!update->options->stacks)
        return flat_sums_add_leaf(update, node->location, more);
    update->sums->has_stacks = update->sums->has_stacks || node->parent != PROFILE_NONE;
    return changed_add(&update->sums->changed, update->profile, sample->node, more);
}

/* Returns true if all locations on the stack of a sample have been looked up. If not, the sample must wait for them. */
static bool is_settled(const struct flat_update *update, const struct profile_sample *sample)
{
    const struct profile_node *nodes = update->profile->nodes;

    if (!update->options->live || !flat_is_code(update->options->by))
        return true;
    for (uint32_t node = sample->node; node != PROFILE_NONE; node = nodes[node].parent)
        if (!flat_is_looked_up(update, nodes[node].location))
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
static int flat_sums_add_and_walk(struct flat_update *update, uint32_t sample, const struct amount *more)
{
    int error = flat_sums_add(update, sample, more);

    if (error != 0 || ++update->unwalked < WALK_SAMPLES_MAX)
        return error;
    update->unwalked = 0;
    return flat_sums_walk(update);
}

static int flat_sums_add_new(struct flat_update *update)
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

/* Keeps the amounts of the sums, which do not contain the waiting samples yet. */
static int flat_sums_keep(struct flat_sums *sums)
{
    free(sums->kept);
    sums->kept = calloc(sums->sums.count + 1u, sizeof *sums->kept);
    if (sums->kept == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < sums->sums.count; i++)
        sums->kept[i] = (struct kept_sum){sums->sums.all[i].self, sums->sums.all[i].total};
    sums->kept_count = sums->sums.count;
    sums->kept_all = sums->all;
    return 0;
}

/* Adds the samples that wait for names to the sums. */
static int flat_sums_add_waiting(struct flat_update *update)
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
    struct flat_update update = {sums, profile, options, 0};

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
    if (error == 0 && flat_is_code(options->by))
        error = array_extend(&sums->known, &sums->known_count, profile->location_count, sizeof *sums->known);
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

/* Takes the samples that wait for names out of the sums. A sum may refer to a location that has not been looked up.
 * Removes this reference, so that the sum can take its name from another location. */
void flat_sums_settle(struct flat_sums *sums, const struct profile *profile)
{
    const struct report_options options = flat_options_of(sums);
    const struct flat_update update = {sums, profile, &options, 0};

    if (sums->waiting_count == 0)
        return;
    sums->waiting_count = 0;
    sums->all = sums->kept_all;
    for (uint32_t i = 0; i < sums->sums.count; i++) {
        struct sum *sum = &sums->sums.all[i];
        const struct kept_sum kept = i < sums->kept_count ? sums->kept[i] : (struct kept_sum){{0}, {0}};
        sum->self = kept.self;
        sum->total = kept.total;
        if (!flat_is_looked_up(&update, sum->location))
            sum->location = PROFILE_NONE;
    }
    free(sums->kept);
    sums->kept = NULL;
}
