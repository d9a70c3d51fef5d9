/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "tui-view-fixture.h"

TestSuite(view_states, .init = begin, .fini = end);

/* --- states ---------------------------------------------------------------------------------- */

Test(view_states, states)
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

Test(view_states, ends_in_part)
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

Test(view_states, why_the_table_is_empty)
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

Test(view_states, filters)
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

Test(view_states, code)
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
    model->now.code_state = PPROFIL_ERROR_NO_CODE;
    model->now.code_problem = "/usr/bin/split: has changed since";
    paint(40, 10, true);
    LINE(5, " /usr/bin/split: has changed since");
}

Test(view_states, output)
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

Test(view_states, picker)
{
    model->page = PAGE_PICKER;
    paint(80, 12, true);
    LINE(0, "pprofil top  2 of 2 processes");
    LINE(1, "Which process? Type to narrow the list; Enter attaches to the one selected");
    LINE(3, "      PID USER               CPU% THREADS COMMAND");
    LINE(4, "     4711 me                123.4     300 ./split --fast");
    LINE(5, "        1 root                0.0       1 /sbin/init (it belongs to root)");
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

Test(view_states, bar)
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

Test(view_states, columns_sort)
{
    cr_expect_eq(view_sort_at(model, 80, 3), TABLE_BY_WINDOW);
    cr_expect_eq(view_sort_at(model, 80, 10), TABLE_BY_TOTAL);
    cr_expect_eq(view_sort_at(model, 80, 16), -1);
    cr_expect_eq(view_sort_at(model, 80, 45), TABLE_BY_NAME);
    cr_expect_eq(view_sort_at(model, 80, 70), TABLE_BY_OBJECT);
    cr_expect_eq(view_sort_at(model, 80, 6), -1);
    cr_expect_eq(view_sort_at(model, 80, 500), -1);
}

/* Finds out which help texts are on the screen. A text may be broken into lines, so only its first
 * letters are searched for. */
static void look_for_help(bool *seen)
{
    for (size_t i = 0; i < key_binding_count; i++)
        for (int row = 1; row < canvas.rows - 1 && key_bindings[i].help != NULL; row++) {
            char start[12];
            snprintf(start, sizeof start, "%s", key_bindings[i].help);
            seen[i] = seen[i] || strstr(lines[row], start) != NULL;
        }
}

Test(view_states, help_has_every_key)
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
        cr_expect_lt(model->help_top, 99); /* view_help has limited help_top */
        for (size_t i = 0; i < key_binding_count; i++)
            cr_expect(seen[i] == (key_bindings[i].help != NULL), "%s at %d columns",
                      key_bindings[i].help, sizes[size][0]);
    }
}

Test(view_states, selection_stays_in_view)
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
        cr_assert_eq(style_at((int)(model->list_row + model->selected - model->top), 39), STYLE_SELECTED);
        cr_assert(model->top + model->page_rows <= 100);
    }
}

Test(view_states, frames)
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

/* After a window without samples, known shares are dim and have no interval. In the batch mode, the output for such a
 * window has neither shares nor intervals. */
Test(view_states, empty_window)
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
