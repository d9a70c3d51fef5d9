/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of flame graphs that compare two profiles: their colours say what pprofil diff says. */
#include "config.h"

#include "format-picture-fixture.h"

/* Returns the verdict on the only frame with this name. */
static enum diff_verdict verdict_on(const struct picture_tree *tree, const char *name)
{
    unsigned frames;
    enum diff_verdict verdict = DIFF_CHANCE;

    count_frames(tree, name, true, &frames);
    cr_assert_eq(frames, 1, "%u frames of %s", frames, name);
    for (uint32_t i = 1; i < tree->frame_count; i++)
        if (strcmp(name_of(tree, i), name) == 0)
            verdict = tree->frames[i].verdict;
    return verdict;
}

/* A line of a table: a stack of functions, outermost first, and the number of its samples in each profile. */
struct line {
    const char *stack[8];
    unsigned samples[DIFF_SIDES];
};

static struct profile *profile_of(const struct line *lines, int side, const char *path)
{
    struct profile *profile = profile_new();
    uint32_t thread = process_of(profile, 7, path), node;

    for (; lines->stack[0] != NULL; lines++) {
        node = PROFILE_NONE;
        for (int i = 0; lines->stack[i] != NULL; i++)
            cr_assert_eq(profile_node(profile, node, place(profile, path, lines->stack[i]), &node), 0);
        if (lines->samples[side] > 0)
            count_samples(profile, thread, node, lines->samples[side]);
    }
    return profile;
}

/* Makes the tree of the table, and checks it against diff. The strings in *tree end with the profiles. */
static void compare_lines(const struct line *lines, const char *old_path, const char *new_path,
                          struct profile *profiles[DIFF_SIDES], struct picture_tree *tree)
{
    profiles[DIFF_OLD] = profile_of(lines, DIFF_OLD, old_path);
    profiles[DIFF_NEW] = profile_of(lines, DIFF_NEW, new_path);
    tree_of(profiles[DIFF_OLD], profiles[DIFF_NEW], tree);
    struct pprofil_diff *diff = diff_of(profiles[DIFF_OLD], profiles[DIFF_NEW]);
    expect_same_verdicts(diff, tree);
    pprofil_diff_free(diff);
}

static void end_lines(struct profile *profiles[DIFF_SIDES], struct picture_tree *tree)
{
    picture_tree_clear(tree);
    profile_free(profiles[DIFF_OLD]);
    profile_free(profiles[DIFF_NEW]);
}

/* Each call of hot has p = 0.09, and the total has p = 0.0005. */
Test(changes, many_small_calls_are_parts_of_one_change)
{
    static const struct line lines[] = {{{"main", "a", "hot"}, {100, 125}},
                                        {{"main", "b", "hot"}, {100, 125}},
                                        {{"main", "c", "hot"}, {100, 125}},
                                        {{"main", "rest"}, {700, 625}},
                                        {{NULL}, {0}}};
    struct profile *profiles[DIFF_SIDES];
    struct picture_tree tree;
    unsigned frames;

    compare_lines(lines, "/bin/p", "/bin/p", profiles, &tree);
    cr_assert_eq(count_frames(&tree, "hot", true, &frames), 3);
    cr_assert_eq(count_frames(&tree, "hot", false, &frames), 0, "none of them alone");
    cr_assert_eq(verdict_on(&tree, "a"), DIFF_CHANCE);
    cr_assert_eq(verdict_on(&tree, "rest"), DIFF_SIGNIFICANT);
    cr_assert_eq(verdict_on(&tree, "main"), DIFF_CHANCE);
    end_lines(profiles, &tree);
}

/* The time of work has moved from one caller to the other. diff does not see this in work, but in its callers. */
Test(changes, calls_can_move_while_the_function_stays)
{
    static const struct line lines[] = {{{"main", "a", "work"}, {600, 200}},
                                        {{"main", "b", "work"}, {200, 600}},
                                        {{"main"}, {200, 200}},
                                        {{NULL}, {0}}};
    struct profile *profiles[DIFF_SIDES];
    struct picture_tree tree;
    unsigned frames;

    compare_lines(lines, "/bin/p", "/bin/p", profiles, &tree);
    cr_assert_eq(tree.tests.significant, 2);
    cr_assert_eq(verdict_on(&tree, "a"), DIFF_SIGNIFICANT);
    cr_assert_eq(count_frames(&tree, "work", false, &frames), 2);
    end_lines(profiles, &tree);
}

/* For diff, everything is the time of main. Its two tests cannot be significant, so the limit is half of 5 %. */
Test(changes, inlined_functions_are_tested_too)
{
    static const struct line lines[] = {
        {{"slow main"}, {400, 600}}, {{"same main"}, {100, 110}}, {{"main"}, {500, 290}}, {{NULL}, {0}}};
    struct profile *profiles[DIFF_SIDES];
    struct picture_tree tree;

    compare_lines(lines, "/bin/p", "/bin/p", profiles, &tree);
    cr_assert_eq(tree.tests.significant, 0);
    cr_assert_eq(verdict_on(&tree, "main"), DIFF_CHANCE);
    cr_assert_eq(verdict_on(&tree, "slow"), DIFF_CHANCE,
                 "without stacks, diff makes no test of which this were a part");
    end_lines(profiles, &tree);

    static const struct line deeper[] = {{{"start", "slow main"}, {400, 600}},
                                         {{"start", "same main"}, {100, 110}},
                                         {{"start", "main"}, {500, 290}},
                                         {{"start"}, {10, 10}},
                                         {{NULL}, {0}}};
    compare_lines(deeper, "/bin/p", "/bin/p", profiles, &tree);
    cr_assert_eq(tree.tests.significant, 0);
    cr_assert_eq(verdict_on(&tree, "slow"), DIFF_SIGNIFICANT);
    cr_assert_eq(verdict_on(&tree, "same"), DIFF_CHANCE);
    end_lines(profiles, &tree);
}

/* Both builds have a start, and the loader has one in one profile only. So the name does not tell which functions
 * "start" are the same, but the other functions of the program tell. */
Test(changes, a_renamed_program_is_the_same)
{
    static const struct line lines[] = {
        {{"start", "main"}, {500, 500}}, {{"start", "main", "f"}, {500, 500}}, {{NULL}, {0}}};
    struct profile *profiles[DIFF_SIDES];
    struct picture_tree tree;
    unsigned frames;

    for (int side = 0; side < DIFF_SIDES; side++)
        profiles[side] = profile_of(lines, side, side == DIFF_OLD ? "/build/old" : "/build/new");
    count_samples(profiles[DIFF_NEW], process_of(profiles[DIFF_NEW], 8, "/build/new"),
                  STACK(profiles[DIFF_NEW], place(profiles[DIFF_NEW], "/lib/ld.so", "start")), 1);
    tree_of(profiles[DIFF_OLD], profiles[DIFF_NEW], &tree);
    cr_assert_eq(count_coloured(&tree), 0);
    cr_assert_eq(tree.tests.row_count, 4);
    cr_assert_eq(count_frames(&tree, "main", true, &frames), 0);
    cr_assert_eq(frames, 1);
    cr_assert_str_eq(tree.names[tree.frames[2].name].object, "new");
    end_lines(profiles, &tree);
}

/* Profiles may have samples only. */
Test(changes, without_times_samples_are_compared)
{
    struct profile *profiles[DIFF_SIDES];
    struct picture_tree tree;

    for (int side = 0; side < DIFF_SIDES; side++) {
        struct profile *profile = profiles[side] = profile_new();
        struct profile_sample sample = {.thread = process_of(profile, 7, "p"), .count = side == DIFF_OLD ? 300 : 500};
        sample.node = STACK(profile, place(profile, "/bin/p", "f"));
        cr_assert_eq(profile_count(profile, &sample), 0);
        sample.node = STACK(profile, place(profile, "/bin/p", "g"));
        sample.count = 1000 - sample.count;
        cr_assert_eq(profile_count(profile, &sample), 0);
    }
    tree_of(profiles[DIFF_OLD], profiles[DIFF_NEW], &tree);
    cr_assert_not(tree.timed);
    cr_assert_eq(verdict_on(&tree, "f"), DIFF_SIGNIFICANT);
    struct pprofil_diff *diff = diff_of(profiles[DIFF_OLD], profiles[DIFF_NEW]);
    expect_same_verdicts(diff, &tree);
    cr_assert_eq(diff->totals.significant, 2);
    cr_assert_eq(diff->rows[0].self.ns[DIFF_NEW], 0);
    pprofil_diff_free(diff);
    cr_assert_eq(diff_new(profiles, NULL, &(struct diff_options){.by = PPROFIL_DIFF_TIME}, &diff),
                 PPROFIL_ERROR_NO_TIMES);
    end_lines(profiles, &tree);
}
