/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Each sample knows how much of it is in the sums. What it has more is added to the sums of its stack. A place without
 * a name would move to another sum when it gets a name: its samples are added for one report at a time, and taken away
 * after it. If a name changes, all sums are made anew. Only names of code that was made at run time change.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "report/flat.h"
#include "report/live-sums.h"

#define SEVERAL UINT32_MAX /* sums of a place: its frames are looked for one by one */

/* A report's sums being made. */
struct update {
    struct live_sums *sums;
    const struct profile *profile;
    const struct report_options *options;
};

void live_sums_clear(struct live_sums *sums)
{
    sums_clear(&sums->sums);
    free(sums->totals);
    free(sums->met);
    hottest_clear(&sums->hottest);
    live_samples_clear(&sums->samples);
    free(sums->known);
    free(sums->waiting);
    *sums = (struct live_sums){0};
}

static bool is_code(enum pprofil_by by)
{
    return by == PPROFIL_BY_FUNCTION || by == PPROFIL_BY_LINE || by == PPROFIL_BY_OBJECT;
}

/* --- which sum --------------------------------------------------------------------------- */

/* Is all known of a place that its sums depend on? Where inlined functions have sums of their own,
 * these come with its lines. */
static bool is_looked_up(const struct update *update, const struct profile_location *place)
{
    bool lines = update->options->by == PPROFIL_BY_LINE || !update->options->no_inlines;

    if (update->options->by == PPROFIL_BY_OBJECT)
        return true;
    return (place->looked & (lines ? PROFILE_LOOKED_LINE : PROFILE_LOOKED_NAME)) != 0;
}

static int make_sum(const struct update *update, const uint64_t key[2], uint32_t *index)
{
    struct live_sums *sums = update->sums;
    struct sum *sum = sums_need(&sums->sums, key);
    uint32_t count = sums->sums.count;

    if (sum == NULL ||
        live_grow(&sums->totals, &sums->total_count, count, sizeof *sums->totals) != 0 ||
        live_grow(&sums->met, &sums->met_count, count, sizeof *sums->met) != 0)
        return -ENOMEM;
    *index = (uint32_t)(sum - sums->sums.all);
    if (sums->totals[*index].samples == 0) /* what has no name yet is called by what waits now */
        sum->location = PROFILE_NONE;
    return 0;
}

/* A place that is not looked up may turn out to be another's. */
static void show_by(const struct update *update, struct sum *sum, uint32_t location, uint32_t frame)
{
    const struct profile_location *places = update->profile->locations;

    if (is_looked_up(update, &places[location]) && !is_looked_up(update, &places[sum->location]))
        sum->location = PROFILE_NONE;
    flat_show_by(update->profile, sum, location, frame);
}

/* The sum of a frame, of which a place may have several. */
static int find_code(const struct update *update, uint32_t location, uint32_t frame,
                     uint32_t *index)
{
    struct live_sums *sums = update->sums;
    const struct profile_location *place = &update->profile->locations[location];
    uint32_t first, end, known = sums->known[location];
    uint64_t key[2];

    if (known != 0 && known != SEVERAL) {
        *index = known - 1;
        return 0;
    }
    flat_frames(place, update->options, &first, &end);
    flat_location_key(update->profile, location, update->options, key);
    if (!flat_is_pending(key))
        flat_frame_key(update->profile, place, frame, update->options->by, key);
    int error = make_sum(update, key, index);
    if (error != 0)
        return error;
    show_by(update, &sums->sums.all[*index], location, frame);
    if (is_looked_up(update, place))
        sums->known[location] = end - first > 1 ? SEVERAL : *index + 1;
    return 0;
}

/* All else is known by what its key says, but for processes: by their threads. */
static uint32_t task_or_call(enum pprofil_by by, const struct profile_sample *sample)
{
    if (by == PPROFIL_BY_STATE)
        return sample->state;
    return by == PPROFIL_BY_SYSCALL ? sample->syscall : sample->thread;
}

static int find_task_or_call(const struct update *update, const struct profile_sample *sample,
                             uint32_t *index)
{
    struct live_sums *sums = update->sums;
    uint32_t subject = task_or_call(update->options->by, sample);
    uint64_t key[2];

    int error = live_grow(&sums->known, &sums->known_count, subject + 1, sizeof *sums->known);
    if (error == 0 && sums->known[subject] == 0) {
        flat_key(update->profile, sample, update->options, key);
        error = make_sum(update, key, index);
        if (error != 0)
            return error;
        sums->known[subject] = *index + 1;
        sums->sums.all[*index].thread = sample->thread;
        sums->sums.all[*index].syscall = sample->syscall;
        sums->sums.all[*index].state = sample->state;
    }
    if (error == 0)
        *index = sums->known[subject] - 1;
    return error;
}

/* --- adding ------------------------------------------------------------------------------ */

static void add_own(struct live_sums *sums, uint32_t index, const struct call_total *more)
{
    sums->sums.all[index].samples += more->samples;
    sums->sums.all[index].ns += more->ns;
    live_add(&sums->all, more);
}

/* A sum is on the stack that is being added; once more does not count. */
static void meet(struct live_sums *sums, uint32_t index, const struct call_total *more)
{
    if (sums->met[index] != sums->stacks)
        live_add(&sums->totals[index], more);
    sums->met[index] = sums->stacks;
}

static int add_frames(const struct update *update, uint32_t location, bool leaf,
                      const struct call_total *more)
{
    uint32_t first, end, index;
    int error = 0;

    flat_frames(&update->profile->locations[location], update->options, &first, &end);
    for (uint32_t frame = first; error == 0 && frame < end; frame++) {
        error = find_code(update, location, frame, &index);
        if (error != 0)
            break;
        if (leaf && frame == first)
            add_own(update->sums, index, more);
        meet(update->sums, index, more);
    }
    return error;
}

/* more may be negative, as unsigned numbers are. */
static int add_sample(const struct update *update, const struct profile_sample *sample,
                      const struct call_total *more)
{
    struct live_sums *sums = update->sums;
    const struct profile_node *nodes = update->profile->nodes;
    uint32_t index;
    int error = 0;

    if (!is_code(update->options->by)) {
        error = find_task_or_call(update, sample, &index);
        if (error == 0)
            add_own(sums, index, more);
        return error;
    }
    sums->has_stacks = sums->has_stacks || nodes[sample->node].parent != PROFILE_NONE;
    sums->stacks++;
    for (uint32_t node = sample->node; error == 0 && node != PROFILE_NONE;
         node = nodes[node].parent)
        error = add_frames(update, nodes[node].location, node == sample->node, more);
    return error;
}

/* Does nothing that its sums depend on come later? */
static bool is_settled(const struct update *update, const struct profile_sample *sample)
{
    const struct profile *profile = update->profile;

    if (!is_code(update->options->by))
        return true;
    for (uint32_t node = sample->node; node != PROFILE_NONE; node = profile->nodes[node].parent)
        if (!is_looked_up(update, &profile->locations[profile->nodes[node].location]))
            return false;
    return true;
}

static int keep_waiting(struct live_sums *sums, uint32_t sample)
{
    int error = array_grow(&sums->waiting, sums->waiting_count, sizeof *sums->waiting);

    if (error == 0)
        sums->waiting[sums->waiting_count++] = sample;
    return error;
}

static int take_sample(const struct update *update, uint32_t index)
{
    struct live_sums *sums = update->sums;
    const struct profile_sample *sample = &update->profile->samples[index];
    struct call_total more;

    if (!live_samples_more(&sums->samples, update->profile, update->options, index, &more))
        return 0;
    if (!is_settled(update, sample))
        return keep_waiting(sums, index);
    live_samples_take(&sums->samples, index, &more);
    return add_sample(update, sample, &more);
}

/* --- reports ----------------------------------------------------------------------------- */

/* Adds what waits to the sums, or takes it away. */
static int add_waiting(const struct update *update, bool away)
{
    struct live_sums *sums = update->sums;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < sums->waiting_count; i++) {
        const struct profile_sample *sample = &update->profile->samples[sums->waiting[i]];
        struct call_total more = {sample->count, report_ns(update->profile, sample)};
        if (away)
            more = (struct call_total){0 - more.samples, 0 - more.ns};
        error = add_sample(update, sample, &more);
    }
    return error;
}

int live_sums_update(struct live_sums *sums, const struct profile *profile,
                     const struct report_options *options)
{
    const struct update update = {sums, profile, options};

    if (sums->by != options->by || sums->no_inlines != options->no_inlines ||
        !live_samples_go_on(&sums->samples, profile, &options->filter)) {
        live_sums_clear(sums);
        live_samples_begin(&sums->samples, profile, &options->filter);
        sums->by = options->by;
        sums->no_inlines = options->no_inlines;
    }
    sums->waiting_count = 0;
    int error = live_samples_grow(&sums->samples, profile);
    if (error == 0 && is_code(options->by))
        error = live_grow(&sums->known, &sums->known_count, profile->location_count,
                          sizeof *sums->known);
    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        error = take_sample(&update, i);
    if (error == 0)
        error = add_waiting(&update, false);
    if (error != 0)
        live_sums_clear(sums);
    return error;
}

static struct report_options options_of(const struct live_sums *sums)
{
    return (struct report_options){.by = sums->by, .no_inlines = sums->no_inlines, .live = true};
}

void live_sums_settle(struct live_sums *sums, const struct profile *profile)
{
    const struct report_options options = options_of(sums);
    const struct update update = {sums, profile, &options};

    if (add_waiting(&update, true) != 0) /* no sum is new, so there is nothing that could fail */
        live_sums_clear(sums);
    sums->waiting_count = 0;
}

void live_sums_named(struct live_sums *sums, const struct profile *profile, uint32_t location)
{
    const struct report_options options = options_of(sums);
    const struct profile_location *place = &profile->locations[location];
    uint32_t first, end;
    uint64_t key[2];

    /* of code made at run time it may have had another */
    if (!is_code(sums->by) && profile->objects[place->object].kind == PROFILE_OBJECT_ANON)
        hottest_clear(&sums->hottest);
    if (!is_code(sums->by) || location >= sums->known_count || sums->known[location] == 0)
        return;
    flat_frames(place, &options, &first, &end);
    struct sum *sum = sums->known[location] == SEVERAL
                          ? NULL
                          : &sums->sums.all[sums->known[location] - 1];
    flat_frame_key(profile, place, first, sums->by, key);
    if (sum == NULL || end - first > 1 || key[0] != sum->key[0] || key[1] != sum->key[1]) {
        live_sums_clear(sums);
        return;
    }
    if (sum->location == location) /* it may be another of its lines now */
        sum->frame = first;
    flat_show_by(profile, sum, location, first);
}
