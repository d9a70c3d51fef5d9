/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/utf8.h"
#include "tui-view-fixture.h"

TestSuite(view_anything, .init = begin, .fini = end);

/* --- unusual texts, figures and sizes -------------------------------------------------- */

/* Checks that every cell has a printable character with the right width and a known style. */
static void check_cells(void)
{
    for (int row = 0; row < canvas.rows; row++) {
        int columns = 0;
        for (int column = 0; column < canvas.columns; column++) {
            const struct cell *cell = &canvas.cells[row * canvas.columns + column];
            char bytes[5] = "";
            cr_assert_lt(cell->style, STYLE_COUNT);
            if (cell->character == 0)
                continue;
            cr_assert(cell->character >= 0x20 && cell->character != 0x7f);
            cr_assert(cell->character < 0x80 || cell->character >= 0xa0);
            cr_assert(canvas.utf8 || cell->character < 0x7f);
            utf8_encode(cell->character, bytes);
            columns += characters_width(bytes, 2);
        }
        cr_assert_eq(columns, canvas.columns, "row %d of %dx%d", row, canvas.columns, canvas.rows);
    }
    cr_assert(canvas.cursor_row < canvas.rows && canvas.cursor_column < canvas.columns);
}

/* Makes a call tree with more levels than any screen has lines. Each level has two calls, and one of
 * them has callees. */
static void fill_calls(const char *const *texts, uint32_t count)
{
    struct pprofil_live_call calls[200];
    struct snapshot_calls tree = {
        .taken = true, .rows = calls, .count = COUNT(calls), .all_ns = SECOND, .tree_ns = SECOND};

    for (uint32_t i = 0; i < COUNT(calls); i++)
        calls[i] =
            (struct pprofil_live_call){.name = texts[i % count],
                                       .object = texts[i / 2 % count],
                                       .id = i + 1,
                                       .function = i + 1,
                                       .parent = i < 2 ? UINT32_MAX : i - 1 - i % 2,
                                       .ns = 1000,
                                       .total_ns = SECOND / 2 - i * 1000,
                                       .pending = i % 7 == 3};
    calls_clear(&model->calls);
    cr_assert_eq(calls_take(&model->calls, &tree, 0), 0);
}

static void be_hostile(void)
{
    static char huge[10001];
    static const char *const names[] = {"\033[2J\033]0;x\007\r\n\t",
                                        "\xff\xfe\xc0\xaf\xed\xa0\x80",
                                        huge,
                                        "日本語日本語日本語日本語日本語日本語日本語日本語",
                                        "e\u0301\u0301\u0301a\u202e\u200b",
                                        "",
                                        "\xc2\x9b"
                                        "31m"};
    unsigned next = 0;

    memset(huge, 'x', sizeof huge - 1);
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++)
        for (uint32_t i = 0; i < model->tables[by].count; i++) {
            struct pprofil_row *row = &model->tables[by].rows[i].total;
            row->name = names[next++ % COUNT(names)];
            row->object = names[next++ % COUNT(names)];
            row->file = names[next++ % COUNT(names)];
            row->hottest = names[next++ % COUNT(names)];
            model->tables[by].rows[i].depth = next * 7 % 40;
        }
    for (uint32_t i = 0; i < model->now.code_count; i++)
        model->now.code[i].text = names[next++ % COUNT(names)];
    for (uint32_t i = 0; i < model->candidate_count; i++) {
        strcpy(model->candidates[i].command, names[(i + 3) % COUNT(names)]);
        strcpy(model->candidates[i].user, "\033[31m\xff");
        strcpy(model->candidates[i].refused, "\xff\n\r");
    }
    strcpy(model->command, "\033[2J日本");
    strcpy(model->targets, "\x01\x02");
    strcpy(model->code_name, "\xffx\n");
    strcpy(model->text, "\033日本語");
    strcpy(model->message, "\033[H\n");
    strcpy(model->filters[0].label, "\033[m日本");
    model->output = (struct model_output){names, COUNT(names)};
    model->now.tasks[0].syscall_name = names[0];
    fill_calls(names, COUNT(names));
    model->now.tasks[1].state = '\033';
}

static void paint_all_at(int columns, int rows, bool utf8)
{
    canvas.utf8 = utf8;
    cr_assert_eq(canvas_resize(&canvas, rows, columns), 0);
    for (unsigned page = 0; page < MODEL_PAGES; page++)
        for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++)
            for (unsigned more = 0; more < 64; more++) {
                model->page = page;
                model->stacks = rand() % 2;
                model->flame_selected = (uint64_t)rand() % 220;
                model->flame_zoom = rand() % 2 ? (uint64_t)rand() % 220 : 0;
                model->flame_top = (uint32_t)rand() % 300;
                model->view = by;
                model->prompt = more % 4;
                model->help = more >> 2 & 1;
                model->paused = more >> 3 & 1;
                model->filter_count = more >> 4 & 1;
                model->sideways = more >> 5 & 1 ? (unsigned)rand() % 50 : 0;
                model->selected = (uint32_t)rand() % 9;
                model->top = (uint32_t)rand() % 9;
                model->help_top = (uint32_t)rand() % 99;
                model->message_until_ns = rand() % 2 ? 2000 : 0;
                view_screen(model, &canvas, 1000);
                check_cells();
                if (page != PAGE_TABLE)
                    by = SNAPSHOT_GROUPINGS;
            }
}

/* Paints all pages with all views, prompts, help, pause and filters: at some fixed sizes, and at `random_sizes` random
 * sizes. */
static void paint_everything(int random_sizes)
{
    static const int sizes[][2] = {{40, 10}, {80, 24}, {200, 60}, {1, 1},
                                   {0, 0},   {41, 11}, {132, 43}};

    srand(4711);
    for (unsigned utf8 = 0; utf8 < 2; utf8++) {
        for (size_t i = 0; i < COUNT(sizes); i++)
            paint_all_at(sizes[i][0], sizes[i][1], utf8);
        for (int i = 0; i < random_sizes; i++)
            paint_all_at(rand() % 220, rand() % 70, utf8);
    }
}

Test(view_anything, everything_at_random_sizes, .timeout = 120)
{
    static const char *const names[] = {"main", "std::vector<int>::push_back(int&&)", "", "f"};

    fill_calls(names, COUNT(names));
    paint_everything(30);
}

Test(view_anything, hostile_names, .timeout = 120)
{
    be_hostile();
    strcpy(model->search, "xx");
    paint_everything(10);
}

Test(view_anything, nothing_at_all, .timeout = 120)
{
    model_free(model);
    model = model_new();
    paint_everything(2);
    for (model->view = 0; model->view < SNAPSHOT_GROUPINGS; model->view++) {
        cr_assert_eq(view_frame(model, &canvas, 80, 0), 0);
        check_cells();
    }
    model->view = PPROFIL_BY_FUNCTION;
}

Test(view_anything, figures_out_of_range)
{
    struct table_row *row = &model->tables[PPROFIL_BY_FUNCTION].rows[0];

    row->smooth_share = (double)__builtin_nan("");
    row->total.share = (double)__builtin_inf();
    row->total.ns = UINT64_MAX;
    row->history[3] = __builtin_nanf("");
    row->history[4] = -1;
    row->total.line = UINT32_MAX;
    model->target_cpu = (double)__builtin_nan("");
    model->minute[0] = __builtin_inff();
    model->now.totals.elapsed_ns = UINT64_MAX;
    model->sleeping = model->uninterruptible = UINT32_MAX;
    model->blocked_in = NULL;
    model->candidates[0].pid = UINT32_MAX;
    paint_everything(0);
}
