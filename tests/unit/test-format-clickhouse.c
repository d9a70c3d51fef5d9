/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "build-stacks.h"
#include "format-fixture.h"

#define MINUTE_NS UINT64_C(60000000000)

TestSuite(clickhouse, .init = make_directory, .fini = remove_directory);

/* Writes the rows of a profile, and returns an array of them. Each line has to be a JSON object. */
static json_t *rows_of(const struct profile *profile, const char *const *labels)
{
    const struct format_options options = {.labels = labels};
    json_t *rows = json_array();
    char *line = NULL;
    size_t size = 0;
    json_error_t error;

    cr_assert_eq(format_write_file_as(&format_clickhouse, in_directory("rows"), profile, &options), 0);
    FILE *in = fopen(in_directory("rows"), "r");
    while (getline(&line, &size, in) > 0) {
        json_t *row = json_loads(line, JSON_REJECT_DUPLICATES, &error);
        cr_assert_not_null(row, "%s in %s", error.text, line);
        json_array_append_new(rows, row);
    }
    free(line);
    fclose(in);
    return rows;
}

static const char *text_in(const json_t *rows, size_t row, const char *column)
{
    return json_string_value(json_object_get(json_array_get(rows, row), column));
}

static json_int_t number_in(const json_t *rows, size_t row, const char *column)
{
    return json_integer_value(json_object_get(json_array_get(rows, row), column));
}

/* Returns element i of an array in a row. */
static const char *element_in(const json_t *rows, size_t row, const char *column, size_t i)
{
    return json_string_value(json_array_get(json_object_get(json_array_get(rows, row), column), i));
}

static json_int_t sum_of(const json_t *rows, const char *column)
{
    json_int_t sum = 0;

    for (size_t i = 0; i < json_array_size(rows); i++)
        sum += number_in(rows, i, column);
    return sum;
}

Test(clickhouse, columns)
{
    static const char *const labels[] = {"version", "1.2", "en\"v", "pr\xffod", NULL};
    struct profile *profile = profile_new();

    stacks_thread(profile, 7, "prog", 8, "worker");
    cr_assert_eq(profile_string(profile, "node-1", &profile->processes[0].host), 0);
    cr_assert_eq(profile_string(profile, "3", &profile->processes[0].rank), 0);
    profile->totals.start_time = 1700000000 * UINT64_C(1000000000) + 5;
    profile->totals.elapsed_ns = 99;
    stacks_add(profile, 0, "main;f;g", 4);
    json_t *rows = rows_of(profile, labels);
    cr_assert_eq(json_array_size(rows), 1);
    cr_expect_eq(number_in(rows, 0, "time"), 1700000000);
    cr_expect_eq(number_in(rows, 0, "duration_ns"), 99);
    cr_expect_str_eq(text_in(rows, 0, "host"), "node-1");
    cr_expect_str_eq(text_in(rows, 0, "job"), "");
    cr_expect_str_eq(text_in(rows, 0, "rank"), "3");
    cr_expect_str_eq(text_in(rows, 0, "service"), "prog");
    cr_expect_eq(number_in(rows, 0, "pid"), 7);
    cr_expect_eq(number_in(rows, 0, "tid"), 8);
    cr_expect_str_eq(text_in(rows, 0, "thread"), "worker");
    cr_expect_str_eq(element_in(rows, 0, "stack", 0), "main");
    cr_expect_str_eq(element_in(rows, 0, "stack", 2), "g");
    cr_expect_null(element_in(rows, 0, "stack", 3));
    cr_expect_str_eq(text_in(rows, 0, "function"), "g");
    cr_expect_str_eq(text_in(rows, 0, "object"), "/bin/prog");
    cr_expect_str_eq(text_in(rows, 0, "file"), "/src/a.c");
    cr_expect_gt(number_in(rows, 0, "line"), 9);
    cr_expect_str_eq(text_in(rows, 0, "state"), "running");
    cr_expect_str_eq(text_in(rows, 0, "syscall"), "");
    cr_expect_eq(number_in(rows, 0, "samples"), 4);
    cr_expect_eq(number_in(rows, 0, "ns"), 40);
    cr_expect_str_eq(element_in(rows, 0, "labels.key", 1), "en\"v");
    cr_expect_str_eq(element_in(rows, 0, "labels.value", 0), "1.2");
    cr_expect_str_eq(element_in(rows, 0, "labels.value", 1), "pr\xef\xbf\xbdod");
    cr_expect_null(element_in(rows, 0, "labels.value", 2));
    json_decref(rows);
    profile_free(profile);
}

Test(clickhouse, labels_replace_the_origin)
{
    static const char *const labels[] = {"service", "shop", "host", "h", "hostname", "no", NULL};
    struct profile *profile = profile_new();

    stacks_add(profile, 0, "main", 1);
    json_t *rows = rows_of(profile, labels);
    cr_expect_str_eq(text_in(rows, 0, "service"), "shop");
    cr_expect_str_eq(text_in(rows, 0, "host"), "h");
    cr_expect_str_eq(text_in(rows, 0, "job"), "");
    cr_expect_null(json_object_get(json_array_get(rows, 0), "time")); /* it is not known */
    json_decref(rows);
    profile_free(profile);
}

Test(clickhouse, names_of_all_kinds)
{
    struct profile *profile = profile_new();
    size_t count = sizeof hostile / sizeof *hostile, found = 0;

    for (size_t i = 0; i < count; i++)
        if (strpbrk(hostile[i], ";|[") == NULL) {
            stacks_add(profile, 0, hostile[i], i + 1);
            found++;
        }
    json_t *rows = rows_of(profile, NULL);
    cr_assert_eq(json_array_size(rows), found);
    for (size_t i = 0; i < found; i++) {
        const char *name = hostile[number_in(rows, i, "samples") - 1];
        cr_expect_str_eq(text_in(rows, i, "function"), strchr(name, '\xff') != NULL ? "bad\xef\xbf\xbdutf8" : name);
        cr_expect_str_eq(element_in(rows, i, "stack", 0), text_in(rows, i, "function"));
    }
    json_decref(rows);
    profile_free(profile);
}

/* Frames "f" and "f|g" are different code, so this also tells whether inlined functions are frames. */
Test(clickhouse, equal_stacks_are_one_row)
{
    struct profile *profile = profile_new();
    uint32_t other = stacks_thread(profile, 7, "prog", 8, "worker");

    stacks_thread(profile, 7, "prog", 9, "worker");
    stacks_add(profile, other, "main|f;g", 1);
    stacks_add(profile, other, "main;f;g", 2);
    stacks_add(profile, other + 1, "main;f;g", 4);
    json_t *rows = rows_of(profile, NULL);
    cr_assert_eq(json_array_size(rows), 2);
    cr_expect_eq(number_in(rows, 0, "samples"), 3);
    cr_expect_eq(number_in(rows, 0, "tid"), 8);
    cr_expect_eq(number_in(rows, 1, "samples"), 4);
    json_decref(rows);
    profile_free(profile);
}

Test(clickhouse, lines_states_and_calls_are_rows)
{
    struct profile *profile = profile_new();
    struct profile_sample sample = {.count = 1, .cpu_ns = 10, .wall_ns = 1};

    stacks_add(profile, 0, "main;f", 1);
    sample.node = stacks_node(profile, "main;f");
    cr_assert_eq(profile_syscall(profile, "read", 0, 0, &sample.syscall), 0);
    cr_assert_eq(profile_count(profile, &sample), 0);
    sample.state = PROFILE_ASLEEP;
    cr_assert_eq(profile_wait(profile, "lock 0x1", 0, &sample.wait), 0);
    cr_assert_eq(profile_count(profile, &sample), 0);
    profile->totals.wall = false;
    json_t *rows = rows_of(profile, NULL);
    cr_expect_eq(json_array_size(rows), 2); /* without wall mode, sleeping threads do not count */
    json_decref(rows);
    profile->totals.wall = true;
    rows = rows_of(profile, NULL);
    cr_assert_eq(json_array_size(rows), 3);
    cr_expect_str_eq(text_in(rows, 1, "syscall"), "read");
    cr_expect_str_eq(text_in(rows, 2, "state"), "asleep");
    cr_expect_str_eq(text_in(rows, 2, "wait"), "lock 0x1");
    cr_expect_eq(number_in(rows, 2, "ns"), 1);
    json_decref(rows);
    profile_free(profile);
}

/* Adds a sample of 10 ns of "main;f" at a time since the start of the profile. */
static void sample_at(struct profile *profile, uint64_t ns)
{
    const struct profile_sample sample = {.node = stacks_node(profile, "main;f"), .count = 1, .cpu_ns = 10};

    cr_assert_eq(profile_count_at(profile, &sample, MINUTE_NS + ns), 0);
}

static struct profile *profile_of_minutes(void)
{
    struct profile *profile = profile_new();

    stacks_thread(profile, 7, "prog", 7, "prog");
    profile->processes[0].start = MINUTE_NS;
    profile->totals.start_time = 1000 * UINT64_C(1000000000);
    profile->totals.elapsed_ns = 7;
    return profile;
}

Test(clickhouse, a_long_profile_is_cut_at_minutes)
{
    struct profile *profile = profile_of_minutes();

    for (uint64_t i = 1; i <= 16; i++)
        sample_at(profile, i * MINUTE_NS / 4 - 1);
    sample_at(profile, 4 * MINUTE_NS + MINUTE_NS / 3);
    json_t *rows = rows_of(profile, NULL);
    cr_assert_eq(json_array_size(rows), 4);
    cr_expect_eq(number_in(rows, 0, "samples"), 4);
    cr_expect_eq(number_in(rows, 0, "time"), 1000);
    cr_expect_eq(number_in(rows, 0, "duration_ns"), MINUTE_NS);
    cr_expect_eq(number_in(rows, 3, "samples"), 5); /* the last piece has what is less than a half */
    cr_expect_eq(number_in(rows, 3, "time"), 1180);
    cr_expect_geq(number_in(rows, 3, "duration_ns"), (json_int_t)(MINUTE_NS + MINUTE_NS / 3));
    cr_expect_eq(sum_of(rows, "samples"), 17);
    cr_expect_eq(sum_of(rows, "ns"), 170);
    json_decref(rows);
    profile_free(profile);
}

/* The program is started, and sampled later: times count from the beginning of the history. */
Test(clickhouse, sampling_may_begin_later)
{
    struct profile *profile = profile_new();
    const uint64_t start = UINT64_C(1700000000) * 1000000000;
    const struct profile_sample sample = {.count = 1, .cpu_ns = 10};

    stacks_thread(profile, 7, "prog", 7, "prog");
    profile->processes[0].start = start;
    profile->totals.start_time = start + 2 * MINUTE_NS;
    cr_assert_eq(profile_count_at(profile, &sample, start + 2 * MINUTE_NS + 1), 0);
    cr_assert_eq(profile_count_at(profile, &sample, start + 4 * MINUTE_NS - 1), 0);
    json_t *rows = rows_of(profile, NULL);
    cr_assert_eq(json_array_size(rows), 2);
    cr_expect_eq(number_in(rows, 0, "time"), 1700000120);
    cr_expect_eq(number_in(rows, 1, "time"), 1700000180);
    json_decref(rows);
    profile_free(profile);
}

/* The elapsed time of merged profiles is a sum. A row lasts from the start of the first to the end of the last. */
Test(clickhouse, ranks_of_a_job_last_as_long_as_the_job)
{
    struct profile *profile = profile_new();

    stacks_add(profile, stacks_thread(profile, 7, "prog", 7, "prog"), "main", 1);
    profile->totals.start_time = 1000 * UINT64_C(1000000000);
    profile->totals.elapsed_ns = 100 * UINT64_C(10000000000);
    profile->totals.end_time = 1011 * UINT64_C(1000000000);
    json_t *rows = rows_of(profile, NULL);
    cr_assert_eq(json_array_size(rows), 1);
    cr_expect_eq(number_in(rows, 0, "time"), 1000);
    cr_expect_eq(number_in(rows, 0, "duration_ns"), 11 * INT64_C(1000000000));
    json_decref(rows);
    profile_free(profile);
}

/* A sleep of many minutes is one entry of the history, whose parts have its whole time. */
Test(clickhouse, a_long_sleep_is_cut_without_loss)
{
    struct profile *profile = profile_of_minutes();
    struct profile_sample sleep = {.node = stacks_node(profile, "main;f"), .state = PROFILE_ASLEEP, .count = 1};

    sample_at(profile, 1);
    for (uint64_t i = 1; i <= 1000; i++) {
        sleep.wall_ns = MINUTE_NS / 100 + i % 7;
        cr_assert_eq(profile_count_at(profile, &sleep, MINUTE_NS + i * (MINUTE_NS / 100)), 0);
    }
    json_t *rows = rows_of(profile, NULL);
    cr_expect_eq(json_array_size(rows), 11); /* ten of the sleep, and that of the sample at the beginning */
    cr_expect_eq(sum_of(rows, "samples"), 1001);
    cr_expect_eq(sum_of(rows, "ns"), (json_int_t)profile->totals.wall_ns);
    json_decref(rows);
    profile_free(profile);
}

Test(clickhouse, what_has_no_time_is_not_cut)
{
    struct profile *profile = profile_of_minutes();

    sample_at(profile, 1);
    sample_at(profile, 5 * MINUTE_NS);
    stacks_add(profile, 0, "main;f", 1);
    json_t *rows = rows_of(profile, NULL);
    cr_assert_eq(json_array_size(rows), 1);
    cr_expect_eq(number_in(rows, 0, "samples"), 3);
    cr_expect_eq(number_in(rows, 0, "duration_ns"), 7);
    json_decref(rows);
    profile_free(profile);
}

Test(clickhouse, several_hosts_are_cut_too)
{
    struct profile *profile = profile_of_minutes();
    struct profile_sample sample = {.node = stacks_node(profile, "main;f"), .count = 1, .cpu_ns = 10};

    sample.thread = stacks_thread(profile, 8, "prog", 8, "prog");
    cr_assert_eq(profile_string(profile, "node-2", &profile->processes[1].host), 0);
    sample_at(profile, 1);
    cr_assert_eq(profile_count_at(profile, &sample, 6 * MINUTE_NS), 0);
    json_t *rows = rows_of(profile, NULL);
    cr_assert_eq(json_array_size(rows), 2);
    cr_expect_eq(number_in(rows, 0, "time"), 1000);
    cr_expect_str_eq(text_in(rows, 1, "host"), "node-2");
    cr_expect_geq(number_in(rows, 1, "time"), 1240);
    json_decref(rows);
    profile_free(profile);
}

Test(clickhouse, an_empty_profile_has_no_rows)
{
    struct profile *profile = profile_new();
    json_t *rows = rows_of(profile, NULL);

    cr_expect_eq(json_array_size(rows), 0);
    json_decref(rows);
    profile_free(profile);
}
