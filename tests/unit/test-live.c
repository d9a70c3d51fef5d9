/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of the rows of live reports: rows whose names are not known yet, ids, filters, and samples that reports leave
 * out. */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "live-fixture.h"

__attribute__((noinline)) int live_first(int x)
{
    return x * 3 + getppid();
}

__attribute__((noinline)) int live_second(int x)
{
    return live_first(x) + 7 * getppid();
}

Test(live, pending_then_named)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;

    map_self(profile, 10);
    sample(profile, 10, 10, live_first, 0, 30);
    sample(profile, 10, 10, live_first, 1, 30);
    sample(profile, 10, 10, live_second, 0, 40);
    pprofil_live *live = open_live(session);
    pprofil_report *report = report_on(live, PPROFIL_BY_FUNCTION, NULL);
    struct pprofil_row row = row_of(report, 0);
    cr_assert_eq(pprofil_report_count(report), 1, "what has no name yet is one row");
    cr_assert(row.pending);
    cr_assert_str_eq(row.name, strrchr(self, '/') + 1);
    cr_assert_str_eq(row.object, row.name);
    cr_assert_neq(row.id, 0);
    cr_assert_eq(row.ns, 100);
    pprofil_report_free(report);
    cr_assert_leq(pprofil_live_pending(live), 3);

    await_names(live, PPROFIL_BY_FUNCTION);
    report = report_on(live, PPROFIL_BY_FUNCTION, NULL);
    cr_assert_eq(pprofil_report_count(report), 2);
    cr_assert_str_eq(row_of(report, 0).name, "live_first");
    cr_assert_eq(row_of(report, 0).ns, 60);
    cr_assert_str_eq(row_of(report, 1).name, "live_second");
    cr_assert_str_eq(row_of(report, 1).hottest, "");
    cr_assert(!row_of(report, 1).pending);
    pprofil_report_free(report);
    pprofil_live_close(live);
    free_session(session);
}

Test(live, ids_stay_while_rows_move)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;

    map_self(profile, 10);
    sample(profile, 10, 10, live_first, 0, 60);
    sample(profile, 10, 11, live_second, 0, 40);
    pprofil_live *live = open_live(session);
    await_names(live, PPROFIL_BY_LINE);
    for (unsigned by = PPROFIL_BY_FUNCTION; by <= PPROFIL_BY_STATE; by++) {
        const struct pprofil_report_options options = {.size = sizeof options, .by = (enum pprofil_by)by};
        pprofil_report *before = report_on(live, (enum pprofil_by)by, NULL), *plain;
        cr_assert_eq(pprofil_report_new(session->profile, &options, &plain), 0);
        for (uint32_t i = 0; i < pprofil_report_count(before); i++) {
            cr_assert_neq(row_of(before, i).id, 0);
            cr_assert_eq(row_of(before, i).id, row_of(plain, i).id);
            for (uint32_t j = 0; j < i; j++)
                cr_assert_neq(row_of(before, i).id, row_of(before, j).id);
        }
        sample(profile, 10, 11, live_second, 0, 1000); /* the row of live_second becomes the first row */
        pprofil_report *after = report_on(live, (enum pprofil_by)by, NULL);
        uint32_t last = pprofil_report_count(before) - 1;
        cr_assert_eq(row_of(before, by == PPROFIL_BY_FUNCTION ? last : 0).id, row_of(after, 0).id);
        pprofil_report_free(before);
        pprofil_report_free(plain);
        pprofil_report_free(after);
    }
    pprofil_live_close(live);
    free_session(session);
}

Test(live, filters)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;
    struct pprofil_filter filter = {.size = sizeof filter};

    map_self(profile, 10);
    sample(profile, 10, 10, live_first, 0, 50);
    sample(profile, 10, 11, live_second, 0, 30);
    feed_sample(profile, 10, 11, 0x10, 20, 0);
    feed_task(profile, WIRE_EXEC, 10, 10); /* another image of the same process */
    feed_sample(profile, 10, 10, 0x10, 100, WIRE_NO_SYSCALL);
    feed_fork(profile, 20, 10);
    feed_sample(profile, 20, 20, 0x10, 800, WIRE_NO_SYSCALL);
    pprofil_live *live = open_live(session);
    await_names(live, PPROFIL_BY_FUNCTION);

    filter.pid = 10;
    pprofil_report *report = report_on(live, PPROFIL_BY_FUNCTION, &filter);
    cr_assert_eq(pprofil_report_count(report), 3);
    cr_assert_eq(row_of(report, 0).ns, 120, "all its images");
    cr_assert_float_eq(row_of(report, 1).share, 0.25, 1e-12, "of what is let through");
    pprofil_report_free(report);
    filter.tid = 11;
    cr_assert_eq(first_row(live, PPROFIL_BY_FUNCTION, &filter).ns, 30);
    cr_assert_eq(count_rows(live, PPROFIL_BY_THREAD, &filter), 1);
    filter.syscall = first_row(live, PPROFIL_BY_SYSCALL, &filter).id;
    cr_assert_eq(first_row(live, PPROFIL_BY_FUNCTION, &filter).ns, 30, "[user]");
    filter = (struct pprofil_filter){.size = sizeof filter};
    report = report_on(live, PPROFIL_BY_OBJECT, NULL);
    filter.object = row_of(report, 1).id;
    cr_assert_eq(row_of(report, 1).ns, 80);
    pprofil_report_free(report);
    cr_assert_eq(count_rows(live, PPROFIL_BY_FUNCTION, &filter), 2);
    cr_assert_float_eq(first_row(live, PPROFIL_BY_FUNCTION, &filter).share, 0.625, 1e-12);
    filter.pid = 99;
    cr_assert_eq(count_rows(live, PPROFIL_BY_FUNCTION, &filter), 0);
    pprofil_live_close(live);
    free_session(session);
}

/* Checks that a filter for a row lets the samples of this row through, and no others. */
static void expect_rows_filter(pprofil_live *live, enum pprofil_by by, uint32_t rows)
{
    pprofil_report *report = report_on(live, by, NULL);

    cr_assert_eq(pprofil_report_count(report), rows);
    for (uint32_t i = 0; i < rows; i++) {
        struct pprofil_row row = row_of(report, i);
        struct pprofil_filter filter = {.size = sizeof filter, .pid = row.pid};
        filter.process = by == PPROFIL_BY_PROCESS ? row.id : 0;
        filter.thread = by == PPROFIL_BY_THREAD ? row.id : 0;
        cr_assert_eq(count_rows(live, by, &filter), 1);
        cr_assert_eq(first_row(live, by, &filter).id, row.id);
        cr_assert_eq(first_row(live, PPROFIL_BY_OBJECT, &filter).ns, row.ns);
    }
    pprofil_report_free(report);
}

Test(live, a_row_of_one_image_filters_to_it)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;

    feed_sample(profile, 10, 10, 0x10, 70, WIRE_NO_SYSCALL);
    feed_task(profile, WIRE_EXEC, 10, 10);
    feed_sample(profile, 10, 10, 0x10, 20, WIRE_NO_SYSCALL);
    feed_task(profile, WIRE_EXEC, 10, 10);
    feed_sample(profile, 10, 10, 0x10, 10, WIRE_NO_SYSCALL);
    pprofil_live *live = open_live(session);
    expect_rows_filter(live, PPROFIL_BY_PROCESS, 3);
    expect_rows_filter(live, PPROFIL_BY_THREAD, 3);
    pprofil_live_close(live);
    free_session(session);
}

Test(live, only_samples_of_the_mode_count)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;
    struct wire_sample event = {.header = {WIRE_SAMPLE, sizeof event},
                                .pid = 10,
                                .tid = 10,
                                .syscall = 1,
                                .flags = WIRE_SAMPLE_SLEEPING};

    sample(profile, 10, 10, live_first, 0, 10);
    pprofil_live *live = open_live(session);
    double alone = first_row(live, PPROFIL_BY_SYSCALL, NULL).error95;
    for (int i = 0; i < 50; i++) {
        event.wall_ns = 900;
        feed(profile, &event.header);
    }
    cr_assert(profile->totals.wall);
    pprofil_report *report = report_on(live, PPROFIL_BY_SYSCALL, NULL);
    cr_assert_eq(pprofil_report_count(report), 1, "what was sampled before wall mode has no time");
    cr_assert_eq(row_of(report, 0).ns, 50 * 900);
    pprofil_report_free(report);
    profile->totals.wall = false; /* as if wall mode were turned off */
    report = report_on(live, PPROFIL_BY_SYSCALL, NULL);
    cr_assert_eq(pprofil_report_count(report), 1, "sleepers use no CPU time");
    cr_assert_str_eq(row_of(report, 0).name, "[user]");
    cr_assert_eq(row_of(report, 0).samples, 1);
    cr_assert_float_eq(row_of(report, 0).error95, alone, 1e-12, "nor do they make it surer");
    pprofil_report_free(report);
    pprofil_live_close(live);
    free_session(session);
}

Test(live, hottest)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;

    map_self(profile, 10);
    sample(profile, 10, 10, live_first, 0, 30);
    sample(profile, 10, 10, live_first, 1, 30);
    sample(profile, 10, 10, live_second, 0, 50);
    sample(profile, 10, 11, live_second, 0, 5);
    pprofil_live *live = open_live(session);
    cr_assert_str_eq(first_row(live, PPROFIL_BY_THREAD, NULL).hottest, "", "no name, no function");
    await_names(live, PPROFIL_BY_FUNCTION);
    pprofil_report *report = report_on(live, PPROFIL_BY_THREAD, NULL);
    cr_assert_eq(pprofil_report_count(report), 2);
    cr_assert_str_eq(row_of(report, 0).hottest, "live_first");
    cr_assert_str_eq(row_of(report, 1).hottest, "live_second");
    pprofil_report_free(report);
    cr_assert_str_eq(first_row(live, PPROFIL_BY_PROCESS, NULL).hottest, "live_first");
    sample(profile, 10, 10, live_second, 0, 6);
    cr_assert_str_eq(first_row(live, PPROFIL_BY_PROCESS, NULL).hottest, "live_second", "61 to 60");
    cr_assert_str_eq(first_row(live, PPROFIL_BY_THREAD, NULL).hottest, "live_first", "56 to 60");
    sample(profile, 10, 10, live_second, 0, 5);
    cr_assert_str_eq(first_row(live, PPROFIL_BY_THREAD, NULL).hottest, "live_second", "61 to 60");
    pprofil_live_close(live);
    free_session(session);
}

Test(live, clearing_while_names_are_under_way)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;

    map_self(profile, 10);
    pprofil_live *live = open_live(session);
    for (int round = 0; round < 20; round++) {
        for (unsigned i = 0; i < 200; i++)
            sample(profile, 10, 10, live_first, i + (unsigned)round * 7, 1);
        pprofil_report_free(report_on(live, PPROFIL_BY_LINE, NULL));
        profile_clear(profile);
        cr_assert_eq(count_rows(live, PPROFIL_BY_FUNCTION, NULL), 0);
    }
    sample(profile, 10, 10, live_second, 0, 1);
    await_names(live, PPROFIL_BY_LINE);
    cr_assert_str_eq(first_row(live, PPROFIL_BY_FUNCTION, NULL).name, "live_second");
    pprofil_live_close(live);
    free_session(session);
}

Test(live, closing_with_work_left)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;

    map_self(profile, 10);
    for (unsigned i = 0; i < 20000; i++)
        sample(profile, 10, 10, live_first, i, 1);
    for (int i = 0; i < 3; i++) {
        pprofil_live *live = open_live(session);
        pprofil_report_free(report_on(live, PPROFIL_BY_LINE, NULL));
        pprofil_live_close(live);
    }
    free_session(session);
}
