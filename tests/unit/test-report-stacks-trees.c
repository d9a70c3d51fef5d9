/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "report-stacks-fixture.h"

/* --- flat -------------------------------------------------------------------------------- */

Test(stacks, totals_count_each_stack_once)
{
    struct profile *profile = make_profile();
    struct pprofil_report *report = flat(profile, (struct report_options){0});

    cr_assert(report->stacks);
    cr_assert_eq(report->count, 4);
    cr_assert_str_eq(report->rows[0].name, "liblex");
    cr_assert_eq(report->rows[0].samples, 41);
    cr_assert_eq(report->rows[0].total_samples, 41);
    cr_assert_str_eq(report->rows[0].object, "libx.so");
    cr_assert_str_eq(report->rows[1].name, "eval");
    cr_assert_eq(report->rows[1].total_samples, 35);
    cr_assert_str_eq(report->rows[2].name, "parse");
    cr_assert_eq(report->rows[2].samples, 24);
    cr_assert_eq(report->rows[2].total_samples, 60, "not 70: it calls itself");
    cr_assert_float_eq(report->rows[2].total_share, 0.6, 1e-12);
    /* Wilson's interval, n = 100, p = 0.6 */
    cr_assert_float_eq(report->rows[2].total_error95, 0.094298, 1e-6);
    cr_assert_str_eq(report->rows[3].name, "main");
    cr_assert_eq(report->rows[3].samples, 5);
    cr_assert_eq(report->rows[3].total_samples, 100);
    pprofil_report_free(report);
    report = flat(profile, (struct report_options){.by_total = true, .limit = 2});
    cr_assert_str_eq(report->rows[0].name, "main");
    cr_assert_str_eq(report->rows[1].name, "parse");
    cr_assert_eq(report->rest_ns, 710, "own time of lex and eval");
    pprofil_report_free(report);
    profile_free(profile);
}

Test(stacks, totals_of_objects_and_lines)
{
    struct profile *profile = make_profile();
    struct pprofil_report *report = flat(profile, (struct report_options){.by = PPROFIL_BY_OBJECT});

    cr_assert_eq(find(report, "/bin/prog")->total_samples, 100);
    cr_assert_eq(find(report, "/bin/prog")->samples, 59);
    cr_assert_eq(find(report, "/lib/libx.so")->total_samples, 41);
    pprofil_report_free(report);
    report = flat(profile, (struct report_options){.by = PPROFIL_BY_LINE});
    cr_assert_eq(report->count, 4);
    pprofil_report_free(report);
    report = flat(profile, (struct report_options){.by = PPROFIL_BY_THREAD});
    cr_assert_not(report->stacks);
    cr_assert_eq(report->rows[0].samples, 100);
    pprofil_report_free(report);
    profile_free(profile);
}

Test(stacks, a_profile_without_stacks_has_no_totals)
{
    struct profile *profile = profile_new();

    stacks_add(profile, 0, "outer|inner", 3);
    struct pprofil_report *report = flat(profile, (struct report_options){0});
    cr_assert_not(report->stacks);
    cr_assert_eq(report->count, 1);
    cr_assert_str_eq(report->rows[0].name, "outer", "as the linker knows it");
    pprofil_report_free(report);
    profile_free(profile);
}

Test(stacks, inlined_functions_are_frames)
{
    struct profile *profile = profile_new();

    stacks_add(profile, 0, "main;f|g|h", 7);
    stacks_add(profile, 0, "main|g;f", 3);
    struct pprofil_report *report = flat(profile, (struct report_options){0});
    cr_assert_eq(find(report, "h")->samples, 7);
    cr_assert_eq(find(report, "h")->total_samples, 7);
    cr_assert_eq(find(report, "g")->samples, 0);
    cr_assert_eq(find(report, "g")->total_samples, 10);
    cr_assert_eq(find(report, "f")->samples, 3);
    cr_assert_eq(find(report, "f")->total_samples, 10);
    cr_assert_eq(find(report, "main")->total_samples, 10);
    pprofil_report_free(report);
    report = flat(profile, (struct report_options){.no_inlines = true});
    cr_assert_eq(report->count, 2);
    cr_assert_eq(find(report, "f")->samples, 10);
    pprofil_report_free(report);

    struct pprofil_tree *all = tree(profile, (struct report_tree_options){0});
    expect_rows(all, ROWS("0 main 10/0", "1 f 7/0", "2 g 7/0", "3 h 7/7", "1 g 3/0", "2 f 3/3"));
    const bool inlined[] = {false, false, true, true, true, false};
    for (uint32_t i = 0; i < all->count; i++)
        cr_assert_eq(all->rows[i].inlined, inlined[i]);
    pprofil_tree_free(all);
    all = tree(profile, (struct report_tree_options){.of.no_inlines = true});
    expect_rows(all, ROWS("0 main 10/0", "1 f 10/10"));
    pprofil_tree_free(all);
    all = tree(profile, (struct report_tree_options){.kind = PPROFIL_TREE_CALLERS, .function = "g"});
    expect_rows(all, ROWS("0 g 10/0", "1 f 7/0", "2 main 7/0", "1 main 3/0"));
    cr_assert(all->rows[0].inlined);
    cr_assert_not(all->rows[1].inlined);
    pprofil_tree_free(all);
    profile_free(profile);
}

/* A damaged file may have any number of inlined functions at one location. */
Test(stacks, hostile_inlining_is_bounded)
{
    struct profile *profile = profile_new();
    uint32_t location, node = PROFILE_NONE;
    struct profile_line *lines = calloc(100000, sizeof *lines);

    stacks_add(profile, 0, "main", 1);
    location = profile->nodes[profile->samples[0].node].location;
    for (uint32_t i = 0; i < 100000; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%u", i);
        lines[i].function = stacks_function(profile, name, 0);
    }
    profile_set_lines(profile, location, lines, 100000, PROFILE_LOOKED_NAME);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(profile_node(profile, node, location, &node), 0);
    struct profile_sample sample = {.node = node, .count = 1, .cpu_ns = 10};
    cr_assert_eq(profile_count(profile, &sample), 0);
    struct pprofil_tree *all = tree(profile, (struct report_tree_options){0});
    cr_assert_leq(all->totals.all, 64000);
    pprofil_tree_free(all);
    free(lines);
    profile_free(profile);
}

/* --- trees ------------------------------------------------------------------------------- */

Test(stacks, top_down)
{
    struct profile *profile = make_profile();
    struct pprofil_tree *all = tree(profile, (struct report_tree_options){0});

    expect_rows(all, ROWS("0 main 100/5", "1 parse 60/20", "2 liblex 30/30", "2 parse 10/4",
                          "3 liblex 6/6", "1 eval 35/30", "2 liblex 5/5"));
    const uint32_t parents[] = {PPROFIL_TREE_TOP, 0, 1, 1, 3, 0, 5};
    const uint32_t indents[] = {0, 1, 2, 2, 2, 1, 1};
    const uint32_t below[] = {2, 2, 0, 1, 0, 1, 0};
    const bool last[] = {true, false, false, true, true, true, true};
    for (uint32_t i = 0; i < 7; i++) {
        cr_assert_eq(all->rows[i].parent, parents[i]);
        cr_assert_eq(all->rows[i].indent, indents[i], "row %u", i);
        cr_assert_eq(all->rows[i].below, below[i]);
        cr_assert_eq(all->rows[i].last, last[i], "row %u", i);
        for (uint32_t k = 0; k < i; k++)
            cr_assert_neq(all->rows[i].row.id, all->rows[k].row.id);
    }
    cr_assert_eq(all->totals.rest_ns, 0);
    cr_assert_eq(all->totals.all, 7);
    struct pprofil_tree *again = tree(profile, (struct report_tree_options){.least = 0.3});
    cr_assert_eq(again->rows[2].row.id, all->rows[2].row.id, "whatever is shown");
    pprofil_tree_free(again);
    pprofil_tree_free(all);
    profile_free(profile);
}

Test(stacks, what_is_cut_is_told)
{
    struct profile *profile = make_profile();
    struct pprofil_tree *all = tree(profile, (struct report_tree_options){.least = 0.10});

    expect_rows(all, ROWS("0 main 100/5", "1 parse 60/20", "2 liblex 30/30", "2 parse 10/4", "1 eval 35/30"));
    cr_assert_eq(all->totals.rest_ns, 110, "lex below parse below parse, and below eval");
    pprofil_tree_free(all);
    all = tree(profile, (struct report_tree_options){.of.limit = 2});
    expect_rows(all, ROWS("0 main 100/5", "1 parse 60/20"));
    cr_assert_eq(all->totals.rest_ns, 750);
    pprofil_tree_free(all);
    all = tree(profile, (struct report_tree_options){.of.limit = 4});
    expect_rows(all, ROWS("0 main 100/5", "1 parse 60/20", "2 liblex 30/30", "1 eval 35/30"));
    pprofil_tree_free(all);
    all = tree(profile, (struct report_tree_options){.depth = 2});
    expect_rows(all, ROWS("0 main 100/5", "1 parse 60/20", "1 eval 35/30"));
    cr_assert_eq(all->rows[1].below, 2);
    cr_assert_eq(all->totals.rest_ns, 450);
    pprofil_tree_free(all);
    profile_free(profile);

    profile = profile_new();
    stacks_add(profile, 0, "main;a", 80);
    for (char name[] = "main;b"; name[5] < 'f'; name[5]++)
        stacks_add(profile, 0, name, 5);
    all = tree(profile, (struct report_tree_options){.least = 0.06});
    expect_rows(all, ROWS("0 main 100/0", "1 a 80/80", "1 [4] 20"));
    cr_assert(all->rows[2].last);
    cr_assert_not(all->rows[1].last);
    pprofil_tree_free(all);
    all = tree(profile, (struct report_tree_options){.of.limit = 4});
    expect_rows(all, ROWS("0 main 100/0", "1 a 80/80", "1 b 5/5", "1 c 5/5", "1 [2] 10"));
    pprofil_tree_free(all);
    profile_free(profile);
}

Test(stacks, bottom_up)
{
    struct profile *profile = make_profile();
    struct pprofil_tree *all = tree(profile, (struct report_tree_options){.kind = PPROFIL_TREE_INVERTED});

    expect_rows(all, ROWS("0 liblex 41/41", "1 parse 36/36", "2 main 30/30", "2 parse 6/6", "3 main 6/6", "1 eval 5/5",
                          "2 main 5/5", "0 eval 30/30", "1 main 30/30", "0 parse 24/24", "1 main 20/20", "1 parse 4/4",
                          "2 main 4/4", "0 main 5/5"));
    pprofil_tree_free(all);
    all = tree(profile, (struct report_tree_options){.kind = PPROFIL_TREE_INVERTED, .depth = 1, .of.limit = 2});
    expect_rows(all, ROWS("0 liblex 41/41", "0 eval 30/30"));
    cr_assert_eq(all->rows[0].below, 1, "there is more");
    cr_assert_eq(all->totals.rest_ns, 290);
    pprofil_tree_free(all);
    profile_free(profile);
}

Test(stacks, callers_and_callees)
{
    struct profile *profile = make_profile();
    struct report_tree_options options = {.kind = PPROFIL_TREE_CALLERS, .function = "liblex"};
    struct pprofil_tree *all = tree(profile, options);

    expect_rows(all, ROWS("0 liblex 41/41", "1 parse 36/36", "2 main 30/30", "2 parse 6/6",
                          "3 main 6/6", "1 eval 5/5", "2 main 5/5"));
    cr_assert_eq(all->totals.root_ns, 410);
    cr_assert_eq(all->totals.ns, 1000);
    cr_assert_eq(all->totals.again_ns, 0);
    pprofil_tree_free(all);
    options.function = "parse";
    all = tree(profile, options);
    expect_rows(all, ROWS("0 parse 60/24", "1 main 60/24"));
    cr_assert_eq(all->totals.again_ns, 100);
    pprofil_tree_free(all);
    options.kind = PPROFIL_TREE_CALLEES;
    all = tree(profile, options);
    expect_rows(all, ROWS("0 parse 60/20", "1 liblex 30/30", "1 parse 10/4", "2 liblex 6/6"));
    pprofil_tree_free(all);
    options.of.fold = true;
    all = tree(profile, options);
    expect_rows(all, ROWS("0 parse 60/24", "1 liblex 36/36"));
    pprofil_tree_free(all);
    options.of.fold = false;
    options.function = "^(eval|parse)$"; /* each of the two functions has a tree of its own */
    all = tree(profile, options);
    expect_rows(all, ROWS("0 parse 60/20", "1 liblex 30/30", "1 parse 10/4", "2 liblex 6/6",
                          "0 eval 35/30", "1 liblex 5/5"));
    pprofil_tree_free(all);
    profile_free(profile);
}

Test(stacks, a_function_that_is_not_there)
{
    struct profile *profile = make_profile();
    struct report_tree_options options = {.kind = PPROFIL_TREE_CALLERS, .function = "prase"};
    struct pprofil_tree *none;
    char problem[256];

    cr_assert_eq(report_tree(profile, NULL, &options, &none, problem, sizeof problem), -ENOENT);
    cr_assert_str_eq(problem, "no function is called 'prase'; there is 'parse'");
    options.function = "a(";
    cr_assert_eq(report_tree(profile, NULL, &options, &none, problem, sizeof problem), -EINVAL);
    cr_assert_not_null(strstr(problem, "'a('"));
    profile_free(profile);
}

Test(stacks, nothing_is_a_tree_too)
{
    struct profile *profile = profile_new();
    struct pprofil_tree *all = tree(profile, (struct report_tree_options){.least = 0.5});

    cr_assert_eq(all->count, 0);
    cr_assert_eq(all->totals.ns, 0);
    pprofil_tree_free(all);
    profile_free(profile);
}

Test(stacks, objects_join_what_is_within_them)
{
    struct profile *profile = make_profile();
    struct pprofil_tree *all = tree(profile, (struct report_tree_options){.of.by = PPROFIL_BY_OBJECT});

    expect_rows(all, ROWS("0 /bin/prog 100/59", "1 /lib/libx.so 41/41"));
    pprofil_tree_free(all);
    profile_free(profile);
}

/* --- marks ------------------------------------------------------------------------------- */

Test(stacks, marks_are_counted_and_shown)
{
    struct profile *profile = profile_new();
    struct report_stacks stacks;

    stacks_add(profile, 0, "main;f", 80);
    stacks_add(profile, 0, "[truncated];f", 15);
    stacks_add(profile, 0, "[truncated];g;f", 1);
    stacks_add(profile, 0, "[no unwind info: liby.so];h", 4);
    cr_assert_eq(report_stacks(profile, &stacks), 0);
    cr_assert(stacks.any);
    cr_assert_eq(stacks.ns, 1000);
    cr_assert_eq(stacks.incomplete_ns, 200);
    cr_assert_eq(stacks.mark_count, 2);
    cr_assert_str_eq(stacks.marks[0].why, "[truncated]");
    cr_assert_eq(stacks.marks[0].samples, 16);
    cr_assert_str_eq(stacks.marks[1].why, "[no unwind info: liby.so]");
    cr_assert_eq(stacks.marks[1].ns, 40);
    report_stacks_clear(&stacks);
    struct pprofil_tree *all = tree(profile,
                                    (struct report_tree_options){.kind = PPROFIL_TREE_CALLERS, .function = "f"});
    expect_rows(all, ROWS("0 f 96/96", "1 main 80/80", "1 [truncated] 15/15", "1 g 1/1", "2 [truncated] 1/1"));
    cr_assert_str_eq(all->rows[2].row.object, "");
    pprofil_tree_free(all);
    profile_free(profile);
}
