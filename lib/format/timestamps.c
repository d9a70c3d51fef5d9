/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gives each sample a time.
 *
 * An entry of profile->samples counts several samples. If the profile has a history, its entries say in which slots
 * they were taken. Otherwise they are spread over the life of their process. Samples are spread at equal distances. The
 * first of them comes only a fraction of this distance after the beginning. The fraction is different for each entry,
 * so that the samples of several entries alternate. It is the fractional part of a multiple of the golden ratio. Such
 * numbers stay far apart, however many there are.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "format/memo.h"
#include "format/timestamps.h"

/* ns: time at which the run begins, if no process has a start time. It is not 0, because readers take 0 as "not
 * known" */
#define FIRST_TIME 1000000000u
#define GOLDEN 0.6180339887498949

static uint64_t time_of(const struct profile *profile, const struct profile_sample *sample)
{
    return profile->totals.wall ? sample->wall_ns : sample->cpu_ns;
}

/* Returns the length of the run in ns: the profile's elapsed_ns if it is not 0, else the sum of the samples' times. If
 * that sum is 0, too, each sample counts as a millisecond. */
static uint64_t length_of(const struct profile *profile)
{
    const struct profile_totals *totals = &profile->totals;
    uint64_t length = totals->elapsed_ns, samples = totals->samples;

    if (length == 0)
        length = totals->wall ? totals->wall_ns : totals->cpu_ns;
    if (length == 0)
        length = samples < UINT32_MAX ? samples * 1000000 : samples;
    return length < INT64_MAX / 2 ? length + 1 : INT64_MAX / 2;
}

static bool is_plausible_time(uint64_t time)
{
    return time > 0 && time < INT64_MAX / 2;
}

static uint64_t earliest_start(const struct profile *profile)
{
    uint64_t earliest = 0;

    for (uint32_t i = 0; i < profile->process_count; i++) {
        uint64_t start = profile->processes[i].start;
        if (is_plausible_time(start) && (earliest == 0 || start < earliest))
            earliest = start;
    }
    return earliest;
}

/* The history is preferred. A process that lives on from an earlier period may have begun long before, and perhaps
 * before somebody set the clock. */
static void find_span(struct timestamps *made, const struct profile *profile)
{
    bool has_history = profile->history.count > 0 && is_plausible_time(profile->history.start);
    uint64_t begin = has_history ? profile->history.start : earliest_start(profile);

    made->begin = begin == 0 ? FIRST_TIME : begin;
    made->end = made->begin + length_of(profile);
}

static uint64_t share_of(const struct timestamps *made, uint64_t part, uint64_t parts)
{
    double length = (double)(made->end - made->begin);
    return made->begin + (uint64_t)(length * (double)part / (double)parts);
}

/* Stores in the memo `latest` the number of the last generation of each process. The key is the pid. */
static int find_images(const struct profile *profile, struct memo *latest)
{
    struct memo_entry *last;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < profile->process_count; i++) {
        const struct profile_process *process = &profile->processes[i];
        error = memo_find(latest, 0, process->pid, 0, &last);
        if (error == 0 && !last->used)
            memo_set(last, 0);
        if (error == 0 && process->generation > last->index)
            last->index = process->generation;
    }
    return error;
}

/* Returns the lifetime of a process, or of one generation of it if it executed several programs. `latest` is the number
 * of the last generation of the process. A beginning or end that is not known is computed: the run is divided into
 * equal parts, one for each generation. */
static struct lifetime lifetime_of(const struct timestamps *made, const struct profile_process *process,
                                   uint32_t latest)
{
    uint64_t image = process->generation, images = latest + UINT64_C(1);
    struct lifetime life = {
        .begin = is_plausible_time(process->start) ? process->start : share_of(made, image, images),
        .end = is_plausible_time(process->end) ? process->end : share_of(made, image + 1, images),
    };

    if (life.begin < made->begin)
        life.begin = made->begin;
    if (life.end <= life.begin)
        life.end = life.begin + 1;
    return life;
}

static int find_lifetimes(struct timestamps *made, const struct profile *profile)
{
    struct memo latest = {0};
    struct memo_entry *last;
    int error = find_images(profile, &latest);

    find_span(made, profile);
    for (uint32_t i = 0; error == 0 && i < profile->process_count; i++) {
        error = memo_find(&latest, 0, profile->processes[i].pid, 0, &last);
        if (error == 0)
            made->lifetimes[i] = lifetime_of(made, &profile->processes[i], last->index);
    }
    for (uint32_t i = 0; error == 0 && i < profile->process_count; i++)
        if (made->lifetimes[i].end > made->end)
            made->end = made->lifetimes[i].end;
    memo_free(&latest);
    return error;
}

/* --- samples --------------------------------------------------------------------------- */

/* What is still to be spread of an entry of profile->samples. */
struct remainder {
    uint64_t count, ns, cpu_ns;
    uint32_t entries; /* number of entries of the history that are still to come */
};

/* Returns how many timed samples are made from so many samples of an entry of profile->samples. */
static uint64_t parts_of(const struct profile *profile, uint64_t count)
{
    return count > 0 && profile->totals.samples <= TIMED_SAMPLES_MAX ? count : 1;
}

/* Takes the part of a remainder that an entry of the history has. The last entry takes all, so that the sums stay
 * exact: a file may have rounded the times of the entries. */
static struct remainder remainder_take(struct remainder *left, const struct profile *profile,
                                       const struct history_entry *entry)
{
    struct remainder taken = *left;

    if (--left->entries > 0) {
        uint64_t ns = profile->totals.wall ? entry->wall_ns : entry->cpu_ns;
        taken.count = entry->count < left->count ? entry->count : left->count;
        taken.ns = ns < left->ns ? ns : left->ns;
        taken.cpu_ns = entry->cpu_ns < left->cpu_ns ? entry->cpu_ns : left->cpu_ns;
    }
    left->count -= taken.count;
    left->ns -= taken.ns;
    left->cpu_ns -= taken.cpu_ns;
    return taken;
}

/* Spreads samples over a range of time. `number` is different for each call. */
static void spread_samples(struct timestamps *made, const struct profile *profile, uint32_t sample,
                           const struct remainder *amount, const struct lifetime *range, uint32_t number)
{
    uint64_t parts = parts_of(profile, amount->count);
    double whole, tooth = (double)(range->end - range->begin) / (double)parts;
    double at = modf(GOLDEN * (double)(number + 1), &whole);

    for (uint64_t i = 0; i < parts; i++) {
        struct timed_sample *timed = &made->samples[made->count++];
        timed->time = range->begin + (uint64_t)(((double)i + at) * tooth);
        timed->ns = amount->ns / parts + (i < amount->ns % parts);
        timed->cpu_ns = amount->cpu_ns / parts + (i < amount->cpu_ns % parts);
        timed->sample = sample;
    }
}

/* Returns the time of the slots of an entry of the history, or the part of it in which the process lived. */
static struct lifetime entry_range(const struct profile_history *history, const struct history_entry *entry,
                                   const struct lifetime *life)
{
    struct lifetime range = {.begin = history->start + entry->first * history->slot_ns,
                             .end = history->start + (entry->last + UINT64_C(1)) * history->slot_ns};

    if (range.begin < life->begin)
        range.begin = life->begin;
    if (range.end > life->end)
        range.end = life->end;
    return range.begin < range.end ? range : *life;
}

static const struct lifetime *sample_life(const struct timestamps *made, const struct profile *profile, uint32_t sample)
{
    return &made->lifetimes[profile->threads[profile->samples[sample].thread].process];
}

static void spread_history(struct timestamps *made, const struct profile *profile, struct remainder *left)
{
    const struct profile_history *history = &profile->history;

    for (uint32_t i = 0; i < history->count; i++) {
        const struct history_entry *entry = &history->entries[i];
        if (left[entry->sample].entries == 0)
            continue;
        struct remainder taken = remainder_take(&left[entry->sample], profile, entry);
        struct lifetime range = entry_range(history, entry, sample_life(made, profile, entry->sample));
        if ((taken.count | taken.ns) != 0)
            spread_samples(made, profile, entry->sample, &taken, &range, i);
    }
}

/* Finds what is to be spread of each entry of profile->samples. Returns how many timed samples there may be. */
static uint64_t find_remainders(const struct profile *profile, struct remainder *left)
{
    bool timeless = (profile->totals.wall ? profile->totals.wall_ns : profile->totals.cpu_ns) == 0;
    uint64_t parts = 0;

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        if (!profile_counts_sample(profile, sample) || (sample->count | time_of(profile, sample)) == 0)
            continue;
        left[i] = (struct remainder){.count = sample->count,
                                     .ns = timeless ? sample->count : time_of(profile, sample),
                                     .cpu_ns = sample->cpu_ns};
        parts += parts_of(profile, sample->count);
    }
    for (uint32_t i = 0; i < profile->history.count; i++) {
        struct remainder *of = &left[profile->history.entries[i].sample];
        of->entries += (of->count | of->ns) != 0;
    }
    return parts + profile->history.count;
}

static int timestamps_compare(const void *left, const void *right)
{
    const struct timed_sample *a = left, *b = right;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->sample < b->sample ? -1 : a->sample > b->sample;
}

int timestamps_make(struct timestamps *made, const struct profile *profile)
{
    struct remainder *left = calloc(profile->sample_count + 1u, sizeof *left);
    int error = left == NULL ? -ENOMEM : 0;

    *made = (struct timestamps){0};
    if (error == 0) {
        made->samples = calloc(find_remainders(profile, left) + 1, sizeof *made->samples);
        made->lifetimes = calloc(profile->process_count + 1u, sizeof *made->lifetimes);
        error = made->samples == NULL || made->lifetimes == NULL ? -ENOMEM : find_lifetimes(made, profile);
    }
    if (error == 0) {
        spread_history(made, profile, left);
        for (uint32_t i = 0; i < profile->sample_count; i++)
            if ((left[i].count | left[i].ns) != 0)
                spread_samples(made, profile, i, &left[i], sample_life(made, profile, i), i);
        qsort(made->samples, made->count, sizeof *made->samples, timestamps_compare);
    } else
        timestamps_free(made);
    free(left);
    return error;
}

void timestamps_free(struct timestamps *made)
{
    free(made->samples);
    free(made->lifetimes);
    *made = (struct timestamps){0};
}
