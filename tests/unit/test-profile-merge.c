/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Merging gives the same result in any order. Profiles are compared as text, in which equal profiles look the same.
 *
 * Profiles are random, from a generator with a fixed seed. They have few processes, objects and locations, so that they
 * have much in common.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "build-events.h"
#include "describe-profile.h"
#include "profile/profile.h"

/* --- profiles --------------------------------------------------------------------------- */

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % below;
}

static uint32_t string(struct profile *profile, const char *text)
{
    uint32_t index;

    cr_assert_eq(profile_string(profile, text, &index), 0);
    return index;
}

static uint32_t random_object(struct profile *profile, uint64_t *seed, uint32_t process)
{
    static const char *const paths[] = {"/bin/a", "/opt/bin/a", "/lib/b.so"};
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = -1};
    uint32_t which = draw(seed, 5), index;

    if (which == 4) {
        object.kind = PROFILE_OBJECT_ANON;
        object.process = process;
        object.pid = profile->processes[process].pid;
        object.path = string(profile, "//anon");
    } else {
        object.path = string(profile, paths[which % 3]);
        object.start = draw(seed, 3) * 0x1000;
        object.end = object.start + 0x1000;
        if (which < 2) { /* the same build at two paths */
            object.build_id_size = 20;
            object.build_id[0] = 7;
        }
    }
    cr_assert_eq(profile_object(profile, &object, &index), 0);
    return index;
}

static uint32_t random_location(struct profile *profile, uint64_t *seed, uint32_t process)
{
    uint32_t index, object = random_object(profile, seed, process);
    static const char *const names[] = {"f", "g", "h"};
    struct profile_function function = {.object = object + 1};
    struct profile_line lines[2] = {{.line = 1 + draw(seed, 3)}, {.line = 9}};

    cr_assert_eq(profile_location(profile, object, draw(seed, 6) * 16, &index), 0);
    if (draw(seed, 2) == 0) /* in some files, some locations have no names */
        return index;
    for (int i = 0; i < 2; i++) {
        function.name = function.system_name = string(profile, names[draw(seed, 3)]);
        lines[i].file = string(profile, "/src/a.c");
        cr_assert_eq(profile_function(profile, &function, &lines[i].function), 0);
    }
    profile_set_lines(profile, index, lines, 1 + draw(seed, 2), PROFILE_LOOKED_NAME);
    return index;
}

static void add_random_sample(struct profile *profile, uint64_t *seed)
{
    struct profile_sample sample = {.thread = draw(seed, profile->thread_count)};
    uint32_t process = profile->threads[sample.thread].process;

    for (uint32_t depth = 1 + draw(seed, 4); depth > 0; depth--)
        cr_assert_eq(profile_node(profile, sample.node, random_location(profile, seed, process), &sample.node), 0);
    if (draw(seed, 3) == 0)
        cr_assert_eq(profile_syscall(profile, "read", 0, 0, &sample.syscall), 0);
    sample.count = 1 + draw(seed, 5);
    sample.cpu_ns = sample.count * (900000 + draw(seed, 200000));
    uint64_t time = UINT64_C(50000000000) + draw(seed, 100) * UINT64_C(10000000);
    cr_assert_eq(draw(seed, 8) == 0 ? profile_count(profile, &sample) : profile_count_at(profile, &sample, time), 0);
}

/* All profiles have the same few pids. Processes with the same pid, name and start are the same process. */
static struct profile *make_random(uint64_t seed)
{
    struct profile *profile = profile_new();
    struct profile_totals *totals = &profile->totals;

    totals->processes_seen = totals->threads_seen = 3;
    for (uint32_t i = 0; i < 3; i++) {
        struct profile_process process = {.pid = 100 + i % 2, .status = -1};
        struct profile_thread thread = {0};
        process.generation = i / 2;
        process.start = 1000 * (i + 1) + draw(&seed, 2);
        process.comm = thread.comm = string(profile, i == 0 ? "make" : "cc1");
        process.end = draw(&seed, 2) * 9000;
        process.host = string(profile, draw(&seed, 2) == 0 ? "" : "node7");
        process.rank = string(profile, draw(&seed, 2) == 0 ? "3" : "12");
        cr_assert_eq(profile_add_process(profile, &process, &thread.process), 0);
        thread.tid = process.pid;
        uint32_t index;
        cr_assert_eq(profile_add_thread(profile, &thread, &index), 0);
    }
    for (int i = 0; i < 40; i++)
        add_random_sample(profile, &seed);
    uint64_t time = UINT64_C(1000000007) * draw(&seed, 2000);
    for (uint32_t i = draw(&seed, 30); i > 0; i--)
        cr_assert_eq(timeline_add(&profile->timeline, time += draw(&seed, 1000000000), 1 + draw(&seed, 50000000)), 0);
    totals->elapsed_ns = draw(&seed, 1000);
    totals->target_cpu_ns = totals->cpu_ns + draw(&seed, 1000);
    totals->asked_hz = 100 * (1 + draw(&seed, 3));
    totals->start_time = draw(&seed, 3) * 77;
    profile->command = strdup(draw(&seed, 2) == 0 ? "make -j2" : "make");
    return profile;
}

static struct profile *merged(const struct profile *a, const struct profile *b)
{
    struct profile *into = profile_new();

    cr_assert_eq(profile_merge(into, a, 0), 0);
    cr_assert_eq(profile_merge(into, b, 0), 0);
    return into;
}

static void expect_equal(struct profile *a, struct profile *b)
{
    char *first = describe_profile(a), *second = describe_profile(b);

    cr_assert_str_eq(first, second);
    free(first);
    free(second);
    profile_free(a);
    profile_free(b);
}

/* --- tests ------------------------------------------------------------------------------ */

Test(merge, any_order_is_the_same)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct profile *a = make_random(3 * seed), *b = make_random(3 * seed + 1),
                       *c = make_random(3 * seed + 2), *empty = profile_new();
        expect_equal(merged(a, b), merged(b, a));
        struct profile *ab = merged(a, b), *bc = merged(b, c);
        expect_equal(merged(ab, c), merged(a, bc));
        expect_equal(merged(a, empty), merged(empty, a));
        expect_equal(merged(a, empty), make_random(3 * seed));
        profile_free(ab);
        profile_free(bc);
        profile_free(a);
        profile_free(b);
        profile_free(c);
        profile_free(empty);
    }
}

static uint64_t sum_of(const struct profile_timeline *line)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < line->count; i++)
        sum += line->cpu_ns[i];
    return sum;
}

Test(merge, time_lines_lie_at_their_time)
{
    const uint64_t ms = 1000000;
    struct profile_timeline into = {0}, from = {0};

    cr_assert_eq(timeline_restore(&from, 1010 * ms, 20 * ms, 0, 5), 0);
    cr_assert_eq(timeline_restore(&from, 1010 * ms, 20 * ms, 3, 7), 0);
    cr_assert_eq(timeline_merge(&into, &from), 0);
    cr_assert_eq(into.start, 1010 * ms, "alone it is as it was");
    timeline_clear(&from);
    cr_assert_eq(timeline_restore(&from, 950 * ms, 40 * ms, 3, 11), 0);
    cr_assert_eq(timeline_merge(&into, &from), 0);
    cr_assert_eq(into.slot_ns, 40 * ms);
    cr_assert_eq(into.start, 920 * ms);
    cr_assert_eq(into.count, 4);
    cr_assert_eq(into.cpu_ns[2], 5, "1000 to 1040 ms");
    cr_assert_eq(into.cpu_ns[3], 18, "1040 to 1080 ms");
    timeline_clear(&from);
    cr_assert_eq(timeline_restore(&from, UINT64_MAX - 5, 20 * ms, 1, 13), 0);
    cr_assert_eq(timeline_merge(&into, &from), 0);
    cr_assert_leq(into.count, TIMELINE_SLOTS, "a file may say any time");
    cr_assert_eq(sum_of(&into), 36);
    timeline_clear(&into);
    timeline_clear(&from);
}

Test(merge, sums_are_sums)
{
    struct profile *a = make_random(1), *b = make_random(2), *both = merged(a, b);

    cr_assert_eq(both->totals.samples, a->totals.samples + b->totals.samples);
    cr_assert_eq(both->totals.cpu_ns, a->totals.cpu_ns + b->totals.cpu_ns);
    cr_assert_eq(both->totals.elapsed_ns, a->totals.elapsed_ns + b->totals.elapsed_ns);
    uint64_t cpu_ns = 0;
    for (uint32_t i = 0; i < both->sample_count; i++)
        cpu_ns += both->samples[i].cpu_ns;
    cr_assert_eq(cpu_ns, both->totals.cpu_ns);
    cr_assert_gt(sum_of(&b->timeline), 0);
    cr_assert_eq(sum_of(&both->timeline), sum_of(&a->timeline) + sum_of(&b->timeline));
    profile_free(a);
    profile_free(b);
    profile_free(both);
}

/* A process with one thread and one sample. */
static struct profile *make_one(uint64_t start, const char *comm, uint32_t pid)
{
    struct profile *profile = profile_new();
    struct profile_process process = {.pid = pid, .start = start, .status = -1};
    struct profile_thread thread = {.tid = pid};
    struct profile_sample sample = {.count = 1, .cpu_ns = 10};

    process.comm = thread.comm = string(profile, comm);
    cr_assert_eq(profile_add_process(profile, &process, &thread.process), 0);
    cr_assert_eq(profile_add_thread(profile, &thread, &sample.thread), 0);
    uint64_t seed = 5;
    cr_assert_eq(profile_node(profile, 0, random_location(profile, &seed, 0), &sample.node), 0);
    cr_assert_eq(profile_count(profile, &sample), 0);
    profile->totals.processes_seen = 1;
    return profile;
}

static uint32_t processes_of(struct profile *a, struct profile *b)
{
    struct profile *both = merged(a, b);
    uint32_t count = both->process_count;

    cr_assert_eq(both->thread_count, count);
    cr_assert_eq(both->sample_count, count);
    cr_assert_eq(both->totals.processes_seen, a->processes[0].pid == 0 ? 2 : count);
    cr_assert_eq(profile_number_generations(both), 0);
    if (count == 2)
        cr_assert_neq(both->processes[0].generation, both->processes[1].generation, "files tell them apart by it");
    profile_free(a);
    profile_free(b);
    profile_free(both);
    return count;
}

Test(merge, a_process_is_more_than_its_number)
{
    cr_assert_eq(processes_of(make_one(5, "x", 1), make_one(5, "x", 1)), 1);
    cr_assert_eq(processes_of(make_one(5, "x", 1), make_one(6, "x", 1)), 2, "began later");
    cr_assert_eq(processes_of(make_one(5, "x", 1), make_one(5, "y", 1)), 2, "another name");
    cr_assert_eq(processes_of(make_one(0, "x", 1), make_one(0, "x", 1)), 2, "nobody knows");
    cr_assert_eq(processes_of(make_one(0, "x", 0), make_one(0, "x", 0)), 1, "no process");
}

Test(merge, elapsed_and_cpu_time_do_not_add_up)
{
    struct profile *cpu = make_one(1, "x", 1), *wall = make_one(2, "x", 2), *into = profile_new();
    struct profile_sample asleep = {
        .thread = 0, .node = 1, .state = PROFILE_ASLEEP, .count = 3, .wall_ns = 50};

    cr_assert_eq(profile_count(wall, &asleep), 0);
    cr_assert_eq(profile_merge(into, cpu, 0), 0);
    cr_assert_eq(profile_merge(into, wall, 0), PPROFIL_ERROR_MIXED_TIMES);
    cr_assert_eq(into->totals.samples, 1);
    cr_assert_eq(profile_merge(into, wall, PROFILE_MERGE_CPU), 0);
    cr_assert_not(into->totals.wall);
    cr_assert_eq(into->totals.samples, 2, "sleepers have no CPU time");
    cr_assert_eq(into->totals.cpu_ns, 20);
    cr_assert_eq(into->totals.wall_ns, 0);
    profile_free(into);
    into = merged(wall, wall);
    cr_assert(into->totals.wall);
    cr_assert_eq(into->totals.wall_ns, 100);
    cr_assert_eq(into->totals.samples, 8);
    profile_free(into);
    profile_free(cpu);
    profile_free(wall);
}

/* The elapsed time of runs at the same time is a sum, and the time until the last one ends is not. */
Test(merge, the_end_is_that_of_the_last)
{
    const struct {
        uint64_t start[2], elapsed[2], end;
    } runs[] = {
        {{100, 120}, {50, 60}, 180},  /* at the same time */
        {{100, 110}, {50, 10}, 150},  /* one during the other */
        {{100, 150}, {50, 30}, 180},  /* one after the other */
        {{100, 900}, {50, 30}, 930},  /* later */
        {{100, 0}, {50, 30}, 150},    /* it is not known when one was */
        {{0, 0}, {50, 30}, 0},
    };

    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct profile *one[2];
        for (int k = 0; k < 2; k++) {
            one[k] = make_one(1, "x", 1);
            one[k]->totals.start_time = runs[i].start[k];
            one[k]->totals.elapsed_ns = runs[i].elapsed[k];
        }
        for (int k = 0; k < 2; k++) {
            struct profile *both = merged(one[k], one[1 - k]);
            cr_expect_eq(profile_end_time(&both->totals), runs[i].end, "%zu", i);
            cr_expect_eq(both->totals.elapsed_ns, runs[i].elapsed[0] + runs[i].elapsed[1]);
            profile_free(both);
        }
        profile_free(one[0]);
        profile_free(one[1]);
    }
}

Test(merge, a_profile_without_samples_does_not_say_of_which_time_the_sum_is)
{
    struct profile *cpu = make_one(1, "x", 1), *empty = profile_new();

    empty->totals.wall = true;
    struct profile *none = profile_new(), *a = merged(cpu, empty), *b = merged(empty, cpu);
    struct profile *c = merged(empty, none), *d = merged(none, empty);
    cr_assert_not(a->totals.wall);
    cr_assert_not(b->totals.wall);
    cr_assert(c->totals.wall);
    cr_assert(d->totals.wall);
    profile_free(a);
    profile_free(b);
    profile_free(c);
    profile_free(d);
    profile_free(none);
    profile_free(cpu);
    profile_free(empty);
}

Test(merge, sums_that_are_too_large_are_refused)
{
    struct profile *a = make_one(1, "x", 1);
    struct profile_sample large = {.node = 1, .syscall = 0, .count = INT64_MAX - 5};
    struct profile *into = profile_new();

    cr_assert_eq(profile_count(a, &large), 0);
    cr_assert_eq(profile_merge(into, a, 0), 0);
    cr_assert_eq(profile_merge(into, a, 0), -EOVERFLOW);
    profile_free(a);
    profile_free(into);
}
