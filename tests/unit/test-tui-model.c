/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>

#include "make-snapshot.h"

/* A model whose time goes on, with functions that use CPU time. */
struct story {
    struct model *model;
    uint64_t time_ns;
    uint64_t ms[27]; /* of functions a to z so far */
    struct pprofil_totals totals;
    bool stopped;      /* sampling is */
    uint64_t ended_ns; /* 0: not yet */
};

static struct story begin(void)
{
    struct story story = {.model = model_new(), .time_ns = 100 * SECOND};

    cr_assert_not_null(story.model);
    story.model->page_rows = 5;
    story.model->list_row = 4;
    story.totals.asked_hz = 1000;
    return story;
}

/* All groupings say the same, each with ids of its own. */
static struct snapshot make(struct story *story)
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

static void pass(struct story *story, uint64_t ms, bool due)
{
    story->time_ns += ms * MS;
    struct snapshot snapshot = make(story);
    model_take(story->model, &snapshot, due);
    cr_assert_null(snapshot.tasks);
    cr_assert_null(snapshot.by[0].rows);
}

static void run(struct story *story, const char *names, uint64_t ms)
{
    for (; *names != '\0'; names++)
        story->ms[*names - 'a' + 1] += ms;
}

static void expect_rows(const struct model *model, const char *names)
{
    const struct table *table = model_table(model);

    cr_assert_eq(table->count, strlen(names), "%u rows, not %s", table->count, names);
    for (uint32_t i = 0; i < table->count; i++)
        cr_assert_eq(table->rows[i].total.name[0], names[i], "row %u is %s, not %c", i,
                     table->rows[i].total.name, names[i]);
}

static char selected(const struct model *model)
{
    cr_assert_lt(model->selected, model_table(model)->count);
    return model_table(model)->rows[model->selected].total.name[0];
}

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
    story.ms[2] = 0; /* it is gone: the index stays, or what is left of it */
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
    model->page_rows = 30; /* the screen grew */
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
    press(model, '1'); /* a view that is left is forgotten */
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
    story.time_ns -= SECOND; /* no clock does; nothing may break all the same */
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
    press(model, '3'); /* what is looked at later begins later */
    pass(&story, 1000, true);
    cr_assert_eq(model_table(model)->windows, 0);
    model_cleared(model);
    pass(&story, 1000, true);
    cr_assert_eq(model_table(model)->windows, 0);
    model_free(model);
}

/* A view that is opened in the middle of a window has places that nobody has named yet. */
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
    run(&story, "c", 300); /* they were c */
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

/* Where there always is something new, windows end all the same. */
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
    story.ms[4] = 300; /* a place of a was found to be d */
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

/* --- the pause ------------------------------------------------------------------------------ */

Test(pause, rows_stay_and_histories_go_on)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "ab", 100);
    pass(&story, 0, true);
    press(model, '3'); /* from now on threads are followed */
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
    cr_assert_eq(press(model, '5'), EFFECT_SNAPSHOT); /* was not taken before */
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

/* What is held of one filter is not lost to another. */
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
        cr_assert_eq(model->sleeping, 1); /* the header is live */
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
    add_task(snapshot, 999, 'S', 0, "read"); /* not known to the profile yet */
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
    memset(story.ms, 0, sizeof story.ms); /* nothing was counted there */
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
    expect_rows(model, "b"); /* of an object, only who was in it */
    press(model, TUI_KEY_BACKSPACE);
    press(model, '9');
    pass_with_tasks(&story, true);
    press(model, TUI_KEY_ENTER);
    press(model, '3');
    pass_with_tasks(&story, true);
    expect_rows(model, "b"); /* and of a state */
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

/* --- filters -------------------------------------------------------------------------------- */

static void expect_crumbs(const struct model *model, const char *expected)
{
    char text[256];
    model_breadcrumb(model, text, sizeof text);
    cr_assert_str_eq(text, expected);
}

Test(filters, add_up_and_lead_back)
{
    struct story story = begin();
    struct model *model = story.model;
    struct snapshot_wants wants;

    run(&story, "abcd", 100);
    pass(&story, 0, true);
    pass(&story, 1000, true);
    press(model, '3');
    pass(&story, 0, false);
    press(model, 'j');
    press(model, 'j');
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_SNAPSHOT);
    cr_assert_eq(model->view, PPROFIL_BY_FUNCTION);
    cr_assert_eq(model_table(model)->count, 0);
    expect_crumbs(model, "c 103");
    model_wants(model, &wants);
    cr_assert_eq(wants.filter.tid, 103);
    cr_assert_eq(wants.filter.pid, 100);
    cr_assert_eq(wants.filter.size, sizeof wants.filter);
    pass(&story, 10, false);
    cr_assert_eq(model_table(model)->windows, 0);
    cr_assert_eq(model_table(model)->total_ns, 400 * MS);

    press(model, '2');
    pass(&story, 10, false);
    press(model, 'G');
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_SNAPSHOT);
    expect_crumbs(model, "c 103 › d");
    model_wants(model, &wants);
    cr_assert_eq(wants.filter.tid, 103);
    cr_assert_eq(wants.filter.object, 104);
    pass(&story, 10, false);

    cr_assert_eq(press(model, TUI_KEY_BACKSPACE), EFFECT_SNAPSHOT);
    cr_assert_eq(model->view, PPROFIL_BY_OBJECT);
    pass(&story, 10, false);
    cr_assert_eq(selected(model), 'd');
    model_wants(model, &wants);
    cr_assert_eq(wants.filter.object, 0);
    cr_assert_eq(press(model, TUI_KEY_ESCAPE), EFFECT_SNAPSHOT);
    cr_assert_eq(model->view, PPROFIL_BY_THREAD);
    pass(&story, 10, false);
    cr_assert_eq(selected(model), 'c');
    expect_crumbs(model, "");
    model_wants(model, &wants);
    cr_assert_eq(wants.filter.tid, 0);
    cr_assert_eq(press(model, TUI_KEY_BACKSPACE), EFFECT_NONE);
    model_free(model);
}

/* Tab does not lead to states, for they are of elapsed time; their key does. */
Test(filters, to_a_state)
{
    struct story story = begin();
    struct model *model = story.model;
    struct snapshot_wants wants;

    run(&story, "ab", 100);
    pass(&story, 0, true);
    press(model, TUI_KEY_BACK_TAB);
    cr_assert_eq(model->view, PPROFIL_BY_LINE);
    model->wall = true;
    press(model, '1');
    press(model, TUI_KEY_BACK_TAB);
    cr_assert_eq(model->view, PPROFIL_BY_STATE);
    pass(&story, 10, false);
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_SNAPSHOT);
    model_wants(model, &wants);
    cr_assert_eq(wants.filter.state, model->filters[0].selected);
    cr_assert_neq(wants.filter.state, 0);
    cr_assert(wants.by[PPROFIL_BY_STATE], "the head tells of them");
    expect_crumbs(model, "a");
    press(model, TUI_KEY_BACKSPACE);
    cr_assert_eq(model->view, PPROFIL_BY_STATE);
    model_free(model);
}

Test(filters, end_at_some_depth)
{
    struct story story = begin();
    struct model *model = story.model;
    static const char views[] = {'2', '3', '4', '5', '2', '3'};

    run(&story, "abcd", 100);
    pass(&story, 0, true);
    for (unsigned i = 0; i < sizeof views; i++) {
        press(model, (uint32_t)views[i]);
        pass(&story, 10, false);
        for (unsigned down = 0; down < i / 4; down++)
            press(model, 'j');
        press(model, TUI_KEY_ENTER);
        cr_assert_leq(model->filter_count, MODEL_FILTERS);
        pass(&story, 10, false);
    }
    /* its own process adds nothing to a thread; the last was one too many */
    cr_assert_eq(model->filter_count, MODEL_FILTERS);
    cr_assert_eq(model->view, PPROFIL_BY_THREAD);
    for (unsigned i = 0; i < MODEL_FILTERS; i++)
        press(model, TUI_KEY_BACKSPACE);
    cr_assert_eq(model->filter_count, 0);
    cr_assert_eq(model->view, PPROFIL_BY_OBJECT);
    char tiny[3];
    model_breadcrumb(model, tiny, sizeof tiny);
    model_free(model);
}

/* --- code ----------------------------------------------------------------------------------- */

Test(code, is_opened_at_its_hottest_and_left_for_its_row)
{
    struct story story = begin();
    struct model *model = story.model;
    struct snapshot_wants wants;

    run(&story, "abc", 100);
    pass(&story, 0, true);
    press(model, 'j');
    struct key_event twice = {TUI_KEY_DOUBLE_CLICK, 5, 0};
    cr_assert_eq(model_key(model, &twice), EFFECT_SNAPSHOT);
    cr_assert_eq(model->page, PAGE_CODE);
    cr_assert_str_eq(model->code_name, "b");
    cr_assert_eq(model->now.code_state, -EAGAIN);
    cr_assert_eq(model_list_count(model), 0);
    model_wants(model, &wants);
    cr_assert_eq(wants.code_id, 2);
    cr_assert_eq(wants.code_by, PPROFIL_BY_FUNCTION);
    pass(&story, 10, false);
    struct snapshot snapshot = make(&story);
    for (uint64_t i = 0; i < 20; i++)
        add_code(&snapshot, i == 15 ? "call Somewhere" : "nop", i == 7 ? 9 : 1);
    model_take(model, &snapshot, false);
    cr_assert_eq(model->selected, 7);
    press(model, '/');
    type_in(model, "somewhere");
    press(model, TUI_KEY_ENTER);
    cr_assert_eq(model->selected, 15);
    snapshot = make(&story);
    for (uint64_t i = 0; i < 20; i++)
        add_code(&snapshot, "nop", i);
    model_take(model, &snapshot, true);
    cr_assert_eq(model->selected, 15);
    cr_assert_eq(press(model, TUI_KEY_BACKSPACE), EFFECT_PAINT);
    cr_assert_eq(selected(model), 'b');
    model_wants(model, &wants);
    cr_assert_eq(wants.code_id, 0);
    press(model, 'k');
    press(model, TUI_KEY_ENTER);
    cr_assert_eq(model->now.code_count, 0);
    cr_assert_eq(model->selected, 0);
    model_free(model);
}

Test(code, of_lines_that_are_not_known)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "abc", 100);
    press(model, '6');
    struct snapshot snapshot = make(&story);
    snapshot.by[PPROFIL_BY_LINE].rows[0].line = 7;
    snapshot.by[PPROFIL_BY_LINE].rows[1].file = "b";
    model_take(model, &snapshot, true);
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_SNAPSHOT);
    cr_assert_str_eq(model->code_name, "a:7");
    press(model, TUI_KEY_BACKSPACE);
    press(model, 'j');
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_SNAPSHOT);
    cr_assert_str_eq(model->code_name, "b");
    press(model, TUI_KEY_BACKSPACE);
    press(model, 'j');
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_PAINT);
    cr_assert_eq(model->page, PAGE_TABLE);
    cr_assert_neq(model->message[0], '\0');
    model_free(model);
}

/* --- search and prompts ---------------------------------------------------------------------- */

Test(search, finds_names_objects_and_files_and_goes_around)
{
    struct story story = begin();
    struct model *model = story.model;

    struct snapshot snapshot = {.time_ns = SECOND};
    add_row(&snapshot.by[0], 1, 50)->name = "Main";
    add_row(&snapshot.by[0], 2, 40)->object = "libMAIN.so";
    add_row(&snapshot.by[0], 3, 30);
    add_row(&snapshot.by[0], 4, 20)->file = "domain.c";
    model_take(model, &snapshot, true);
    cr_assert_eq(press(model, 'n'), EFFECT_PAINT);
    cr_assert_neq(model->message[0], '\0');
    press(model, '/');
    cr_assert_eq(model->prompt, PROMPT_SEARCH);
    type_in(model, "mainx");
    press(model, TUI_KEY_BACKSPACE);
    cr_assert_str_eq(model->text, "main");
    press(model, TUI_KEY_ENTER);
    cr_assert_eq(model->selected, 0);
    cr_assert_eq(model->message[0], '\0');
    press(model, 'n');
    cr_assert_eq(model->selected, 1);
    press(model, 'n');
    cr_assert_eq(model->selected, 3);
    press(model, 'n');
    cr_assert_eq(model->selected, 0);
    cr_assert_not_null(strstr(model->message, "top"));
    press(model, 'N');
    cr_assert_eq(model->selected, 3);
    cr_assert_not_null(strstr(model->message, "end"));
    press(model, 'N');
    cr_assert_eq(model->selected, 1);
    cr_assert_eq(model->message[0], '\0');
    press(model, TUI_KEY_F1 + 2);
    type_in(model, "nowhere");
    press(model, TUI_KEY_ENTER);
    cr_assert_eq(model->selected, 1);
    cr_assert_not_null(strstr(model->message, "nowhere"));
    press(model, '/');
    type_in(model, "a");
    press(model, TUI_KEY_ESCAPE);
    cr_assert_str_eq(model->search, "nowhere");
    press(model, TUI_KEY_ESCAPE); /* nothing to leave but the marks */
    cr_assert_str_eq(model->search, "");
    model_free(model);
}

Test(search, in_an_empty_list)
{
    struct model *model = model_new();

    press(model, '/');
    type_in(model, "a");
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_PAINT);
    press(model, 'n');
    press(model, 'N');
    cr_assert_eq(model->selected, 0);
    model_free(model);
}

Test(prompt, takes_text)
{
    struct model *model = model_new();

    press(model, 'S');
    cr_assert_eq(model->prompt, PROMPT_SAVE);
    type_in(model, "q/ ?");
    press(model, 0x20ac);
    press(model, 0xe9);
    cr_assert_str_eq(model->text, "q/ ?€é");
    press(model, TUI_KEY_BACKSPACE);
    press(model, TUI_KEY_BACKSPACE);
    cr_assert_str_eq(model->text, "q/ ?");
    press(model, 'U' & 0x1f);
    cr_assert_str_eq(model->text, "");
    for (int i = 0; i < 500; i++)
        press(model, 0x1f600);
    cr_assert_lt(strlen(model->text), MODEL_TEXT);
    cr_assert_eq(strlen(model->text) % 4, 0);
    press(model, TUI_KEY_CTRL_C);
    cr_assert_eq(model->prompt, PROMPT_NONE);
    press(model, 'S');
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_PAINT);
    press(model, 'S');
    press(model, TUI_KEY_BACKSPACE);
    cr_assert_eq(model->prompt, PROMPT_NONE);
    press(model, 'S');
    type_in(model, "a.pb.gz");
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_SAVE);
    cr_assert_str_eq(model->text, "a.pb.gz");
    cr_assert_eq(model->prompt, PROMPT_NONE);
    press(model, 'S');
    cr_assert_eq(press(model, TUI_KEY_F10), EFFECT_QUIT);
    model_free(model);
}

Test(prompt, saves_to_no_name_that_is_none)
{
    static const char *const names[] = {"-", " ", "   "};
    struct model *model = model_new();

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        press(model, 'S');
        type_in(model, names[i]);
        cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_PAINT, "'%s'", names[i]);
        cr_assert_eq(strncmp(model->message, "not saved: ", 11), 0, "'%s'", names[i]);
        cr_assert_eq(model->prompt, PROMPT_NONE);
    }
    press(model, 'S');
    type_in(model, "-a b");
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_SAVE);
    model_free(model);
}

/* --- the rest of the keys -------------------------------------------------------------------- */

Test(act, rates_and_windows_go_in_steps)
{
    struct model *model = model_new();
    static const double up[] = {2000, 5000, 10000, 20000, 50000};
    static const double lengths[] = {2, 5, 10, 0.5, 1};

    for (unsigned i = 0; i < 5; i++) {
        cr_assert_eq(press(model, '+'), EFFECT_RATE);
        cr_assert_float_eq(model->asked_hz, up[i], 1e-9);
    }
    cr_assert_eq(press(model, '+'), EFFECT_PAINT);
    cr_assert_float_eq(model->asked_hz, PPROFIL_MAX_HZ, 1e-9);
    model->asked_hz = 700;
    press(model, '-');
    cr_assert_float_eq(model->asked_hz, 500, 1e-9);
    press(model, '-');
    press(model, '-');
    cr_assert_float_eq(model->asked_hz, 100, 1e-9);
    for (unsigned i = 0; i < 20; i++)
        press(model, '-');
    cr_assert_float_eq(model->asked_hz, PPROFIL_MIN_HZ, 1e-9);
    cr_assert_eq(press(model, '-'), EFFECT_PAINT);
    for (unsigned i = 0; i < 5; i++) {
        cr_assert_eq(press(model, 'd'), EFFECT_WINDOW);
        cr_assert_float_eq(model->window_seconds, lengths[i], 1e-9);
    }
    model->window_seconds = 3;
    press(model, 'd');
    cr_assert_float_eq(model->window_seconds, 5, 1e-9);
    model_free(model);
}

Test(act, nothing_is_asked_of_what_has_ended)
{
    static const struct {
        bool dead;
        int status;
        const char *answer;
    } ends[] = {{false, 0, "the program has ended"},
                {false, -1, "all targets have ended"},
                {true, -1, "the supervisor has died"}};

    for (unsigned i = 0; i < 3; i++) {
        struct model *model = model_new();
        model->have_snapshot = true;
        model->now.ended = !ends[i].dead;
        model->now.dead = ends[i].dead;
        model->now.status = ends[i].status;
        for (const char *key = "wx+-"; *key != '\0'; key++) {
            model->message[0] = '\0';
            cr_assert_eq(press(model, (unsigned char)*key), EFFECT_PAINT);
            cr_assert_str_eq(model->message, ends[i].answer);
        }
        cr_assert(!model->wall);
        cr_assert_eq(model->asked_hz, 1000);
        model_free(model);
    }
}

Test(act, sorts_by_what_the_view_has)
{
    struct story story = begin();
    struct model *model = story.model;

    run(&story, "ab", 100);
    run(&story, "b", 100);
    pass(&story, 0, true);
    expect_rows(model, "ba");
    press(model, 's');
    cr_assert_eq(model->sort, TABLE_BY_TOTAL);
    press(model, 's');
    cr_assert_eq(model->sort, TABLE_BY_NAME);
    expect_rows(model, "ab");
    press(model, 's');
    cr_assert_eq(model->sort, TABLE_BY_OBJECT);
    press(model, '3');
    pass(&story, 0, false);
    cr_assert_eq(model->sort, TABLE_BY_WINDOW);
    cr_assert_eq(model_act(model, ACTION_SORT, TABLE_BY_OBJECT), EFFECT_NONE);
    cr_assert_eq(model_act(model, ACTION_SORT, TABLE_BY_PID), EFFECT_PAINT);
    expect_rows(model, "ab");
    press(model, 's');
    cr_assert_eq(model->sort, TABLE_BY_WINDOW);
    model_free(model);
}

Test(act, output_follows_its_end)
{
    struct model *model = model_new();
    const char *const lines[] = {"a", "b", "c", "d", "e", "f", "g", "Needle", "i", "j"};

    model->page_rows = 4;
    cr_assert_eq(press(model, 'o'), EFFECT_PAINT);
    cr_assert_eq(model->page, PAGE_TABLE);
    model->has_output = true;
    model->output = (struct model_output){lines, 6};
    press(model, 'o');
    cr_assert_eq(model->page, PAGE_OUTPUT);
    cr_assert_eq(model->top, 2);
    model->output.count = 8;
    press(model, 'k');
    cr_assert_eq(model->top, 3, "from the end as it is now");
    cr_assert_not(model->output_follows);
    model->output.count = 10;
    press(model, 'g');
    cr_assert_eq(model->top, 0);
    press(model, '/');
    type_in(model, "needle");
    press(model, TUI_KEY_ENTER);
    cr_assert_eq(model->top, 6);
    cr_assert(model->output_follows);
    press(model, 'g');
    press(model, 'G');
    cr_assert(model->output_follows);
    press(model, 'o');
    cr_assert_eq(model->page, PAGE_TABLE);
    model_free(model);
}

Test(act, help_lies_over_everything)
{
    struct model *model = model_new();

    press(model, '?');
    cr_assert(model->help);
    cr_assert_eq(press(model, 'z'), EFFECT_NONE);
    model->help_last = 41; /* as its view says */
    model->help_rows = 8;
    model->page_rows = 4;
    press(model, TUI_KEY_PAGE_DOWN);
    cr_assert_eq(model->help_top, 7);
    press(model, 'G');
    cr_assert_eq(model->help_top, 41);
    press(model, 'j');
    cr_assert_eq(model->help_top, 41);
    press(model, 'g');
    cr_assert_eq(model->help_top, 0);
    cr_assert_eq(press(model, 'q'), EFFECT_PAINT);
    cr_assert_not(model->help);
    cr_assert_eq(press(model, 'q'), EFFECT_QUIT);
    cr_assert_eq(press(model, TUI_KEY_RESIZE), EFFECT_REDRAW);
    model_free(model);
}

Test(act, messages_end)
{
    struct story story = begin();
    struct model *model = story.model;

    press(model, '/');
    type_in(model, "x");
    press(model, TUI_KEY_ENTER);
    cr_assert_eq(model->message_until_ns, UINT64_MAX);
    pass(&story, 0, true);
    cr_assert_eq(model->message_until_ns, story.time_ns + 5 * SECOND);
    model_say(model, 7 * SECOND, "%s", "saved");
    cr_assert_str_eq(model->message, "saved");
    cr_assert_eq(model->message_until_ns, 12 * SECOND);
    press(model, 'j');
    cr_assert_str_eq(model->message, "saved");
    model_free(model);
}

Test(act, what_is_wanted)
{
    struct story story = begin();
    struct model *model = story.model;
    struct snapshot_wants wants;

    for (int i = 1; i <= 20; i++)
        story.ms[i] = 1000 - (uint64_t)i;
    pass(&story, 0, true);
    for (int i = 0; i < 7; i++)
        press(model, 'j');
    model_wants(model, &wants);
    cr_assert_eq(wants.shown_count, 5);
    cr_assert_eq(wants.shown[0], 4);
    cr_assert_eq(wants.shown_by, PPROFIL_BY_FUNCTION);
    cr_assert(wants.by[PPROFIL_BY_FUNCTION] && !wants.by[PPROFIL_BY_THREAD]);
    cr_assert(!wants.by[PPROFIL_BY_PROCESS] && !wants.by[PPROFIL_BY_LINE]);
    cr_assert(wants.tasks && wants.processes);
    press(model, '3');
    pass(&story, 0, true);
    press(model, '1');
    model_wants(model, &wants);
    cr_assert(wants.by[PPROFIL_BY_FUNCTION] && wants.by[PPROFIL_BY_THREAD], "it goes on");
    cr_assert(!wants.by[PPROFIL_BY_PROCESS]);
    press(model, '6');
    model_wants(model, &wants);
    cr_assert(wants.by[PPROFIL_BY_LINE]);
    cr_assert_eq(wants.shown_count, 0);
    model_free(model);
}

/* --- the header ------------------------------------------------------------------------------ */

static void tell(struct story *story, uint64_t ms, uint64_t cpu_ms, uint64_t stopped_ms)
{
    story->totals.elapsed_ns += ms * MS;
    story->totals.target_cpu_ns += cpu_ms * MS;
    story->totals.stopped_ns += stopped_ms * MS;
}

Test(header, figures_are_told_once_a_second)
{
    struct story story = begin();
    struct model *model = story.model;

    pass(&story, 0, true);
    cr_assert_eq(model->target_cpu, 0, "nothing is told yet");
    tell(&story, 500, 700, 7);
    pass(&story, 0, true);
    cr_assert_float_eq(model->target_cpu, 1.4, 1e-6, "since the start");
    cr_assert_float_eq(model->stopped_share, 0.01, 1e-6);
    tell(&story, 1000, 2000, 20);
    pass(&story, 500, true);
    cr_assert_float_eq(model->target_cpu, 2, 1e-6, "by the time it was told for");
    cr_assert_float_eq(model->stopped_share, 0.01, 1e-6);
    pass(&story, 500, true);
    cr_assert_float_eq(model->target_cpu, 2, 1e-6, "no news is no change");
    tell(&story, 1000, 0, 0);
    pass(&story, 500, true);
    cr_assert_eq(model->target_cpu, 0, "news of nothing is");
    tell(&story, 0, 500, 0); /* the supervisor's time stands still */
    pass(&story, 1000, true);
    cr_assert_float_eq(model->target_cpu, 0.5, 1e-6);
    for (int i = 0; i < 9; i++)
        pass(&story, 500, true);
    cr_assert_eq(model->target_cpu, 0, "long silence is");
    cr_assert_eq(model->silent_seconds, 5);
    pass(&story, 1500, true);
    cr_assert_eq(model->silent_seconds, 7);
    tell(&story, 7000, 0, 0);
    pass(&story, 500, true);
    cr_assert_eq(model->silent_seconds, 0);
    model_free(model);
}

Test(header, the_minute_is_in_whole_seconds)
{
    struct story story = begin();
    struct model *model = story.model;

    pass(&story, 0, true);
    for (int i = 1; i <= 90; i++) {
        tell(&story, 500, 500 * (uint64_t)i, 0);
        pass(&story, 500, true);
    }
    cr_assert_float_eq(model->minute[MODEL_MINUTE - 1], 90, 1e-3);
    cr_assert_float_eq(model->minute[MODEL_MINUTE - 2], 88, 1e-3);
    cr_assert_float_eq(model->minute[MODEL_MINUTE - 45], 2, 1e-3);
    cr_assert_eq(model->minute[MODEL_MINUTE - 46], 0);
    tell(&story, 3600000, 3600000, 0);
    pass(&story, 3600000, true);
    for (int i = 0; i < MODEL_MINUTE; i++)
        cr_assert_float_eq(model->minute[i], 1, 1e-3);
    model_free(model);
}

Test(header, nothing_is_told_while_sampling_is_stopped)
{
    struct story story = begin();
    struct model *model = story.model;

    pass(&story, 0, true);
    for (int i = 0; i < 5; i++) {
        tell(&story, 1000, 2000, 0);
        pass(&story, 1000, true);
    }
    story.stopped = true;
    tell(&story, 500, 1000, 0);
    pass(&story, 500, false);
    for (int i = 0; i < 10; i++)
        pass(&story, 1000, true);
    cr_assert_float_eq(model->target_cpu, 2, 1e-6, "this silence says nothing");
    cr_assert_eq(model->silent_seconds, 0, "nor is it one");
    cr_assert_eq(model->minute[MODEL_MINUTE - 1], 0, "but has no bars");
    cr_assert_eq(model->minute[MODEL_MINUTE - 9], 0);
    cr_assert_float_eq(model->minute[MODEL_MINUTE - 12], 2, 1e-3);
    story.stopped = false;
    pass(&story, 200, false);
    tell(&story, 1000, 1000, 0);
    pass(&story, 1000, true);
    cr_assert_float_eq(model->target_cpu, 1, 1e-6, "the pause is not in it");
    cr_assert_float_eq(model->minute[MODEL_MINUTE - 1], 1, 1e-3);
    model_free(model);
}

Test(header, the_minute_ends_with_the_targets)
{
    struct story story = begin();
    struct model *model = story.model;

    pass(&story, 0, true);
    for (int i = 0; i < 3; i++) {
        tell(&story, 1000, 1000, 0);
        pass(&story, 1000, true);
    }
    story.ended_ns = story.time_ns + 2200 * MS;
    story.stopped = true;
    tell(&story, 2200, 4400, 0);
    for (int i = 0; i < 5; i++)
        pass(&story, 5000, i == 0);
    cr_assert_float_eq(model->minute[MODEL_MINUTE - 1], 2, 1e-3);
    cr_assert_float_eq(model->minute[MODEL_MINUTE - 2], 2, 1e-3);
    cr_assert_float_eq(model->minute[MODEL_MINUTE - 3], 1, 1e-3);
    cr_assert_eq(model->minute[MODEL_MINUTE - 6], 0);
    model_free(model);
}

Test(header, rate_and_threads_and_targets)
{
    struct story story = begin();
    struct model *model = story.model;

    story.totals.running = 100;
    story.totals.cpu_ns = 500 * MS;
    pass(&story, 0, true);
    story.totals.running += 980;
    story.totals.cpu_ns += 1000 * MS;
    pass(&story, 300, false);
    cr_assert_float_eq(model->achieved_hz, 200, 1e-6, "since the start");
    story.time_ns += 700 * MS;
    struct snapshot snapshot = make(&story);
    add_task(&snapshot, 1, 'R', -1, "");
    add_task(&snapshot, 2, 'S', 7, "poll");
    add_task(&snapshot, 3, 'S', 202, "futex");
    add_task(&snapshot, 4, 'S', 202, "futex");
    add_task(&snapshot, 5, 'D', 0, "read");
    add_task(&snapshot, 6, 'S', 5000000, "what");
    add_process(&snapshot, 4711, 1);
    model_take(model, &snapshot, true);
    cr_assert_float_eq(model->achieved_hz, 980, 1e-6);
    cr_assert_eq(model->running, 1);
    cr_assert_eq(model->sleeping, 4);
    cr_assert_eq(model->uninterruptible, 1);
    cr_assert_str_eq(model->blocked_in, "futex");
    cr_assert_eq(model->blocked_in_count, 2);
    cr_assert_str_eq(model->targets, "PID 4711");
    cr_assert_str_eq(model->command, "prog -x");
    cr_assert_eq(model_task(model, 3)->tid, 3);
    cr_assert_null(model_task(model, 30));
    snapshot = make(&story);
    add_process(&snapshot, 4711, 1);
    add_process(&snapshot, 4712, 1);
    model_take(model, &snapshot, false);
    cr_assert_str_eq(model->targets, "2 PIDs");
    snapshot = make(&story);
    add_process(&snapshot, 4711, 1);
    add_process(&snapshot, 4712, 1);
    snapshot.processes[0].alive = snapshot.processes[1].alive = false;
    model_take(model, &snapshot, false);
    cr_assert_str_eq(model->targets, "0 PIDs");
    model_free(model);
}

/* --- the picker ------------------------------------------------------------------------------ */

static struct pprofil_candidate *list(uint32_t count, const uint64_t *cpu_ms)
{
    static const char *const commands[] = {"java -jar x", "python3 q.py", "sshd", "node Server.js"};
    struct pprofil_candidate *candidates = calloc(count, sizeof *candidates);

    for (uint32_t i = 0; i < count; i++) {
        candidates[i].pid = 10 + i;
        candidates[i].cpu_ns = cpu_ms[i] * MS;
        strcpy(candidates[i].user, i == 2 ? "root" : "me");
        strcpy(candidates[i].comm, "thing");
        strcpy(candidates[i].command, commands[i % 4]);
        if (i == 2)
            strcpy(candidates[i].refused, "it is another user's");
    }
    return candidates;
}

static uint32_t pid_at(const struct model *model, uint32_t i)
{
    cr_assert_lt(i, model->picked_count);
    return model->candidates[model->picked[i]].pid;
}

static struct model *pick(void)
{
    struct model *model = model_new();

    model->page = PAGE_PICKER;
    model->page_rows = 10;
    model_take_candidates(model, list(4, (uint64_t[]){10, 20, 30, 5}), 4, 50 * SECOND);
    return model;
}

Test(picker, sorts_by_what_is_used_and_keeps_its_choice)
{
    struct model *model = pick();

    cr_assert_eq(pid_at(model, 0), 11);
    cr_assert_eq(pid_at(model, 2), 13);
    cr_assert_eq(pid_at(model, 3), 12, "refused, though it used most");
    press(model, TUI_KEY_DOWN);
    cr_assert_eq(pid_at(model, model->selected), 10);
    model_take_candidates(model, list(4, (uint64_t[]){10, 20, 30, 505}), 4, 51 * SECOND);
    cr_assert_eq(pid_at(model, 0), 13);
    cr_assert_eq(pid_at(model, 1), 10);
    cr_assert_float_eq(model->candidate_cpu[3], 0.5, 1e-9);
    cr_assert_eq(pid_at(model, model->selected), 10);
    model_take_candidates(model, list(1, (uint64_t[]){9}), 1, 52 * SECOND); /* its pid again */
    cr_assert_eq(model->candidate_cpu[0], 0);
    cr_assert_eq(model->selected, 0);
    model_take_candidates(model, NULL, 0, 53 * SECOND);
    cr_assert_eq(model_list_count(model), 0);
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_NONE);
    model_free(model);
}

Test(picker, narrows_as_one_types)
{
    struct model *model = pick();

    cr_assert_eq(press(model, ' '), EFFECT_NONE);
    cr_assert_eq(model->prompt, PROMPT_NONE);
    cr_assert_eq(press(model, 'j'), EFFECT_PAINT);
    cr_assert_eq(model->prompt, PROMPT_FILTER);
    cr_assert_eq(model->picked_count, 2); /* java, server.js */
    type_in(model, "ava");
    cr_assert_eq(model->picked_count, 1);
    cr_assert_eq(pid_at(model, 0), 10);
    press(model, TUI_KEY_ESCAPE);
    cr_assert_eq(model->picked_count, 4);
    cr_assert_eq(model->prompt, PROMPT_NONE);
    type_in(model, "ROOT");
    cr_assert_eq(pid_at(model, 0), 12);
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_PAINT);
    cr_assert_not_null(strstr(model->message, "another user"));
    press(model, 'U' & 0x1f);
    type_in(model, "q.");
    cr_assert_eq(model->picked_count, 1, "q is a letter while one types");
    model_take_candidates(model, list(4, (uint64_t[]){10, 20, 30, 5}), 4, 51 * SECOND);
    cr_assert_eq(model->picked_count, 1);
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_ATTACH);
    cr_assert_eq(model->chosen_pid, 11);
    model->page = PAGE_TABLE; /* as the loop does */
    cr_assert_eq(press(model, 'j'), EFFECT_PAINT);
    cr_assert_eq(model->prompt, PROMPT_NONE);
    model_free(model);
}

Test(picker, is_left)
{
    struct model *model = pick();

    cr_assert_eq(press(model, TUI_KEY_ESCAPE), EFFECT_NONE);
    cr_assert_eq(press(model, TUI_KEY_BACKSPACE), EFFECT_NONE);
    cr_assert_eq(press(model, 'q'), EFFECT_QUIT);
    press(model, '/');
    cr_assert_eq(press(model, 'q'), EFFECT_PAINT);
    cr_assert_eq(press(model, TUI_KEY_CTRL_C), EFFECT_QUIT);
    cr_assert_eq(press(model, TUI_KEY_F10), EFFECT_QUIT);
    press(model, TUI_KEY_BACKSPACE);
    press(model, TUI_KEY_BACKSPACE);
    cr_assert_eq(model->prompt, PROMPT_NONE);
    press(model, '?');
    cr_assert(model->help);
    press(model, 'q');
    cr_assert_eq(press(model, 'q'), EFFECT_QUIT);
    struct key_event twice = {TUI_KEY_DOUBLE_CLICK, 1, 0};
    cr_assert_eq(model_key(model, &twice), EFFECT_ATTACH);
    cr_assert_eq(model->chosen_pid, 10);
    model_free(model);
}

/* --- anything -------------------------------------------------------------------------------- */

struct random {
    uint64_t state;
};

static uint32_t draw(struct random *random, uint32_t below)
{
    random->state = random->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((random->state >> 33) % below);
}

static void check(const struct model *model)
{
    uint32_t count = model_list_count(model);

    cr_assert(model->selected < count || model->selected == 0);
    cr_assert(model->top <= model->selected);
    cr_assert(count == 0 || model->page == PAGE_OUTPUT || model->page_rows == 0 ||
              model->selected - model->top < model->page_rows);
    cr_assert_lt(strlen(model->text), MODEL_TEXT);
    cr_assert_lt(strlen(model->message), MODEL_TEXT);
    cr_assert_leq(model->filter_count, MODEL_FILTERS);
    cr_assert(model->asked_hz >= PPROFIL_MIN_HZ && model->asked_hz <= PPROFIL_MAX_HZ);
    cr_assert(model->target_cpu >= 0 && isfinite(model->target_cpu));
    cr_assert(model->achieved_hz >= 0 && isfinite(model->achieved_hz));
    cr_assert(model->page == PAGE_PICKER || model->prompt != PROMPT_FILTER);
    for (uint32_t i = 0; model->page == PAGE_TABLE && i < count; i++) {
        const struct table_row *row = &model_table(model)->rows[i];
        cr_assert(row->window_share >= 0 && row->window_share <= 1);
        cr_assert(row->smooth_share >= 0 && row->smooth_share <= 1);
        if (isnan(row->window_error95))
            cr_assert(model_table(model)->empty);
        else
            cr_assert(row->window_error95 >= 0 && row->window_error95 <= 1);
    }
}

static struct snapshot random_snapshot(struct random *random, struct story *story)
{
    struct snapshot snapshot;

    for (uint32_t i = draw(random, 8); i > 0; i--)
        story->ms[1 + draw(random, 26)] = draw(random, 3) == 0 ? 0 : draw(random, 10000);
    if (draw(random, 3) > 0)
        tell(story, draw(random, 2000), draw(random, 4000), draw(random, 100));
    story->totals.running += draw(random, 1000);
    story->totals.cpu_ns += draw(random, 1000) * MS;
    story->totals.wall = draw(random, 50) == 0 ? !story->totals.wall : story->totals.wall;
    if (draw(random, 100) == 0)
        memset(&story->totals, 0, sizeof story->totals);
    snapshot = make(story);
    for (uint32_t i = draw(random, 10); i > 0; i--)
        add_task(&snapshot, 100 + i, "RSDTt"[draw(random, 5)], (int32_t)draw(random, 2000) - 1,
                 "call");
    for (uint32_t i = draw(random, 10); i > 0; i--)
        add_process(&snapshot, 98 + draw(random, 6), 98 + draw(random, 6));
    for (uint32_t i = draw(random, 30); model_where(story->model) == KEY_IN_CODE && i > 0; i--)
        add_code(&snapshot, i % 7 ? "mov" : "call", draw(random, 100));
    return snapshot;
}

static void random_list(struct random *random, struct story *story)
{
    uint64_t cpu[20];

    for (unsigned i = 0; i < 20; i++)
        cpu[i] = draw(random, 1000);
    uint32_t count = draw(random, 20);
    model_take_candidates(story->model, list(count, cpu), count, story->time_ns);
}

static void random_key(struct random *random, struct model *model)
{
    struct key_event event = {.row = (int)draw(random, 30) - 2, .column = (int)draw(random, 90)};

    switch (draw(random, 4)) {
    case 0:
        event.key = draw(random, 128);
        break;
    case 1:
        event.key = TUI_KEY_NONE + draw(random, TUI_KEY_WHEEL_DOWN - TUI_KEY_NONE + 2);
        break;
    case 2:
        event.key = key_bindings[draw(random, (uint32_t)key_binding_count)].key;
        break;
    default:
        event.key = (const uint32_t[]){
            'j', 'G', TUI_KEY_ENTER, 0x1f600, TUI_KEY_ESCAPE, '3'}[draw(random, 6)];
    }
    switch (model_key(model, &event)) {
    case EFFECT_CLEAR:
        model_cleared(model);
        break;
    case EFFECT_ATTACH:
        model->page = PAGE_TABLE;
        break;
    default:
        break;
    }
}

Test(anything, keys_and_snapshots_in_any_order, .timeout = 300)
{
    static const char *const lines[] = {"some", "words", "that", "a", "program", "said", "call"};
    struct random random = {20260101};
    struct story story = begin();
    struct model *model = story.model;

    for (unsigned step = 0; step < 200000; step++) {
        uint32_t what = draw(&random, 100);
        story.time_ns += draw(&random, 10) * 100 * MS;
        if (what < 15) {
            struct snapshot snapshot = random_snapshot(&random, &story);
            model_take(model, &snapshot, draw(&random, 4) > 0);
        } else if (what < 17) {
            random_list(&random, &story);
        } else if (what < 19) {
            model->page_rows = draw(&random, 40);
            model->has_output = draw(&random, 3) > 0;
            model->output = (struct model_output){lines, model->has_output ? draw(&random, 8) : 0};
        } else if (what == 19 && draw(&random, 20) == 0) {
            model->page = PAGE_PICKER;
        } else if (what < 25) {
            model_act(model, draw(&random, ACTION_QUIT + 3), (int)draw(&random, 10) - 2);
        } else {
            random_key(&random, model);
        }
        press(model, TUI_KEY_NONE); /* the loop's changes are noticed */
        char crumbs[40];
        model_breadcrumb(model, crumbs, draw(&random, 40));
        check(model);
    }
    model_free(model);
}
