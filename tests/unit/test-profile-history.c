/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The history of a profile: when its samples were taken, and parts of a profile by time. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "build-events.h"
#include "profile/profile.h"

#define MS UINT64_C(1000000)

/* Adds a sample of CPU time that ends at `time`, or, if `asleep` is true, of a sleep. */
static void add(struct profile_history *history, uint32_t sample, uint64_t time, uint64_t length, bool asleep)
{
    struct history_entry amount = {.sample = sample, .count = 1};

    *(asleep ? &amount.wall_ns : &amount.cpu_ns) = length;
    cr_assert_eq(history_add(history, time, &amount, asleep), 0);
}

static void expect_entry(const struct profile_history *history, uint32_t i, struct history_entry wanted)
{
    const struct history_entry *entry = &history->entries[i];

    cr_assert_lt(i, history->count);
    cr_assert_eq(entry->first, wanted.first);
    cr_assert_eq(entry->last, wanted.last);
    cr_assert_eq(entry->sample, wanted.sample);
    cr_assert_eq(entry->count, wanted.count);
    cr_assert_eq(entry->cpu_ns, wanted.cpu_ns);
    cr_assert_eq(entry->wall_ns, wanted.wall_ns);
}

static uint64_t sum_cpu(const struct profile_history *history)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < history->count; i++)
        sum += history->entries[i].cpu_ns;
    return sum;
}

Test(history, equal_samples_of_a_slot_are_one_entry)
{
    struct profile_history history = {0};

    history_begin(&history, 1000 * MS);
    add(&history, 5, 1001 * MS, MS, false);
    add(&history, 2, 1002 * MS, MS, false);
    add(&history, 5, 1019 * MS, MS, false);
    add(&history, 5, 1021 * MS, 2 * MS, false); /* began in the slot before */
    cr_assert_eq(history.count, 3);
    expect_entry(&history, 0, (struct history_entry){.sample = 5, .count = 2, .cpu_ns = 2 * MS});
    expect_entry(&history, 1, (struct history_entry){.sample = 2, .count = 1, .cpu_ns = MS});
    expect_entry(&history, 2, (struct history_entry){1, 1, 5, 1, 2 * MS, 0});
    cr_assert_eq(history_length(&history), 40 * MS);
    add(&history, 5, 900 * MS, MS, false); /* before slot 0 */
    expect_entry(&history, 3, (struct history_entry){.sample = 5, .count = 1, .cpu_ns = MS});
    history_clear(&history);
}

Test(history, a_sleep_is_one_entry_of_many_slots)
{
    struct profile_history history = {0};

    history_begin(&history, 0);
    for (uint64_t second = 1; second <= 10; second++)
        add(&history, 3, second * 1000 * MS, 1000 * MS, true);
    cr_assert_eq(history.count, 1);
    expect_entry(&history, 0, (struct history_entry){0, 500, 3, 10, 0, 10000 * MS});
    add(&history, 3, 12000 * MS, 1000 * MS, true); /* a second sleep, from 11 to 12 s */
    expect_entry(&history, 1, (struct history_entry){550, 600, 3, 1, 0, 1000 * MS});
    history_clear(&history);
}

Test(history, a_range_takes_its_share)
{
    struct profile_history history = {.slot_ns = HISTORY_SLOT_NS};
    const struct history_entry entry = {10, 19, 0, 4, 1000, 2000};
    struct history_entry part;

    struct history_range range = history_slots(&history, 191 * MS, 309 * MS); /* to the nearest slots */
    cr_assert_eq(range.from, 10);
    cr_assert_eq(range.to, 15);
    cr_assert(history_clip(&entry, range, &part));
    cr_assert_eq(part.first, 10);
    cr_assert_eq(part.last, 14);
    cr_assert_eq(part.count, 2);
    cr_assert_eq(part.cpu_ns, 500);
    cr_assert_eq(part.wall_ns, 1000);
    cr_assert(history_clip(&entry, (struct history_range){0, UINT32_MAX}, &part));
    cr_assert_eq(part.count, 4);
    cr_assert_not(history_clip(&entry, (struct history_range){0, 10}, &part));
    cr_assert_not(history_clip(&entry, (struct history_range){20, 30}, &part));
    range = history_slots(&history, 0, UINT64_MAX);
    cr_assert(history_clip(&entry, range, &part));
    cr_assert_eq(part.cpu_ns, 1000);
}

/* However long a run is, and however many different stacks it has, the history stays small and loses no time. */
Test(history, its_memory_is_limited)
{
    struct profile_history history = {0};
    uint64_t time = 5000 * MS, samples = 2000000;

    history_begin(&history, time);
    for (uint64_t i = 0; i < samples; i++)
        add(&history, (uint32_t)(i * 7919 % 3001), time += MS, MS, false);
    cr_assert_leq(history.count, HISTORY_ENTRIES_MAX);
    cr_assert_geq(history.count, 3001);
    cr_assert_gt(history.slot_ns, HISTORY_SLOT_NS);
    cr_assert_eq(sum_cpu(&history), samples * MS);
    cr_assert_geq(history_length(&history), samples * MS);
    cr_assert_lt(history_length(&history), samples * MS + 2 * history.slot_ns);
    history_clear(&history);
}

Test(history, a_late_sample_makes_longer_slots)
{
    struct profile_history history = {0};

    history_begin(&history, 0);
    add(&history, 0, MS, MS, false);
    add(&history, 1, UINT64_MAX / 2, MS, false);
    cr_assert_eq(history.count, 2);
    cr_assert_eq(history.entries[0].last, 0);
    cr_assert_gt(history.entries[1].first, 1u << 28);
    history_clear(&history);
}

/* A run of a month with very many different stacks has slots of hours. */
Test(history, is_restored_whatever_the_length_of_its_slots)
{
    struct profile_history history = {0}, restored = {0};
    uint64_t time = 5000 * MS;

    history_begin(&history, time);
    for (uint32_t i = 0; i < 3 * HISTORY_ENTRIES_MAX; i++)
        add(&history, i, time += 2000 * MS, MS, false);
    cr_assert_gt(history.slot_ns, UINT64_C(10000000000));
    for (uint32_t i = 0; i < history.count; i++)
        cr_assert_eq(history_restore(&restored, history.start, history.slot_ns, &history.entries[i]), 0);
    cr_assert_eq(history_length(&restored), history_length(&history));
    history_clear(&history);
    history_clear(&restored);
    const struct history_entry last = {0, (1u << 29), 0, 1, 5, 5};
    cr_assert_eq(history_restore(&restored, 0, HISTORY_SLOT_NS << 10, &last), -EINVAL, "its end has no 64 bits");
}

Test(history, damaged_entries_are_refused)
{
    const struct history_entry good = {1, 2, 0, 1, 5, 5}, backwards = {2, 1, 0, 1, 5, 5},
                               late = {1, UINT32_MAX, 0, 1, 5, 5};
    struct profile_history history = {0};

    cr_assert_eq(history_restore(&history, 7, HISTORY_SLOT_NS * 3, &good), -EINVAL);
    cr_assert_eq(history_restore(&history, 7, 0, &good), -EINVAL);
    cr_assert_eq(history_restore(&history, UINT64_MAX, HISTORY_SLOT_NS, &good), -EINVAL);
    cr_assert_eq(history_restore(&history, 7, HISTORY_SLOT_NS, &backwards), -EINVAL);
    cr_assert_eq(history_restore(&history, 7, HISTORY_SLOT_NS, &late), -EINVAL);
    cr_assert_eq(history_restore(&history, 7, HISTORY_SLOT_NS * 2, &good), 0);
    cr_assert_eq(history_restore(&history, 8, HISTORY_SLOT_NS * 2, &good), -EINVAL);
    cr_assert_eq(history_restore(&history, 7, HISTORY_SLOT_NS, &good), -EINVAL);
    cr_assert_eq(history.count, 1);
    history_clear(&history);
}

/* --- profiles ------------------------------------------------------------------------------ */

static void feed_at(struct profile *profile, uint32_t tid, uint64_t time, uint64_t pc)
{
    struct wire_sample event = {.header = {WIRE_SAMPLE, sizeof event},
                                .time = time,
                                .pid = 10,
                                .tid = tid,
                                .pc = pc,
                                .cpu_ns = MS,
                                .syscall = WIRE_NO_SYSCALL};
    feed(profile, &event.header);
}

/* Returns a profile of two threads. One runs at 0x1000 for a second, and then at 0x2000; the other runs for the first
 * half of each second. */
static struct profile *make_phases(uint64_t start)
{
    struct profile *profile = profile_new();
    struct wire_fork fork = {.header = {WIRE_FORK, sizeof fork}, .time = start, .pid = 10};

    feed(profile, &fork.header);
    for (uint64_t ms = 1; ms <= 2000; ms++) {
        feed_at(profile, 10, start + ms * MS, ms <= 1000 ? 0x1000 : 0x2000);
        if (ms % 1000 < 500)
            feed_at(profile, 11, start + ms * MS, 0x3000);
    }
    return profile;
}

static struct profile *extract(const struct profile *profile, uint64_t from_ns, uint64_t to_ns)
{
    bool *keep = malloc(profile->sample_count);
    const struct profile_part wanted = {
        .keep = keep, .ranged = true, .range = history_slots(&profile->history, from_ns, to_ns)};
    struct profile *part;

    memset(keep, true, profile->sample_count);
    cr_assert_eq(profile_extract(profile, &wanted, &part), 0);
    free(keep);
    return part;
}

Test(history, a_part_has_only_what_was_sampled_then)
{
    struct profile *profile = make_phases(3000 * MS);
    struct profile *part = extract(profile, 600 * MS, 900 * MS);

    cr_assert_eq(part->sample_count, 1);
    cr_assert_eq(leaf(part, 0)->address, 0x1000);
    cr_assert_eq(part->samples[0].count, 300);
    cr_assert_eq(part->totals.cpu_ns, 300 * MS);
    cr_assert_eq(part->totals.elapsed_ns, 300 * MS);
    cr_assert_eq(part->thread_count, 1);
    cr_assert_eq(part->timeline.start, 3000 * MS);
    cr_assert_eq(part->timeline.count, 45);
    cr_assert_eq(part->timeline.cpu_ns[44], 20 * MS);
    cr_assert_eq(part->timeline.cpu_ns[29], 0);
    /* the times of the part are those of the whole profile */
    struct profile *again = extract(part, 800 * MS, UINT64_MAX);
    cr_assert_eq(again->totals.cpu_ns, 100 * MS);
    cr_assert_eq(again->totals.elapsed_ns, 100 * MS);
    profile_free(again);
    profile_free(part);
    part = extract(profile, 900 * MS, 1100 * MS);
    cr_assert_eq(part->sample_count, 3);
    cr_assert_eq(part->totals.cpu_ns, 300 * MS);
    profile_free(part);
    profile_free(profile);
}

/* The end of the range is later than 64 bits of ns, in slots of this length. */
Test(history, a_part_of_a_long_run_has_its_length)
{
    struct profile *profile = make_phases(3000 * MS);

    profile->history.slot_ns = HISTORY_SLOT_NS << 15; /* 655 s */
    uint64_t length = history_length(&profile->history);
    struct profile *part = extract(profile, HISTORY_SLOT_NS << 15, UINT64_MAX);
    cr_assert_eq(part->totals.elapsed_ns, length - (HISTORY_SLOT_NS << 15));
    profile_free(part);
    profile_free(profile);
}

Test(history, a_part_of_other_kinds_keeps_its_times)
{
    struct profile *profile = make_phases(3000 * MS), *part;
    bool keep[8] = {0};

    for (uint32_t i = 0; i < profile->sample_count; i++)
        keep[i] = profile->threads[profile->samples[i].thread].tid == 11;
    cr_assert_eq(profile_extract(profile, &(struct profile_part){.keep = keep}, &part), 0);
    cr_assert_eq(part->totals.cpu_ns, 1000 * MS);
    cr_assert_eq(sum_cpu(&part->history), 1000 * MS);
    cr_assert_eq(part->timeline.cpu_ns[30], 0);
    cr_assert_eq(part->timeline.cpu_ns[60], 20 * MS);
    profile_free(part);
    profile_free(profile);
}

Test(history, is_cleared_with_the_counts)
{
    struct profile *profile = make_phases(3000 * MS);

    profile_clear(profile);
    cr_assert_eq(profile->history.count, 0);
    feed_at(profile, 10, 9000 * MS, 0x1000);
    cr_assert_eq(profile->history.start, 8999 * MS);
    profile_free(profile);
}

/* Two machines ran at the same time, but one had been started an hour before the other. */
Test(history, clocks_of_machines_fit_together)
{
    struct profile *one = profile_new(), *other = profile_new();
    const uint64_t day = UINT64_C(1700000000000) * MS;

    one->clock_offset = day - 5000 * MS;
    other->clock_offset = day - 3605000 * MS;
    feed_at(one, 10, 5100 * MS, 0x1000);
    feed_at(other, 10, 3605060 * MS, 0x1000);
    cr_assert_eq(one->history.start, day + 99 * MS);
    cr_assert_eq(one->timeline.start, day + 99 * MS);
    cr_assert_eq(profile_merge(one, other, 0), 0);
    cr_assert_leq(one->history.start, day + 59 * MS);
    cr_assert_eq(history_length(&one->history), 60 * MS);
    cr_assert_eq(one->history.count, 2);
    cr_assert_eq(one->timeline.count, 3);
    profile_free(one);
    profile_free(other);
}

/* A file of perf has no times since 1970, so those of the other profile are kept, in whichever order they are merged. */
Test(history, times_of_different_clocks_are_not_mixed)
{
    const uint64_t day = UINT64_C(1700000000000) * MS;

    for (int order = 0; order < 2; order++) {
        struct profile *real = profile_new(), *uptime = profile_new(), *sum = profile_new();
        real->clock_offset = day;
        feed_at(real, 10, 100 * MS, 0x1000);
        feed_at(uptime, 10, 100 * MS, 0x1000);
        cr_assert_eq(profile_merge(sum, order == 0 ? real : uptime, 0), 0);
        cr_assert_eq(profile_merge(sum, order == 0 ? uptime : real, 0), 0);
        cr_assert_eq(sum->totals.samples, 2);
        cr_assert_eq(sum->history.count, 1);
        cr_assert_eq(sum->history.slot_ns, HISTORY_SLOT_NS);
        cr_assert_gt(sum->history.start, day);
        cr_assert_eq(sum->timeline.slot_ns, TIMELINE_SLOT_NS);
        cr_assert_gt(sum->timeline.start, day);
        profile_free(real);
        profile_free(uptime);
        profile_free(sum);
    }
}

Test(history, a_recording_says_by_how_much_its_clocks_differ)
{
    struct profile *profile = profile_new();
    struct wire_clock clock = {.header = {WIRE_CLOCK, sizeof clock}, .time = 70 * MS, .real_time = 9000 * MS};

    feed(profile, &clock.header);
    feed_at(profile, 10, 100 * MS, 0x1000);
    cr_assert_eq(profile->history.start, 9029 * MS);
    profile_free(profile);
}
