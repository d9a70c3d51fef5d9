/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files test-tui-model-*.c share. */
#ifndef PPROFIL_TEST_TUI_MODEL_FIXTURE_H
#define PPROFIL_TEST_TUI_MODEL_FIXTURE_H

#include <errno.h>

#include "make-snapshot.h"

#define UNUSED __attribute__((unused)) /* not every file uses all functions of this header */

/* The model, and the counts of a made-up program from which snapshots are made. */
struct story {
    struct model *model;
    uint64_t time_ns;
    uint64_t ms[27]; /* CPU time so far of the functions a (index 1) to z (index 26) */
    struct pprofil_totals totals;
    bool stopped;      /* sampling is stopped */
    uint64_t ended_ns; /* time at which the last target ended; 0: not yet */
};

UNUSED static struct story begin(void)
{
    struct story story = {.model = model_new(), .time_ns = 100 * SECOND};

    cr_assert_not_null(story.model);
    story.model->page_rows = 5;
    story.model->list_row = 4;
    story.totals.asked_hz = 1000;
    return story;
}

/* Makes a snapshot. All groupings have the same rows, but each grouping has its own ids for them. */
UNUSED static struct snapshot make(struct story *story)
{
    struct snapshot snapshot = {.time_ns = story->time_ns, .totals = story->totals, .status = -1,
                                .sampling = !story->stopped, .ended = story->ended_ns != 0,
                                .over_ns = story->ended_ns};
    struct snapshot_wants wants;

    model_wants(story->model, &wants);
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++) {
        snapshot.by[by].taken = wants.by[by];
        for (uint64_t id = 1; wants.by[by] && id < 27; id++)
            if (story->ms[id] > 0)
                add_row(&snapshot.by[by], id, story->ms[id])->id = id + 100 * by;
    }
    return snapshot;
}

UNUSED static void pass(struct story *story, uint64_t ms, bool due)
{
    story->time_ns += ms * MS;
    struct snapshot snapshot = make(story);
    model_take(story->model, &snapshot, due);
    cr_assert_null(snapshot.tasks);
    cr_assert_null(snapshot.by[0].rows);
}

UNUSED static void run(struct story *story, const char *names, uint64_t ms)
{
    for (; *names != '\0'; names++)
        story->ms[*names - 'a' + 1] += ms;
}

UNUSED static void expect_rows(const struct model *model, const char *names)
{
    const struct table *table = model_table(model);

    cr_assert_eq(table->count, strlen(names), "%u rows, not %s", table->count, names);
    for (uint32_t i = 0; i < table->count; i++)
        cr_assert_eq(table->rows[i].total.name[0], names[i], "row %u is %s, not %c", i,
                     table->rows[i].total.name, names[i]);
}

UNUSED static char selected(const struct model *model)
{
    cr_assert_lt(model->selected, model_table(model)->count);
    return model_table(model)->rows[model->selected].total.name[0];
}

/* --- the header ------------------------------------------------------------------------------ */

UNUSED static void tell(struct story *story, uint64_t ms, uint64_t cpu_ms, uint64_t stopped_ms)
{
    story->totals.elapsed_ns += ms * MS;
    story->totals.target_cpu_ns += cpu_ms * MS;
    story->totals.stopped_ns += stopped_ms * MS;
}

#endif
