/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call trees over time: the list and the flame view, without a terminal. */
#include "config.h"

#include "make-snapshot.h"
#include "view.h"

/* Makes a tree: main (id 1) calls work (2) and other (3), and work calls leaf (4). The parameters `work` and `other`
 * are the times of these functions, including what they call, in ms. */
static struct snapshot_calls tree_of(uint64_t work, uint64_t other)
{
    static const char *const names[] = {"main", "work", "other", "leaf"};
    const uint32_t parents[] = {UINT32_MAX, 0, 0, 1};
    const uint64_t totals[] = {work + other, work, other, work};
    struct snapshot_calls tree = {.taken = true, .count = 4};

    tree.all_ns = tree.tree_ns = (work + other) * MS;
    tree.rows = calloc(4, sizeof *tree.rows);
    for (uint32_t i = 0; i < 4; i++)
        tree.rows[i] = (struct pprofil_live_call){.name = names[i],
                                                  .object = "prog",
                                                  .id = i + 1,
                                                  .function = 100 + i,
                                                  .parent = parents[i],
                                                  .ns = i >= 2 ? totals[i] * MS : 0,
                                                  .total_ns = totals[i] * MS};
    return tree;
}

static struct model *model;
static struct canvas canvas;

static void take(uint64_t second, uint64_t work, uint64_t other)
{
    struct snapshot snapshot = {.time_ns = second * SECOND, .sampling = true, .status = -1};

    snapshot.calls = tree_of(work, other);
    model_take(model, &snapshot, true);
}

static void begin(void)
{
    model = model_new();
    model->stacks = true;
    canvas.utf8 = true;
    press(model, '7');
    take(1, 60, 40);
}

static void end(void)
{
    model_free(model);
    canvas_free(&canvas);
}

TestSuite(calls, .init = begin, .fini = end);

static const char *line_at(int columns, int rows, int row)
{
    static char text[1024];
    size_t used = 0;

    cr_assert_eq(canvas_resize(&canvas, rows, columns), 0);
    view_screen(model, &canvas, 1000);
    for (int i = 0; i < columns; i++) {
        uint32_t character = canvas.cells[row * columns + i].character;
        text[used++] = character < 0x80 && character >= ' ' ? (char)character : '^';
    }
    while (used > 0 && text[used - 1] == ' ')
        used--;
    text[used] = '\0';
    return text;
}

static const char *selected_name(void)
{
    uint32_t row = calls_find(&model->calls, model->flame_selected);

    if (model->page == PAGE_CALLS)
        row = model->calls.lines[model->selected];
    return row == CALLS_NONE ? "all" : model->calls.rows[row].call.name;
}

Test(calls, lists_the_tree)
{
    cr_assert_eq(model->calls.line_count, 4);
    cr_expect_str_eq(line_at(80, 24, 5), "  all%  self% function, and what it calls");
    cr_expect_str_eq(line_at(80, 24, 6), " 100.0    0.0 ^ main");
    cr_expect_str_eq(line_at(80, 24, 7), "  60.0    0.0   ^ work");
    cr_expect_str_eq(line_at(80, 24, 8), "  60.0   60.0     leaf");
    cr_expect_str_eq(line_at(80, 24, 9), "  40.0   40.0     other");
    cr_expect_str_eq(line_at(40, 10, 5), " 100.0 ^ main");
}

Test(calls, windows_follow)
{
    take(2, 60, 140); /* only the function called "other" ran */
    cr_assert_float_eq(calls_share(&model->calls, 1), 0, 1e-9);
    cr_assert_float_eq(calls_share(&model->calls, 2), 1, 1e-9);
    take(3, 160, 140);
    cr_assert_float_eq(calls_share(&model->calls, 1), 0.6, 1e-9);
    cr_assert_float_eq(calls_share(&model->calls, 2), 0.4, 1e-9);
    cr_expect_str_eq(line_at(80, 24, 5), "  win%  self% function, and what it calls");
    press(model, 's');
    cr_assert_float_eq(calls_share(&model->calls, 1), 160.0 / 300, 1e-9);
    cr_expect_str_eq(line_at(80, 24, 5), "  all%  self% function, and what it calls");
}

Test(calls, windows_without_time_say_nothing)
{
    take(2, 60, 140);
    take(3, 60, 140);
    cr_assert_float_eq(calls_share(&model->calls, 2), 1, 1e-9);
}

Test(calls, fold_and_unfold)
{
    press(model, TUI_KEY_DOWN);
    cr_assert_str_eq(selected_name(), "work");
    press(model, TUI_KEY_ENTER);
    cr_assert_eq(model->calls.line_count, 3);
    take(2, 160, 140); /* the row stays folded */
    cr_assert_eq(model->calls.line_count, 3);
    cr_assert_str_eq(selected_name(), "work");
    press(model, TUI_KEY_RIGHT);
    cr_assert_eq(model->calls.line_count, 4);
    press(model, TUI_KEY_RIGHT);
    cr_assert_str_eq(selected_name(), "leaf");
    press(model, TUI_KEY_LEFT);
    cr_assert_str_eq(selected_name(), "work");
    press(model, TUI_KEY_LEFT);
    press(model, TUI_KEY_LEFT);
    cr_assert_str_eq(selected_name(), "main");
}

Test(calls, of_a_function)
{
    struct snapshot_wants wants;

    press(model, TUI_KEY_DOWN);
    cr_assert_eq(press(model, 'c'), EFFECT_SNAPSHOT);
    model_wants(model, &wants);
    cr_assert(wants.calls);
    cr_assert_eq(wants.calls_kind, PPROFIL_TREE_CALLERS);
    cr_assert_eq(wants.calls_function, 101);
    cr_expect_str_eq(line_at(80, 24, 5), "  all%  self% callers of work");
    take(2, 60, 40);
    press(model, 'e');
    model_wants(model, &wants);
    cr_assert_eq(wants.calls_kind, PPROFIL_TREE_CALLEES);
    press(model, TUI_KEY_BACKSPACE);
    cr_assert_eq(model->page, PAGE_TABLE);
    model_wants(model, &wants);
    cr_assert(!wants.calls, "nobody looks at it");
}

Test(calls, flame_boxes)
{
    press(model, 'f');
    cr_expect_str_eq(line_at(40, 12, 4), "^all");
    cr_expect_str_eq(line_at(40, 12, 5), "^main");
    cr_expect_str_eq(line_at(40, 12, 6), "^work                   ^other");
    cr_expect_str_eq(line_at(40, 12, 7), "^leaf");
    cr_assert_eq(canvas.cells[6 * 40 + 24].style, STYLE_FLAME_PROGRAM);
    press(model, TUI_KEY_DOWN);
    press(model, TUI_KEY_DOWN);
    cr_assert_str_eq(selected_name(), "work");
    press(model, TUI_KEY_RIGHT);
    cr_assert_str_eq(selected_name(), "other");
    cr_expect_str_eq(line_at(40, 12, 10), "other              40.0 % of all, 0.04 s");
    press(model, TUI_KEY_ENTER);
    cr_expect_str_eq(line_at(40, 12, 4), "^other");
    press(model, TUI_KEY_BACKSPACE);
    cr_assert_eq(model->page, PAGE_FLAME);
    cr_expect_str_eq(line_at(40, 12, 5), "^main");
    press(model, TUI_KEY_UP);
    cr_assert_str_eq(selected_name(), "main");
    press(model, TUI_KEY_BACKSPACE);
    cr_assert_eq(model->page, PAGE_TABLE);
}

Test(calls, flame_boxes_fill_their_callers)
{
    struct calls *calls = &model->calls;

    for (int columns = 1; columns < 300; columns++) {
        cr_assert_eq(calls_flame(calls, CALLS_NONE, columns), 0);
        for (uint32_t i = 0; i < calls->box_count; i++) {
            const struct calls_box *box = &calls->boxes[i];
            cr_assert_geq(box->width, 1);
            cr_assert_geq(box->column, 0);
            cr_assert_leq(box->column + box->width, columns);
            if (i > 0 && box->level == box[-1].level)
                cr_assert_geq(box->column, box[-1].column + box[-1].width);
        }
    }
}

Test(calls, held_still)
{
    press(model, ' ');
    take(2, 1000, 40);
    cr_assert_float_eq(calls_share(&model->calls, 1), 0.6, 1e-9);
    press(model, ' ');
    take(3, 1060, 40);
    cr_assert_float_eq(calls_share(&model->calls, 1), 1, 1e-9);
}

Test(calls, without_stacks_one_line_says_so)
{
    static const uint32_t keys[] = {'7', '8', 'f', 'c', 'e'};

    model->stacks = false;
    press(model, '1');
    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        press(model, keys[i]);
        cr_assert_eq(model->page, PAGE_TABLE);
        cr_assert_not_null(strstr(model->message, "start with -g"));
    }
}
