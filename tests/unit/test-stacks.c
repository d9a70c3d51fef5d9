/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "build-stacks.h"
#include "report/report.h"
#include "report/tree.h"

/*
 * 100 samples:
 *   main 100 ( 5 its own)
 *     parse 60 (20)
 *       lex 30, parse 10 (4): lex 6
 *     eval 35 (30)
 *       lex 5
 */
static struct profile *make_profile(void)
{
    struct profile *profile = profile_new();

    stacks_add(profile, 0, "main", 5);
    stacks_add(profile, 0, "main;parse", 20);
    stacks_add(profile, 0, "main;parse;liblex", 30);
    stacks_add(profile, 0, "main;parse;parse", 4);
    stacks_add(profile, 0, "main;parse;parse;liblex", 6);
    stacks_add(profile, 0, "main;eval", 30);
    stacks_add(profile, 0, "main;eval;liblex", 5);
    return profile;
}

static struct report *flat(struct profile *profile, struct report_options options)
{
    struct report *report;

    options.stacks = true;
    cr_assert_eq(report_flat(profile, NULL, &options, &report), 0);
    return report;
}

static const struct report_row *find(const struct report *report, const char *name)
{
    for (uint32_t i = 0; i < report->count; i++)
        if (strcmp(report->rows[i].name, name) == 0)
            return &report->rows[i];
    cr_assert_fail("no row '%s'", name);
    return NULL;
}

static struct report_tree *tree(struct profile *profile, struct report_tree_options options)
{
    struct report_tree *report;
    char problem[256] = "";

    cr_assert_eq(report_tree(profile, NULL, &options, &report, problem, sizeof problem), 0, "%s",
                 problem);
    return report;
}

/* The rows as text: "depth name total/self", "depth [n] total" of what was cut. */
static void expect_rows(const struct report_tree *report, const char *const *rows)
{
    for (uint32_t i = 0; i < report->count; i++) {
        const struct report_tree_row *row = &report->rows[i];
        char text[256];
        cr_assert_not_null(rows[i], "row %u: %s", i, row->row.name);
        if (row->cut > 0)
            snprintf(text, sizeof text, "%u [%u] %lu", row->depth, row->cut,
                     (unsigned long)row->row.total_samples);
        else
            snprintf(text, sizeof text, "%u %s %lu/%lu", row->depth, row->row.name,
                     (unsigned long)row->row.total_samples, (unsigned long)row->row.samples);
        cr_assert_str_eq(text, rows[i]);
        cr_assert_eq(row->row.total_ns, row->row.total_samples * 10);
        cr_assert_eq(row->row.ns, row->row.samples * 10);
    }
    cr_assert_null(rows[report->count]);
}

#define ROWS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* --- flat -------------------------------------------------------------------------------- */

Test(stacks, totals_count_each_stack_once)
{
    struct profile *profile = make_profile();
    struct report *report = flat(profile, (struct report_options){0});

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
    /* Wilson, n = 100, p = 0.6 */
    cr_assert_float_eq(report->rows[2].total_error95, 0.094298, 1e-6);
    cr_assert_str_eq(report->rows[3].name, "main");
    cr_assert_eq(report->rows[3].samples, 5);
    cr_assert_eq(report->rows[3].total_samples, 100);
    report_free(report);
    report = flat(profile, (struct report_options){.by_total = true, .limit = 2});
    cr_assert_str_eq(report->rows[0].name, "main");
    cr_assert_str_eq(report->rows[1].name, "parse");
    cr_assert_eq(report->rest_ns, 710, "own time of lex and eval");
    report_free(report);
    profile_free(profile);
}

Test(stacks, totals_of_objects_and_lines)
{
    struct profile *profile = make_profile();
    struct report *report = flat(profile, (struct report_options){.by = PPROFIL_BY_OBJECT});

    cr_assert_eq(find(report, "/bin/prog")->total_samples, 100);
    cr_assert_eq(find(report, "/bin/prog")->samples, 59);
    cr_assert_eq(find(report, "/lib/libx.so")->total_samples, 41);
    report_free(report);
    report = flat(profile, (struct report_options){.by = PPROFIL_BY_LINE});
    cr_assert_eq(report->count, 4);
    report_free(report);
    report = flat(profile, (struct report_options){.by = PPROFIL_BY_THREAD});
    cr_assert_not(report->stacks);
    cr_assert_eq(report->rows[0].samples, 100);
    report_free(report);
    profile_free(profile);
}

Test(stacks, a_profile_without_stacks_has_no_totals)
{
    struct profile *profile = profile_new();

    stacks_add(profile, 0, "outer|inner", 3);
    struct report *report = flat(profile, (struct report_options){0});
    cr_assert_not(report->stacks);
    cr_assert_eq(report->count, 1);
    cr_assert_str_eq(report->rows[0].name, "outer", "as the linker knows it");
    report_free(report);
    profile_free(profile);
}

Test(stacks, inlined_functions_are_frames)
{
    struct profile *profile = profile_new();

    stacks_add(profile, 0, "main;f|g|h", 7);
    stacks_add(profile, 0, "main|g;f", 3);
    struct report *report = flat(profile, (struct report_options){0});
    cr_assert_eq(find(report, "h")->samples, 7);
    cr_assert_eq(find(report, "h")->total_samples, 7);
    cr_assert_eq(find(report, "g")->samples, 0);
    cr_assert_eq(find(report, "g")->total_samples, 10);
    cr_assert_eq(find(report, "f")->samples, 3);
    cr_assert_eq(find(report, "f")->total_samples, 10);
    cr_assert_eq(find(report, "main")->total_samples, 10);
    report_free(report);
    report = flat(profile, (struct report_options){.no_inlines = true});
    cr_assert_eq(report->count, 2);
    cr_assert_eq(find(report, "f")->samples, 10);
    report_free(report);

    struct report_tree *all = tree(profile, (struct report_tree_options){0});
    expect_rows(all, ROWS("0 main 10/0", "1 f 7/0", "2 g 7/0", "3 h 7/7", "1 g 3/0", "2 f 3/3"));
    const bool inlined[] = {false, false, true, true, true, false};
    for (uint32_t i = 0; i < all->count; i++)
        cr_assert_eq(all->rows[i].inlined, inlined[i]);
    report_tree_free(all);
    all = tree(profile, (struct report_tree_options){.of.no_inlines = true});
    expect_rows(all, ROWS("0 main 10/0", "1 f 10/10"));
    report_tree_free(all);
    all = tree(profile, (struct report_tree_options){.kind = REPORT_TREE_CALLERS, .function = "g"});
    expect_rows(all, ROWS("0 g 10/0", "1 f 7/0", "2 main 7/0", "1 main 3/0"));
    cr_assert(all->rows[0].inlined);
    cr_assert_not(all->rows[1].inlined);
    report_tree_free(all);
    profile_free(profile);
}

/* A file may say anything of what was inlined. */
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
    struct report_tree *all = tree(profile, (struct report_tree_options){0});
    cr_assert_leq(all->all, 64000);
    report_tree_free(all);
    free(lines);
    profile_free(profile);
}

/* --- trees ------------------------------------------------------------------------------- */

Test(stacks, top_down)
{
    struct profile *profile = make_profile();
    struct report_tree *all = tree(profile, (struct report_tree_options){0});

    expect_rows(all, ROWS("0 main 100/5", "1 parse 60/20", "2 liblex 30/30", "2 parse 10/4",
                          "3 liblex 6/6", "1 eval 35/30", "2 liblex 5/5"));
    const uint32_t parents[] = {REPORT_TREE_TOP, 0, 1, 1, 3, 0, 5};
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
    cr_assert_eq(all->rest_ns, 0);
    cr_assert_eq(all->all, 7);
    struct report_tree *again = tree(profile, (struct report_tree_options){.least = 0.3});
    cr_assert_eq(again->rows[2].row.id, all->rows[2].row.id, "whatever is shown");
    report_tree_free(again);
    report_tree_free(all);
    profile_free(profile);
}

Test(stacks, what_is_cut_is_told)
{
    struct profile *profile = make_profile();
    struct report_tree *all = tree(profile, (struct report_tree_options){.least = 0.10});

    expect_rows(all, ROWS("0 main 100/5", "1 parse 60/20", "2 liblex 30/30", "2 parse 10/4",
                          "1 eval 35/30"));
    cr_assert_eq(all->rest_ns, 110, "lex below parse below parse, and below eval");
    report_tree_free(all);
    all = tree(profile, (struct report_tree_options){.of.limit = 2});
    expect_rows(all, ROWS("0 main 100/5", "1 parse 60/20"));
    cr_assert_eq(all->rest_ns, 750);
    report_tree_free(all);
    all = tree(profile, (struct report_tree_options){.of.limit = 4});
    expect_rows(all, ROWS("0 main 100/5", "1 parse 60/20", "2 liblex 30/30", "1 eval 35/30"));
    report_tree_free(all);
    all = tree(profile, (struct report_tree_options){.depth = 2});
    expect_rows(all, ROWS("0 main 100/5", "1 parse 60/20", "1 eval 35/30"));
    cr_assert_eq(all->rows[1].below, 2);
    cr_assert_eq(all->rest_ns, 450);
    report_tree_free(all);
    profile_free(profile);

    profile = profile_new();
    stacks_add(profile, 0, "main;a", 80);
    for (char name[] = "main;b"; name[5] < 'f'; name[5]++)
        stacks_add(profile, 0, name, 5);
    all = tree(profile, (struct report_tree_options){.least = 0.06});
    expect_rows(all, ROWS("0 main 100/0", "1 a 80/80", "1 [4] 20"));
    cr_assert(all->rows[2].last);
    cr_assert_not(all->rows[1].last);
    report_tree_free(all);
    all = tree(profile, (struct report_tree_options){.of.limit = 4});
    expect_rows(all, ROWS("0 main 100/0", "1 a 80/80", "1 b 5/5", "1 c 5/5", "1 [2] 10"));
    report_tree_free(all);
    profile_free(profile);
}

Test(stacks, bottom_up)
{
    struct profile *profile = make_profile();
    struct report_tree *all =
        tree(profile, (struct report_tree_options){.kind = REPORT_TREE_INVERTED});

    expect_rows(all,
                ROWS("0 liblex 41/41", "1 parse 36/36", "2 main 30/30", "2 parse 6/6", "3 main 6/6",
                     "1 eval 5/5", "2 main 5/5", "0 eval 30/30", "1 main 30/30", "0 parse 24/24",
                     "1 main 20/20", "1 parse 4/4", "2 main 4/4", "0 main 5/5"));
    report_tree_free(all);
    all =
        tree(profile,
             (struct report_tree_options){.kind = REPORT_TREE_INVERTED, .depth = 1, .of.limit = 2});
    expect_rows(all, ROWS("0 liblex 41/41", "0 eval 30/30"));
    cr_assert_eq(all->rows[0].below, 1, "there is more");
    cr_assert_eq(all->rest_ns, 290);
    report_tree_free(all);
    profile_free(profile);
}

Test(stacks, callers_and_callees)
{
    struct profile *profile = make_profile();
    struct report_tree_options options = {.kind = REPORT_TREE_CALLERS, .function = "liblex"};
    struct report_tree *all = tree(profile, options);

    expect_rows(all, ROWS("0 liblex 41/41", "1 parse 36/36", "2 main 30/30", "2 parse 6/6",
                          "3 main 6/6", "1 eval 5/5", "2 main 5/5"));
    cr_assert_eq(all->root_ns, 410);
    cr_assert_eq(all->ns, 1000);
    cr_assert_eq(all->again_ns, 0);
    report_tree_free(all);
    options.function = "parse";
    all = tree(profile, options);
    expect_rows(all, ROWS("0 parse 60/24", "1 main 60/24"));
    cr_assert_eq(all->again_ns, 100);
    report_tree_free(all);
    options.kind = REPORT_TREE_CALLEES;
    all = tree(profile, options);
    expect_rows(all, ROWS("0 parse 60/20", "1 liblex 30/30", "1 parse 10/4", "2 liblex 6/6"));
    report_tree_free(all);
    options.of.fold = true;
    all = tree(profile, options);
    expect_rows(all, ROWS("0 parse 60/24", "1 liblex 36/36"));
    report_tree_free(all);
    options.of.fold = false;
    options.function = "^(eval|parse)$"; /* both, each for itself */
    all = tree(profile, options);
    expect_rows(all, ROWS("0 parse 60/20", "1 liblex 30/30", "1 parse 10/4", "2 liblex 6/6",
                          "0 eval 35/30", "1 liblex 5/5"));
    report_tree_free(all);
    profile_free(profile);
}

Test(stacks, a_function_that_is_not_there)
{
    struct profile *profile = make_profile();
    struct report_tree_options options = {.kind = REPORT_TREE_CALLERS, .function = "prase"};
    struct report_tree *none;
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
    struct report_tree *all = tree(profile, (struct report_tree_options){.least = 0.5});

    cr_assert_eq(all->count, 0);
    cr_assert_eq(all->ns, 0);
    report_tree_free(all);
    profile_free(profile);
}

Test(stacks, objects_join_what_is_within_them)
{
    struct profile *profile = make_profile();
    struct report_tree *all =
        tree(profile, (struct report_tree_options){.of.by = PPROFIL_BY_OBJECT});

    expect_rows(all, ROWS("0 /bin/prog 100/59", "1 /lib/libx.so 41/41"));
    report_tree_free(all);
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
    struct report_tree *all =
        tree(profile, (struct report_tree_options){.kind = REPORT_TREE_CALLERS, .function = "f"});
    expect_rows(all, ROWS("0 f 96/96", "1 main 80/80", "1 [truncated] 15/15", "1 g 1/1",
                          "2 [truncated] 1/1"));
    cr_assert_str_eq(all->rows[2].row.object, "");
    report_tree_free(all);
    profile_free(profile);
}

/* --- against a plain way of counting ------------------------------------------------------- */

#define FUNCTIONS 6u
#define DEEPEST 9u

struct made {
    uint8_t frames[400][DEEPEST];
    uint32_t depths[400], counts[400];
};

static struct profile *make_random(unsigned seed, struct made *made)
{
    struct profile *profile = profile_new();

    srand(seed);
    for (int i = 0; i < 400; i++) {
        char folded[64] = "";
        made->depths[i] = 1 + (unsigned)rand() % DEEPEST;
        made->counts[i] = 1 + (unsigned)rand() % 5;
        for (uint32_t k = 0; k < made->depths[i]; k++) {
            made->frames[i][k] = (uint8_t)((unsigned)rand() % FUNCTIONS);
            sprintf(folded + strlen(folded), "%sf%u", k == 0 ? "" : ";", made->frames[i][k]);
        }
        stacks_add(profile, 0, folded, made->counts[i]);
    }
    return profile;
}

static uint64_t plain_total(const struct made *made, uint8_t function, bool leaf)
{
    uint64_t sum = 0;

    for (int i = 0; i < 400; i++) {
        bool has = false;
        for (uint32_t k = leaf ? made->depths[i] - 1 : 0; k < made->depths[i]; k++)
            has |= made->frames[i][k] == function;
        sum += has ? made->counts[i] : 0;
    }
    return sum;
}

/* Who directly called the outermost call of a function. */
static uint64_t plain_caller(const struct made *made, uint8_t function, uint8_t caller)
{
    uint64_t sum = 0;

    for (int i = 0; i < 400; i++)
        for (uint32_t k = 0; k < made->depths[i]; k++)
            if (made->frames[i][k] == function) {
                sum += k > 0 && made->frames[i][k - 1] == caller ? made->counts[i] : 0;
                break;
            }
    return sum;
}

static uint64_t row_below(const struct report_tree *all, const char *name)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->rows[i].depth == 1 && strcmp(all->rows[i].row.name, name) == 0)
            return all->rows[i].row.total_samples;
    return 0;
}

Test(stacks, sums_are_those_of_a_plain_count)
{
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct made made;
        struct profile *profile = make_random(seed, &made);
        struct report *report = flat(profile, (struct report_options){0});
        for (uint8_t f = 0; f < FUNCTIONS; f++) {
            char name[8], other[8];
            sprintf(name, "f%u", f);
            cr_assert_eq(find(report, name)->total_samples, plain_total(&made, f, false));
            cr_assert_eq(find(report, name)->samples, plain_total(&made, f, true));
            struct report_tree *callers =
                tree(profile,
                     (struct report_tree_options){.kind = REPORT_TREE_CALLERS, .function = name});
            cr_assert_eq(callers->rows[0].row.total_samples, plain_total(&made, f, false));
            cr_assert_eq(callers->rows[0].row.samples, plain_total(&made, f, true));
            for (uint8_t c = 0; c < FUNCTIONS; c++) {
                sprintf(other, "f%u", c);
                cr_assert_eq(row_below(callers, other), plain_caller(&made, f, c));
            }
            report_tree_free(callers);
        }
        report_free(report);
        profile_free(profile);
    }
}

/* Whatever the bounds: rows hang together, parents are larger, and with the rest are the whole. */
Test(stacks, rows_and_the_rest_are_the_whole)
{
    struct made made;
    struct profile *profile = make_random(3, &made);

    for (unsigned kind = REPORT_TREE_CALLS; kind <= REPORT_TREE_CALLEES; kind++)
        for (uint32_t limit = 0; limit < 60; limit += 7)
            for (uint32_t depth = 0; depth < 4; depth++) {
                struct report_tree *all =
                    tree(profile, (struct report_tree_options){.kind = (enum report_tree_kind)kind,
                                                               .function = "f2",
                                                               .depth = depth,
                                                               .least = limit % 2 ? 0.01 : 0,
                                                               .of.limit = limit});
                uint64_t ns = all->rest_ns;
                uint32_t rows = 0;
                bool bottom_up = kind == REPORT_TREE_INVERTED || kind == REPORT_TREE_CALLERS;
                for (uint32_t i = 0; i < all->count; i++) {
                    const struct report_tree_row *row = &all->rows[i];
                    cr_assert(row->depth == 0 ? row->parent == REPORT_TREE_TOP : row->parent < i);
                    if (row->depth > 0) {
                        cr_assert_eq(all->rows[row->parent].depth + 1, row->depth);
                        cr_assert_leq(row->row.total_ns, all->rows[row->parent].row.total_ns);
                    }
                    cr_assert(depth == 0 || row->depth < depth);
                    if (row->cut > 0)
                        continue;
                    rows++;
                    ns += !bottom_up ? row->row.ns : row->depth == 0 ? row->row.total_ns : 0;
                }
                cr_assert_eq(ns, all->root_ns);
                cr_assert(limit == 0 || rows <= limit);
                report_tree_free(all);
            }
    profile_free(profile);
}

/* --- size -------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* One stack of so many levels, and a sample at each. */
static struct profile *make_deep(uint32_t levels, bool recursion)
{
    struct profile *profile = profile_new();
    uint32_t node = PROFILE_NONE;

    stacks_add(profile, 0, "main", 1);
    for (uint32_t i = 0; i < levels; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", recursion ? 0 : i);
        cr_assert_eq(profile_node(profile, node, stacks_location(profile, name), &node), 0);
        struct profile_sample sample = {.node = node, .count = 1, .cpu_ns = 10};
        cr_assert_eq(profile_count(profile, &sample), 0);
    }
    return profile;
}

Test(stacks, deep_stacks, .timeout = 60)
{
    const uint32_t levels[] = {4096, 200000};

    for (int i = 0; i < 4; i++) {
        struct profile *profile = make_deep(levels[i / 2], i % 2 == 0);
        double begin = seconds();
        for (unsigned kind = REPORT_TREE_CALLS; kind <= REPORT_TREE_CALLEES; kind++) {
            struct report_tree_options options = {.kind = (enum report_tree_kind)kind,
                                                  .function = "f0",
                                                  .of.limit = 100,
                                                  .least = 0.005};
            struct report_tree *all = tree(profile, options);
            cr_assert_gt(all->count, 0);
            report_tree_free(all);
            options.least = 0;
            options.of.limit = 0;
            options.of.fold = true;
            options.depth = 50;
            all = tree(profile, options);
            cr_assert_gt(all->count, 0);
            report_tree_free(all);
        }
        struct report *report = flat(profile, (struct report_options){.limit = 10});
        cr_assert_gt(report->count, 0);
        report_free(report);
        cr_assert_lt(seconds() - begin, 20, "levels %u", levels[i / 2]);
        profile_free(profile);
    }
}

/* A hundred thousand stacks, in ten threads each, as a large program has them. */
Test(stacks, many_stacks, .timeout = 60)
{
    struct profile *profile = profile_new();
    uint32_t locations[2000];

    stacks_add(profile, 0, "main", 1);
    for (uint32_t i = 1; i < 10; i++)
        stacks_thread(profile, 7, "prog", 7 + i, "worker");
    for (uint32_t i = 0; i < 2000; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        locations[i] = stacks_location(profile, name);
    }
    srand(1);
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t node = profile->samples[0].node;
        for (uint32_t k = 0; k < 25; k++) { /* the further out, the fewer ways there are */
            uint32_t ways = k < 4 ? 2 : k < 12 ? 3 : 20;
            uint32_t at = (k * 80 + (uint32_t)rand() % ways) % 2000;
            cr_assert_eq(profile_node(profile, node, locations[at], &node), 0);
        }
        for (uint32_t thread = 0; thread < 10; thread++) {
            struct profile_sample sample = {
                .thread = thread, .node = node, .count = 1, .cpu_ns = 1000000};
            cr_assert_eq(profile_count(profile, &sample), 0);
        }
    }
    for (unsigned kind = REPORT_TREE_CALLS; kind <= REPORT_TREE_CALLEES; kind++) {
        double begin = seconds();
        struct report_tree *all =
            tree(profile, (struct report_tree_options){.kind = (enum report_tree_kind)kind,
                                                       .function = "f1601",
                                                       .of.limit = 100,
                                                       .least = 0.005});
        printf("# kind %u: %u rows of %u, %.3f s\n", kind, all->count, all->all, seconds() - begin);
        cr_assert_lt(seconds() - begin, 8); /* sanitizers, slow machines; 1 s here is far from it */
        report_tree_free(all);
    }
    double begin = seconds();
    struct report *report = flat(profile, (struct report_options){.limit = 30});
    printf("# flat: %u rows, %.3f s\n", report->total, seconds() - begin);
    cr_assert_lt(seconds() - begin, 8);
    cr_assert_eq(report->rows[0].total_samples <= 1000001, 1);
    report_free(report);
    profile_free(profile);
}
