/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build-events.h"
#include "format/format.h"
#include "format/picture/picture.h"

/* --- words ------------------------------------------------------------------------------- */

static void expect_clean(const char *text, const char *expected)
{
    char *clean = picture_clean(text);
    cr_assert_str_eq(clean, expected);
    free(clean);
}

Test(picture, names_become_harmless)
{
    expect_clean("plain", "plain");
    expect_clean("\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x94\xa5", "\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x94\xa5");
    expect_clean("a\nb\x01\x1b[31m", "a\xe2\x90\x8a"
                                     "b\xe2\x90\x81\xe2\x90\x9b[31m");
    expect_clean("\x7f", "\xef\xbf\xbd");
    expect_clean("x\xe2\x80\xaey\xd8\x9c", "x\xef\xbf\xbdy\xef\xbf\xbd"); /* marks of direction */
    expect_clean("\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd");                 /* not UTF-8 */
    expect_clean("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");                 /* overlong */
    expect_clean("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
    expect_clean("\xef\xbf\xbf", "\xef\xbf\xbd");                         /* the noncharacter U+FFFF */
    expect_clean("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");

    char *long_one = malloc(100001);
    memset(long_one, 'x', 100000);
    long_one[100000] = '\0';
    char *clean = picture_clean(long_one);
    cr_assert_eq(strlen(clean), 503);
    cr_assert_str_eq(clean + 500, "\xe2\x80\xa6");
    free(clean);
    free(long_one);
}

static void expect_clipped(const char *text, unsigned columns, const char *expected)
{
    char *written;
    size_t size;
    FILE *out = open_memstream(&written, &size);

    picture_escape_clipped(out, text, columns);
    fclose(out);
    cr_assert_str_eq(written, expected);
    free(written);
}

Test(picture, names_are_clipped_before_they_are_escaped)
{
    expect_clipped("main", 4, "main");
    expect_clipped("mains", 4, "mai\xe2\x80\xa6");
    expect_clipped("main", 2, "");
    expect_clipped("<&>\"'", 5, "&lt;&amp;&gt;&quot;&#39;");
    expect_clipped("a<b>c", 4, "a&lt;b\xe2\x80\xa6");
    expect_clipped("\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 5, /* wide characters */
                   "\xe6\xbc\xa2\xe6\xbc\xa2\xe2\x80\xa6");
}

Test(picture, strings_end_no_script)
{
    char *written;
    size_t size;
    FILE *out = open_memstream(&written, &size);

    cr_assert_eq(picture_json(out, "</script><!--\"\\&"), 0);
    fclose(out);
    cr_assert_str_eq(written, "\"\\u003c/script\\u003e\\u003c!--\\\"\\\\\\u0026\"");
    free(written);
}

static void expect_value(bool timed, uint64_t value, const char *expected)
{
    struct picture_tree tree = {.timed = timed};
    char words[PICTURE_FIGURE_SIZE];

    picture_format_value(&tree, value, words);
    cr_assert_str_eq(words, expected);
}

Test(picture, values_have_three_digits)
{
    expect_value(true, 0, "0 ns");
    expect_value(true, 999, "999 ns");
    expect_value(true, 1234567, "1.23 ms");
    expect_value(true, 12345678, "12.3 ms");
    expect_value(true, 1999999999, "2.00 s");
    expect_value(true, 99960000000, "100.0 s");
    expect_value(true, UINT64_C(1234567890000), "1,235 s");
    expect_value(true, UINT64_MAX, "18,446,744,074 s");
    expect_value(false, 1, "1 sample");
    expect_value(false, 1234567, "1,234,567 samples");
}

Test(picture, colours_are_of_names_and_light)
{
    struct picture_name name = {.text = "main", .object = "prog", .kind = PICTURE_PROGRAM};
    struct picture_colour first = picture_colour_of(&name), again = picture_colour_of(&name);

    cr_assert_eq(memcmp(&first, &again, sizeof first), 0);
    for (unsigned kind = 0; kind < PICTURE_KINDS; kind++)
        for (unsigned i = 0; i < 500; i++) {
            char text[16];
            snprintf(text, sizeof text, "name%u", i);
            name = (struct picture_name){.text = text, .object = text, .kind = (enum picture_kind)kind};
            struct picture_colour colour = picture_colour_of(&name);
            /* on colours with a luma of at least 110, black text has a contrast of at least 4.5 */
            cr_assert_gt(0.299 * colour.red + 0.587 * colour.green + 0.114 * colour.blue, 130);
        }
}

/* --- the time line ----------------------------------------------------------------------- */

#define MS UINT64_C(1000000)

Test(timeline, time_is_shared_out_to_slots)
{
    struct profile_timeline line = {0};

    cr_assert_eq(timeline_add(&line, 1000 * MS, 10 * MS), 0); /* from 990 to 1000 ms */
    cr_assert_eq(line.start, 990 * MS);
    cr_assert_eq(timeline_add(&line, 1055 * MS, 50 * MS), 0); /* from 1005 to 1055 ms */
    cr_assert_eq(line.count, 4);
    cr_assert_eq(line.cpu_ns[0], 15 * MS);
    cr_assert_eq(line.cpu_ns[1], 20 * MS);
    cr_assert_eq(line.cpu_ns[2], 20 * MS);
    cr_assert_eq(line.cpu_ns[3], 5 * MS);
    cr_assert_eq(timeline_add(&line, 980 * MS, 30 * MS), 0); /* begins before the time line, so it goes to slot 0 */
    cr_assert_eq(line.cpu_ns[0], 45 * MS);
    cr_assert_eq(timeline_add(&line, 5000 * MS, 0), 0); /* no time */
    cr_assert_eq(line.count, 4);
    timeline_clear(&line);
    cr_assert_eq(line.count, 0);
}

Test(timeline, long_runs_have_longer_slots)
{
    struct profile_timeline line = {0};
    uint64_t sum = 0, slots = 0;

    for (uint64_t second = 1; second <= 3 * 3600; second++)
        cr_assert_eq(timeline_add(&line, second * 1000 * MS, 7 * MS), 0);
    cr_assert_eq(line.slot_ns, 640 * MS); /* the first of 20, 40, 80, ... ms that is long enough */
    for (uint32_t i = 0; i < line.count; i++) {
        sum += line.cpu_ns[i];
        slots += line.cpu_ns[i] > 0;
    }
    cr_assert_eq(sum, 3 * 3600 * 7 * MS);
    cr_assert_leq(line.count, TIMELINE_SLOTS);
    cr_assert_geq(slots, 3 * 3600);
    cr_assert_eq(timeline_add(&line, UINT64_MAX, UINT64_MAX), 0); /* an impossible time costs no memory */
    cr_assert_leq(line.count, TIMELINE_SLOTS);
    timeline_clear(&line);
}

Test(timeline, what_does_not_fit_is_refused)
{
    struct profile_timeline line = {0};

    cr_assert_eq(timeline_restore(&line, 5, 0, 0, 1), -EINVAL);
    cr_assert_eq(timeline_restore(&line, 5, 30 * MS, 0, 1), -EINVAL);
    cr_assert_eq(timeline_restore(&line, 5, 60 * MS, 0, 1), -EINVAL);
    cr_assert_eq(timeline_restore(&line, 5, 20 * MS, TIMELINE_SLOTS, 1), -EINVAL);
    cr_assert_eq(line.count, 0);
    cr_assert_eq(timeline_restore(&line, 5, 40 * MS, 3, 1), 0);
    cr_assert_eq(timeline_restore(&line, 6, 40 * MS, 3, 1), -EINVAL);
    cr_assert_eq(timeline_restore(&line, 5, 20 * MS, 3, 1), -EINVAL);
    cr_assert_eq(line.cpu_ns[3], 1);
    timeline_clear(&line);
}

/* pprof files have the time line in comments. A gap of 16 empty slots ends a comment, so this time line has gaps of
 * lengths around 16. */
Test(timeline, it_is_saved_with_the_profile)
{
    char path[] = "/tmp/pprofil-test-XXXXXX";
    struct profile *profile = profile_new(), *again;
    uint64_t time = 123456789;

    close(mkstemp(path));
    feed_fork(profile, 7, 0);
    for (uint32_t i = 0; i < 40; i++)
        for (uint32_t repeat = 0; repeat < 8; repeat++) {
            struct wire_sample event = {.header = {WIRE_SAMPLE, sizeof event},
                                        .pid = 7,
                                        .tid = 7,
                                        .time = time += 20 * MS * i,
                                        .cpu_ns = i * 1000,
                                        .syscall = WIRE_NO_SYSCALL};
            feed(profile, &event.header);
        }
    cr_assert_gt(profile->timeline.count, 6000);
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    cr_assert_eq(format_read_file(path, &again), 0);
    cr_assert_eq(again->timeline.start, profile->timeline.start);
    cr_assert_eq(again->timeline.slot_ns, profile->timeline.slot_ns);
    cr_assert_eq(again->timeline.count, profile->timeline.count);
    for (uint32_t i = 0; i < profile->timeline.count; i++)
        cr_assert_eq(again->timeline.cpu_ns[i] / 1000, profile->timeline.cpu_ns[i] / 1000);
    profile_clear(again);
    cr_assert_eq(again->timeline.count, 0);
    unlink(path);
    profile_free(profile);
    profile_free(again);
}

/* --- files ------------------------------------------------------------------------------- */

Test(picture, formats_go_by_words_of_the_name)
{
    cr_assert_eq(format_by_path("flame.svg"), &format_flame_svg);
    cr_assert_eq(format_by_path("heat.svg"), &format_heat_svg);
    cr_assert_eq(format_by_path("/tmp/run-heat.svg"), &format_heat_svg);
    cr_assert_eq(format_by_path("wheat.svg"), &format_flame_svg);
    cr_assert_eq(format_by_path("job.ranks.svg"), &format_rank_heat_svg);
    cr_assert_eq(format_by_path("a.icicle.svg"), &format_icicle_svg);
    cr_assert_eq(format_by_path("a.html"), &format_flame_html);
}

Test(picture, a_full_disk_is_an_error_and_so_is_nothing_to_draw)
{
    struct profile *profile = profile_new();

    cr_assert_eq(format_write_file(&format_flame_svg, "/dev/full", profile), -ENOSPC);
    cr_assert_eq(format_write_file(&format_flame_html, "/dev/full", profile), -ENOSPC);
    cr_assert_eq(format_write_file(&format_heat_svg, "/dev/null", profile), PPROFIL_ERROR_NO_SAMPLES);
    cr_assert_eq(format_write_file(&format_rank_heat_svg, "/dev/null", profile), PPROFIL_ERROR_NO_RANKS);
    struct format_options options = {.baseline = profile};
    cr_assert_eq(format_write_file_as(&format_pprof, "/dev/null", profile, &options), PPROFIL_ERROR_NO_COMPARISON);
    cr_assert_eq(format_write_file_as(&format_icicle_svg, "/dev/null", profile, &options), 0);
    profile_free(profile);
}
