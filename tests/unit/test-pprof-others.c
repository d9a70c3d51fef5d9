/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "pprof-fixture.h"

TestSuite(pprof_others, .init = make_directory, .fini = remove_directory);

static struct profile *read_bytes(const struct bytes *file)
{
    struct profile *profile;

    put_file(in_directory("other.pb"), file->data, file->size);
    cr_assert_eq(format_read_file(in_directory("other.pb"), &profile), 0);
    free(describe(profile));
    return profile;
}

static const char *function_at(const struct profile *profile, uint32_t location, uint32_t line)
{
    const struct profile_location *place = &profile->locations[location];

    cr_assert_lt(line, place->line_count);
    return string(profile, profile->functions[place->lines[line].function].name);
}

Test(pprof_others, stacks_and_inlined_lines_of_others)
{
    static struct bytes file;

    PUT(&file, 1, SAMPLES, COUNT);
    PUT(&file, 1, CPU, NS);
    put_sample(&file, "21", 2, 20000000); /* leaf first */
    put_sample(&file, "1", 1, 10000000);
    PUT(&file, 3, 9, 0x1000, 0x2000, 0, A_SO);
    PUT(&file, 3, UINT64_MAX, 0x9000, 0xa000, 0x5000, A_SO);
    put_location(&file, 1, 9, 0x1100, 1, 0);
    put_location(&file, 2, UINT64_MAX, 0x9100, 2, 3);
    put_functions(&file);
    put_words(&file);
    PUT(&file, 11, CPU, NS);
    put_number(&file, 12, 10000000);
    struct profile *profile = read_bytes(&file);

    cr_assert_eq(profile->sample_count, 2);
    const struct profile_node *leaf = &profile->nodes[profile->samples[0].node];
    cr_assert_str_eq(function_at(profile, leaf->location, 0), "inlined");
    cr_assert_str_eq(function_at(profile, leaf->location, 1), "leaf");
    cr_assert_eq(profile->locations[leaf->location].lines[1].line, 72);
    cr_assert_eq(profile->locations[leaf->location].address, 0x5100, "by its own mapping");
    const struct profile_node *root = &profile->nodes[leaf->parent];
    cr_assert_str_eq(function_at(profile, root->location, 0), "main");
    cr_assert_eq(profile->locations[root->location].address, 0x100);
    cr_assert_eq(root->parent, PROFILE_NONE);
    cr_assert_eq(profile->samples[1].node, leaf->parent);
    cr_assert_eq(profile->totals.samples, 3);
    cr_assert_eq(profile->totals.cpu_ns, 30000000);
    cr_assert_float_eq(profile->totals.asked_hz, 100, 1e-9);
    cr_assert_eq(profile->process_count, 1);
    cr_assert_str_eq(string(profile, profile->processes[0].comm), "[unknown]");
    profile_free(profile);
}

Test(pprof_others, functions_without_addresses_stay_apart)
{
    static struct bytes file;

    PUT(&file, 1, SAMPLES, COUNT);
    PUT(&file, 1, CPU, NS);
    put_sample(&file, "1", 1, 10);
    put_sample(&file, "2", 1, 20);
    put_sample(&file, "3", 1, 30);
    put_sample(&file, "", 1, 5);
    for (uint64_t id = 1; id <= 3; id++)
        put_location(&file, id, 0, 0, id, 0);
    put_functions(&file);
    put_words(&file);
    struct profile *profile = read_bytes(&file);
    struct report_options options = {.by = PPROFIL_BY_FUNCTION};
    struct pprofil_report *report;

    cr_assert_eq(report_flat(profile, NULL, &options, &report), 0);
    cr_assert_geq(report->count, 3);
    cr_assert_str_eq(report->rows[0].name, "inlined");
    cr_assert_eq(report->rows[0].ns, 30);
    cr_assert_str_eq(report->rows[1].name, "leaf");
    pprofil_report_free(report);
    expect_round_trip((free(profile->command), profile->command = strdup("x"), profile));
    profile_free(profile);
}

static struct profile *read_types(const uint64_t types[2][2], uint64_t preferred)
{
    static struct bytes file;

    file.size = 0;
    for (int i = 0; i < 2; i++)
        PUT(&file, 1, types[i][0], types[i][1]);
    put_sample(&file, "1", 3, 40);
    put_sample(&file, "1", 0, 0);
    put_location(&file, 1, 0, 1, 1, 0);
    put_functions(&file);
    put_words(&file);
    put_number(&file, 14, preferred);
    return read_bytes(&file);
}

static void expect_values(const uint64_t types[2][2], uint64_t preferred, uint64_t samples,
                          uint64_t cpu_ns, uint64_t wall_ns)
{
    struct profile *profile = read_types(types, preferred);

    cr_assert_eq(profile->totals.samples, samples);
    cr_assert_eq(profile->totals.cpu_ns, cpu_ns);
    cr_assert_eq(profile->totals.wall_ns, wall_ns);
    cr_assert_eq(profile->totals.wall, wall_ns > 0);
    profile_free(profile);
}

Test(pprof_others, the_value_that_is_time_is_found)
{
    expect_values((const uint64_t[2][2]){{CPU, NS}, {SPACE, BYTES}}, 0, 1 + 1, 3, 0);
    expect_values((const uint64_t[2][2]){{SAMPLES, COUNT}, {CPU, US}}, 0, 3, 40000, 0);
    expect_values((const uint64_t[2][2]){{SAMPLES, COUNT}, {WALL, NS}}, 0, 3, 0, 40);
    expect_values((const uint64_t[2][2]){{OBJECTS, COUNT}, {SPACE, BYTES}}, 0, 3, 40, 0);
    expect_values((const uint64_t[2][2]){{SPACE, BYTES}, {WALL, BYTES}}, SPACE, 2, 3, 0);
}
