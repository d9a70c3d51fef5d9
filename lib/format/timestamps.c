/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Invents the times of samples.
 *
 * An entry of profile->samples counts several samples. These samples are spread at equal distances over the life of
 * their process. The first of them comes only a fraction of this distance after the beginning of the life. The fraction
 * is different for each entry, so that the samples of several entries alternate. It is the fractional part of a
 * multiple of the golden ratio. Such numbers stay far apart, however many there are.
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

static void find_span(struct timestamps *made, const struct profile *profile)
{
    uint64_t begin = 0;

    for (uint32_t i = 0; i < profile->process_count; i++) {
        uint64_t start = profile->processes[i].start;
        if (is_plausible_time(start) && (begin == 0 || start < begin))
            begin = start;
    }
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

/* Returns how many timed samples are made from an entry of profile->samples. */
static uint64_t parts_of(const struct profile *profile, const struct profile_sample *sample)
{
    if (!profile_counts_sample(profile, sample) || (sample->count | time_of(profile, sample)) == 0)
        return 0;
    return sample->count > 0 && profile->totals.samples <= TIMED_SAMPLES_MAX ? sample->count : 1;
}

static void spread_samples(struct timestamps *made, const struct profile *profile, uint32_t index)
{
    const struct profile_sample *sample = &profile->samples[index];
    const struct lifetime *life = &made->lifetimes[profile->threads[sample->thread].process];
    uint64_t parts = parts_of(profile, sample), ns = time_of(profile, sample);
    double whole, tooth = (double)(life->end - life->begin) / (double)parts;
    double at = modf(GOLDEN * (double)(index + 1), &whole);

    if ((profile->totals.wall ? profile->totals.wall_ns : profile->totals.cpu_ns) == 0)
        ns = sample->count;
    for (uint64_t i = 0; i < parts; i++) {
        struct timed_sample *timed = &made->samples[made->count++];
        timed->time = life->begin + (uint64_t)(((double)i + at) * tooth);
        timed->ns = ns / parts + (i < ns % parts);
        timed->cpu_ns = sample->cpu_ns / parts + (i < sample->cpu_ns % parts);
        timed->sample = index;
    }
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
    uint64_t count = 0;

    *made = (struct timestamps){0};
    for (uint32_t i = 0; i < profile->sample_count; i++)
        count += parts_of(profile, &profile->samples[i]);
    made->samples = calloc(count + 1, sizeof *made->samples);
    made->lifetimes = calloc(profile->process_count + 1u, sizeof *made->lifetimes);
    int error = made->samples == NULL || made->lifetimes == NULL ? -ENOMEM : find_lifetimes(made, profile);
    if (error != 0) {
        timestamps_free(made);
        return error;
    }
    for (uint32_t i = 0; i < profile->sample_count; i++)
        spread_samples(made, profile, i);
    qsort(made->samples, made->count, sizeof *made->samples, timestamps_compare);
    return 0;
}

void timestamps_free(struct timestamps *made)
{
    free(made->samples);
    free(made->lifetimes);
    *made = (struct timestamps){0};
}
