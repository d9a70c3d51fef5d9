/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trees that pictures are drawn from, the words on them, and the time line. What a browser
 * makes of the files is tested in tests/e2e/pictures.sh.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build-events.h"
#include "format/format.h"
#include "picture/picture.h"

/* --- profiles made by hand ------------------------------------------------------------- */

static uint32_t string_in(struct profile *profile, const char *text)
{
    uint32_t index;

    cr_assert_eq(profile_string(profile, text, &index), 0);
    return index;
}

/* A location; names: its functions, the innermost first, with a space between. */
static uint32_t place(struct profile *profile, const char *path, const char *names)
{
    struct profile_object object = {
        .kind = PROFILE_OBJECT_FILE, .path = string_in(profile, path), .fd = -1};
    struct profile_line lines[8] = {{0}};
    uint32_t index, location, count = 0;
    char copy[256], *rest = copy;

    strcpy(copy, names);
    cr_assert_eq(profile_object(profile, &object, &index), 0);
    cr_assert_eq(profile_location(profile, index, string_in(profile, names), &location), 0);
    for (char *name; (name = strsep(&rest, " ")) != NULL; count++) {
        struct profile_function function = {.name = string_in(profile, name), .object = index + 1};
        cr_assert_eq(profile_function(profile, &function, &lines[count].function), 0);
    }
    cr_assert_eq(profile_set_lines(profile, location, lines, count, PROFILE_LOOKED_NAME), 0);
    return location;
}

static uint32_t process_of(struct profile *profile, uint32_t pid, const char *comm)
{
    struct profile_process process = {.pid = pid, .comm = string_in(profile, comm)};
    struct profile_thread thread = {.tid = pid};
    uint32_t index;

    cr_assert_eq(profile_add_process(profile, &process, &thread.process), 0);
    cr_assert_eq(profile_add_thread(profile, &thread, &index), 0);
    return index;
}

/* frames: locations, outermost first, ended by 0. */
static uint32_t stack(struct profile *profile, const uint32_t *frames)
{
    uint32_t node = PROFILE_NONE;

    for (; *frames != 0; frames++)
        cr_assert_eq(profile_node(profile, node, *frames, &node), 0);
    return node;
}
#define STACK(profile, ...) stack(profile, (const uint32_t[]){__VA_ARGS__, 0})

static void count(struct profile *profile, uint32_t thread, uint32_t node, uint64_t samples)
{
    struct profile_sample sample = {
        .thread = thread, .node = node, .count = samples, .cpu_ns = samples * 1000000};

    cr_assert_eq(profile_count(profile, &sample), 0);
}

/* "main 7/1 (work 6/6 ()), ..." in milliseconds: total, self; with a baseline the old total. */
static char *describe(const struct picture_tree *tree)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    uint32_t depth = 0;

    for (uint32_t i = 0; i < tree->frame_count; i++) {
        const struct picture_frame *frame = &tree->frames[i];
        for (; i > 0 && depth >= frame->depth; depth--)
            putc(')', out);
        depth = frame->depth;
        fprintf(out, " (%s %llu/%llu", tree->names[frame->name].text,
                (unsigned long long)frame->total.value / 1000000,
                (unsigned long long)frame->self.value / 1000000);
        if (tree->compares)
            fprintf(out, " was %llu", (unsigned long long)frame->old_total.value / 1000000);
    }
    fclose(out);
    return text;
}

static int make_tree(const struct profile *profile, const struct profile *baseline, uint32_t most,
                     double share, bool keep_old, struct picture_tree *tree)
{
    struct picture_limits limits = {
        .most = most, .share = share, .rows = UINT32_MAX, .keep_old = keep_old};

    return picture_tree_make(profile, baseline, &limits, tree);
}

static void expect_tree(const struct profile *profile, const struct profile *baseline,
                        const char *expected)
{
    struct picture_tree tree;

    cr_assert_eq(make_tree(profile, baseline, 1000, 0, true, &tree), 0);
    char *text = describe(&tree);
    cr_assert_str_eq(text, expected);
    free(text);
    picture_tree_clear(&tree);
}

/* --- trees ------------------------------------------------------------------------------- */

Test(picture, stacks_share_their_callers)
{
    struct profile *profile = profile_new();
    uint32_t thread = process_of(profile, 7, "prog");
    uint32_t main = place(profile, "/bin/prog", "main"), a = place(profile, "/bin/prog", "a");
    uint32_t z = place(profile, "/lib/libz.so.1", "z");

    count(profile, thread, STACK(profile, main, z, a), 3);
    count(profile, thread, STACK(profile, main, a), 2);
    count(profile, thread, STACK(profile, main), 1);
    count(profile, thread, STACK(profile, main, a, a), 4);
    expect_tree(profile, NULL, " (all 10/0 (main 10/1 (a 6/2 (a 4/4)) (z 3/0 (a 3/3");
    profile_free(profile);
}

Test(picture, inlined_functions_are_frames)
{
    struct profile *profile = profile_new();
    uint32_t thread = process_of(profile, 7, "prog");
    uint32_t main = place(profile, "/bin/prog", "main");
    uint32_t inlined = place(profile, "/bin/prog", "inner middle outer");

    count(profile, thread, STACK(profile, main, inlined), 5);
    expect_tree(profile, NULL, " (all 5/0 (main 5/0 (outer 5/0 (middle 5/0 (inner 5/5");
    profile_free(profile);
}

Test(picture, programs_are_frames_where_there_are_several)
{
    struct profile *profile = profile_new();
    uint32_t make = process_of(profile, 7, "make"), cc = process_of(profile, 8, "cc1");
    uint32_t other = process_of(profile, 9, "cc1"), main = place(profile, "/bin/x", "main");

    count(profile, cc, STACK(profile, main), 1);
    count(profile, make, STACK(profile, main), 2);
    count(profile, other, STACK(profile, main), 4);
    expect_tree(profile, NULL, " (all 7/0 (cc1 5/0 (main 5/5)) (make 2/0 (main 2/2");
    profile_free(profile);
}

Test(picture, calls_marks_and_what_has_no_name)
{
    struct profile *profile = profile_new();
    uint32_t thread = process_of(profile, 7, "prog"), mark, nameless, call, read;
    uint32_t main = place(profile, "/bin/prog", "main");
    struct picture_tree tree;

    cr_assert_eq(profile_mark(profile, "[truncated]", &mark), 0);
    cr_assert_eq(profile_location(profile, 0, 0x42, &nameless), 0);
    cr_assert_eq(profile_syscall(profile, "read", 0, 0, &call), 0);
    read = STACK(profile, mark, main);
    struct profile_sample sample = {
        .thread = thread, .node = read, .syscall = call, .count = 2, .cpu_ns = 2000000};
    cr_assert_eq(profile_count(profile, &sample), 0);
    count(profile, thread, STACK(profile, nameless), 1);
    expect_tree(profile, NULL, " (all 3/0 ([truncated] 2/0 (main 2/0 (read 2/2))) (prog 1/1");

    cr_assert_eq(make_tree(profile, NULL, 1000, 0, true, &tree), 0);
    cr_assert_eq(tree.names[tree.frames[1].name].kind, PICTURE_MARK);
    cr_assert_eq(tree.names[tree.frames[2].name].kind, PICTURE_PROGRAM);
    cr_assert_eq(tree.names[tree.frames[3].name].kind, PICTURE_KERNEL);
    picture_tree_clear(&tree);
    profile_free(profile);
}

Test(picture, sleepers_count_in_wall_mode)
{
    struct profile *profile = profile_new();
    struct profile_sample sample = {.thread = process_of(profile, 7, "prog"),
                                    .state = PROFILE_ASLEEP,
                                    .node = STACK(profile, place(profile, "/bin/p", "main")),
                                    .count = 1,
                                    .wall_ns = 9000000};
    struct picture_tree tree;

    cr_assert_eq(profile_syscall(profile, "poll", 7, 0, &sample.syscall), 0);
    cr_assert_eq(profile_count(profile, &sample), 0);
    expect_tree(profile, NULL, " (all 9/0 (main 9/0 (poll 9/9");
    cr_assert_eq(make_tree(profile, NULL, 1000, 0, true, &tree), 0);
    cr_assert(tree.wall && (tree.kinds & 1u << PICTURE_ASLEEP) != 0);
    picture_tree_clear(&tree);
    profile_free(profile);
}

Test(picture, what_has_changed)
{
    struct profile *old = profile_new(), *new = profile_new();
    struct picture_tree tree;

    for (int i = 0; i < 2; i++) {
        struct profile *profile = i == 0 ? old : new;
        uint32_t thread = process_of(profile, 7, i == 0 ? "before" : "after");
        uint32_t main = place(profile, "/bin/p", "main");
        if (i == 0)
            count(profile, thread, STACK(profile, main, place(profile, "/bin/p", "gone")), 100);
        count(profile, thread, STACK(profile, main, place(profile, "/bin/p", "same")), 5000);
        count(profile, thread, STACK(profile, main, place(profile, "/bin/p", "slow")),
              i == 0 ? 900 : 1900);
    }
    expect_tree(new, old,
                " (all 6900/0 was 6000 (main 6900/0 was 6000 (gone 0/0 was 100)"
                " (same 5000/5000 was 5000) (slow 1900/1900 was 900");
    cr_assert_eq(make_tree(new, old, 1000, 0, false, &tree), 0);
    cr_assert_eq(tree.frame_count, 4); /* what is gone has no width */
    cr_assert(!picture_is_significant(&tree, 0) && !picture_is_significant(&tree, 1));
    cr_assert(picture_is_significant(&tree, 2) && picture_change(&tree, 2) < 0);
    cr_assert(picture_is_significant(&tree, 3) && picture_change(&tree, 3) > 0);
    struct picture_colour more = picture_colour_of_change(&tree, 3, picture_largest_change(&tree));
    struct picture_colour less = picture_colour_of_change(&tree, 2, picture_largest_change(&tree));
    cr_assert(more.red > more.blue && less.blue > less.red);
    picture_tree_clear(&tree);
    profile_free(old);
    profile_free(new);
}

/* Each fifth of 1000 frames is larger than those before: what is dropped is the smallest. */
Test(picture, small_frames_are_dropped_and_counted)
{
    struct profile *profile = profile_new();
    uint32_t thread = process_of(profile, 7, "prog"), main = place(profile, "/bin/p", "main");
    struct picture_tree tree;
    char name[16];

    for (uint32_t i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "f%03u", i);
        count(profile, thread, STACK(profile, main, place(profile, "/bin/p", name)), i / 200 + 1);
    }
    cr_assert_eq(make_tree(profile, NULL, 450, 0, true, &tree), 0);
    cr_assert_eq(tree.frame_count, 450); /* the two callers, 400 larger ones, 48 of equals */
    cr_assert_eq(tree.dropped, 552);
    cr_assert_eq(tree.cut, 3000000);
    picture_tree_clear(&tree);
    cr_assert_eq(make_tree(profile, NULL, 5000, 4.5 / 3000, true, &tree), 0);
    cr_assert_eq(tree.frame_count, 202);
    cr_assert_eq(tree.dropped, 800);
    picture_tree_clear(&tree);
    profile_free(profile);
}

Test(picture, deep_stacks_take_no_stack_of_ours, .timeout = 20)
{
    enum { DEPTH = 300000 };
    struct profile *profile = profile_new();
    uint32_t thread = process_of(profile, 7, "prog"), node = PROFILE_NONE;
    uint32_t places[2] = {place(profile, "/bin/p", "even"), place(profile, "/bin/p", "odd")};
    struct picture_tree tree;

    for (uint32_t i = 0; i < DEPTH; i++) {
        cr_assert_eq(profile_node(profile, node, places[i % 2], &node), 0);
        if (i % 1000 == 0)
            count(profile, thread, node, 1);
    }
    count(profile, thread, node, 1);
    cr_assert_eq(make_tree(profile, NULL, DEPTH + 1, 0, true, &tree), 0);
    cr_assert_eq(tree.frame_count, DEPTH + 1);
    cr_assert_eq(tree.depth, DEPTH);
    cr_assert_eq(tree.frames[DEPTH].total.samples, 1);
    picture_tree_clear(&tree);
    profile_free(profile);
}

/* Of 200 samples 3 are 500 deep, the others 50. */
Test(picture, rows_that_little_reaches_are_dropped)
{
    struct profile *profile = profile_new();
    uint32_t thread = process_of(profile, 7, "prog"), node = PROFILE_NONE;
    uint32_t main = place(profile, "/bin/p", "main");
    struct picture_limits limits = {.most = 1000, .rows = 40, .deep = 0.02};
    struct picture_tree tree;

    for (uint32_t i = 1; i <= 500; i++) {
        cr_assert_eq(profile_node(profile, node, main, &node), 0);
        if (i == 50 || i == 500)
            count(profile, thread, node, i == 50 ? 197 : 3);
    }
    cr_assert_eq(picture_tree_make(profile, NULL, &limits, &tree), 0);
    cr_assert_eq(tree.depth, 50);
    cr_assert_eq(tree.deeper, 450);
    picture_tree_clear(&tree);
    limits.deep = 0.01;
    cr_assert_eq(picture_tree_make(profile, NULL, &limits, &tree), 0);
    cr_assert_eq(tree.depth, 500);
    cr_assert_eq(tree.deeper, 0);
    picture_tree_clear(&tree);
    profile_free(profile);
}

Test(picture, nothing_is_a_tree_too)
{
    struct profile *profile = profile_new();

    expect_tree(profile, NULL, " (all 0/0");
    expect_tree(profile, profile, " (all 0/0 was 0");
    profile_free(profile);
}

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
    expect_clean("x\xe2\x80\xaey\xd8\x9c", "x\xef\xbf\xbdy\xef\xbf\xbd"); /* overrides */
    expect_clean("\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd");                 /* no UTF-8 */
    expect_clean("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");                 /* overlong */
    expect_clean("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
    expect_clean("\xef\xbf\xbf", "\xef\xbf\xbd");                         /* no character */
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
    expect_clipped("\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 5, /* wide ones */
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
    char words[PICTURE_WORDS];

    picture_say_value(&tree, value, words);
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
    struct picture_name name = {"main", "prog", PICTURE_PROGRAM};
    struct picture_colour first = picture_colour_of(&name), again = picture_colour_of(&name);

    cr_assert_eq(memcmp(&first, &again, sizeof first), 0);
    for (unsigned kind = 0; kind < PICTURE_KINDS; kind++)
        for (unsigned i = 0; i < 500; i++) {
            char text[16];
            snprintf(text, sizeof text, "name%u", i);
            name = (struct picture_name){text, text, (enum picture_kind)kind};
            struct picture_colour colour = picture_colour_of(&name);
            /* luma of 110 and more: black on it has a contrast of 4.5 and more */
            cr_assert_gt(0.299 * colour.red + 0.587 * colour.green + 0.114 * colour.blue, 130);
        }
}

/* --- the time line ----------------------------------------------------------------------- */

#define MS UINT64_C(1000000)

Test(timeline, time_is_shared_out_to_slots)
{
    struct profile_timeline line = {0};

    cr_assert_eq(timeline_add(&line, 1000 * MS, 10 * MS), 0); /* begins at 990 */
    cr_assert_eq(line.start, 990 * MS);
    cr_assert_eq(timeline_add(&line, 1055 * MS, 50 * MS), 0); /* 1005 to 1055 */
    cr_assert_eq(line.count, 4);
    cr_assert_eq(line.cpu_ns[0], 15 * MS);
    cr_assert_eq(line.cpu_ns[1], 20 * MS);
    cr_assert_eq(line.cpu_ns[2], 20 * MS);
    cr_assert_eq(line.cpu_ns[3], 5 * MS);
    cr_assert_eq(timeline_add(&line, 980 * MS, 30 * MS), 0); /* too early */
    cr_assert_eq(line.cpu_ns[0], 45 * MS);
    cr_assert_eq(timeline_add(&line, 5000 * MS, 0), 0); /* nothing */
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
    cr_assert_eq(line.slot_ns, 640 * MS); /* of 20, 40, ... the first that is enough */
    for (uint32_t i = 0; i < line.count; i++) {
        sum += line.cpu_ns[i];
        slots += line.cpu_ns[i] > 0;
    }
    cr_assert_eq(sum, 3 * 3600 * 7 * MS);
    cr_assert_leq(line.count, TIMELINE_SLOTS);
    cr_assert_geq(slots, 3 * 3600);
    cr_assert_eq(timeline_add(&line, UINT64_MAX, UINT64_MAX), 0); /* a liar costs no memory */
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

/* With silences of all lengths around those that end a line. */
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
    cr_assert_eq(format_by_path("a.icicle.svg"), &format_icicle_svg);
    cr_assert_eq(format_by_path("a.html"), &format_flame_html);
}

Test(picture, a_full_disk_is_an_error_and_so_is_nothing_to_draw)
{
    struct profile *profile = profile_new();

    cr_assert_eq(format_write_file(&format_flame_svg, "/dev/full", profile), -ENOSPC);
    cr_assert_eq(format_write_file(&format_flame_html, "/dev/full", profile), -ENOSPC);
    cr_assert_eq(format_write_file(&format_heat_svg, "/dev/null", profile), -ENODATA);
    struct format_options options = {.baseline = profile};
    cr_assert_eq(format_write_file_as(&format_pprof, "/dev/null", profile, &options), -EINVAL);
    cr_assert_eq(format_write_file_as(&format_icicle_svg, "/dev/null", profile, &options), 0);
    profile_free(profile);
}
