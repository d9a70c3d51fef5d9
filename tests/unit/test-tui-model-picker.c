/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "tui-model-fixture.h"

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
    model_take_candidates(model, list(1, (uint64_t[]){9}), 1, 52 * SECOND); /* now another process has pid 10 */
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

    cr_assert_eq(press(model, 'j'), EFFECT_PAINT);
    cr_assert_eq(model->prompt, PROMPT_FILTER);
    cr_assert_eq(model->picked_count, 2); /* java and Server.js */
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
    cr_assert_eq(model->attach_pids[0], 11);
    model->page = PAGE_TABLE; /* top_begin_sampling does this in pprofil top */
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
    cr_assert_eq(model->attach_pids[0], 10);
    model_free(model);
}

/* --- marks ----------------------------------------------------------------------------------- */

static void expect_marks(const struct model *model, const char *pids)
{
    char text[64] = "";

    for (uint32_t pid = 1; pid < 100; pid++)
        if (marks_have(model, pid))
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", text[0] != '\0' ? " " : "", pid);
    cr_expect_str_eq(text, pids);
}

Test(picker, attaches_to_all_marked)
{
    struct model *model = pick();

    cr_assert_eq(press(model, ' '), EFFECT_PAINT);
    expect_marks(model, "11");
    cr_assert_eq(pid_at(model, model->selected), 10, "the next one");
    press(model, ' ');
    expect_marks(model, "10 11");
    press(model, TUI_KEY_UP);
    press(model, TUI_KEY_F1 + 4);
    expect_marks(model, "11");
    type_in(model, "node");
    press(model, TUI_KEY_F1 + 4);
    expect_marks(model, "11 13");
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_ATTACH);
    cr_assert_eq(model->attach_count, 2, "also those that the filter hides");
    cr_assert_eq(model->attach_pids[0] + model->attach_pids[1], 24);
    model_free(model);
}

Test(picker, marks_all_that_the_filter_shows)
{
    struct model *model = pick();

    type_in(model, "me");
    press(model, 'A' & 0x1f);
    expect_marks(model, "10 11 13");
    press(model, 'U' & 0x1f);
    type_in(model, "root");
    cr_assert_eq(press(model, 'A' & 0x1f), EFFECT_PAINT);
    expect_marks(model, "10 11 13");
    press(model, TUI_KEY_F1 + 4);
    cr_assert_not_null(strstr(model->message, "another user"));
    expect_marks(model, "10 11 13");
    press(model, TUI_KEY_ESCAPE);
    press(model, TUI_KEY_F1 + 6);
    expect_marks(model, "");
    model_free(model);
}

Test(picker, marks_a_process_with_its_children)
{
    struct model *model = model_new();
    struct pprofil_candidate *candidates = list(6, (uint64_t[]){60, 50, 40, 30, 20, 10});
    static const uint32_t parents[] = {1, 10, 11, 12, 10, 1}; /* 12 is another user's, but 13 is below it */

    for (unsigned i = 0; i < 6; i++)
        candidates[i].ppid = parents[i];
    model->page = PAGE_PICKER;
    model->page_rows = 10;
    model_take_candidates(model, candidates, 6, 50 * SECOND);
    cr_assert_eq(pid_at(model, model->selected), 10);
    press(model, 'T' & 0x1f);
    expect_marks(model, "10 11 13 14");
    press(model, TUI_KEY_DOWN);
    cr_assert_eq(pid_at(model, model->selected), 11);
    press(model, TUI_KEY_F1 + 5);
    expect_marks(model, "10 14");
    model_take_candidates(model, list(3, (uint64_t[]){60, 50, 40}), 3, 51 * SECOND);
    expect_marks(model, "10");
    model_take_candidates(model, NULL, 0, 52 * SECOND);
    expect_marks(model, "");
    cr_assert_eq(press(model, 'A' & 0x1f), EFFECT_PAINT);
    cr_assert_eq(press(model, TUI_KEY_ENTER), EFFECT_NONE);
    model_free(model);
}

/* --- random keys and snapshots --------------------------------------------------------------- */

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
        add_task(&snapshot, 100 + i, "RSDTt"[draw(random, 5)], (int32_t)draw(random, 2000) - 1, "call");
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
        event.key = (const uint32_t[]){'j', 'G', TUI_KEY_ENTER, 0x1f600, TUI_KEY_ESCAPE, '3'}[draw(random, 6)];
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
        press(model, TUI_KEY_NONE); /* the model adapts to the changes that were made here */
        char crumbs[40];
        model_breadcrumb(model, crumbs, draw(&random, 40));
        check(model);
    }
    model_free(model);
}
