/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "format-perf-data-fixture.h"

TestSuite(perf_data_own, .init = make_directory, .fini = remove_directory);

static void expect_round_trip(bool wall)
{
    struct profile *profile = make_profile(wall);
    cr_assert_eq(format_write_file(format_by_name("perf.data"), in_directory("perf.data"), profile), 0);
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
    cr_assert_eq(format_write_file(format_by_name("perf.data"), in_directory("perf.data"), profile), 0);
    struct profile *again = read_back();
    cr_expect_eq(again->totals.cpu_ns, profile->totals.cpu_ns);
    cr_expect_eq(again->totals.samples, again->sample_count);
    profile_free(profile);
    profile_free(again);
}

/* The programs that a process executed one after the other stay separate, even if the exec times are unknown. */
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
    cr_assert_eq(format_write_file(format_by_name("perf.data"), in_directory("perf.data"), profile), 0);
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
    cr_assert_eq(format_write_file(format_by_name("perf.data"), in_directory("perf.data"), profile), 0);
    struct profile *again = read_back();
    cr_expect_eq(again->sample_count, 0);
    profile_free(profile);
    profile_free(again);
}

/* The record of a mapping cannot describe an object that spans all addresses. */
Test(perf_data_own, an_object_without_end)
{
    struct profile *profile = profile_new();
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = -1};
    uint32_t index, location;

    profile_string(profile, "/x", &object.path);
    profile_object(profile, &object, &index);
    profile_location(profile, index, 0, &location);
    profile_location(profile, index, UINT64_MAX, &location);
    cr_expect_eq(format_write_file(format_by_name("perf.data"), in_directory("perf.data"), profile),
                 PPROFIL_ERROR_ADDRESSES);
    profile_free(profile);
}

TestSuite(perf_data_others, .init = make_directory, .fini = remove_directory);

static size_t made_size;

static void put(uint64_t number, size_t size)
{
    memcpy(made + made_size, &number, size);
    made_size += size;
}

static void put_numbers(const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(numbers[i], 8);
}

static void put_text(const char *text)
{
    size_t room = strlen(text) / 8 * 8 + 8;
    memcpy(made + made_size, text, strlen(text));
    made_size += room;
}

#define PAIR(low, high) ((uint64_t)(high) << 32 | (low))

/* Begins a file with two events, of which the second is a clock. The samples contain ip, tid, time, id, period and call
 * chain. */
static void begin_file(void)
{
    memset(made, 0, sizeof made);
    made_size = 0;
    put_numbers((const uint64_t[]){0x32454c4946524550, 104, 80, 120, 160, 280, 0}, 7);
    made_size = 104;
    put_numbers((const uint64_t[]){7, 8}, 2);
    for (uint64_t i = 0; i < 2; i++) {
        put_numbers((const uint64_t[]){PAIR(i == 0 ? 0 : 1, 64), 0, 1000, 1 | 2 | 4 | 32 | 64 | 256, 0, 1u << 18, 0, 0},
                    8);
        put_numbers((const uint64_t[]){104 + 8 * i, 8}, 2);
    }
}

static void put_head(uint32_t type, uint32_t misc, size_t size)
{
    put(type, 4);
    put(misc, 2);
    put(size, 2);
}

static void put_id(uint32_t pid, uint64_t time)
{
    put_numbers((const uint64_t[]){PAIR(pid, pid), time, 8}, 3);
}

static void put_map(uint32_t pid, uint64_t start, uint64_t time, const char *path)
{
    put_head(1, 2, 8 + 32 + strlen(path) / 8 * 8 + 8 + 24);
    put_numbers((const uint64_t[]){PAIR(pid, pid), start, 0x1000, 0x2000}, 4);
    put_text(path);
    put_id(pid, time);
}

static void put_fork(uint32_t pid, uint32_t ppid, uint64_t time)
{
    put_head(7, 0, 8 + 24 + 24);
    put_numbers((const uint64_t[]){PAIR(pid, ppid), PAIR(pid, ppid), time}, 3);
    put_id(ppid, time);
}

static void put_sample(uint32_t pid, uint64_t time, uint64_t id, const uint64_t *chain, size_t length)
{
    put_head(9, 2, 8 + 48 + 8 * length);
    put_numbers((const uint64_t[]){chain[1], PAIR(pid, pid), time, id, 250, length}, 6);
    put_numbers(chain, length);
}

static void end_file(void)
{
    uint64_t size = made_size - 280;

    memcpy(made + 48, &size, 8);
    put_file(in_directory("perf.data"), made, made_size);
}

#define KERNEL ((uint64_t)-128)

#define USER ((uint64_t)-512)

Test(perf_data_others, as_perf_writes_it)
{
    const uint64_t chain[] = {KERNEL, UINT64_C(0xffffffff81000010), UINT64_C(0xffffffff81000020), USER, 0x5010, 0x5020};

    begin_file();
    /* the first sample is from a child, and comes before the child's FORK; the second belongs to an event that is not
     * read */
    put_sample(21, 300, 8, (const uint64_t[]){USER, 0x5030}, 2);
    put_sample(21, 300, 7, (const uint64_t[]){USER, 0x5030}, 2);
    put_sample(20, 200, 8, chain, 6);
    put_map(20, 0x5000, 100, "/bin/a");
    put_fork(21, 20, 250);
    put_map(21, 0x5800, 350, "/bin/b");
    put_sample(21, 400, 8, (const uint64_t[]){USER, 0x5810}, 2);
    put_sample(21, 400, 8, (const uint64_t[]){USER, 0x57ff}, 2);
    put_sample(21, 400, 8, (const uint64_t[]){USER, 0x6900}, 2);
    end_file();
    struct profile *profile = read_back();
    char *words = describe(profile);
    cr_expect_str_eq(words, "20<0.0/20  : 1 250 0 [kernel](1,0,00)+ffffffff81000010"
                            " [kernel](1,0,00)+ffffffff8100001f /bin/a(1,0,00)+2010"
                            " /bin/a(1,0,00)+201f\n"
                            "21<20.0/21  : 1 250 0 /bin/a(1,0,00)+2030\n"
                            "21<20.0/21  : 1 250 0 /bin/a(1,0,00)+27ff\n"
                            "21<20.0/21  : 1 250 0 /bin/b(1,0,00)+2010\n"
                            "21<20.0/21  : 1 250 0 [unknown](4,0,00)+6900\n");
    cr_expect_eq(profile->totals.elapsed_ns, 200);
    free(words);
    profile_free(profile);
}

/* --- what is refused ------------------------------------------------------------------- */

static int error_of(const void *bytes, size_t size)
{
    struct profile *profile;

    put_file(in_directory("perf.data"), bytes, size);
    int error = format_read_file(in_directory("perf.data"), &profile);
    if (error == 0)
        profile_free(profile);
    return error;
}

Test(perf_data_others, what_is_not_read_is_told_apart)
{
    const unsigned char pipe[16] = "PERFILE2\x10";
    const unsigned char other[16] = "2ELIFREP\0\0\0\0\0\0\0\x68";

    cr_expect_eq(error_of(pipe, sizeof pipe), PPROFIL_ERROR_PIPED);
    cr_expect_eq(error_of(other, sizeof other), PPROFIL_ERROR_BYTE_ORDER);
    begin_file();
    put_head(81, 0, 16);
    put(0, 8);
    end_file();
    cr_expect_eq(error_of(made, made_size), PPROFIL_ERROR_COMPRESSED);
    begin_file();
    put_head(9, 2, 8); /* a sample without fields */
    end_file();
    cr_expect_eq(error_of(made, made_size), PPROFIL_ERROR_DAMAGED);
    begin_file();
    put_head(10, 2, 4096); /* a record that ends beyond the end of the file */
    end_file();
    cr_expect_eq(error_of(made, made_size), PPROFIL_ERROR_DAMAGED);
    begin_file();
    put_file(in_directory("perf.data"), made, made_size); /* as a killed perf leaves the file */
    cr_expect_eq(error_of(made, made_size), PPROFIL_ERROR_DAMAGED);
}

Test(perf_data_others, forks_multiply_mappings_within_bounds)
{
    size_t size = 32u << 20, at = 280;
    unsigned char *bytes = calloc(1, size);

    begin_file();
    memcpy(bytes, made, made_size);
    for (uint32_t i = 0; at + 128 < size; i++) {
        made_size = 0;
        memset(made, 0, 128);
        if (i < 100000)
            put_map(5, 0x100000 + UINT64_C(0x2000) * i, 0, "/x");
        else
            put_fork(6 + i, 5, 0);
        memcpy(bytes + at, made, made_size);
        at += made_size;
    }
    uint64_t data = at - 280;
    memcpy(bytes + 48, &data, 8);
    cr_expect_eq(error_of(bytes, at), PPROFIL_ERROR_DAMAGED);
    free(bytes);
}

Test(perf_data_others, damage_is_refused_and_never_more)
{
    struct profile *profile = make_profile(false);
    size_t size;
    uint32_t random = 12345;

    cr_assert_eq(format_write_file(format_by_name("perf.data"), in_directory("perf.data"), profile), 0);
    unsigned char *bytes = get_file(&size);
    for (size_t cut = 0; cut < size; cut += cut < 600 ? 1 : 97)
        cr_assert_neq(error_of(bytes, cut), 0, "cut at %zu", cut);
    for (int i = 0; i < 2000; i++) {
        unsigned char *damaged = malloc(size);
        memcpy(damaged, bytes, size);
        for (int j = 0; j < 1 + i % 4; j++) {
            random = random * 1664525 + 1013904223;
            damaged[(random >> 8) % (i % 2 == 0 ? size : 400)] = (unsigned char)(random >> 3);
        }
        error_of(damaged, size);
        free(damaged);
    }
    free(bytes);
    profile_free(profile);
}

/* --- JSON ---------------------------------------------------------------------------- */

static json_t *load_json(const char *format, const struct profile *profile)
{
    json_error_t error;

    cr_assert_eq(format_write_file(format_by_name(format), in_directory("perf.data"), profile), 0);
    json_t *root = json_load_file(in_directory("perf.data"), 0, &error);
    cr_assert_not_null(root, "%s at %d", error.text, error.line);
    return root;
}

static void name_location(struct profile *profile, uint32_t location, uint32_t lines)
{
    struct profile_line line[2] = {{.line = 3}, {.line = 4}};
    struct profile_function function = {0};

    profile_string(profile, "inner \"<\\\x01\xff>", &function.name);
    profile_function(profile, &function, &line[0].function);
    profile_string(profile, "outer", &function.name);
    profile_function(profile, &function, &line[1].function);
    profile_set_lines(profile, location, line, lines, PROFILE_LOOKED_NAME);
}

Test(perf_data_others, firefox_tables_add_up)
{
    struct profile *profile = make_profile(false);
    double weight = 0;
    size_t rows = 0;

    name_location(profile, 1, 2);
    json_t *root = load_json("firefox", profile), *thread;
    size_t i;
    json_array_foreach(json_object_get(root, "threads"), i, thread)
    {
        static const char *const tables[] = {"samples", "stackTable", "frameTable", "funcTable", "resourceTable"};
        for (size_t t = 0; t < 5; t++) {
            json_t *table = json_object_get(thread, tables[t]), *column;
            const char *name;
            json_int_t length = json_integer_value(json_object_get(table, "length"));
            json_object_foreach(table, name, column) if (json_is_array(column))
                cr_expect_eq(json_array_size(column), (size_t)length, "%s.%s", tables[t], name);
        }
        json_t *samples = json_object_get(thread, "samples");
        json_t *stacks = json_object_get(thread, "stackTable");
        json_t *prefixes = json_object_get(stacks, "prefix"), *value;
        size_t j;
        json_array_foreach(json_object_get(samples, "weight"), j, value) weight += json_number_value(value);
        rows += j;
        json_array_foreach(prefixes, j, value) cr_expect(json_is_null(value) || (size_t)json_integer_value(value) < j);
        json_array_foreach(json_object_get(samples, "stack"), j, value)
            cr_expect_lt((size_t)json_integer_value(value), json_array_size(prefixes));
    }
    cr_expect_float_eq(weight * 1e6, (double)profile->totals.cpu_ns, 0.5);
    cr_expect_eq(rows, profile->totals.samples);
    json_decref(root);
    profile_free(profile);
}

Test(perf_data_others, chrome_frames_are_a_tree)
{
    struct profile *profile = make_profile(false);
    json_int_t weight = 0;
    json_t *value;
    const char *id;
    size_t i;

    name_location(profile, 1, 2);
    json_t *root = load_json("chrome-trace", profile);
    json_t *frames = json_object_get(root, "stackFrames"),
           *samples = json_object_get(root, "samples");
    json_object_foreach(frames, id, value)
    {
        json_t *parent = json_object_get(value, "parent");
        cr_expect(parent == NULL || json_object_get(frames, json_string_value(parent)) != NULL);
    }
    json_array_foreach(samples, i, value)
    {
        weight += json_integer_value(json_object_get(value, "weight"));
        cr_expect_not_null(json_object_get(frames, json_string_value(json_object_get(value, "sf"))));
    }
    cr_expect_eq((uint64_t)weight, profile->totals.cpu_ns);
    cr_expect_eq(i, profile->totals.samples);
    json_decref(root);
    profile_free(profile);
}
