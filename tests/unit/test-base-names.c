/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/edit-distance.h"
#include "base/name-pattern.h"

/* --- edit distance ------------------------------------------------------------------------- */

static uint32_t distance_of(const char *a, const char *b)
{
    uint32_t distance = edit_distance(a, strlen(a), b, strlen(b));

    cr_assert_eq(edit_distance(b, strlen(b), a, strlen(a)), distance, "%s, %s", a, b);
    return distance;
}

Test(edit_distance, each_kind_of_error_counts_one)
{
    cr_assert_eq(distance_of("report", "report"), 0);
    cr_assert_eq(distance_of("report", "repot"), 1);
    cr_assert_eq(distance_of("report", "reoprt"), 1);
    cr_assert_eq(distance_of("report", "repert"), 1);
    cr_assert_eq(distance_of("", "top"), 3);
    cr_assert_eq(distance_of("", ""), 0);
    cr_assert_eq(distance_of("ca", "abc"), 3, "no place is edited twice");
    cr_assert_eq(distance_of("kitten", "sitting"), 3);
}

Test(edit_distance, the_longest_words)
{
    char a[EDIT_DISTANCE_SIZE_MAX + 1], b[EDIT_DISTANCE_SIZE_MAX + 1];

    memset(a, 'a', sizeof a);
    memset(b, 'b', sizeof b);
    cr_assert_eq(edit_distance(a, EDIT_DISTANCE_SIZE_MAX, b, EDIT_DISTANCE_SIZE_MAX), EDIT_DISTANCE_SIZE_MAX);
}

Test(edit_distance, what_is_near)
{
    cr_assert(edit_distance_is_near(1, 2));
    cr_assert(!edit_distance_is_near(1, 1));
    cr_assert(edit_distance_is_near(2, 5));
    cr_assert(!edit_distance_is_near(3, 5));
}

/* --- patterns of names ------------------------------------------------------------------- */

static const struct name_pattern_values pattern_values = {
    .pid = 1234, .program = "prog", .host = "host", .time = 1795880700, .number = 7};

static const char *expanded(const char *pattern, const struct name_pattern_values *values)
{
    static char path[256];

    cr_assert_eq(name_pattern_expand(pattern, values, path, sizeof path), 0, "%s", pattern);
    return path;
}

Test(name_pattern, each_letter)
{
    setenv("TZ", "UTC-1", 1);
    tzset();
    cr_assert_str_eq(expanded("plain.pb.gz", &pattern_values), "plain.pb.gz");
    cr_assert_str_eq(expanded("%p", &pattern_values), "1234");
    cr_assert_str_eq(expanded("d/%e-%h.%n.json", &pattern_values), "d/prog-host.7.json");
    cr_assert_str_eq(expanded("%t", &pattern_values), "20261128-164500");
    cr_assert_str_eq(expanded("100%%p%%", &pattern_values), "100%p%");
    cr_assert_str_eq(expanded("", &pattern_values), "");
}

Test(name_pattern, wrong_letters_are_found)
{
    const char *cut = "x%", *unknown = "%p%%%x";
    char path[16];

    cr_assert_null(name_pattern_find_wrong("%p%e%h%t%n%%"));
    cr_assert_eq(name_pattern_find_wrong(cut), cut + 1);
    cr_assert_eq(name_pattern_find_wrong(unknown), unknown + 4);
    cr_assert_eq(name_pattern_expand(cut, &pattern_values, path, sizeof path), -EINVAL);
    cr_assert(name_pattern_has("%%n%n", 'n'));
    cr_assert(!name_pattern_has("%%n", 'n'));
    cr_assert(!name_pattern_has("n", 'n'));
}

Test(name_pattern, names_cannot_lead_elsewhere)
{
    static const struct {
        const char *name, *part;
    } names[] = {{"../../etc/x", "_._.._etc_x"},
                 {"..", "_."},
                 {".", "_"},
                 {"", "_"},
                 {"-", "_"},
                 {"-rf", "_rf"},
                 {"a/b", "a_b"},
                 {"a\nb\033c", "a_b_c"},
                 {"%p", "%p"},
                 {"\xff", "_"},
                 {"\u202egpj", "_gpj"},
                 {"\u00e4", "\u00e4"}};
    struct name_pattern_values values = pattern_values;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        values.program = values.host = names[i].name;
        cr_assert_str_eq(expanded("%e", &values), names[i].part, "%s", names[i].name);
        cr_assert_str_eq(expanded("%h", &values), names[i].part, "%s", names[i].name);
    }
}

Test(name_pattern, a_path_that_is_too_long)
{
    char path[6];

    cr_assert_eq(name_pattern_expand("%e.", &pattern_values, path, sizeof path), 0);
    cr_assert_str_eq(path, "prog.");
    cr_assert_eq(name_pattern_expand("%e..", &pattern_values, path, sizeof path), -ENAMETOOLONG);
    cr_assert_eq(name_pattern_expand("%p%p", &pattern_values, path, sizeof path), -ENAMETOOLONG);
}
