/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "tui-model-fixture.h"

/* --- selection ------------------------------------------------------------------------------ */

Test(selection, stays_on_its_row_while_rows_move)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "abc", 100);
    pass(&story, 0, true);
    press(model, TUI_KEY_DOWN);
    cr_assert_eq(selected(model), 'b');
    run(&story, "c", 500);
    run(&story, "a", 100);
    pass(&story, 1000, true);
    expect_rows(model, "cab");
    cr_assert_eq(selected(model), 'b');
    cr_assert_eq(model->selected, 2);
    story.ms[2] = 0; /* the row is gone: the selection stays at its index, or at the last line */
    pass(&story, 1000, true);
    cr_assert_eq(model->selected, 1);
    cr_assert_eq(selected(model), 'a');
    model_free(model);
}

Test(selection, stays_at_the_head_until_it_is_moved)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "abc", 100);
    pass(&story, 0, true);
    run(&story, "c", 500);
    pass(&story, 1000, true);
    cr_assert_eq(selected(model), 'c');
    press(model, 'G');
    press(model, 'k');
    press(model, 'k');
    press(model, 'k');
    cr_assert_eq(selected(model), 'c');
    run(&story, "a", 5000);
    pass(&story, 1000, true);
    cr_assert_eq(selected(model), 'c');
    press(model, 'g');
    run(&story, "b", 50000);
    pass(&story, 1000, true);
    cr_assert_eq(selected(model), 'b');
    model_free(model);
}

Test(selection, moves_and_scrolls)
{
    struct story story = begin();
    struct model *model = story.model;

    for (int i = 1; i <= 20; i++)
        story.ms[i] = 1000 - (uint64_t)i;
    pass(&story, 0, true);
    for (int i = 0; i < 6; i++)
        press(model, 'j');
    cr_assert_eq(model->selected, 6);
    cr_assert_eq(model->top, 2);
    press(model, TUI_KEY_PAGE_DOWN);
    cr_assert_eq(model->selected, 10);
    press(model, TUI_KEY_END);
    cr_assert_eq(model->selected, 19);
    cr_assert_eq(model->top, 15);
    press(model, TUI_KEY_PAGE_UP);
    press(model, TUI_KEY_WHEEL_UP);
    cr_assert_eq(model->top, 12);
    cr_assert_eq(model->selected, 15);
    press(model, TUI_KEY_WHEEL_UP);
    cr_assert_eq(model->top, 9);
    cr_assert_eq(model->selected, 13, "it is taken along");
    for (int i = 0; i < 9; i++)
        press(model, TUI_KEY_WHEEL_UP);
    cr_assert_eq(model->selected, 0);
    struct key_event click = {TUI_KEY_CLICK, 7, 0}, below = {TUI_KEY_CLICK, 9, 0};
    cr_assert_eq(model_key(model, &click), EFFECT_PAINT);
    cr_assert_eq(model->selected, 3);
    cr_assert_eq(model_key(model, &below), EFFECT_NONE);
    cr_assert_eq(model->selected, 3);
    model->page_rows = 30; /* the screen has grown */
    pass(&story, 1000, true);
    cr_assert_eq(model->top, 0);
    model_free(model);
}

Test(selection, each_view_has_its_own)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "abcdef", 100);
    pass(&story, 0, true);
    press(model, 'j');
    cr_assert_eq(press(model, '3'), EFFECT_SNAPSHOT);
    pass(&story, 0, false);
    cr_assert_eq(model->selected, 0);
    press(model, 'G');
    cr_assert_eq(press(model, '2'), EFFECT_SNAPSHOT);
    cr_assert_eq(model_table(model)->count, 0);
    pass(&story, 300, false);
    expect_rows(model, "abcdef");
    cr_assert_eq(model_table(model)->windows, 0);
    press(model, TUI_KEY_TAB);
    cr_assert_eq(model->view, PPROFIL_BY_THREAD);
    cr_assert_eq(selected(model), 'f');
    press(model, '1');
    cr_assert_eq(selected(model), 'b');
    press(model, TUI_KEY_BACK_TAB);
    cr_assert_eq(model->view, PPROFIL_BY_LINE);
    model_free(model);
}

/* --- windows -------------------------------------------------------------------------------- */

Test(windows, a_snapshot_in_between_disturbs_no_window)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "ab", 100);
    pass(&story, 0, false);
    cr_assert_eq(model_table(model)->windows, 0);
    run(&story, "a", 100);
    pass(&story, 400, false);
    cr_assert_eq(model_table(model)->windows, 0);
    run(&story, "b", 300);
    pass(&story, 600, true);
    cr_assert_eq(model_table(model)->windows, 1);
    cr_assert_float_eq(model_table(model)->window_seconds, 1, 1e-9);
    cr_assert_eq(model_table(model)->window_ns, 400 * MS);
    expect_rows(model, "ba");
    model_free(model);
}

Test(windows, a_view_opened_just_before_the_end_waits_for_a_whole_one)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "ab", 100);
    pass(&story, 0, true);
    press(model, '2');
    pass(&story, 990, false);
    run(&story, "a", 1);
    pass(&story, 10, true);
    cr_assert_eq(model_table(model)->windows, 0);
    cr_assert_eq(model->tables[PPROFIL_BY_FUNCTION].windows, 1);
    run(&story, "a", 1);
    pass(&story, 1000, true);
    cr_assert_eq(model_table(model)->windows, 1);
    cr_assert_float_eq(model_table(model)->window_seconds, 1.01, 1e-9);
    press(model, '1'); /* the table of objects is cleared when the user leaves it */
    cr_assert_eq(press(model, '2'), EFFECT_SNAPSHOT);
    model_free(model);
}

Test(windows, the_same_instant_twice)
{
    struct story story = begin();

    run(&story, "ab", 100);
    for (int i = 0; i < 5; i++)
        pass(&story, 0, true);
    cr_assert_eq(model_table(story.model)->windows, 0);
    story.time_ns -= SECOND; /* no clock goes back, but nothing may break if one does */
    pass(&story, 0, true);
    cr_assert_eq(model_table(story.model)->windows, 0);
    model_free(story.model);
}

Test(windows, clear_begins_anew)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "ab", 100);
    pass(&story, 0, true);
    run(&story, "ab", 100);
    pass(&story, 1000, true);
    press(model, 'j');
    cr_assert_eq(press(model, 'z'), EFFECT_CLEAR);
    model_cleared(model);
    cr_assert_eq(model_table(model)->count, 0);
    cr_assert_eq(model_list_count(model), 0);
    memset(story.ms, 0, sizeof story.ms);
    run(&story, "ab", 5);
    pass(&story, 100, false);
    cr_assert_eq(model_table(model)->windows, 0);
    cr_assert_eq(model_table(model)->total_ns, 10 * MS);
    cr_assert_eq(selected(model), 'b');
    model_free(model);
}

Test(windows, the_first_report_since_the_start_is_one)
{
    struct story story = begin();
    struct model *model = story.model;

    model->began_ns = story.time_ns;
    run(&story, "a", 300);
    run(&story, "b", 100);
    pass(&story, 1000, true);
    cr_assert_eq(model_table(model)->windows, 1);
    cr_assert_float_eq(model_table(model)->window_seconds, 1, 1e-9);
    cr_assert_float_eq(model_table(model)->rows[0].window_share, 0.75, 1e-9);
    press(model, '3'); /* the first window of a table begins when the table is opened */
    pass(&story, 1000, true);
    cr_assert_eq(model_table(model)->windows, 0);
    model_cleared(model);
    pass(&story, 1000, true);
    cr_assert_eq(model_table(model)->windows, 0);
    model_free(model);
}

/* A view that is opened in the middle of a window has rows whose names were not requested before. */
Test(windows, a_view_begins_again_with_its_names)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "ab", 100);
    pass(&story, 0, true);
    const struct table *table = model_table(model);
    cr_assert(!model_awaits_names(model));
    model->tables[model->view].rows[0].total.pending = true;
    cr_assert(model_awaits_names(model));
    run(&story, "c", 300); /* the address without a name belongs to c */
    pass(&story, 100, false);
    expect_rows(model, "cab");
    cr_assert(!model_awaits_names(model));
    cr_assert_eq(table->windows, 0);
    run(&story, "a", 50);
    pass(&story, 900, true);
    cr_assert_eq(table->windows, 1);
    cr_assert_float_eq(table->window_seconds, 0.9, 1e-9);
    model->tables[model->view].rows[0].total.pending = true;
    cr_assert(!model_awaits_names(model), "a table with a window keeps it");
    model_free(model);
}

/* Windows end even if every snapshot has new rows without names. */
Test(windows, a_view_does_not_begin_for_ever)
{
    struct story story = begin();
    struct model *model = story.model;
    unsigned begun = 0;

    run(&story, "ab", 100);
    pass(&story, 0, true);
    for (int i = 0; i < 10; i++) {
        model->tables[model->view].rows[0].total.pending = true;
        run(&story, "a", 100);
        if (!model_awaits_names(model))
            break;
        pass(&story, 100, false);
        begun++;
    }
    cr_assert(begun > 0 && begun < 5, "%u", begun);
    pass(&story, 1000 - 100 * begun, true);
    cr_assert_eq(model_table(model)->windows, 1);
    model_free(model);
}

Test(windows, names_come_after_the_end)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "abc", 100);
    pass(&story, 0, true);
    run(&story, "a", 300);
    run(&story, "b", 100);
    story.ended_ns = story.time_ns + 1;
    pass(&story, 500, false);
    cr_assert_eq(model_table(model)->windows, 0, "the last window is still open");
    pass(&story, 500, true);
    const struct table *table = model_table(model);
    cr_assert_eq(table->windows, 1);
    cr_assert_float_eq(table->rows[0].window_share, 0.75, 1e-9);
    story.ms[4] = 300; /* an address whose samples were counted in function a turns out to belong to function d */
    story.ms[1] = 100;
    pass(&story, 100, false);
    cr_assert_eq(table->windows, 1);
    expect_rows(model, "dbac");
    cr_assert_eq(table->total_ns, 700 * MS);
    cr_assert_float_eq(table->rows[0].window_share + table->rows[2].window_share, 0.75, 1e-6);
    cr_assert_float_eq(table->rows[1].window_share, 0.25, 1e-9);
    model_free(model);
}

Test(windows, elapsed_time_is_another_count)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "ab", 100);
    pass(&story, 0, true);
    pass(&story, 1000, true);
    cr_assert_eq(press(model, 'w'), EFFECT_WALL);
    cr_assert(model->wall);
    story.totals.wall = true;
    run(&story, "a", 9999);
    pass(&story, 1000, true);
    cr_assert_eq(model_table(model)->windows, 0);
    model_free(model);
}

/* --- names that come while the display is held still ------------------------------------------- */

static void pass_row(struct story *story, const struct pprofil_row *texts)
{
    story->time_ns += 1000 * MS;
    struct snapshot snapshot = make(story);
    struct pprofil_row *row = &snapshot.by[PPROFIL_BY_FUNCTION].rows[0];
    row->pending = texts->pending;
    row->file = texts->file;
    row->line = texts->line;
    model_take(story->model, &snapshot, true);
}

Test(pause, lets_names_come)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "ab", 100);
    pass_row(&story, &(struct pprofil_row){.pending = true, .file = ""});
    press(model, ' ');
    pass_row(&story, &(struct pprofil_row){.pending = true, .file = ""});
    cr_expect(model_table(model)->rows[0].total.pending);
    pass_row(&story, &(struct pprofil_row){.file = ""});
    cr_expect_not(model_table(model)->rows[0].total.pending);
    cr_expect_eq(model_table(model)->total_ns, 200 * MS);
    run(&story, "a", 100);
    pass_row(&story, &(struct pprofil_row){.file = "a.c", .line = 7});
    cr_expect_eq(model_table(model)->total_ns, 200 * MS, "held");
    cr_expect_str_eq(model_table(model)->rows[0].total.file, "a.c");
    cr_expect_eq(model_table(model)->rows[0].total.line, 7);
    press(model, ' ');
    pass_row(&story, &(struct pprofil_row){.pending = true, .file = ""});
    press(model, ' ');
    run(&story, "b", 100);
    pass_row(&story, &(struct pprofil_row){.file = ""});
    cr_expect(model_table(model)->rows[0].total.pending, "its counts may be in another row now");
    cr_expect_eq(model_table(model)->total_ns, 300 * MS, "held");
    model_free(model);
}
