/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A saved profile: rows that get their names after the first snapshot. */
#include "config.h"

#include "tui-model-fixture.h"

#define COLUMNS 4u

/* Takes a snapshot with one row, which ran evenly for the whole profile. `history`: as many numbers as columns, or
 * NULL. */
static void take_saved(struct model *model, uint64_t id, uint32_t pending)
{
    struct snapshot snapshot = {.time_ns = 10 * SECOND, .saved = true, .ended = true, .status = -1, .pending = pending};
    struct snapshot_rows *rows = &snapshot.by[PPROFIL_BY_FUNCTION];
    struct snapshot_wants wants;

    model_wants(model, &wants);
    snapshot.totals = (struct pprofil_totals){.samples = 100, .cpu_ns = SECOND, .elapsed_ns = SECOND};
    rows->taken = true;
    rows->count = 1;
    rows->rows = calloc(1, sizeof *rows->rows);
    rows->rows[0] = (struct pprofil_row){.name = "row",
                                         .object = "",
                                         .file = "",
                                         .id = id,
                                         .pending = pending > 0,
                                         .samples = 100,
                                         .ns = SECOND,
                                         .total_samples = 100,
                                         .total_ns = SECOND};
    if (wants.history[PPROFIL_BY_FUNCTION]) {
        rows->columns = COLUMNS;
        rows->history = calloc(COLUMNS, sizeof *rows->history);
        for (uint32_t i = 0; i < COLUMNS; i++)
            rows->history[i] = SECOND / COLUMNS;
    }
    model_take(model, &snapshot, pending > 0);
}

static void expect_whole_row(struct model *model, uint64_t id)
{
    const struct table *table = model_table(model);

    cr_assert_eq(table->count, 1);
    cr_expect_eq(table->rows[0].total.id, id);
    cr_expect_float_eq(table->rows[0].smooth_inclusive, 1, 1e-6);
    for (uint32_t i = TABLE_WINDOWS - COLUMNS; i < TABLE_WINDOWS; i++)
        cr_expect_float_eq(table->rows[0].history[i], 1, 1e-6, "column %u", i);
}

Test(saved, rows_with_late_names_have_totals_and_histories)
{
    struct story story = begin();
    struct model *model = story.model;
    struct snapshot_wants wants;

    model->saved = true;
    take_saved(model, 1, 1);
    expect_whole_row(model, 1);
    take_saved(model, 2, 0);
    expect_whole_row(model, 2);
    model_wants(model, &wants);
    cr_expect_not(wants.history[PPROFIL_BY_FUNCTION], "all names are known");
    take_saved(model, 2, 0);
    expect_whole_row(model, 2);
    model_free(model);
}
