/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two compared profiles: orders, filters, and what the screen shows. */
#include "config.h"

#include "tui-view-fixture.h"

static struct key_event key_of(uint32_t key)
{
    return (struct key_event){.key = key};
}

static enum effect press(uint32_t key)
{
    const struct key_event event = key_of(key);
    return model_key(model, &event);
}

static struct pprofil_change change_of(double old, double new, bool significant)
{
    return (struct pprofil_change){.samples = {(uint64_t)(1000 * old), (uint64_t)(1000 * new)},
                                   .ns = {(uint64_t)(1e9 * old), (uint64_t)(1e9 * new)},
                                   .share = {old, new},
                                   .value = {old, new},
                                   .change = new - old,
                                   .low = new - old - 0.01,
                                   .high = new - old + 0.01,
                                   .significant = significant};
}

/* The rows in the order of pprofil diff. */
static struct pprofil_diff_row changes[] = {
    {.name = "grown", .object = {"prog-1", "prog-2"}},
    {.name = "shrunk", .object = {"libc.so", "libc.so"}},
    {.name = "gone", .object = {"libc.so", ""}},
};

static void take_rows(enum pprofil_by by, bool due)
{
    struct snapshot snapshot = {.time_ns = 10 * SECOND, .saved = true, .ended = true, .status = -1};
    struct snapshot_rows *rows = &snapshot.by[by];

    changes[0].self = changes[0].total = change_of(0.2, 0.5, true);
    changes[1].self = changes[1].total = change_of(0.7, 0.45, true);
    changes[2].self = change_of(0.02, 0, false);
    changes[2].total = change_of(0.5, 0.1, true);
    rows->taken = true;
    rows->count = COUNT(changes);
    rows->changes = changes;
    rows->rows = calloc(rows->count, sizeof *rows->rows);
    for (uint32_t i = 0; i < rows->count; i++)
        rows->rows[i] = (struct pprofil_row){.name = changes[i].name,
                                             .object = changes[i].object[changes[i].object[1][0] != '\0'],
                                             .file = "",
                                             .ns = changes[i].self.ns[1],
                                             .share = changes[i].self.share[1],
                                             .id = i + 1};
    snapshot.comparison.by[by] = (struct pprofil_diff_totals){
        .rows = 3, .significant = 2, .whole = change_of(1, 0.9, true)};
    for (int side = 0; side < 2; side++)
        snapshot.comparison.of[side] = (struct pprofil_totals){.samples = 100, .cpu_ns = SECOND, .elapsed_ns = SECOND};
    model_take(model, &snapshot, due);
}

static void begin_diff(void)
{
    model = model_new();
    model->compares = model->saved = model->calls.by_change = true;
    model->sort = TABLE_BY_CHANGE;
    model->own_targets = false;
    model->paths[0] = "old.pb.gz";
    model->paths[1] = "new.pb.gz";
    model->commands[0] = "./prog-1";
    model->commands[1] = "";
    take_rows(PPROFIL_BY_FUNCTION, true);
}

TestSuite(tui_diff, .init = begin_diff, .fini = end);

static void expect_names(const char *one, const char *two, const char *three)
{
    const struct table *table = model_table(model);

    cr_assert_eq(table->count, 3);
    cr_expect_str_eq(table->rows[0].total.name, one);
    cr_expect_str_eq(table->rows[1].total.name, two);
    cr_expect_str_eq(table->rows[2].total.name, three);
}

Test(tui_diff, orders)
{
    expect_names("grown", "shrunk", "gone");
    press('s');
    cr_expect_not_null(strstr(model->message, "old profile"), "%s", model->message);
    expect_names("shrunk", "grown", "gone");
    press('s');
    cr_expect_not_null(strstr(model->message, "new profile"), "%s", model->message);
    expect_names("grown", "shrunk", "gone");
    press('s');
    expect_names("gone", "grown", "shrunk"); /* by name */
    press('s');
    expect_names("shrunk", "gone", "grown"); /* by object: libc.so, libc.so, prog-2 */
    press('s');
    expect_names("grown", "shrunk", "gone");
    model->stacks = true;
    cr_expect_eq(model_act(model, ACTION_SORT, TABLE_BY_TOTAL_CHANGE), EFFECT_PAINT);
    expect_names("gone", "grown", "shrunk");
    cr_expect_eq(model_act(model, ACTION_SORT, TABLE_BY_WINDOW), EFFECT_NONE);
    press('3');
    cr_expect_eq(model->sort, TABLE_BY_CHANGE, "threads have no totals");
}

Test(tui_diff, screen)
{
    paint(80, 24, true);
    LINE(0, "pprofil diff: old.pb.gz -> new.pb.gz");
    LINE(1, "old: 100 samples, 1.000 s of CPU time in 1.000 s: ./prog-1");
    LINE(2, "new: 100 samples, 1.000 s of CPU time in 1.000 s");
    LINE(3, "2 of 3 functions changed significantly");
    LINE(5, "    old%   new%  points    95% of points function                  object");
    LINE(6, "+  20.00  50.00  +30.00   +29.00..+31.00 grown                     prog-1 -> pr…");
    LINE(7, "-  70.00  45.00  -25.00   -26.00..-24.00 shrunk                    libc.so");
    LINE(8, "    2.00   0.00   -2.00     -3.00..-1.00 gone                      libc.so (old)");
    cr_expect_eq(style_at(7, 0), STYLE_LESS);
    cr_expect_eq(style_at(7, 20), STYLE_LESS);
    model->selected = 1;
    model->chosen = true;
    paint(120, 24, true);
    LINE(3, "total CPU 1.000 s -> 0.900 s, -10.0 % +- 1.0 %, significantly; 2 of 3 functions changed significantly");
    cr_expect_eq(style_at(6, 0), STYLE_MORE);
    model->stacks = true;
    paint(120, 24, true);
    cr_expect_not_null(strstr(lines[5], "old tot%  new tot%   points  function"), "%s", lines[5]);
    cr_expect_not_null(strstr(lines[8], "-     50.00     10.00   -40.00  gone"), "%s", lines[8]);
}

Test(tui_diff, long_paths_keep_their_ends)
{
    static char path[3000];

    memset(path, 'x', sizeof path - 5);
    strcpy(path + sizeof path - 5, "/old");
    model->paths[0] = path;
    paint(80, 24, true);
    cr_expect_not_null(strstr(lines[0], "x/old -> new.pb.gz"), "%s", lines[0]);
    cr_expect_eq(strncmp(lines[0], "pprofil diff: …xx", strlen("pprofil diff: …xx")), 0, "%s", lines[0]);
    model->paths[1] = path;
    paint(40, 10, false);
    LINE(0, "~xxxxxxxxxxxxx/old -> ~xxxxxxxxxxxxx/old");
}

Test(tui_diff, filters_are_conditions_on_both)
{
    struct snapshot_wants wants;

    press('2');
    take_rows(PPROFIL_BY_OBJECT, false);
    cr_assert_eq(press(TUI_KEY_ENTER), EFFECT_SNAPSHOT);
    cr_expect_eq(model->view, PPROFIL_BY_FUNCTION);
    model_wants(model, &wants);
    cr_assert_eq(wants.condition_count, 1);
    cr_expect_eq(wants.conditions[0].by, PPROFIL_BY_OBJECT);
    cr_expect_str_eq(wants.conditions[0].name[0], "prog-1");
    cr_expect_str_eq(wants.conditions[0].name[1], "prog-2");
    cr_expect_eq(model_table(model)->count, 0, "no row points to what the conditions freed");
    take_rows(PPROFIL_BY_FUNCTION, false);
    press('3');
    take_rows(PPROFIL_BY_THREAD, false);
    press('j');
    cr_assert_eq(press(TUI_KEY_ENTER), EFFECT_SNAPSHOT);
    model_wants(model, &wants);
    cr_assert_eq(wants.condition_count, 2);
    cr_expect_str_eq(wants.conditions[1].name[0], "shrunk");
    cr_assert_eq(press(TUI_KEY_BACKSPACE), EFFECT_SNAPSHOT);
    model_wants(model, &wants);
    cr_expect_eq(wants.condition_count, 1);
    cr_expect_eq(model->view, PPROFIL_BY_THREAD);
}

Test(tui_diff, what_is_of_one_file_says_so)
{
    static const struct {
        uint32_t key;
        const char *answer;
    } keys[] = {{'t', "one file"}, {'9', "elapsed time"}, {'S', "both files are saved"}};

    for (unsigned i = 0; i < COUNT(keys); i++) {
        cr_expect_eq(press(keys[i].key), EFFECT_PAINT);
        cr_expect_not_null(strstr(model->message, keys[i].answer), "%s", model->message);
        cr_expect_eq(model->page, PAGE_TABLE);
    }
    model->stacks = true;
    press('c');
    cr_expect_not_null(strstr(model->message, "one file"), "%s", model->message);
}

/* --- calls and code -------------------------------------------------------------------------- */

Test(tui_diff, calls_and_flames_show_verdicts)
{
    static const struct pprofil_diff_call calls[] = {
        {.name = "main", .object = "prog", .id = 1, .total_share = {1, 1}},
        {.name = "grown", .object = "prog", .id = 2, .total_share = {0.2, 0.5}, .verdict = PPROFIL_DIFF_SIGNIFICANT},
        {.name = "part", .object = "prog", .id = 3, .total_share = {0.6, 0.4}, .verdict = PPROFIL_DIFF_PART},
        {.name = "gone", .object = "prog", .id = 4, .total_share = {0.1, 0}, .verdict = PPROFIL_DIFF_SIGNIFICANT},
    };
    struct snapshot snapshot = {.time_ns = 11 * SECOND, .saved = true, .ended = true, .status = -1};

    model->stacks = true;
    press('7');
    snapshot.calls = (struct snapshot_calls){.taken = true, .count = 4, .all_ns = 1000, .changes = calls};
    snapshot.calls.rows = calloc(4, sizeof *snapshot.calls.rows);
    for (uint32_t i = 0; i < 4; i++)
        snapshot.calls.rows[i] = (struct pprofil_live_call){.name = calls[i].name,
                                                            .object = calls[i].object,
                                                            .id = calls[i].id,
                                                            .parent = i == 0 ? UINT32_MAX : 0,
                                                            .total_ns = (uint64_t)(1000 * calls[i].total_share[1])};
    model_take(model, &snapshot, false);
    paint(80, 24, true);
    LINE(6, "  100.00 100.00   +0.00 ▾ main");
    LINE(7, "+  20.00  50.00  +30.00     grown");
    LINE(8, "   60.00  40.00  -20.00     part");
    LINE(9, "-  10.00   0.00  -10.00     gone");
    cr_expect_eq(style_at(7, 0), STYLE_MORE);
    cr_expect_eq(style_at(8, 3), STYLE_LESS);
    press('8');
    paint(80, 24, true);
    LINE(7, "▏+grown                                 ▏part");
    cr_expect_eq(style_at(7, 5), STYLE_FLAME_MORE);
    cr_expect_eq(style_at(7, 45), STYLE_FLAME_LESS);
    cr_expect_eq(style_at(6, 5), STYLE_FLAME_SAME);
    press(TUI_KEY_DOWN);
    press(TUI_KEY_DOWN);
    paint(80, 24, true);
    LINE(22, "grown                             20.00 -> 50.00 %, +30.00 points, significantly");
}

Test(tui_diff, code_has_the_counts_of_both)
{
    static const struct pprofil_code_row code[] = {
        {.source = true, .text = "old line", .file = "/src/a.c", .line = 3},
        {.source = true, .text = "new line", .file = "/src/a.c", .line = 4, .samples = 30, .ns = 300},
    };
    static const struct snapshot_counts old[] = {{.samples = 10, .ns = 100}, {.samples = 30, .ns = 300}};

    cr_assert_eq(press(TUI_KEY_ENTER), EFFECT_SNAPSHOT);
    cr_assert_eq(model->code_id, 1);
    struct snapshot snapshot = {.time_ns = 11 * SECOND, .saved = true, .ended = true, .status = -1};
    snapshot.code = copy_of(code, sizeof code);
    snapshot.code_old = copy_of(old, sizeof old);
    snapshot.code_count = COUNT(code);
    model_take(model, &snapshot, false);
    cr_expect_eq(model->selected, 1, "the line with the most time");
    paint(80, 24, true);
    LINE(4, "old% and new% of the code of grown");
    LINE(5, "  25.0                 10 -> 0       3 old line");
    LINE(6, "  75.0  100.0         30 -> 30       4 new line");
}
