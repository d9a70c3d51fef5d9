/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Of each sample it is known how much of it is in the sums; what it has more is added, up its
 * stack. Places without a name would move to other sums when they get one: samples there are added
 * for one report at a time, and taken away after it. A name that changes, which only that of code
 * made at run time does, makes all begin anew.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "report/flat.h"
#include "report/live-sums.h"

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
    live_samples_clear(&sums->samples);
    free(sums->known);
    free(sums->waiting);
    *sums = (struct live_sums){0};
}

static bool is_code(enum report_by by)
{
    return by == REPORT_BY_FUNCTION || by == REPORT_BY_LINE || by == REPORT_BY_OBJECT;
}

/* --- which sum --------------------------------------------------------------------------- */

/* Code is known by its location, all else by what the key says. */
static uint32_t subject_of(const struct update *update, const struct profile_sample *sample,
                           uint32_t node)
{
    if (is_code(update->options->by))
        return update->profile->nodes[node].location;
    return update->options->by == REPORT_BY_SYSCALL ? sample->syscall : sample->thread;
}

static int make_sum(const struct update *update, const struct profile_sample *sample,
                    uint32_t subject, const uint64_t key[2], uint32_t *index)
{
    struct live_sums *sums = update->sums;
    enum report_by by = update->options->by;
    struct sum *sum = sums_need(&sums->sums, key);
    uint32_t count = sums->sums.count;

    if (sum == NULL ||
        live_grow(&sums->totals, &sums->total_count, count, sizeof *sums->totals) != 0 ||
        live_grow(&sums->met, &sums->met_count, count, sizeof *sums->met) != 0)
        return -ENOMEM;
    *index = (uint32_t)(sum - sums->sums.all);
    if (sums->totals[*index].samples == 0) /* what has no name yet is called by what waits now */
        sum->location = PROFILE_NONE;
    if (is_code(by)) {
        flat_show_by(update->profile, sum, subject,
                     flat_frame(&update->profile->locations[subject], by));
    } else if (sum->samples == 0) {
        sum->thread = sample->thread;
        sum->syscall = sample->syscall;
    }
    return 0;
}

/* The sum of a sample, or of a frame of its stack. */
static int find_sum(const struct update *update, const struct profile_sample *sample, uint32_t node,
                    uint32_t *index)
{
    struct live_sums *sums = update->sums;
    uint32_t subject = subject_of(update, sample, node);
    uint64_t key[2];

    int error = live_grow(&sums->known, &sums->known_count, subject + 1, sizeof *sums->known);
    if (error != 0)
        return error;
    if (sums->known[subject] != 0) {
        *index = sums->known[subject] - 1;
        return 0;
    }
    if (is_code(update->options->by))
        flat_location_key(update->profile, subject, update->options, key);
    else
        flat_key(update->profile, sample, update->options, key);
    error = make_sum(update, sample, subject, key, index);
    if (error == 0 && !flat_is_pending(key))
        sums->known[subject] = *index + 1;
    return error;
}

/* --- adding ------------------------------------------------------------------------------ */

/* A sum is on the stack that is being added; once more does not count. */
static void meet(struct live_sums *sums, uint32_t index, const struct call_total *more)
{
    if (sums->met[index] != sums->stacks)
        live_add(&sums->totals[index], more);
    sums->met[index] = sums->stacks;
}

/* more may be negative, as unsigned numbers are. */
static int add_sample(const struct update *update, const struct profile_sample *sample,
                      const struct call_total *more)
{
    struct live_sums *sums = update->sums;
    uint32_t index, parent = update->profile->nodes[sample->node].parent;
    int error = find_sum(update, sample, sample->node, &index);

    if (error != 0)
        return error;
    sums->sums.all[index].samples += more->samples;
    sums->sums.all[index].ns += more->ns;
    live_add(&sums->all, more);
    if (!is_code(update->options->by))
        return 0;
    sums->stacks++;
    meet(sums, index, more);
    while (error == 0 && parent != PROFILE_NONE) {
        sums->has_stacks = true;
        error = find_sum(update, sample, parent, &index);
        if (error == 0)
            meet(sums, index, more);
        parent = update->profile->nodes[parent].parent;
    }
    return error;
}

/* Has every place on its stack what its sum depends on? */
static bool is_named(const struct update *update, const struct profile_sample *sample)
{
    const struct profile *profile = update->profile;
    uint64_t key[2];

    if (!is_code(update->options->by))
        return true;
    for (uint32_t node = sample->node; node != PROFILE_NONE; node = profile->nodes[node].parent) {
        uint32_t location = profile->nodes[node].location;
        if (location < update->sums->known_count && update->sums->known[location] != 0)
            continue;
        flat_location_key(profile, location, update->options, key);
        if (flat_is_pending(key))
            return false;
    }
    return true;
}

static int keep_waiting(struct live_sums *sums, uint32_t sample)
{
    int error = profile_grow(&sums->waiting, sums->waiting_count, sizeof *sums->waiting);

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
    if (!is_named(update, sample))
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

    if (sums->by != options->by ||
        !live_samples_go_on(&sums->samples, profile, &options->filter)) {
        live_sums_clear(sums);
        live_samples_begin(&sums->samples, profile, &options->filter);
        sums->by = options->by;
    }
    sums->waiting_count = 0;
    int error = live_samples_grow(&sums->samples, profile);
    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        error = take_sample(&update, i);
    if (error == 0)
        error = add_waiting(&update, false);
    if (error != 0)
        live_sums_clear(sums);
    return error;
}

void live_sums_settle(struct live_sums *sums, const struct profile *profile)
{
    const struct report_options options = {.by = sums->by, .live = true};
    const struct update update = {sums, profile, &options};

    if (add_waiting(&update, true) != 0) /* no sum is new, so there is nothing that could fail */
        live_sums_clear(sums);
    sums->waiting_count = 0;
}

void live_sums_named(struct live_sums *sums, const struct profile *profile, uint32_t location)
{
    const struct report_options options = {.by = sums->by, .live = true};
    uint64_t key[2];

    if (!is_code(sums->by) || location >= sums->known_count || sums->known[location] == 0)
        return;
    struct sum *sum = &sums->sums.all[sums->known[location] - 1];
    flat_location_key(profile, location, &options, key);
    if (key[0] == sum->key[0] && key[1] == sum->key[1])
        flat_show_by(profile, sum, location, flat_frame(&profile->locations[location], sums->by));
    else
        live_sums_clear(sums);
}
