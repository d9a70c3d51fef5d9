/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * live-fixture: makes live views of profiles. The object in the profiles is this program, at the address where it is
 * really mapped. So the names of its functions can be found.
 */
#ifndef PPROFIL_TEST_LIVE_FIXTURE_H
#define PPROFIL_TEST_LIVE_FIXTURE_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "build-events.h"
#include "session/session.h"

#define PATIENCE 1000                  /* number of waits of 10 ms */
#define UNUSED __attribute__((unused)) /* not every file uses all functions of this header */

int live_first(int x);
int live_second(int x);

static char self[4096];

UNUSED static struct pprofil_session *make_session(void)
{
    struct pprofil_session *session = calloc(1, sizeof *session);

    session->profile = calloc(1, sizeof *session->profile);
    session->profile->profile = profile_new();
    session->profile->profile->clock_offset = UINT64_C(1700000000000000000);
    feed_fork(session->profile->profile, 10, 0);
    feed_comm(session->profile->profile, 10, 10, "prog");
    return session;
}

UNUSED static void free_session(struct pprofil_session *session)
{
    symbolizer_free(session->profile->symbolizer);
    profile_free(session->profile->profile);
    free(session->profile);
    free(session);
}

/* Adds a mapping of this program's code to a process of the profile. `object` is the id of an object whose descriptor
 * will be given to the profile later. If it is 0, none will be given. */
UNUSED static void announce_self(struct profile *profile, uint32_t pid, uint32_t object)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    uint64_t at = (uintptr_t)live_first;
    char line[4400], path[4096];
    struct map_spec spec = {.pid = pid, .kind = WIRE_MAP_FILE, .name = self, .object = object};

    while (fgets(line, sizeof line, maps) != NULL)
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64 " %4095s",
                   &spec.start, &spec.end, &spec.offset, &spec.inode, path) == 5 &&
            at >= spec.start && at < spec.end) {
            strcpy(self, path);
            feed_map(profile, &spec);
        }
    fclose(maps);
    cr_assert_neq(self[0], '\0');
}

UNUSED static void map_self(struct profile *profile, uint32_t pid)
{
    announce_self(profile, pid, 0);
}

UNUSED static void sample(struct profile *profile, uint32_t pid, uint32_t tid, int (*function)(int),
                          unsigned into, uint64_t ns)
{
    feed_sample(profile, pid, tid, (uintptr_t)function + into, ns, WIRE_NO_SYSCALL);
}

UNUSED static pprofil_live *open_live(struct pprofil_session *session)
{
    pprofil_live *live;

    cr_assert_eq(pprofil_live_open(session, &live), 0);
    return live;
}

UNUSED static pprofil_report *report_on(pprofil_live *live, enum pprofil_by by, const struct pprofil_filter *filter)
{
    pprofil_report *report;

    cr_assert_eq(pprofil_live_report(live, by, filter, &report), 0);
    return report;
}

UNUSED static struct pprofil_row row_of(const pprofil_report *report, uint32_t i)
{
    struct pprofil_row row;

    cr_assert_lt(i, pprofil_report_count(report));
    pprofil_report_row(report, i, &row, sizeof row);
    return row;
}

UNUSED static struct pprofil_row first_row(pprofil_live *live, enum pprofil_by by, const struct pprofil_filter *filter)
{
    pprofil_report *report = report_on(live, by, filter);
    struct pprofil_row row = row_of(report, 0);

    pprofil_report_free(report);
    return row;
}

UNUSED static uint32_t count_rows(pprofil_live *live, enum pprofil_by by, const struct pprofil_filter *filter)
{
    pprofil_report *report = report_on(live, by, filter);
    uint32_t count = pprofil_report_count(report);

    pprofil_report_free(report);
    return count;
}

UNUSED static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

UNUSED static bool has_pending(pprofil_live *live, enum pprofil_by by)
{
    pprofil_report *report = report_on(live, by, NULL);
    bool pending = false;

    for (uint32_t i = 0; i < pprofil_report_count(report); i++)
        pending = pending || row_of(report, i).pending;
    pprofil_report_free(report);
    return pending;
}

/* Waits until all locations have names. When the counts have been cleared, some locations have no samples, so no report
 * shows them. So the wait also uses pprofil_live_pending, which counts all locations without names. */
UNUSED static void await_names(pprofil_live *live, enum pprofil_by by)
{
    for (int i = 0; i < PATIENCE && (has_pending(live, by) || pprofil_live_pending(live) > 0); i++)
        nap();
    cr_assert(!has_pending(live, by));
    cr_assert_eq(pprofil_live_pending(live), 0);
}

#endif
