/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format-picture-fixture.h"

/* Returns a tree as text, such as " (main 7/1 (work 6/6". The numbers are the total time and the own time of a
 * function, in ms. With a baseline, the old total follows. Parentheses that are open at the end are not closed. */
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
        fprintf(out, " (%s %llu/%llu", tree->names[frame->name].text, (unsigned long long)frame->total.value / 1000000,
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

static void expect_tree(const struct profile *profile, const struct profile *baseline, const char *expected)
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

    count_samples(profile, thread, STACK(profile, main, z, a), 3);
    count_samples(profile, thread, STACK(profile, main, a), 2);
    count_samples(profile, thread, STACK(profile, main), 1);
    count_samples(profile, thread, STACK(profile, main, a, a), 4);
    expect_tree(profile, NULL, " (all 10/0 (main 10/1 (a 6/2 (a 4/4)) (z 3/0 (a 3/3");
    profile_free(profile);
}

Test(picture, inlined_functions_are_frames)
{
    struct profile *profile = profile_new();
    uint32_t thread = process_of(profile, 7, "prog");
    uint32_t main = place(profile, "/bin/prog", "main");
    uint32_t inlined = place(profile, "/bin/prog", "inner middle outer");

    count_samples(profile, thread, STACK(profile, main, inlined), 5);
    expect_tree(profile, NULL, " (all 5/0 (main 5/0 (outer 5/0 (middle 5/0 (inner 5/5");
    profile_free(profile);
}

Test(picture, programs_are_frames_where_there_are_several)
{
    struct profile *profile = profile_new();
    uint32_t make = process_of(profile, 7, "make"), cc = process_of(profile, 8, "cc1");
    uint32_t other = process_of(profile, 9, "cc1"), main = place(profile, "/bin/x", "main");

    count_samples(profile, cc, STACK(profile, main), 1);
    count_samples(profile, make, STACK(profile, main), 2);
    count_samples(profile, other, STACK(profile, main), 4);
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
    count_samples(profile, thread, STACK(profile, nameless), 1);
    expect_tree(profile, NULL, " (all 3/0 ([truncated] 2/0 (main 2/0 (read 2/2))) (prog 1/1");

    cr_assert_eq(make_tree(profile, NULL, 1000, 0, true, &tree), 0);
    cr_assert_eq(tree.names[tree.frames[1].name].kind, PICTURE_MARK);
    cr_assert_eq(tree.names[tree.frames[2].name].kind, PICTURE_PROGRAM);
    cr_assert_eq(tree.names[tree.frames[3].name].kind, PICTURE_KERNEL);
    picture_tree_clear(&tree);
    profile_free(profile);
}

Test(picture, functions_of_the_kernel_show_the_call)
{
    struct profile *profile = profile_new();
    struct profile_sample sample = {.thread = process_of(profile, 7, "prog"), .state = PROFILE_ASLEEP, .count = 1};

    sample.node = STACK(profile, place(profile, "/bin/p", "main"), place(profile, "[kernel]", "do_poll"));
    cr_assert_eq(profile_syscall(profile, "poll", 7, 0, &sample.syscall), 0);
    sample.wall_ns = 9000000;
    cr_assert_eq(profile_count(profile, &sample), 0);
    expect_tree(profile, NULL, " (all 9/0 (main 9/0 (do_poll 9/9");
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
            count_samples(profile, thread, STACK(profile, main, place(profile, "/bin/p", "gone")), 100);
        count_samples(profile, thread, STACK(profile, main, place(profile, "/bin/p", "same")), 5000);
        count_samples(profile, thread, STACK(profile, main, place(profile, "/bin/p", "slow")), i == 0 ? 900 : 1900);
    }
    expect_tree(new, old,
                " (all 6900/0 was 6000 (main 6900/0 was 6000 (gone 0/0 was 100)"
                " (same 5000/5000 was 5000) (slow 1900/1900 was 900");
    cr_assert_eq(make_tree(new, old, 1000, 0, false, &tree), 0);
    cr_assert_eq(tree.frame_count, 4); /* frames that only the baseline has are not drawn */
    cr_assert(tree.frames[0].verdict == DIFF_CHANCE && tree.frames[1].verdict == DIFF_CHANCE);
    cr_assert(tree.frames[2].verdict == DIFF_SIGNIFICANT && picture_change(&tree, 2) < 0);
    cr_assert(tree.frames[3].verdict == DIFF_SIGNIFICANT && picture_change(&tree, 3) > 0);
    struct picture_colour more = picture_colour_of_change(&tree, 3, picture_largest_change(&tree));
    struct picture_colour less = picture_colour_of_change(&tree, 2, picture_largest_change(&tree));
    cr_assert(more.red > more.blue && less.blue > less.red);
    picture_tree_clear(&tree);
    profile_free(old);
    profile_free(new);
}

/* The profile has 200 frames of each size from 1 to 5. */
Test(picture, small_frames_are_dropped_and_counted)
{
    struct profile *profile = profile_new();
    uint32_t thread = process_of(profile, 7, "prog"), main = place(profile, "/bin/p", "main");
    struct picture_tree tree;
    char name[16];

    for (uint32_t i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "f%03u", i);
        count_samples(profile, thread, STACK(profile, main, place(profile, "/bin/p", name)), i / 200 + 1);
    }
    cr_assert_eq(make_tree(profile, NULL, 450, 0, true, &tree), 0);
    cr_assert_eq(tree.frame_count, 450); /* the two callers, 400 frames of sizes 5 and 4, 48 frames of size 3 */
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
            count_samples(profile, thread, node, 1);
    }
    count_samples(profile, thread, node, 1);
    cr_assert_eq(make_tree(profile, NULL, DEPTH + 1, 0, true, &tree), 0);
    cr_assert_eq(tree.frame_count, DEPTH + 1);
    cr_assert_eq(tree.depth, DEPTH);
    cr_assert_eq(tree.frames[DEPTH].total.samples, 1);
    picture_tree_clear(&tree);
    profile_free(profile);
}

/* 3 of 200 samples have stacks of 500 frames, and the others have stacks of 50 frames. */
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
            count_samples(profile, thread, node, i == 50 ? 197 : 3);
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
