/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers of test-report-stacks-*.c: a profile with stacks, and reports on it. */
#ifndef PPROFIL_TEST_REPORT_STACKS_FIXTURE_H
#define PPROFIL_TEST_REPORT_STACKS_FIXTURE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "build-stacks.h"
#include "report/report.h"

#define UNUSED __attribute__((unused)) /* not every file uses all functions of this header */

/*
 * The samples of each function with its callees, and in brackets those in its own code:
 *   main 100 (5)
 *     parse 60 (20)
 *       lex 30, parse 10 (4): lex 6
 *     eval 35 (30)
 *       lex 5
 */
UNUSED static struct profile *make_profile(void)
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

/* Adds a process that is a rank of a job. Returns its thread. */
UNUSED static uint32_t add_rank(struct profile *profile, const char *rank)
{
    struct profile_process process = {.status = -1};
    struct profile_thread thread = {0};
    uint32_t index;

    cr_assert_eq(profile_string(profile, rank, &process.rank), 0);
    cr_assert_eq(profile_add_process(profile, &process, &thread.process), 0);
    cr_assert_eq(profile_add_thread(profile, &thread, &index), 0);
    return index;
}

UNUSED static struct pprofil_report *flat(struct profile *profile, struct report_options options)
{
    struct pprofil_report *report;

    options.stacks = true;
    cr_assert_eq(report_flat(profile, NULL, &options, &report), 0);
    return report;
}

UNUSED static const struct pprofil_row *find(const struct pprofil_report *report, const char *name)
{
    for (uint32_t i = 0; i < report->count; i++)
        if (strcmp(report->rows[i].name, name) == 0)
            return &report->rows[i];
    cr_assert_fail("no row '%s'", name);
    return NULL;
}

UNUSED static struct pprofil_tree *tree(struct profile *profile, struct report_tree_options options)
{
    struct pprofil_tree *report;
    char problem[256] = "";

    cr_assert_eq(report_tree(profile, NULL, &options, &report, problem, sizeof problem), 0, "%s", problem);
    return report;
}

/* Compares rows with texts: "depth name total/self", or "depth [n] total" for n rows that are cut off. */
UNUSED static void expect_rows(const struct pprofil_tree *report, const char *const *rows)
{
    for (uint32_t i = 0; i < report->count; i++) {
        const struct pprofil_tree_row *row = &report->rows[i];
        char text[256];
        cr_assert_not_null(rows[i], "row %u: %s", i, row->row.name);
        if (row->cut > 0)
            snprintf(text, sizeof text, "%u [%u] %lu", row->depth, row->cut, (unsigned long)row->row.total_samples);
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

#endif
