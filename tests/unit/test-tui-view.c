/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is on the screen, line by line, of a model that is filled by hand; and that no model, size
 * or name puts anything where it does not belong.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build-model.h"
#include "text.h"
#include "view.h"

static struct model *model;
static struct canvas canvas;
static char *lines[4096]; /* of what was painted last */
static char *printed;

static void begin(void)
{
    model = build_model();
}

static void end(void)
{
    model_free(model);
    canvas_free(&canvas);
    free(printed);
}

TestSuite(view, .init = begin, .fini = end);

static void print_lines(void)
{
    size_t size;

    free(printed);
    FILE *out = open_memstream(&printed, &size);
    cr_assert_eq(canvas_print(&canvas, out), 0);
    fclose(out);
    char *at = printed;
    for (int row = 0; row < canvas.rows; row++) {
        char *newline = strchr(at, '\n');
        cr_assert_not_null(newline);
        *newline = '\0';
        if (row < (int)COUNT(lines))
            lines[row] = at;
        at = newline + 1;
    }
    cr_assert_eq(*at, '\0');
}

static void paint(int columns, int rows, bool utf8)
{
    canvas.utf8 = utf8;
    cr_assert_eq(canvas_resize(&canvas, rows, columns), 0);
    view_screen(model, &canvas, 1000);
    print_lines();
}

#define LINE(row, expected) cr_expect_str_eq(lines[row], expected)

static enum style style_at(int row, int column)
{
    return canvas.cells[row * canvas.columns + column].style;
}

Test(view, smallest)
{
    paint(40, 10, true);
    LINE(0, "./split --fast  PID 4711         0:12:34");
    LINE(1, "CPU 125.0 % ▆▆▆▆▆▆▆▆▆ 2 run, 297 asleep");
    LINE(2, "99/100 Hz stopped 0.12 % CPU time");
    LINE(3, "[func] obj  thr  proc  sysc  line");
    LINE(4, "  win% total% function");
    LINE(5, "  62.3  60.00 work");
    LINE(6, "  30.0  37.00 std::vector<int>::push_ba…");
    LINE(7, "   2.0   3.00 libc.so.6…");
    LINE(8, "");
    LINE(9, "F1Help F2View F3Search F4Sort F10Quit");
    cr_expect_eq(model->header_row, 4);
    cr_expect_eq(model->list_row, 5);
    cr_expect_eq(model->page_rows, 4);
    for (int column = 0; column < 40; column++)
        cr_expect_eq(style_at(5, column), STYLE_SELECTED);
    cr_expect_eq(style_at(6, 15), STYLE_HOT);
    cr_expect_eq(style_at(7, 15), STYLE_DIM);
}

Test(view, usual)
{
    paint(80, 24, true);
    LINE(0, "pprofil top  ./split --fast  PID 4711                                    0:12:34");
    LINE(1, "CPU 125.0 % ▅▅▅▆▆▆▆▆▆▆▆▆  2 running, 297 asleep (12 in futex), 1 uninterruptible");
    LINE(2, "samples/s 100 asked, 99 achieved  lost 0  target stopped 0.12 %");
    LINE(3, "CPU time  window 1 s");
    LINE(4, "[1 functions] 2 objects  3 threads  4 processes  5 syscalls  6 lines");
    LINE(5, "  win% total%  ±95%    CPU s history     function                  object");
    LINE(6, "  62.3  60.00  1.23    6.000 ▆▆▆▇▇▇▇████ work                      split");
    LINE(23, "F1Help F2View F3Search F4Sort F5Window F6Wall F7Slower F8Faster F9Sample F10Quit");
}

Test(view, ascii)
{
    paint(132, 43, false);
    LINE(1, "CPU 125.0 %  ....................::::::::::----------==========+++++++++");
    LINE(2, "300 threads: 2 running, 297 asleep (12 in futex), 1 uninterruptible");
    LINE(6, "  win%  +-95%  total%  +-95%     CPU s  history           function                    "
            "    object              file:line");
    LINE(8, "  30.0    2.1   37.00   1.23     3.700  -====+++****####  std::vector<int>::push_back("
            "i~  libwork.so.1");
}

Test(view, large)
{
    paint(200, 60, true);
    cr_expect_not_null(strstr(lines[6], "win%   ±95%  total%   ±95%     CPU s  history"));
    cr_expect_not_null(strstr(lines[7], "/home/me/src/split/split.c:17"));
    cr_expect_eq(model->page_rows, 60 - 5 - 2 - 1);
}

Test(view, sizes_too_small)
{
    static const int sizes[][2] = {{1, 1}, {0, 0}, {39, 10}, {40, 9}, {200, 1}, {1, 60}};

    for (size_t i = 0; i < COUNT(sizes); i++) {
        paint(sizes[i][0], sizes[i][1], true);
        cr_expect_eq(model->page_rows, 0);
    }
    paint(39, 10, true);
    LINE(0, "40x10 at least");
    paint(41, 11, true);
    LINE(4, "  win% total% function");
}

Test(view, threads_and_processes)
{
    model->view = PPROFIL_BY_THREAD;
    paint(80, 18, true);
    LINE(5, "  CPU% total% history       PID     TID S thread     hottest        asleep in");
    LINE(6, "  70.0  60.00 ▆▇▇▇▇████    4711    4711 R main       work");
    LINE(7, "  30.0  40.00 ▆▇▇▇▇████    4711    4712 S worker     work           futex");
    LINE(8, "   0.0   1.00              4711    4713 - gone       work           ended");
    model->view = PPROFIL_BY_PROCESS;
    paint(60, 12, true);
    LINE(5, "  40.0     100            make              yyparse");
    LINE(6, "  35.0     102 SIGKILL    ├─ cc1            yyparse");
    LINE(7, "  30.0     103            │  └─ as          yyparse");
    LINE(8, "  25.0     101 exited 3   └─ sh             yyparse");
    LINE(9, "  20.0     104               └─ cat         yyparse");
    paint(60, 12, false);
    LINE(7, "  30.0     103            |  `- as          yyparse");
}

/* Its looks come late, so that a window may bring what was slept before. */
Test(view, a_thread_has_one_cpu_at_most)
{
    model->view = PPROFIL_BY_THREAD;
    model->tables[PPROFIL_BY_THREAD].rows[0].smooth_cpus = 1.22;
    paint(80, 18, true);
    LINE(6, " 100.0  60.00 ▆▇▇▇▇████    4711    4711 R main       work");
    model->view = PPROFIL_BY_PROCESS;
    model->tables[PPROFIL_BY_PROCESS].rows[0].smooth_cpus = 1.22;
    paint(60, 12, true);
    LINE(5, " 122.0     100            make              yyparse");
    model->tables[PPROFIL_BY_PROCESS].empty = true;
    paint(60, 12, true);
    LINE(5, "   0.0     100            make              yyparse");
}

/* A shell that execed itself twice, and waits for a child; of its images, only the last lives. */
Test(view, images)
{
    static const struct snapshot_process images[] = {
        {.pid = 100, .status = -1, .comm = "sh", .id = 501},
        {.pid = 100, .image = 1, .status = -1, .comm = "sh", .id = 401},
        {.pid = 100, .image = 2, .alive = true, .status = -1, .comm = "sh", .id = 301},
        {.pid = 101, .status = -1, .comm = "as", .id = 201}, /* its end was lost */
        {.pid = 101, .alive = true, .status = -1, .comm = "as", .id = 101}};
    struct table *table = &model->tables[PPROFIL_BY_PROCESS];

    for (uint32_t i = 0; i < table->count; i++) {
        table->rows[i].total.pid = images[i].pid;
        table->rows[i].total.name = images[i].comm;
        table->rows[i].depth = 0;
    }
    free(model->now.processes);
    model->now.processes = copy_of(images, sizeof images);
    model->now.process_count = COUNT(images);
    model->view = PPROFIL_BY_PROCESS;
    paint(60, 12, true);
    LINE(5, "  40.0     100 exec'd     sh                yyparse");
    LINE(6, "  35.0     100 exec'd     sh                yyparse");
    LINE(7, "  30.0     100            sh                yyparse");
    LINE(8, "  25.0     101 gone       as                yyparse");
    LINE(9, "  20.0     101            as                yyparse");
    model->now.tasks[0].id = 999; /* another image's main thread */
    model->view = PPROFIL_BY_THREAD;
    paint(80, 18, true);
    LINE(6, "  70.0  60.00 ▆▇▇▇▇████    4711    4711 - main       work           ended");
}

Test(view, other_views)
{
    model->view = PPROFIL_BY_LINE;
    paint(40, 10, true);
    LINE(5, "  62.3  60.00 …e/me/src/split/split.c:21");
    model->view = PPROFIL_BY_SYSCALL;
    paint(40, 10, true);
    LINE(6, "   1.0  10.00      1 futex");
    model->view = PPROFIL_BY_OBJECT;
    paint(40, 10, true);
    LINE(6, "  37.7  40.00 /usr/lib/libwork.so.1");
}

Test(view, states_of_elapsed_time)
{
    model->wall = model->now.totals.wall = true;
    paint(80, 24, true);
    LINE(3, "wall time  window 1 s  60 % asleep, 38 % running, 2 % waiting for a CPU");
    LINE(4, "[1 functions] 2 objects  3 threads  4 processes  5 syscalls  6 lines  9 states");
    model->view = PPROFIL_BY_STATE;
    paint(40, 10, true);
    LINE(3, " func  obj  thr  proc  sysc  line [stat]");
    LINE(7, "   2.0   0.30    0.030 waiting for a CPU");
}

Test(view, before_the_first_window)
{
    model->tables[PPROFIL_BY_FUNCTION].windows = model->tables[PPROFIL_BY_FUNCTION].filled = 0;
    paint(60, 12, true);
    cr_expect(strncmp(lines[5], "     -  60.00", 13) == 0, "%s", lines[5]);
}

Test(view, states)
{
    model->paused = true;
    model->now.sampling = false;
    model->now.totals.lost = 7;
    model->now.limited = true;
    model->now.totals.sample_cost_ns = 63000;
    model->now.pending = 1234;
    paint(80, 24, true);
    LINE(2, "samples/s 100 asked, 99 achieved  lost 7  63 us a sample  target stopped 0.12 %");
    LINE(3, "sampling stopped  PAUSED  CPU time  window 1 s  names to look up 1234");
    cr_expect(strncmp(lines[1], "CPU - ", 6) == 0);
    cr_expect_eq(style_at(3, 0), STYLE_WARNING);
    cr_expect_eq(style_at(2, 39), STYLE_WARNING);
    paint(40, 10, true);
    LINE(2, "sampling stopped PAUSED 99/100 Hz lost 7");
    model->silent_seconds = 7;
    paint(80, 24, true);
    cr_expect(strstr(lines[3], "no news of the supervisor for 7 s  PAUSED") != NULL);
    model->silent_seconds = 0;
    model->now.ended = true;
    model->now.status = 3 << 8;
    paint(80, 24, true);
    cr_expect(strncmp(lines[3], "program ended: exit status 3  PAUSED", 36) == 0);
    model->now.status = 11;
    paint(80, 24, true);
    cr_expect(strncmp(lines[3], "program ended: killed by SIGSEGV", 32) == 0);
    model->now.status = -1;
    paint(80, 24, true);
    cr_expect(strncmp(lines[3], "all targets have ended", 22) == 0);
}

Test(view, ends_in_part)
{
    model->now.status = 3 << 8;
    model->now.alive = 1;
    paint(80, 24, true);
    LINE(3, "program ended: exit status 3, 1 process goes on  CPU time  window 1 s");
    cr_expect_eq(style_at(3, 0), STYLE_WARNING);
    cr_expect(strncmp(lines[1], "CPU 125.0 % ", 12) == 0);
    model->now.alive = 2;
    paint(40, 10, true);
    cr_expect(strncmp(lines[2], "exited 3, 2 processes go on", 27) == 0);
    model->now.dead = true;
    paint(80, 24, true);
    LINE(3, "supervisor died: nothing new comes  exited 3, 2 processes go on  CPU time");
    model->now.status = -1;
    paint(40, 10, true);
    LINE(2, "supervisor died: nothing new comes");
    cr_expect_eq(style_at(2, 0), STYLE_WARNING);
    cr_expect(strncmp(lines[1], "CPU - ", 6) == 0);
}

static void expect_words(const char *words)
{
    paint(80, 18, true);
    cr_expect_str_eq(lines[7] + strspn(lines[7], " "), words);
}

Test(view, why_the_table_is_empty)
{
    struct table *table = &model->tables[PPROFIL_BY_FUNCTION];

    table->count = 0;
    model->now.totals.samples = 0;
    expect_words("no samples yet: nothing has used CPU time");
    model->running = 0;
    expect_words("all threads sleep; w shows where");
    model->now.totals.samples = 5;
    model->now.pending = 1234;
    expect_words("names are being looked up (1234 left)");
    model->now.sampling = false;
    expect_words("sampling is stopped: x starts it");
    table->taken = false;
    expect_words("waiting for the first window");
    model->have_snapshot = false;
    expect_words("waiting for the first window");
}

Test(view, filters)
{
    model->filter_count = 2;
    strcpy(model->filters[0].label, "split 4711");
    strcpy(model->filters[1].label, "worker 4712");
    paint(40, 10, true);
    LINE(3, "[functions] split 4711 › worker 4712");
    paint(80, 24, false);
    LINE(4, "only split 4711 > worker 4712");
    model->tables[PPROFIL_BY_FUNCTION].count = 0;
    paint(80, 24, true);
    LINE(8, " nothing was counted in worker 4712 yet; Backspace leaves it");
}

Test(view, code)
{
    model->page = PAGE_CODE;
    paint(80, 14, true);
    LINE(3, "code of work");
    LINE(4, "  10.0       10      16         for (i = 0; i < n; i++)");
    LINE(5, "  10.0       10    401136  cmp    %eax,%edx");
    LINE(6, "  90.0       90      17                 sum += i * i;");
    cr_expect_eq(model->header_row, 0);
    cr_expect_eq(model->list_row, 4);
    model->now.code[0].newer = true;
    paint(80, 14, true);
    LINE(3, "code of work  source is newer than the program");
    memset(model->code_name, 'n', 60);
    paint(60, 14, true);
    LINE(3, "code of nnnnnnnnnnnnnnnnn…  source is newer than the program");
    model->now.code_count = 0;
    model->now.code_state = -EAGAIN;
    paint(40, 10, true);
    LINE(5, " the code is being read");
    model->now.code_state = -ENODATA;
    model->now.code_problem = "/usr/bin/split: has changed since";
    paint(40, 10, true);
    LINE(5, " /usr/bin/split: has changed since");
}

Test(view, output)
{
    static const char *const text[] = {"one", "two\tx", "three", "four", "five", "six", "seven"};

    model->page = PAGE_OUTPUT;
    paint(40, 10, true);
    LINE(5, " no output is kept here: the program was");
    model->has_output = true;
    model->output = (struct model_output){text, COUNT(text)};
    paint(60, 10, true);
    LINE(3, "output of ./split --fast                 3-7 of 7, following");
    LINE(4, "three");
    LINE(8, "seven");
    model->output_follows = false;
    model->top = model->selected = 0;
    paint(60, 10, true);
    LINE(3, "output of ./split --fast                            1-5 of 7");
    LINE(5, "two     x");
}

Test(view, picker)
{
    model->page = PAGE_PICKER;
    paint(80, 12, true);
    LINE(0, "pprofil top  2 of 2 processes");
    LINE(1, "Which process? Type to narrow the list; Enter attaches to the one selected");
    LINE(3, "    PID USER               CPU% THREADS COMMAND");
    LINE(4, "   4711 me                123.4     300 ./split --fast");
    LINE(5, "      1 root                0.0       1 /sbin/init (it belongs to root)");
    cr_expect_eq(style_at(5, 50), STYLE_DIM);
    model->selected = 1;
    model->prompt = PROMPT_FILTER;
    strcpy(model->text, "spl");
    paint(40, 10, true);
    LINE(1, "it belongs to root");
    LINE(2, "filter: spl");
    cr_expect_eq(canvas.cursor_row, 2);
    cr_expect_eq(canvas.cursor_column, 11);
    model->picked_count = 0;
    paint(40, 10, true);
    LINE(5, " no process has this in its name");
}

Test(view, bar)
{
    model->prompt = PROMPT_SEARCH;
    strcpy(model->text, "a long text that does not fit on a line of forty");
    paint(40, 10, true);
    LINE(9, "search: …oes not fit on a line of forty");
    cr_expect_eq(canvas.cursor_row, 9);
    cr_expect_eq(canvas.cursor_column, 39);
    model->prompt = PROMPT_NONE;
    strcpy(model->message, "saved");
    model->message_until_ns = 1001;
    paint(40, 10, true);
    LINE(9, "saved");
    model->message_until_ns = 1000;
    paint(120, 10, true);
    cr_expect(strncmp(lines[9], "F1Help    F2View    F3Search  ", 30) == 0);
}

Test(view, columns_sort)
{
    cr_expect_eq(view_sort_at(model, 80, 3), TABLE_BY_WINDOW);
    cr_expect_eq(view_sort_at(model, 80, 10), TABLE_BY_TOTAL);
    cr_expect_eq(view_sort_at(model, 80, 16), -1);
    cr_expect_eq(view_sort_at(model, 80, 45), TABLE_BY_NAME);
    cr_expect_eq(view_sort_at(model, 80, 70), TABLE_BY_OBJECT);
    cr_expect_eq(view_sort_at(model, 80, 6), -1);
    cr_expect_eq(view_sort_at(model, 80, 500), -1);
}

/* Which bindings' words are on the screen; broken lines are known by their first letters. */
static void look_for_help(bool *seen)
{
    for (size_t i = 0; i < key_binding_count; i++)
        for (int row = 1; row < canvas.rows - 1 && key_bindings[i].help != NULL; row++) {
            char start[12];
            snprintf(start, sizeof start, "%s", key_bindings[i].help);
            seen[i] = seen[i] || strstr(lines[row], start) != NULL;
        }
}

Test(view, help_has_every_key)
{
    static const int sizes[][2] = {{40, 10}, {80, 24}, {200, 60}};

    model->help = true;
    for (size_t size = 0; size < COUNT(sizes); size++) {
        bool seen[256] = {false};
        for (uint32_t top = 0; top < 100; top++) {
            model->help_top = top;
            paint(sizes[size][0], sizes[size][1], true);
            look_for_help(seen);
        }
        cr_expect_lt(model->help_top, 99); /* it was too large, and was put right */
        for (size_t i = 0; i < key_binding_count; i++)
            cr_expect(seen[i] == (key_bindings[i].help != NULL), "%s at %d columns",
                      key_bindings[i].help, sizes[size][0]);
    }
}

Test(view, selection_stays_in_view)
{
    struct table_row rows[100];

    for (unsigned i = 0; i < COUNT(rows); i++)
        rows[i] = row_of("f", "o", i, i);
    fill_table(model, PPROFIL_BY_FUNCTION, rows, COUNT(rows));
    for (int step = 0; step < 200; step++) {
        model->selected = (uint32_t)(step * 37 % 100);
        paint(40 + step % 7, 10 + step % 11, true);
        cr_assert(model->top <= model->selected);
        cr_assert(model->selected < model->top + model->page_rows);
        cr_assert_eq(style_at((int)(model->list_row + model->selected - model->top), 39),
                     STYLE_SELECTED);
        cr_assert(model->top + model->page_rows <= 100);
    }
}

Test(view, frames)
{
    canvas.utf8 = true;
    cr_assert_eq(view_frame(model, &canvas, 100, 2), 0);
    print_lines();
    cr_assert_eq(canvas.rows, 7);
    LINE(0, "# pprofil top: ./split --fast, PID 4711; 0:12:34; CPU 125.0 %");
    LINE(1, "# 300 threads: 2 running, 297 asleep (12 in futex), 1 uninterruptible");
    LINE(2, "# 100 Hz asked, 99 achieved; target stopped 0.12 % of its CPU time; lost 0");
    LINE(3, "# functions by CPU time, window 1 s");
    LINE(4, "  win%   ±95%  total%   ±95%     CPU s  function                    object         "
            "file:line");
    LINE(5, "  62.3    2.1   60.00   1.23     6.000  work                        split          "
            "…split/split.c:17");
    cr_assert_eq(view_frame(model, &canvas, 100, 0), 0);
    cr_assert_eq(canvas.rows, 8);
    model->tables[PPROFIL_BY_FUNCTION].count = 0;
    cr_assert_eq(view_frame(model, &canvas, 40, 0), 0);
    print_lines();
    LINE(4, "# nothing to show here yet");
}

/* A window without samples: what was known is dim, and has no interval; a log has neither. */
Test(view, empty_window)
{
    struct table *table = &model->tables[PPROFIL_BY_FUNCTION];

    table->empty = true;
    for (uint32_t i = 0; i < table->count; i++)
        table->rows[i].window_error95 = (double)__builtin_nan("");
    paint(132, 24, true);
    cr_expect_not_null(strstr(lines[7], "  30.0      -   37.00"));
    cr_expect_eq(style_at(7, 3), STYLE_DIM);
    table->unsmoothed = true;
    cr_assert_eq(view_frame(model, &canvas, 100, 0), 0);
    print_lines();
    cr_expect_not_null(strstr(lines[5], "     -      -   60.00"));
    table->filled = 0;
    table->unsmoothed = false;
    paint(132, 24, true);
    cr_expect_not_null(strstr(lines[7], "     -      -   37.00"));
}

/* --- whatever comes -------------------------------------------------------------------- */

/* Every cell is a character that may be shown, in its columns; styles are known ones. */
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
            text_encode(cell->character, bytes);
            columns += text_width(bytes, 2);
        }
        cr_assert_eq(columns, canvas.columns, "row %d of %dx%d", row, canvas.columns, canvas.rows);
    }
    cr_assert(canvas.cursor_row < canvas.rows && canvas.cursor_column < canvas.columns);
}

/* A stack that is deeper than any screen, of names that are there; every second call has another
 * beside it. */
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

/* In the order of pages, views, prompts, help, pause, filters, and the sizes at random. */
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

Test(view, everything_at_random_sizes, .timeout = 120)
{
    static const char *const names[] = {"main", "std::vector<int>::push_back(int&&)", "", "f"};

    fill_calls(names, COUNT(names));
    paint_everything(30);
}

Test(view, hostile_names, .timeout = 120)
{
    be_hostile();
    strcpy(model->search, "xx");
    paint_everything(10);
}

Test(view, nothing_at_all, .timeout = 120)
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

/* Figures that make no sense. */
Test(view, figures_out_of_range)
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
