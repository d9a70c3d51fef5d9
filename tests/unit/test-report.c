/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <stdio.h>

#include "build-events.h"
#include "report/report.h"

/* Makes a profile of two functions of one file: "first" (from 0x2000 on) and "second" (from 0x3000 on). */
static struct profile *make_profile(void)
{
    struct profile *profile = profile_new();
    struct map_spec map = {.pid = 10,
                           .kind = WIRE_MAP_FILE,
                           .start = 0x2000,
                           .end = 0x5000,
                           .offset = 0x2000,
                           .inode = 5,
                           .name = "/bin/prog"};

    feed_fork(profile, 10, 0);
    feed_comm(profile, 10, 10, "prog");
    feed_map(profile, &map);
    for (int i = 0; i < 60; i++)
        feed_sample(profile, 10, 10, 0x2000 + (uint64_t)(i % 3) * 4, 10, WIRE_NO_SYSCALL);
    feed_comm(profile, 10, 11, "worker");
    for (int i = 0; i < 30; i++)
        feed_sample(profile, 10, 11, 0x3000 + (uint64_t)(i % 2) * 4, 10, WIRE_NO_SYSCALL);
    for (int i = 0; i < 10; i++)
        feed_sample(profile, 10, 11, 0x2000, 10, 0);
    for (uint32_t i = 1; i < profile->location_count; i++) {
        const char *name = profile->locations[i].address < 0x3000 ? "first" : "second";
        struct profile_function function = {.line = 7};
        struct profile_line line = {.line = 100 + i};
        profile_string(profile, name, &function.name);
        profile_string(profile, "/src/prog.c", &function.file);
        line.file = function.file;
        profile_function(profile, &function, &line.function);
        profile_set_lines(profile, i, &line, 1, PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE);
    }
    return profile;
}

static struct pprofil_report *flat(struct profile *profile, enum pprofil_by by, uint32_t limit)
{
    struct pprofil_report *report;
    struct report_options options = {.by = by, .limit = limit};

    cr_assert_eq(report_flat(profile, NULL, &options, &report), 0);
    return report;
}

Test(report, functions_sum_and_sort)
{
    struct profile *profile = make_profile();
    struct pprofil_report *report = flat(profile, PPROFIL_BY_FUNCTION, 0);

    cr_assert_eq(report->count, 2);
    cr_assert_str_eq(report->rows[0].name, "first");
    cr_assert_str_eq(report->rows[0].object, "prog");
    cr_assert_str_eq(report->rows[0].file, "/src/prog.c");
    cr_assert_eq(report->rows[0].line, 7);
    cr_assert_eq(report->rows[0].samples, 70);
    cr_assert_eq(report->rows[0].ns, 700);
    cr_assert_float_eq(report->rows[0].share, 0.7, 1e-12);
    cr_assert_str_eq(report->rows[1].name, "second");
    /* Wilson's interval by hand, for n = 100, and p = 0.7 or p = 0.3 */
    cr_assert_float_eq(report->rows[0].error95, 0.088450, 1e-6);
    cr_assert_float_eq(report->rows[1].error95, report->rows[0].error95, 1e-12);
    pprofil_report_free(report);
    profile_free(profile);
}

Test(report, rows_and_the_rest_are_the_whole)
{
    struct profile *profile = make_profile();

    for (unsigned by = PPROFIL_BY_FUNCTION; by < REPORT_GROUPINGS; by++)
        for (uint32_t limit = 0; limit <= 6; limit++) {
            struct pprofil_report *report = flat(profile, (enum pprofil_by)by, limit);
            uint64_t ns = report->rest_ns, samples = 0;
            double share = (double)report->rest_ns / 1000;
            for (uint32_t i = 0; i < report->count; i++) {
                ns += report->rows[i].ns;
                samples += report->rows[i].samples;
                share += report->rows[i].share;
            }
            cr_assert_eq(ns, 1000);
            cr_assert(samples == 100 || report->count < report->total);
            cr_assert_float_eq(share, 1, 1e-12);
            cr_assert(limit == 0 ? report->count == report->total : report->count <= limit);
            pprofil_report_free(report);
        }
    profile_free(profile);
}

/* For a share of 1, half the width of Wilson's interval is (z^2 / 2n) / (1 + z^2 / n). The width depends on
 * the number of samples. The usual formula gives 0. */
Test(report, certainty_takes_samples)
{
    const struct {
        int samples;
        double error95;
    } expected[] = {{1, 0.396725}, {4, 0.244945}, {100, 0.018497}};

    for (int i = 0; i < 3; i++) {
        struct profile *profile = profile_new();
        for (int n = 0; n < expected[i].samples; n++)
            feed_sample(profile, 1, 1, 0x10, 5, WIRE_NO_SYSCALL);
        struct pprofil_report *report = flat(profile, PPROFIL_BY_FUNCTION, 0);
        cr_assert_float_eq(report->rows[0].share, 1, 1e-12);
        cr_assert_float_eq(report->rows[0].error95, expected[i].error95, 1e-6);
        pprofil_report_free(report);
        profile_free(profile);
    }
}

/* Makes a profile with one sample of 5 ns in each of two objects. names[i] are the functions at the location in object
 * i, innermost first. */
static struct profile *make_two(const char *names[2][2])
{
    struct profile *profile = profile_new();
    struct map_spec map = {.pid = 1, .kind = WIRE_MAP_FILE, .start = 0x1000, .end = 0x2000};

    for (uint32_t i = 0; i < 2; i++) {
        struct profile_line lines[2] = {{.line = 5}, {.line = 6}};
        uint32_t count = 0;
        map.name = i == 0 ? "/lib/one.so" : "/lib/two.so";
        map.inode = i + 1;
        feed_map(profile, &map);
        feed_sample(profile, 1, 1, map.start, 5, WIRE_NO_SYSCALL);
        map.start += 0x1000;
        map.end += 0x1000;
        for (; count < 2 && names[i][count] != NULL; count++) {
            struct profile_function function = {0};
            profile_string(profile, names[i][count], &function.name);
            profile_string(profile, "/src/a.c", &lines[count].file);
            profile_function(profile, &function, &lines[count].function);
        }
        profile_set_lines(profile, i + 1, lines, count, PROFILE_LOOKED_NAME);
    }
    return profile;
}

Test(report, a_name_in_two_objects_is_two_functions)
{
    struct profile *profile = make_two((const char *[2][2]){{"f"}, {"f"}});
    struct pprofil_report *report = flat(profile, PPROFIL_BY_FUNCTION, 1);

    cr_assert_eq(report->total, 2);
    cr_assert_eq(report->count, 1);
    cr_assert_str_eq(report->rows[0].object, "one.so", "the first of a tie");
    pprofil_report_free(report);
    profile_free(profile);
}

/* Samples of three functions with one name: one without a known definition, and two static functions of header files.
 * Merging files in another order makes the locations in another order. */
Test(report, the_order_of_locations_does_not_matter)
{
    static const char *const files[] = {"", "/src/b.h", "/src/a.h"};
    static const unsigned orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    struct map_spec map = {
        .pid = 1, .kind = WIRE_MAP_FILE, .start = 0x1000, .end = 0x2000, .inode = 1, .name = "/lib/one.so"};

    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct profile *profile = profile_new();
        feed_map(profile, &map);
        for (uint32_t at = 0; at < 3; at++) {
            unsigned which = orders[i][at];
            struct profile_function function = {.line = which};
            struct profile_line line = {0};
            feed_sample(profile, 1, 1, map.start + 4 * which, 5, WIRE_NO_SYSCALL);
            profile_string(profile, "f", &function.name);
            profile_string(profile, files[which], &function.file);
            profile_function(profile, &function, &line.function);
            profile_set_lines(profile, at + 1, &line, 1, PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE);
        }
        struct pprofil_report *report = flat(profile, PPROFIL_BY_FUNCTION, 0);
        cr_assert_eq(report->count, 1);
        cr_assert_str_eq(report->rows[0].file, "/src/a.h", "order %zu", i);
        cr_assert_eq(report->rows[0].line, 2);
        pprofil_report_free(report);
        profile_free(profile);
    }
}

Test(report, inlined_code_is_its_callers_function_and_its_own_line)
{
    struct profile *profile = make_two((const char *[2][2]){{"inlined", "caller"}, {NULL}});
    struct pprofil_report *report = flat(profile, PPROFIL_BY_FUNCTION, 0);

    cr_assert_eq(report->count, 2);
    cr_assert_str_eq(report->rows[0].name, "caller");
    cr_assert_str_eq(report->rows[1].name, "two.so", "no name: the object's");
    pprofil_report_free(report);
    report = flat(profile, PPROFIL_BY_LINE, 0);
    cr_assert_str_eq(report->rows[0].name, "/src/a.c");
    cr_assert_eq(report->rows[0].line, 5);
    cr_assert_str_eq(report->rows[1].object, "two.so");
    cr_assert_str_eq(report->rows[1].file, "");
    cr_assert_eq(report->rows[1].line, 0);
    pprofil_report_free(report);
    profile_free(profile);
}

Test(report, a_limit_says_what_it_hides)
{
    struct profile *profile = make_profile();
    struct pprofil_report *report = flat(profile, PPROFIL_BY_LINE, 2);

    cr_assert_eq(report->count, 2);
    cr_assert_eq(report->total, 5);
    cr_assert_eq(report->rest_ns, 1000 - report->rows[0].ns - report->rows[1].ns);
    cr_assert_str_eq(report->rows[0].name, "/src/prog.c");
    cr_assert_eq(report->rows[0].ns, 300);
    pprofil_report_free(report);
    profile_free(profile);
}

Test(report, other_groupings)
{
    struct profile *profile = make_profile();
    struct pprofil_report *report = flat(profile, PPROFIL_BY_THREAD, 0);

    cr_assert_eq(report->count, 2);
    cr_assert_str_eq(report->rows[0].name, "prog");
    cr_assert_eq(report->rows[0].tid, 10);
    cr_assert_eq(report->rows[0].ns, 600);
    cr_assert_str_eq(report->rows[1].name, "worker");
    cr_assert_eq(report->rows[1].tid, 11);
    pprofil_report_free(report);
    report = flat(profile, PPROFIL_BY_PROCESS, 0);
    cr_assert_eq(report->count, 1);
    cr_assert_eq(report->rows[0].pid, 10);
    cr_assert_eq(report->rows[0].ns, 1000);
    pprofil_report_free(report);
    report = flat(profile, PPROFIL_BY_OBJECT, 0);
    cr_assert_eq(report->count, 1);
    cr_assert_str_eq(report->rows[0].name, "/bin/prog");
    pprofil_report_free(report);
    report = flat(profile, PPROFIL_BY_SYSCALL, 0);
    cr_assert_eq(report->count, 2);
    cr_assert_str_eq(report->rows[0].name, "[user]");
    cr_assert_str_eq(report->rows[1].name, profile_syscall_name(0, false));
    cr_assert_eq(report->rows[1].ns, 100);
    pprofil_report_free(report);
    profile_free(profile);
}

Test(report, ties_are_settled_by_name)
{
    struct profile *profile = profile_new();
    const char *names[] = {"zeta", "alpha", "mid"};

    for (uint32_t i = 0; i < 3; i++) {
        feed_comm(profile, 20 + i, 20 + i, names[i]);
        feed_sample(profile, 20 + i, 20 + i, 0x10, 5, WIRE_NO_SYSCALL);
    }
    struct pprofil_report *report = flat(profile, PPROFIL_BY_PROCESS, 0);
    cr_assert_str_eq(report->rows[0].name, "alpha");
    cr_assert_str_eq(report->rows[1].name, "mid");
    cr_assert_str_eq(report->rows[2].name, "zeta");
    pprofil_report_free(report);
    profile_free(profile);
}

Test(report, nothing_is_a_report_too)
{
    struct profile *profile = profile_new();
    struct pprofil_report *report = flat(profile, PPROFIL_BY_FUNCTION, 10);

    cr_assert_eq(report->count, 0);
    pprofil_report_free(report);
    profile_free(profile);
}

Test(report, wall_mode_counts_elapsed_time)
{
    struct profile *profile = profile_new();
    struct wire_sample event = {.header = {WIRE_SAMPLE, sizeof event},
                                .pid = 1,
                                .tid = 1,
                                .wall_ns = 900,
                                .syscall = 1,
                                .flags = WIRE_SAMPLE_SLEEPING};

    feed(profile, &event.header);
    event.flags = 0;
    event.syscall = WIRE_NO_SYSCALL;
    event.wall_ns = event.cpu_ns = 100;
    feed(profile, &event.header);
    struct pprofil_report *report = flat(profile, PPROFIL_BY_SYSCALL, 0);
    cr_assert(report->totals.wall);
    cr_assert_float_eq(report->rows[0].share, 0.9, 1e-12);
    pprofil_report_free(report);
    report = flat(profile, PPROFIL_BY_STATE, 0);
    cr_assert_eq(report->count, 2);
    cr_assert_str_eq(report->rows[0].name, "asleep");
    cr_assert_eq(report->rows[0].ns, 900);
    cr_assert_str_eq(report->rows[1].name, "running");
    pprofil_report_free(report);
    profile->totals.wall = false; /* wall mode was on for only a part of the run */
    report = flat(profile, PPROFIL_BY_SYSCALL, 0);
    cr_assert_eq(report->count, 1);
    cr_assert_str_eq(report->rows[0].name, "[user]");
    pprofil_report_free(report);
    profile_free(profile);
}

Test(report, many_rows_take_no_quadratic_time, .timeout = 60)
{
    struct profile *profile = profile_new();

    for (uint64_t i = 0; i < 400000; i++)
        feed_sample(profile, 1, 1, 0x1000 + i * 8, 1 + i % 5, WIRE_NO_SYSCALL);
    for (uint32_t i = 1; i < profile->location_count; i += 4) {
        char name[32];
        struct profile_function function = {0};
        struct profile_line line = {0};
        snprintf(name, sizeof name, "f%u", i);
        profile_string(profile, name, &function.name);
        profile_function(profile, &function, &line.function);
        profile_set_lines(profile, i, &line, 1, PROFILE_LOOKED_NAME);
    }
    struct pprofil_report *functions = flat(profile, PPROFIL_BY_FUNCTION, 10);
    cr_assert_eq(functions->total, 100001);
    pprofil_report_free(functions);
    struct pprofil_report *report = flat(profile, PPROFIL_BY_OBJECT, 0);
    cr_assert_eq(report->count, 1);
    cr_assert_eq(report->rows[0].samples, 400000);
    pprofil_report_free(report);
    profile_free(profile);
}
