/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "tui-model-fixture.h"

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

/* Tab and Shift-Tab skip the view of states, unless elapsed time is counted. */
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
    cr_assert_eq(model->view, PPROFIL_BY_WAIT);
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
    /* the first four rows have become filters, and two more filters were refused */
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
    press(model, TUI_KEY_ESCAPE); /* removes the marks of the search, because there is no filter to remove */
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
