/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of samples: counts samples, and notes when they were taken. Also has the names of their states. */
#include "config.h"

#include <string.h>

#include "base/hash.h"
#include "profile/profile-internal.h"
#include "profile/profile.h"

static const char *const state_names[PROFILE_STATES] = {
    [PROFILE_RUNNING] = "running",
    [PROFILE_WAITING] = "waiting for a CPU",
    [PROFILE_ASLEEP] = "asleep",
    [PROFILE_UNINTERRUPTIBLE] = "uninterruptible",
};

const char *profile_state_name(enum profile_state state)
{
    return state_names[state];
}

enum profile_state profile_state_named(const char *name)
{
    for (unsigned state = 0; state < PROFILE_STATES; state++)
        if (strcmp(name, state_names[state]) == 0)
            return (enum profile_state)state;
    return PROFILE_RUNNING;
}

static bool same_sample(const struct profile_sample *a, const struct profile_sample *b)
{
    return a->thread == b->thread && a->node == b->node && a->syscall == b->syscall && a->state == b->state &&
           a->wait == b->wait;
}

static uint32_t hash_sample(const struct profile_sample *sample)
{
    uint32_t place = hash_pair(sample->thread, sample->node);

    return hash_pair(place, (uint64_t)hash_pair(sample->syscall, sample->wait) << 2 | sample->state);
}

uint32_t profile_find_sample(const struct profile *profile, const struct profile_sample *sample)
{
    uint32_t hash = hash_sample(sample), at = hash, found;

    while ((found = hash_next(&profile->index->samples, hash, &at)) != HASH_NONE)
        if (same_sample(&profile->samples[found], sample))
            return found;
    return PROFILE_NO_SAMPLE;
}

int profile_expect_samples(struct profile *profile, uint32_t count)
{
    int error = hash_reserve(&profile->index->samples, count);

    /* a stack that no other sample has usually adds about one node */
    return error == 0 ? hash_reserve(&profile->index->nodes, count) : error;
}

int profile_count_entry(struct profile *profile, const struct profile_sample *sample, uint32_t *index)
{
    struct profile_totals *totals = &profile->totals;

    *index = profile_find_sample(profile, sample);
    if (*index == PROFILE_NO_SAMPLE) {
        int error = profile_append(&profile->samples, &profile->sample_count, sample, sizeof *sample,
                                   &profile->index->samples, hash_sample(sample), index);
        if (error != 0)
            return error;
    } else {
        profile->samples[*index].count += sample->count;
        profile->samples[*index].cpu_ns += sample->cpu_ns;
        profile->samples[*index].wall_ns += sample->wall_ns;
    }
    totals->samples += sample->count;
    if (sample->state == PROFILE_RUNNING && (sample->wall_ns == 0 || sample->cpu_ns > 0))
        totals->running += sample->count;
    totals->cpu_ns += sample->cpu_ns;
    totals->wall_ns += sample->wall_ns;
    if (sample->state != PROFILE_RUNNING || sample->wall_ns > 0)
        totals->wall = true;
    return 0;
}

int profile_count(struct profile *profile, const struct profile_sample *sample)
{
    uint32_t index;

    return profile_count_entry(profile, sample, &index);
}

int profile_count_at(struct profile *profile, const struct profile_sample *sample, uint64_t time)
{
    uint64_t start = profile->process_count > 0 ? profile->processes[0].start : 0;
    uint32_t index;
    int error = profile_count_entry(profile, sample, &index);

    /* the history begins with the first process, unless that was followed before the counts were cleared */
    if (error == 0 && profile->clears == 0 && start != 0 && start < time)
        history_begin(&profile->history, start);
    const struct history_entry amount = {.sample = index,
                                         .count = sample->count < UINT32_MAX ? (uint32_t)sample->count : UINT32_MAX,
                                         .cpu_ns = sample->cpu_ns,
                                         .wall_ns = sample->wall_ns};
    return error == 0 ? history_add(&profile->history, time, &amount, sample->state != PROFILE_RUNNING) : error;
}

void profile_samples_in(const struct profile *profile, struct history_range range, struct profile_sample *samples)
{
    const struct profile_history *history = &profile->history;
    struct history_entry part;

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        samples[i] = profile->samples[i];
        samples[i].count = samples[i].cpu_ns = samples[i].wall_ns = 0;
    }
    for (uint32_t i = 0; i < history->count; i++) {
        if (!history_clip(&history->entries[i], range, &part))
            continue;
        struct profile_sample *sample = &samples[part.sample];
        sample->count += part.count;
        sample->cpu_ns += part.cpu_ns;
        sample->wall_ns += part.wall_ns;
    }
}
