/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "perf-data-fixture.h"

TestSuite(perf_data_own, .init = make_directory, .fini = remove_directory);

static void expect_round_trip(bool wall)
{
    struct profile *profile = make_profile(wall);
    cr_assert_eq(format_write_file(format_by_name("perf.data"), file(), profile), 0);
    struct profile *again = read_back();
    char *left = describe(profile), *right = describe(again);

    cr_expect_str_eq(left, right);
    cr_expect_eq(again->totals.wall, wall);
    cr_expect_eq(again->totals.samples, profile->totals.samples);
    cr_expect_eq(again->totals.cpu_ns, profile->totals.cpu_ns);
    cr_expect_eq(again->totals.wall_ns, profile->totals.wall_ns);
    cr_expect_float_eq(again->totals.asked_hz, 997, 1e-9);
    cr_expect_str_eq(again->command, "one --with two");
    free(left);
    free(right);
    profile_free(profile);
    profile_free(again);
}

Test(perf_data_own, what_is_written_is_read)
{
    expect_round_trip(false);
}

Test(perf_data_own, elapsed_time_too)
{
    expect_round_trip(true);
}

Test(perf_data_own, of_many_samples_equal_ones_are_joined)
{
    struct profile *profile = make_profile(false);
    uint32_t node = profile->samples[0].node;

    count(profile, 0, 10, node, UINT64_C(1) << 40, UINT64_C(1) << 50);
    cr_assert_eq(format_write_file(format_by_name("perf.data"), file(), profile), 0);
    struct profile *again = read_back();
    cr_expect_eq(again->totals.cpu_ns, profile->totals.cpu_ns);
    cr_expect_eq(again->totals.samples, again->sample_count);
    profile_free(profile);
    profile_free(again);
}

/* Where nobody knows when a process execed, what its images did is still told apart. */
Test(perf_data_own, images_without_times)
{
    struct profile *profile = profile_new();
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .end = 0x1000, .fd = -1};
    uint32_t index, location, node;

    profile_string(profile, "/x", &object.path);
    profile_object(profile, &object, &index);
    profile_location(profile, index, 0x10, &location);
    profile_node(profile, PROFILE_NONE, location, &node);
    for (uint32_t i = 0; i < 3; i++) {
        struct profile_process process = {.pid = 5, .generation = i, .status = -1};
        struct profile_thread thread = {.tid = 5};
        profile_string(profile, i == 0 ? "sh" : i == 1 ? "env" : "prog", &process.comm);
        thread.comm = process.comm;
        profile_add_process(profile, &process, &thread.process);
        profile_add_thread(profile, &thread, &index);
        count(profile, thread.process, 5, node, 10 + i, 1000 + i);
    }
    cr_assert_eq(format_write_file(format_by_name("perf.data"), file(), profile), 0);
    struct profile *again = read_back();
    char *left = describe(profile), *right = describe(again);
    cr_expect_str_eq(left, right);
    free(left);
    free(right);
    profile_free(profile);
    profile_free(again);
}

Test(perf_data_own, an_empty_profile)
{
    struct profile *profile = profile_new();
    cr_assert_eq(format_write_file(format_by_name("perf.data"), file(), profile), 0);
    struct profile *again = read_back();
    cr_expect_eq(again->sample_count, 0);
    profile_free(profile);
    profile_free(again);
}

/* What spans all addresses can be mapped nowhere. */
Test(perf_data_own, an_object_without_end)
{
    struct profile *profile = profile_new();
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = -1};
    uint32_t index, location;

    profile_string(profile, "/x", &object.path);
    profile_object(profile, &object, &index);
    profile_location(profile, index, 0, &location);
    profile_location(profile, index, UINT64_MAX, &location);
    cr_expect_eq(format_write_file(format_by_name("perf.data"), file(), profile), PPROFIL_ERROR_ADDRESSES);
    profile_free(profile);
}
