/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "tui-model-fixture.h"

/* --- the pause ------------------------------------------------------------------------------ */

Test(pause, rows_stay_and_histories_go_on)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "ab", 100);
    pass(&story, 0, true);
    press(model, '3'); /* from here on, snapshots update the table of threads */
    pass(&story, 0, false);
    press(model, '1');
    run(&story, "a", 100);
    pass(&story, 1000, true);
    press(model, ' ');
    cr_assert(model->paused);
    run(&story, "b", 1000);
    run(&story, "c", 5000);
    pass(&story, 1000, true);
    pass(&story, 1000, true);
    expect_rows(model, "ab");
    cr_assert_eq(model_table(model)->windows, 1);
    cr_assert_eq(model->tables[PPROFIL_BY_FUNCTION].windows, 3);
    press(model, 'j');
    cr_assert_eq(selected(model), 'b');
    press(model, 's');
    press(model, 's');
    expect_rows(model, "ab");
    cr_assert_eq(press(model, '3'), EFFECT_PAINT);
    expect_rows(model, "ab");
    cr_assert_eq(press(model, '5'), EFFECT_SNAPSHOT); /* no snapshot has contained this table yet */
    pass(&story, 10, false);
    expect_rows(model, "abc");
    run(&story, "d", 10000);
    pass(&story, 1000, true);
    expect_rows(model, "abc");
    press(model, '1');
    press(model, '/');
    type_in(model, "A");
    press(model, TUI_KEY_ENTER);
    cr_assert_eq(selected(model), 'a');
    press(model, ' ');
    cr_assert_not(model->paused);
    expect_rows(model, "abcd");
    cr_assert_eq(selected(model), 'a');
    cr_assert_float_eq(model_table(model)->rows[3].history[TABLE_WINDOWS - 1], 1, 1e-6);
    model_free(model);
}

/* During a pause, filters cannot change, so the rows on the screen stay. */
Test(pause, filters_stay)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "ab", 100);
    pass(&story, 0, true);
    press(model, '3');
    pass(&story, 0, true);
    press(model, TUI_KEY_ENTER);
    pass(&story, 10, false);
    run(&story, "a", 100);
    pass(&story, 1000, true);
    press(model, '3');
    pass(&story, 10, false);
    press(model, '1');
    press(model, ' ');
    cr_assert_eq(model_table(model)->windows, 1);
    cr_assert_eq(press(model, TUI_KEY_BACKSPACE), EFFECT_PAINT);
    cr_assert_str_eq(model->message, "the display is held still: Space lets it go on");
    press(model, '3');
    press(model, 'j');
    model->message[0] = '\0';
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_PAINT);
    cr_assert_neq(model->message[0], '\0');
    press(model, '1');
    cr_assert_eq(model->filter_count, 1);
    cr_assert_eq(model_table(model)->windows, 1);
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_SNAPSHOT);
    cr_assert_eq(model->page, PAGE_CODE);
    press(model, TUI_KEY_BACKSPACE);
    cr_assert_eq(model->page, PAGE_TABLE);
    press(model, ' ');
    cr_assert_eq(press(model, TUI_KEY_BACKSPACE), EFFECT_SNAPSHOT);
    cr_assert_eq(model->filter_count, 0);
    model_free(model);
}

Test(pause, threads_and_code_stay)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "a", 1);
    struct snapshot snapshot = make(&story);
    add_task(&snapshot, 7, 'R', -1, "");
    model_take(model, &snapshot, true);
    press(model, TUI_KEY_ENTER);
    snapshot = make(&story);
    add_code(&snapshot, "one", 1);
    add_task(&snapshot, 7, 'R', -1, "");
    model_take(model, &snapshot, false);
    press(model, ' ');
    for (int i = 0; i < 3; i++) {
        story.time_ns += SECOND;
        snapshot = make(&story);
        add_code(&snapshot, "other", 2);
        add_task(&snapshot, 7, 'S', 0, "read");
        model_take(model, &snapshot, true);
        cr_assert_str_eq(model->now.code[0].text, "one");
        cr_assert_eq(model_task(model, 7)->state, 'R');
        cr_assert_eq(model->sleeping, 1); /* unlike the rows, the header is still updated */
    }
    press(model, ' ');
    snapshot = make(&story);
    add_code(&snapshot, "other", 2);
    model_take(model, &snapshot, false);
    cr_assert_str_eq(model->now.code[0].text, "other");
    cr_assert_null(model_task(model, 7));
    model_free(model);
}

/* --- threads and processes without samples --------------------------------------------------- */

static void add_tasks(struct snapshot *snapshot)
{
    for (uint32_t i = 0; i < 3; i++) {
        add_task(snapshot, 101 + i, 'S', 0, "read");
        snapshot->tasks[i].id = i + 1 + 100 * PPROFIL_BY_THREAD;
        snapshot->tasks[i].name = letter(i + 1);
    }
    add_task(snapshot, 999, 'S', 0, "read"); /* without an id, because the profile does not know it yet */
    for (uint32_t i = 0; i < 3; i++) {
        add_process(snapshot, 100 + i, 99 + i);
        snapshot->processes[i].id = i + 1 + 100 * PPROFIL_BY_PROCESS;
        snapshot->processes[i].comm = letter(i + 1);
    }
    snapshot->processes[1].alive = false;
}

static void pass_with_tasks(struct story *story, bool due)
{
    story->time_ns += SECOND;
    struct snapshot snapshot = make(story);
    add_tasks(&snapshot);
    model_take(story->model, &snapshot, due);
}

Test(idle, rows_become_those_with_samples)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "b", 100);
    press(model, '3');
    pass_with_tasks(&story, true);
    expect_rows(model, "bac");
    cr_assert_eq(model_table(model)->rows[1].total.tid, 101);
    cr_assert_eq(model_table(model)->rows[1].total.ns, 0);
    press(model, 'G');
    cr_assert_eq(selected(model), 'c');
    run(&story, "c", 900);
    pass_with_tasks(&story, true);
    expect_rows(model, "cba");
    cr_assert_eq(selected(model), 'c');
    cr_assert_float_eq(model_table(model)->rows[0].window_share, 1, 1e-9);
    press(model, '4');
    pass_with_tasks(&story, true);
    cr_assert_eq(model_table(model)->count, 3, "c lives without a sample of its own");
    press(model, '1');
    pass_with_tasks(&story, true);
    expect_rows(model, "cb");
    model_free(model);
}

/* The report's history has no numbers for the rows that are added to the report. */
Test(idle, rows_have_an_empty_history)
{
    enum { COLUMNS = 30 };
    struct story story = begin();

    run(&story, "b", 100);
    press(story.model, '3');
    struct snapshot snapshot = make(&story);
    struct snapshot_rows *rows = &snapshot.by[PPROFIL_BY_THREAD];
    rows->history = calloc(COLUMNS, sizeof *rows->history);
    cr_assert_not_null(rows->history);
    rows->columns = COLUMNS;
    for (unsigned i = 0; i < COLUMNS; i++)
        rows->history[i] = SECOND;
    add_tasks(&snapshot);
    model_take(story.model, &snapshot, true);
    expect_rows(story.model, "bac");
    const struct table *table = model_table(story.model);
    for (unsigned i = TABLE_WINDOWS - COLUMNS; i < TABLE_WINDOWS; i++) {
        cr_expect_float_eq(table->rows[0].history[i], 1, 1e-6, "column %u", i);
        cr_expect_eq(table->rows[1].history[i] + table->rows[2].history[i], 0, "column %u", i);
    }
    model_free(story.model);
}

Test(idle, filters)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "b", 100);
    press(model, '3');
    pass_with_tasks(&story, true);
    press(model, 'G');
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_SNAPSHOT);
    cr_assert_eq(model->filters[0].filter.tid, 103);
    cr_assert_eq(model->filters[0].filter.pid, 100);
    memset(story.ms, 0, sizeof story.ms); /* nothing was counted in the thread that the filter selects */
    press(model, '3');
    pass_with_tasks(&story, true);
    expect_rows(model, "c");
    press(model, '4');
    pass_with_tasks(&story, true);
    expect_rows(model, "a");
    press(model, TUI_KEY_BACKSPACE);
    run(&story, "b", 100);
    press(model, '2');
    pass_with_tasks(&story, true);
    press(model, TUI_KEY_ENTER);
    press(model, '3');
    pass_with_tasks(&story, true);
    expect_rows(model, "b"); /* a filter for an object leaves only the threads with samples in that object */
    press(model, TUI_KEY_BACKSPACE);
    press(model, '9');
    pass_with_tasks(&story, true);
    press(model, TUI_KEY_ENTER);
    press(model, '3');
    pass_with_tasks(&story, true);
    expect_rows(model, "b"); /* a filter for a state leaves only the threads with samples in that state */
    model_free(model);
}

Test(idle, an_image_that_execed_has_no_threads)
{
    struct story story = begin();
    struct model *model = story.model;

    for (unsigned alive = 0; alive < 2; alive++) {
        run(&story, "b", 100);
        press(model, '4');
        pass_with_tasks(&story, true);
        press(model, 'g');
        while (selected(model) != (alive ? 'a' : 'b'))
            press(model, 'j');
        press(model, TUI_KEY_ENTER);
        cr_assert_eq(model->filters[0].filter.process, 2 - alive + 100 * PPROFIL_BY_PROCESS);
        memset(story.ms, 0, sizeof story.ms);
        press(model, '3');
        pass_with_tasks(&story, true);
        expect_rows(model, alive ? "abc" : "");
        press(model, TUI_KEY_BACKSPACE);
    }
    model_free(model);
}
