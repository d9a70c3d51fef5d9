/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "tui-view-fixture.h"

TestSuite(view_screens, .init = begin, .fini = end);

/* --- screens --------------------------------------------------------------------------------- */

Test(view_screens, smallest)
{
    paint(40, 10, true);
    LINE(0, "./split --fast  PID 4711         0:12:34");
    LINE(1, "CPU 125.0 % ▆▆▆▆▆▆▆▆▆ 2 run, 297 asleep");
    LINE(2, "99/100 Hz stopped 0.12 % CPU time");
    LINE(3, "[func] obj  thr  proc  sysc  line");
    LINE(4, "  win% total% function");
    LINE(5, "  62.3  60.00 work");
    LINE(6, "  30.0  37.00 std::vector<>::push_back");
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

Test(view_screens, usual)
{
    paint(80, 24, true);
    LINE(0, "pprofil top  ./split --fast  PID 4711                                    0:12:34");
    LINE(1, "CPU 125.0 % ▅▅▅▆▆▆▆▆▆▆▆▆  2 running, 297 asleep (12 in futex), 1 uninterruptible");
    LINE(2, "samples/s 100 asked, 99 achieved  lost 0  target stopped 0.12 %");
    LINE(3, "CPU time  window 1 s");
    LINE(4, "[1 functions] 2 objects  3 threads  4 processes  5 syscalls  6 lines  t time");
    LINE(5, "  win% total%  ±95%    CPU s history     function                  object");
    LINE(6, "  62.3  60.00  1.23    6.000 ▆▆▆▇▇▇▇████ work                      split");
    LINE(23, "F1Help F2View F3Search F4Sort F5Window F6Wall F7Slower F8Faster F9Sample F10Quit");
}

Test(view_screens, ascii)
{
    paint(132, 43, false);
    LINE(1, "CPU 125.0 %  ....................::::::::::----------==========+++++++++");
    LINE(2, "300 threads: 2 running, 297 asleep (12 in futex), 1 uninterruptible");
    LINE(6, "  win%  +-95%  total%  +-95%     CPU s  history           function                    "
            "    object              file:line");
    LINE(8, "  30.0    2.1   37.00   1.23     3.700  -====+++****####  std::vector<>::push_back    "
            "    libwork.so.1");
}

Test(view_screens, large)
{
    paint(200, 60, true);
    cr_expect_not_null(strstr(lines[6], "win%   ±95%  total%   ±95%     CPU s  history"));
    cr_expect_not_null(strstr(lines[7], "/home/me/src/split/split.c:17"));
    cr_expect_eq(model->page_rows, 60 - 5 - 2 - 1);
}

/* --- long names of functions ----------------------------------------------------------------- */

Test(view_screens, long_names_are_made_to_fit)
{
    static const char
        name[] = "std::map<std::string, std::vector<int>>::a_very_long_name_of_a_function(int const&) const";
    struct key_event key = {.key = 'p'};

    model->tables[PPROFIL_BY_FUNCTION].rows[1].total.name = name;
    model->tables[PPROFIL_BY_FUNCTION].rows[1].total.object = "prog";
    paint(80, 24, true);
    cr_expect_not_null(strstr(lines[7], "std::map<>::…f_a_function "), "%s", lines[7]);
    cr_expect_not_null(strstr(lines[23], "F1Help"), "%s", lines[23]);
    model->selected = 1;
    model->chosen = true;
    paint(80, 24, true);
    LINE(23, "std::map<std::string, std::vector<int>>::a_very_long_name_of_a_function(int con…");
    model->sideways = 16;
    paint(80, 24, true);
    LINE(23, "…ing, std::vector<int>>::a_very_long_name_of_a_function(int const&) const");
    cr_expect_not_null(strstr(lines[7], "…ing, std::vector"), "%s", lines[7]);
    model->sideways = 0;
    cr_expect_eq(model_key(model, &key), EFFECT_PAINT);
    paint(80, 24, true);
    cr_expect_not_null(strstr(lines[7], "std::map<std::string,"), "%s", lines[7]);
    model_key(model, &key);
    paint(80, 24, false);
    cr_expect_not_null(strstr(lines[7], "std::map<>::.."), "%s", lines[7]);
}

/* Names that are shown as they are leave the keys where they are. */
Test(view_screens, short_names_are_shown_once)
{
    model->chosen = true;
    paint(80, 24, true);
    cr_expect_not_null(strstr(lines[23], "F1Help"), "%s", lines[23]);
    model->selected = 1;
    paint(80, 24, true);
    LINE(23, "std::vector<int>::push_back(int&&)");
    model->whole_names = true;
    paint(200, 24, true);
    cr_expect_not_null(strstr(lines[23], "F1Help"), "%s", lines[23]);
    model->whole_names = false;
    model->view = PPROFIL_BY_OBJECT;
    paint(80, 24, true);
    cr_expect_not_null(strstr(lines[23], "F1Help"), "%s", lines[23]);
}

Test(view_screens, sizes_too_small)
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

Test(view_screens, threads_and_processes)
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

/* Samples of a sleeping thread may come late, and may then include CPU time from before the window. */
Test(view_screens, a_thread_has_one_cpu_at_most)
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

/* A shell that has executed two programs and waits for a child. Only its last image is alive. */
Test(view_screens, images)
{
    static const struct snapshot_process images[] = {
        {.pid = 100, .status = -1, .comm = "sh", .id = 501},
        {.pid = 100, .image = 1, .status = -1, .comm = "sh", .id = 401},
        {.pid = 100, .image = 2, .alive = true, .status = -1, .comm = "sh", .id = 301},
        {.pid = 101, .status = -1, .comm = "as", .id = 201}, /* the event of its end was lost */
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
    model->now.tasks[0].id = 999; /* main thread of another image */
    model->view = PPROFIL_BY_THREAD;
    paint(80, 18, true);
    LINE(6, "  70.0  60.00 ▆▇▇▇▇████    4711    4711 - main       work           ended");
}

Test(view_screens, other_views)
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

Test(view_screens, states_of_elapsed_time)
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

Test(view_screens, before_the_first_window)
{
    model->tables[PPROFIL_BY_FUNCTION].windows = model->tables[PPROFIL_BY_FUNCTION].filled = 0;
    paint(60, 12, true);
    cr_expect(strncmp(lines[5], "     -  60.00", 13) == 0, "%s", lines[5]);
}
