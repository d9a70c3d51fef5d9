/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format-picture-fixture.h"
#include "format/format.h"
#include "format/web/web.h"

/* --- columns --------------------------------------------------------------------------------- */

static void expect_column(const uint64_t *numbers, unsigned count, const char *expected)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct column column = column_begin(out, "", "k");

    for (unsigned i = 0; i < count; i++)
        column_put(&column, numbers[i]);
    column_end(&column);
    fclose(out);
    cr_expect_str_eq(text, expected);
    free(text);
}

Test(web, columns_are_base64_of_leb128)
{
    expect_column(NULL, 0, "\"k\":\"\"");
    expect_column((const uint64_t[]){0}, 1, "\"k\":\"AA==\"");
    expect_column((const uint64_t[]){0, 127}, 2, "\"k\":\"AH8=\"");
    expect_column((const uint64_t[]){128, 1}, 2, "\"k\":\"gAEB\"");
    expect_column((const uint64_t[]){UINT64_MAX}, 1, "\"k\":\"////////////AQ==\"");
}

Test(web, signs_alternate)
{
    const int64_t numbers[] = {0, -1, 1, -2, INT64_MIN};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct column column = column_begin(out, "", "k");

    for (unsigned i = 0; i < 5; i++)
        column_put_signed(&column, numbers[i]);
    column_end(&column);
    fclose(out);
    cr_expect_str_eq(text, "\"k\":\"AAECA////////////wE=\"");
    free(text);
}

/* --- pages ----------------------------------------------------------------------------------- */

/* Writes a page, and returns its data. */
static json_t *data_of(const struct profile *profile, const struct format_options *options)
{
    static const char begin[] = "<script type=\"application/json\" id=\"data\">";
    char path[] = "/tmp/pprofil-web-XXXXXX";
    int fd = mkstemp(path);
    static char text[32 << 20];
    json_error_t error;

    cr_assert_eq(format_web.write_with(fd, profile, options), 0);
    ssize_t size = pread(fd, text, sizeof text - 1, 0);
    cr_assert_gt(size, 0);
    cr_assert_lt(size, (ssize_t)sizeof text - 1);
    text[size] = '\0';
    char *data = strstr(text, begin), *end = strstr(data, "</script>");
    *end = '\0';
    json_t *all = json_loads(data + sizeof begin - 1, 0, &error);
    cr_assert_not_null(all, "%s", error.text);
    close(fd);
    unlink(path);
    return all;
}

static const char *text_of(const json_t *data, const char *table, const char *key)
{
    return json_string_value(json_object_get(json_object_get(data, table), key));
}

static void count(struct profile *profile, uint32_t thread, uint32_t node, uint64_t ns)
{
    const struct profile_sample sample = {.thread = thread, .node = node, .count = 1, .cpu_ns = ns};

    cr_assert_eq(profile_count(profile, &sample), 0);
}

/* Adds a location of a function at a line of a file. */
static uint32_t line_in(struct profile *profile, const char *name, const char *file, uint32_t line)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .path = string_in(profile, "/bin/p"), .fd = -1};
    struct profile_function function = {.name = string_in(profile, name)};
    struct profile_line place = {.file = string_in(profile, file), .line = line};
    uint32_t index, location;

    cr_assert_eq(profile_object(profile, &object, &index), 0);
    function.object = index + 1;
    cr_assert_eq(profile_function(profile, &function, &place.function), 0);
    cr_assert_eq(profile_location(profile, index, ((uint64_t)string_in(profile, file) << 32) + line, &location), 0);
    cr_assert_eq(profile_set_lines(profile, location, &place, 1, PROFILE_LOOKED_LINE), 0);
    return location;
}

Test(web, lines_of_a_function_are_nodes_and_names_are_shared)
{
    const struct format_options options = {0};
    struct profile *profile = profile_new();
    uint32_t thread = process_of(profile, 1, "p");

    count(profile, thread, STACK(profile, line_in(profile, "f", "/no/x.c", 3)), 5);
    count(profile, thread, STACK(profile, line_in(profile, "f", "/no/x.c", 4)), 6);
    json_t *data = data_of(profile, &options);
    cr_expect_eq(json_array_size(json_object_get(data, "names")), 2); /* the root, and f */
    cr_expect_str_eq(text_of(data, "places", "line"), "AwQ=");
    cr_expect_str_eq(text_of(data, "nodes", "name"), "AQE=");
    cr_expect_str_eq(text_of(data, "nodes", "parent"), "AQI="); /* both are called by the root */
    cr_expect_str_eq(text_of(data, "nodes", "place"), "AQI=");
    cr_expect_str_eq(text_of(data, "samples", "value"), "BQY=");
    cr_expect(json_is_null(json_object_get(data, "history")));
    cr_expect_eq(json_array_size(json_object_get(data, "source")), 0);
    json_decref(data);
    profile_free(profile);
}

Test(web, samples_that_do_not_count_are_left_out_of_the_history_too)
{
    const struct format_options options = {0};
    struct profile *profile = profile_new();
    uint32_t thread = process_of(profile, 1, "p"), node = STACK(profile, place(profile, "/bin/p", "f"));
    struct profile_sample sample = {.thread = thread, .node = node, .count = 1, .state = PROFILE_ASLEEP, .wall_ns = 9};

    cr_assert_eq(profile_count_at(profile, &sample, 1000), 0);
    sample = (struct profile_sample){.thread = thread, .node = node, .count = 1, .cpu_ns = 7};
    cr_assert_eq(profile_count_at(profile, &sample, 1000 + 3 * HISTORY_SLOT_NS), 0);
    profile->totals.wall = false; /* wall mode was on for a part of the run */
    json_t *data = data_of(profile, &options);
    cr_expect_str_eq(text_of(data, "samples", "value"), "Bw==");
    cr_expect_str_eq(text_of(data, "history", "sample"), "AA==");
    cr_expect_str_eq(text_of(data, "history", "first"), "Bg=="); /* 3, written as 6 */
    json_decref(data);
    profile_free(profile);
}

Test(web, an_empty_profile_is_a_page)
{
    const struct format_options options = {0};
    struct profile *profile = profile_new();
    json_t *data = data_of(profile, &options);

    cr_expect_eq(json_array_size(json_object_get(data, "names")), 1);
    json_decref(data);
    profile_free(profile);
}

/* --- source ---------------------------------------------------------------------------------- */

/* Writes a file of `lines` lines, each of `width` bytes. */
static void write_lines(const char *path, unsigned lines, int width)
{
    FILE *out = fopen(path, "w");

    for (unsigned i = 1; i <= lines; i++)
        fprintf(out, "%-*u\n", width, i);
    fclose(out);
}

Test(web, source_is_the_lines_around_samples)
{
    const struct format_options options = {0}, bare = {.no_source = true};
    char path[] = "/tmp/pprofil-source-XXXXXX";
    struct profile *profile = profile_new();
    uint32_t thread = process_of(profile, 1, "p");

    close(mkstemp(path));
    write_lines(path, 1000, 1);
    /* lines 20 and 60 are near each other, line 500 is not */
    for (unsigned i = 0; i < 3; i++)
        count(profile, thread, STACK(profile, line_in(profile, "f", path, (const uint32_t[]){20, 60, 500}[i])), 1);
    json_t *data = data_of(profile, &options), *file = json_array_get(json_object_get(data, "source"), 0);
    cr_assert_eq(json_array_size(file), 6);
    cr_expect_eq(json_integer_value(json_array_get(file, 2)), 12);
    cr_expect_eq(strncmp(json_string_value(json_array_get(file, 3)), "12\n13\n", 6), 0);
    cr_expect_str_eq(strrchr(json_string_value(json_array_get(file, 3)), '\n'), "\n68");
    cr_expect_eq(json_integer_value(json_array_get(file, 4)), 492);
    cr_expect_str_eq(strrchr(json_string_value(json_array_get(file, 5)), '\n'), "\n508");
    json_decref(data);
    data = data_of(profile, &bare);
    cr_expect_eq(json_array_size(json_object_get(data, "source")), 0);
    cr_expect(json_is_false(json_object_get(data, "withSource")));
    json_decref(data);
    unlink(path);
    profile_free(profile);
}

/* The source of the coldest functions is left out when the page is full. */
Test(web, source_has_a_limit)
{
    const struct format_options options = {0};
    const unsigned functions = 150, width = 999;
    char path[] = "/tmp/pprofil-source-XXXXXX", name[16];
    struct profile *profile = profile_new();
    uint32_t thread = process_of(profile, 1, "p");

    close(mkstemp(path));
    write_lines(path, functions * 100, (int)width);
    for (unsigned i = 0; i < functions; i++) {
        snprintf(name, sizeof name, "f%u", i);
        count(profile, thread, STACK(profile, line_in(profile, name, path, 50 + 100 * i)), functions - i);
    }
    json_t *data = data_of(profile, &options), *file = json_array_get(json_object_get(data, "source"), 0);
    const unsigned fit = WEB_SOURCE_SIZE_MAX / (17 * (width + 1));
    cr_expect_eq(json_array_size(file), 2 + 2 * fit);
    cr_expect_eq(json_integer_value(json_object_get(data, "sourceLeftOut")), functions - fit);
    cr_expect_eq(json_integer_value(json_array_get(file, 2)), 42); /* the hottest is there */
    json_decref(data);
    unlink(path);
    profile_free(profile);
}

Test(web, the_name_says_the_format)
{
    cr_expect_eq(format_by_path("a.web.html"), &format_web);
    cr_expect_eq(format_by_path("a.html"), &format_flame_html);
}

Test(web, a_full_disk_is_an_error)
{
    struct profile *profile = profile_new();

    cr_expect_eq(format_write_file(&format_web, "/dev/full", profile), -ENOSPC);
    profile_free(profile);
}
