/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files test-report-diff*.c share. */
#ifndef PPROFIL_TEST_REPORT_DIFF_FIXTURE_H
#define PPROFIL_TEST_REPORT_DIFF_FIXTURE_H

#include "build-events.h"
#include "report/diff.h"

#define UNUSED __attribute__((unused)) /* not every file uses all functions of this header */

/* --- profiles --------------------------------------------------------------------------- */

UNUSED static uint32_t string(struct profile *profile, const char *text)
{
    uint32_t index;

    cr_assert_eq(profile_string(profile, text, &index), 0);
    return index;
}

UNUSED static struct profile *make_profile(void)
{
    struct profile *profile = profile_new();
    struct profile_process process = {.pid = 1, .start = 1};
    struct profile_thread thread = {.tid = 1};
    uint32_t index;

    cr_assert_eq(profile_add_process(profile, &process, &index), 0);
    cr_assert_eq(profile_add_thread(profile, &thread, &index), 0);
    return profile;
}

UNUSED static uint32_t place_at(struct profile *profile, const char *path, const char *name, uint32_t at)
{
    struct profile_object object = {
        .kind = PROFILE_OBJECT_FILE, .fd = -1, .path = string(profile, path)};
    struct profile_function function = {.name = string(profile, name)};
    struct profile_line line = {0};
    uint32_t index, location;

    cr_assert_eq(profile_object(profile, &object, &index), 0);
    function.object = index + 1;
    cr_assert_eq(profile_location(profile, index, 16 * function.name + at, &location), 0);
    cr_assert_eq(profile_function(profile, &function, &line.function), 0);
    cr_assert_eq(profile_set_lines(profile, location, &line, 1, PROFILE_LOOKED_NAME), 0);
    return location;
}

UNUSED static uint32_t place(struct profile *profile, const char *path, const char *name)
{
    return place_at(profile, path, name, 0);
}

UNUSED static uint32_t below(struct profile *profile, uint32_t parent, uint32_t location)
{
    uint32_t node;

    cr_assert_eq(profile_node(profile, parent, location, &node), 0);
    return node;
}

UNUSED static void count(struct profile *profile, uint32_t node, uint64_t samples, uint64_t ns)
{
    struct profile_sample sample = {.node = node, .count = samples, .cpu_ns = ns};
    cr_assert_eq(profile_count(profile, &sample), 0);
}

UNUSED static void count_in(struct profile *profile, const char *path, const char *name, uint64_t samples, uint64_t ns)
{
    count(profile, below(profile, 0, place(profile, path, name)), samples, ns);
}

UNUSED static struct pprofil_diff *compare_by(struct profile *old, struct profile *new, enum pprofil_diff_by by)
{
    struct diff_options options = {.by = by};
    struct profile *profiles[] = {old, new};
    struct pprofil_diff *diff;

    cr_assert_eq(diff_new(profiles, NULL, &options, &diff), 0);
    return diff;
}

UNUSED static const struct pprofil_diff_row *find(const struct pprofil_diff *diff, const char *name)
{
    for (uint32_t i = 0; i < diff->count; i++)
        if (strcmp(diff->rows[i].name, name) == 0)
            return &diff->rows[i];
    cr_assert_fail("no row %s", name);
    return NULL;
}

UNUSED static void end(struct pprofil_diff *diff, struct profile *old, struct profile *new)
{
    pprofil_diff_free(diff);
    profile_free(old);
    profile_free(new);
}

#endif
