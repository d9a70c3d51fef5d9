/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "tui-model-fixture.h"

/* --- other keys ------------------------------------------------------------------------------ */

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
    model->help_last = 41; /* the view would set help_last and help_rows */
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
    tell(&story, 0, 500, 0); /* more CPU time, but no more elapsed time */
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
