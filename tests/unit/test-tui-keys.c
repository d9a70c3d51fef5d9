/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "make-snapshot.h"

static const enum key_where places[] = {KEY_IN_TABLE, KEY_IN_CODE,  KEY_IN_OUTPUT, KEY_IN_PICKER,
                                        KEY_IN_HELP,  KEY_IN_CALLS, KEY_IN_FLAME};

Test(keys, no_key_means_two_things_in_one_place)
{
    for (size_t i = 0; i < key_binding_count; i++)
        for (size_t j = i + 1; j < key_binding_count; j++)
            cr_assert(key_bindings[i].key != key_bindings[j].key ||
                          (key_bindings[i].where & key_bindings[j].where) == 0,
                      "%s", keys_name(key_bindings[i].key));
}

Test(keys, each_action_is_explained_wherever_it_can_be_had)
{
    for (size_t i = 0; i < key_binding_count; i++) {
        const struct key_binding *binding = &key_bindings[i];
        unsigned explained = 0;
        for (size_t j = 0; j < key_binding_count; j++)
            if (key_bindings[j].action == binding->action && key_bindings[j].help != NULL)
                explained |= key_bindings[j].where;
        if (binding->action == ACTION_QUIT)
            explained |= KEY_IN_HELP; /* in the help, q leaves the help */
        cr_assert_eq(binding->where & ~explained, 0, "%s", keys_name(binding->key));
        cr_assert_neq(binding->where, 0);
    }
}

Test(keys, the_bar_has_all_f_keys_with_short_names_and_a_letter_each)
{
    for (uint32_t key = TUI_KEY_F1; key <= TUI_KEY_F10; key++) {
        const struct key_binding *binding = key_find(key, KEY_IN_TABLE);
        bool other = false;
        cr_assert_not_null(binding);
        cr_assert_not_null(binding->bar);
        cr_assert_leq(strlen(binding->bar), 7);
        for (size_t i = 0; i < key_binding_count; i++)
            other = other || (key_bindings[i].action == binding->action &&
                              (key_bindings[i].where & KEY_IN_TABLE) != 0 && key_bindings[i].bar == NULL);
        cr_assert(other, "%s", keys_name(key));
    }
}

Test(keys, one_can_always_get_help_redraw_and_quit)
{
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        cr_assert_eq(key_find(TUI_KEY_F10, places[i])->action, ACTION_QUIT);
        cr_assert_eq(key_find(TUI_KEY_CTRL_C, places[i])->action, ACTION_QUIT);
        cr_assert_eq(key_find(TUI_KEY_CTRL_L, places[i])->action, ACTION_REDRAW);
        cr_assert_eq(key_find('Z' & 0x1f, places[i])->action, ACTION_SUSPEND);
        cr_assert_eq(key_find(TUI_KEY_F1, places[i])->action, ACTION_HELP);
        cr_assert_null(key_find(0, places[i]));
        cr_assert_null(key_find(TUI_KEY_NONE, places[i]));
    }
    cr_assert_eq(key_find('q', KEY_IN_TABLE)->action, ACTION_QUIT);
    cr_assert_eq(key_find('q', KEY_IN_HELP)->action, ACTION_BACK);
}

Test(keys, names)
{
    static const struct {
        uint32_t key;
        const char *name;
    } names[] = {{'q', "q"},           {' ', "Space"},       {TUI_KEY_F1, "F1"},
                 {TUI_KEY_F10, "F10"}, {6, "Ctrl-F"},        {TUI_KEY_CTRL_C, "Ctrl-C"},
                 {0xe9, "é"},          {0x20ac, "€"},        {0x1f600, "\xf0\x9f\x98\x80"},
                 {'~', "~"},           {TUI_KEY_TAB, "Tab"}, {0, "?"}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_assert_str_eq(keys_name(names[i].key), names[i].name);
    for (size_t i = 0; i < key_binding_count; i++) {
        bool question = key_bindings[i].key == '?';
        cr_assert_eq(strcmp(keys_name(key_bindings[i].key), "?") == 0, question);
    }
}

Test(keys, each_action_has_a_name_of_its_own)
{
    for (size_t i = 0; i < key_binding_count; i++) {
        enum action action = key_bindings[i].action;
        cr_assert_not_null(keys_action(action), "%s", keys_name(key_bindings[i].key));
        for (int other = 0; other < (int)action; other++)
            cr_assert_str_neq(keys_action(action), keys_action((enum action)other));
    }
}

Test(keys, what_is_text)
{
    char text[5];
    const uint32_t none[] = {0,      6,        0x1b,     0x7f,       0x85,
                             0xd800, 0x110000, 0x1fffff, TUI_KEY_UP, UINT32_MAX};

    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        cr_assert_not(key_text(none[i], text), "%x", none[i]);
    cr_assert(key_text('a', text));
    cr_assert_str_eq(text, "a");
    cr_assert(key_text(0x10ffff, text));
    cr_assert_str_eq(text, "\xf4\x8f\xbf\xbf");
}

/* --- every key does something where it is bound ---------------------------------------------- */

static const char *const lines[] = {"one", "two", "three", "four", "five", "six", "seven", "eight"};

static void add_candidates(struct model *model)
{
    struct pprofil_candidate *candidates = calloc(8, sizeof *candidates);

    for (uint32_t i = 0; i < 8; i++) {
        candidates[i].pid = 10 + i;
        strcpy(candidates[i].command, "a command with many words");
    }
    model_take_candidates(model, candidates, 8, SECOND);
}

/* Adds a call tree. The first row calls three rows. Each of these calls one row, which calls one more
 * row. */
static void add_calls(struct model *model)
{
    static const uint32_t parents[] = {UINT32_MAX, 0, 0, 0, 1, 2, 3, 4, 5, 6};
    static struct pprofil_live_call calls[10];
    struct snapshot_calls tree = {
        .taken = true, .rows = calls, .count = 10, .all_ns = 100, .tree_ns = 100};

    for (uint32_t i = 0; i < 10; i++)
        calls[i] = (struct pprofil_live_call){.name = "called",
                                              .object = "prog",
                                              .id = i + 1,
                                              .function = i + 1,
                                              .parent = parents[i],
                                              .total_ns = i == 0 ? 100 : 30};
    cr_assert_eq(calls_take(&model->calls, &tree, 0), 0);
    model->flame_columns = 40;
    model->flame_zoom = 1;
    model->flame_selected = 6;
}

/* Makes a model with a filter and a search. The selection is in the middle of a list that can be
 * scrolled in all directions. */
static struct model *make_model(enum key_where where)
{
    struct model *model = model_new();
    struct snapshot snapshot = {0};

    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++)
        for (uint64_t id = 1; id <= 8; id++)
            add_row(&snapshot.by[by], id, 100 - id)->name = "a name of some length: x";
    for (unsigned i = 0; i < 8; i++)
        add_code(&snapshot, "mov    (%rax),%rbx", i);
    model->stacks = true;
    model_take(model, &snapshot, true);
    add_calls(model);
    model->output = (struct model_output){lines, 8};
    model->has_output = true;
    model->page_rows = 3;
    model->list_row = 5;
    model->header_row = 4;
    model->filter_count = 1;
    model->filters[0].by = PPROFIL_BY_THREAD;
    strcpy(model->search, "e");
    add_candidates(model);
    model->page = where == KEY_IN_CODE     ? PAGE_CODE
                  : where == KEY_IN_OUTPUT ? PAGE_OUTPUT
                  : where == KEY_IN_PICKER ? PAGE_PICKER
                  : where == KEY_IN_CALLS  ? PAGE_CALLS
                  : where == KEY_IN_FLAME  ? PAGE_FLAME
                                           : PAGE_TABLE;
    model->help = where == KEY_IN_HELP;
    model->help_top = 20;
    model->help_last = 40;
    press(model, TUI_KEY_NONE); /* the model adapts to the new page */
    model->output_follows = false;
    model->top = 3;
    model->selected = 4;
    model->chosen = true;
    model->selected_id = where == KEY_IN_PICKER ? 14 : where == KEY_IN_CALLS ? 3 : 5;
    if (model->page == PAGE_FLAME)
        cr_assert_eq(calls_flame(&model->calls, 0, 40), 0);
    if (model->page == PAGE_OUTPUT)
        model->selected = 3;
    model->sideways = where == KEY_IN_OUTPUT ? 1 : 8;
    return model;
}

/* The parts of a model that the user can see. */
struct sight {
    int page, view, sort, prompt;
    bool help, paused, wall;
    uint32_t selected, top, help_top, filter_count, marked_count;
    unsigned sideways;
    uint64_t flame_zoom, flame_selected;
    uint32_t call_lines;
    double hz, window;
    char message[MODEL_TEXT];
};

static struct sight look(const struct model *model)
{
    struct sight sight;

    memset(&sight, 0, sizeof sight);
    sight.page = model->page;
    sight.view = model->view;
    sight.sort = model->sort;
    sight.prompt = model->prompt;
    sight.help = model->help;
    sight.paused = model->paused;
    sight.wall = model->wall;
    sight.selected = model->selected;
    sight.top = model->top;
    sight.help_top = model->help_top;
    sight.marked_count = model->marked_count;
    sight.filter_count = model->filter_count;
    sight.sideways = model->sideways;
    sight.flame_zoom = model->flame_zoom;
    sight.flame_selected = model->flame_selected;
    sight.call_lines = model->calls.line_count;
    sight.hz = model->asked_hz;
    sight.window = model->window_seconds;
    strcpy(sight.message, model->message);
    return sight;
}

/* Returns true if the key opens the view that is open already. Such a key changes nothing. */
static bool may_do_nothing(const struct key_binding *binding, enum key_where where)
{
    return (binding->action == ACTION_VIEW && where == KEY_IN_TABLE && binding->argument == PPROFIL_BY_FUNCTION) ||
           (binding->action == ACTION_VIEW && where == KEY_IN_CALLS && binding->argument == KEYS_CALLS) ||
           (binding->action == ACTION_VIEW && where == KEY_IN_FLAME && binding->argument == KEYS_FLAME);
}

Test(keys, every_key_does_something_wherever_it_is_bound)
{
    for (size_t i = 0; i < key_binding_count; i++)
        for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
            const struct key_binding *binding = &key_bindings[i];
            if ((binding->where & places[p]) == 0 || may_do_nothing(binding, places[p]))
                continue;
            struct model *model = make_model(places[p]);
            cr_assert_eq(model_where(model), places[p]);
            struct sight before = look(model);
            struct key_event event = {binding->key, 7, 3};
            enum effect effect = model_key(model, &event);
            struct sight after = look(model);
            bool asks = effect != EFFECT_NONE && effect != EFFECT_PAINT;
            bool changes = memcmp(&before, &after, sizeof before) != 0;
            cr_assert(asks || (changes && effect == EFFECT_PAINT), "%s in place %zu: effect %d",
                      keys_name(binding->key), p, effect);
            model_free(model);
        }
}

static void expect_nothing(struct model *model, uint32_t key)
{
    struct sight before = look(model);

    cr_assert_eq(press(model, key), EFFECT_NONE);
    struct sight after = look(model);
    cr_assert_eq(memcmp(&before, &after, sizeof before), 0, "key %x", key);
}

Test(keys, unbound_keys_do_nothing)
{
    struct model *model = make_model(KEY_IN_TABLE);

    for (uint32_t key = 0; key < 0x3000; key++)
        if (key_find(key, KEY_IN_TABLE) == NULL)
            expect_nothing(model, key);
    for (uint32_t key = TUI_KEY_NONE - 2; key <= TUI_KEY_WHEEL_DOWN + 2; key++)
        if (key != TUI_KEY_RESIZE && key_find(key, KEY_IN_TABLE) == NULL)
            expect_nothing(model, key);
    expect_nothing(model, UINT32_MAX);
    model_free(model);
}
