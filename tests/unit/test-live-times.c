/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Live views of saved profiles, ranges of time, and when rows spent their time. */
#include "config.h"

#include <errno.h>

#include "live-fixture.h"

#define MS UINT64_C(1000000)

/* Adds a sample of 1 ms. It ends `ms` after the profile begins, at 5 s. */
static void sample_at(struct profile *profile, uint32_t tid, int (*function)(int), uint64_t ms)
{
    struct wire_sample event = {.header = {WIRE_SAMPLE, sizeof event},
                                .time = 5000 * MS + ms * MS,
                                .pid = 10,
                                .tid = tid,
                                .pc = (uintptr_t)function,
                                .cpu_ns = MS,
                                .syscall = WIRE_NO_SYSCALL};

    feed(profile, &event.header);
}

/* Thread 10 runs live_first for 100 ms, and then live_second for 100 ms. Thread 11 runs live_first all the time. */
static struct pprofil_session *make_times(void)
{
    struct pprofil_session *session = make_session();
    struct profile *profile = session->profile->profile;

    profile->processes[0].start = profile->clock_offset + 5000 * MS;
    map_self(profile, 10);
    for (uint64_t ms = 1; ms <= 200; ms++) {
        sample_at(profile, 10, ms < 100 ? live_first : live_second, ms);
        sample_at(profile, 11, live_first, ms);
    }
    return session;
}

static uint64_t time_of(const pprofil_report *report, const char *name)
{
    for (uint32_t i = 0; i < pprofil_report_count(report); i++)
        if (strcmp(row_of(report, i).name, name) == 0)
            return row_of(report, i).ns;
    return 0;
}

Test(live_times, a_saved_profile_is_a_live_view)
{
    struct pprofil_session *session = make_times();
    pprofil_live *live;

    cr_assert_eq(pprofil_live_open_profile(session->profile, &live), 0);
    await_names(live, PPROFIL_BY_FUNCTION);
    pprofil_report *report = report_on(live, PPROFIL_BY_FUNCTION, NULL);
    cr_assert_eq(time_of(report, "live_first"), 299 * MS);
    cr_assert_eq(time_of(report, "live_second"), 101 * MS);
    pprofil_report_free(report);
    pprofil_live_close(live);

    /* now the profile has names, as one has that was saved with them */
    cr_assert_eq(pprofil_live_open_profile(session->profile, &live), 0);
    report = report_on(live, PPROFIL_BY_FUNCTION, NULL);
    cr_assert_eq(time_of(report, "live_second"), 101 * MS);
    uint64_t id = row_of(report, 0).id;
    pprofil_report_free(report);
    pprofil_code *code;
    cr_assert_eq(pprofil_live_code(live, PPROFIL_BY_FUNCTION, id, NULL, &code), -EAGAIN, "its code is looked for");
    pprofil_live_close(live);
    free_session(session);
}

Test(live_times, a_range_of_time_is_a_filter)
{
    struct pprofil_session *session = make_times();
    pprofil_live *live = open_live(session);
    struct pprofil_filter early = {.size = sizeof early, .to_ns = 100 * MS}, late = {.size = sizeof late};
    struct pprofil_live_times times;

    late.from_ns = 100 * MS;
    await_names(live, PPROFIL_BY_FUNCTION);
    pprofil_live_times(live, &times, sizeof times);
    cr_assert_eq(times.start_ns, 5000 * MS);
    cr_assert_eq(times.length_ns, 220 * MS);
    cr_assert_eq(times.slot_ns, 20 * MS);
    /* in turn, because the sums of a filter are kept until there is another */
    for (int i = 0; i < 2; i++) {
        pprofil_report *report = report_on(live, PPROFIL_BY_FUNCTION, &early);
        cr_assert_eq(pprofil_report_count(report), 1);
        cr_assert_eq(time_of(report, "live_first"), 198 * MS);
        pprofil_report_free(report);
        report = report_on(live, PPROFIL_BY_FUNCTION, &late);
        cr_assert_eq(time_of(report, "live_first"), 101 * MS);
        cr_assert_eq(time_of(report, "live_second"), 101 * MS);
        pprofil_report_free(report);
    }
    /* samples that come later are counted if they are in the range */
    for (uint64_t ms = 201; ms <= 300; ms++)
        sample_at(session->profile->profile, 10, live_second, ms);
    pprofil_report *report = report_on(live, PPROFIL_BY_FUNCTION, &late);
    cr_assert_eq(time_of(report, "live_second"), 201 * MS);
    pprofil_report_free(report);
    report = report_on(live, PPROFIL_BY_FUNCTION, &early);
    cr_assert_eq(time_of(report, "live_second"), 0);
    pprofil_report_free(report);
    pprofil_live_close(live);
    free_session(session);
}

Test(live_times, samples_without_names_are_in_their_range)
{
    struct pprofil_session *session = make_times();
    pprofil_live *live = open_live(session);
    const struct pprofil_filter late = {.size = sizeof late, .from_ns = 100 * MS};

    /* all rows are pending at first, and get their names while the filter stays */
    cr_assert_eq(first_row(live, PPROFIL_BY_FUNCTION, &late).ns, 202 * MS);
    await_names(live, PPROFIL_BY_FUNCTION);
    pprofil_report *report = report_on(live, PPROFIL_BY_FUNCTION, &late);
    cr_assert_eq(time_of(report, "live_first"), 101 * MS);
    cr_assert_eq(time_of(report, "live_second"), 101 * MS);
    pprofil_report_free(report);
    pprofil_live_close(live);
    free_session(session);
}

Test(live_times, rows_have_histories)
{
    struct pprofil_session *session = make_times();
    pprofil_live *live = open_live(session);
    const struct pprofil_columns halves = {0, 200 * MS, 2};
    struct pprofil_filter one = {.size = sizeof one, .tid = 10};
    uint64_t ns[4] = {0};

    await_names(live, PPROFIL_BY_FUNCTION);
    pprofil_report *report = report_on(live, PPROFIL_BY_FUNCTION, NULL);
    cr_assert_eq(pprofil_report_count(report), 2);
    cr_assert_str_eq(row_of(report, 0).name, "live_first");
    cr_assert_eq(pprofil_live_row_times(live, PPROFIL_BY_FUNCTION, NULL, report, &halves, ns), 0);
    cr_assert_eq(ns[0], 198 * MS);
    cr_assert_eq(ns[1], 100 * MS); /* one more sample ends in the slot after 200 ms */
    cr_assert_eq(ns[2], 0);
    cr_assert_eq(ns[3], 100 * MS);
    pprofil_report_free(report);

    /* the filter leaves out the other thread */
    memset(ns, 0, sizeof ns);
    report = report_on(live, PPROFIL_BY_THREAD, NULL);
    cr_assert_eq(pprofil_live_row_times(live, PPROFIL_BY_THREAD, &one, report, &halves, ns), 0);
    cr_assert_eq(ns[0] + ns[2], 99 * MS);
    cr_assert_eq(ns[1] + ns[3], 100 * MS);
    cr_assert_eq(pprofil_live_row_times(live, PPROFIL_BY_THREAD, &one, report, &(struct pprofil_columns){5, 5, 1}, ns),
                 -EINVAL);
    pprofil_report_free(report);
    pprofil_live_close(live);
    free_session(session);
}
