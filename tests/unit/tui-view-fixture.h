/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files test-tui-view-*.c share. */
#ifndef PPROFIL_TEST_TUI_VIEW_FIXTURE_H
#define PPROFIL_TEST_TUI_VIEW_FIXTURE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "model.h"
#include "view.h"

#define UNUSED __attribute__((unused)) /* not every file uses all functions of this header */

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define SECOND UINT64_C(1000000000)

static void *copy_of(const void *from, size_t size)
{
    void *copy = malloc(size);

    memcpy(copy, from, size);
    return copy;
}

/* Makes a row. `total` and `window` are the row's shares of the time since the start and of the last window, in
 * 1/1000. */
static struct table_row row_of(const char *name, const char *object, unsigned total, unsigned window)
{
    struct table_row row = {.total = {.name = name,
                                      .object = object,
                                      .file = "",
                                      .hottest = "",
                                      .samples = total,
                                      .ns = total * SECOND / 100,
                                      .share = total / 1000.0,
                                      .error95 = 0.0123,
                                      .id = total + 1}};

    row.window_ns = window * SECOND / 1000;
    row.window_share = row.smooth_share = row.smooth_cpus = window / 1000.0;
    row.window_error95 = 0.021;
    for (unsigned i = 0; i < TABLE_WINDOWS; i++)
        row.history[i] = (float)i / TABLE_WINDOWS * (float)row.window_share;
    return row;
}

static void fill_table(struct model *model, enum pprofil_by by, const struct table_row *rows, uint32_t count)
{
    struct table *table = &model->tables[by];

    table_free(table);
    *table = (struct table){.rows = copy_of(rows, count * sizeof *rows),
                            .count = count,
                            .total_ns = 10 * SECOND,
                            .window_ns = SECOND,
                            .window_samples = 100,
                            .window_seconds = 1,
                            .windows = 12,
                            .filled = 12,
                            .taken = true};
}

static void fill_code_tables(struct model *model)
{
    struct table_row functions[] = {row_of("work", "split", 600, 623),
                                    row_of("std::vector<int>::push_back(int&&)", "libwork.so.1", 370, 300),
                                    row_of("libc.so.6", "libc.so.6", 30, 20)};
    struct table_row objects[] = {row_of("/home/me/src/split", "split", 600, 623),
                                  row_of("/usr/lib/libwork.so.1", "libwork.so.1", 400, 377)};
    struct table_row lines[] = {row_of("/home/me/src/split/split.c", "split", 600, 623)};
    struct table_row calls[] = {row_of("user code", "", 900, 990), row_of("futex", "", 100, 10)};

    functions[0].total.file = "/home/me/src/split/split.c";
    functions[0].total.line = 17;
    functions[2].total.pending = true;
    lines[0].total.line = 21;
    fill_table(model, PPROFIL_BY_FUNCTION, functions, COUNT(functions));
    fill_table(model, PPROFIL_BY_OBJECT, objects, COUNT(objects));
    fill_table(model, PPROFIL_BY_LINE, lines, COUNT(lines));
    fill_table(model, PPROFIL_BY_SYSCALL, calls, COUNT(calls));
    struct table_row states[] = {row_of("asleep", "", 620, 600), row_of("running", "", 377, 380),
                                 row_of("waiting for a CPU", "", 3, 20)};
    fill_table(model, PPROFIL_BY_STATE, states, COUNT(states));
}

static void fill_task_tables(struct model *model)
{
    static const struct {
        const char *name;
        uint32_t pid;
        unsigned depth;
    } tree[] = {{"make", 100, 0}, {"cc1", 102, 1}, {"as", 103, 2}, {"sh", 101, 1}, {"cat", 104, 2}};
    struct table_row threads[] = {row_of("main", "", 600, 700), row_of("worker", "", 400, 300),
                                  row_of("gone", "", 10, 0)};
    struct table_row processes[COUNT(tree)];

    for (unsigned i = 0; i < COUNT(threads); i++) {
        threads[i].total.pid = 4711;
        threads[i].total.tid = 4711 + i;
        threads[i].total.hottest = "work";
    }
    for (unsigned i = 0; i < COUNT(tree); i++) {
        processes[i] = row_of(tree[i].name, "", 500 - i * 100, 400 - i * 50);
        processes[i].total.pid = tree[i].pid;
        processes[i].depth = tree[i].depth;
        processes[i].total.hottest = "yyparse";
    }
    fill_table(model, PPROFIL_BY_THREAD, threads, COUNT(threads));
    fill_table(model, PPROFIL_BY_PROCESS, processes, COUNT(processes));
}

static void fill_tasks(struct model *model)
{
    static const struct pprofil_task tasks[] = {
        {.pid = 4711, .tid = 4711, .comm = "main", .state = 'R', .syscall = -1, .syscall_name = ""},
        {.pid = 4711, .tid = 4712, .comm = "worker", .state = 'S', .syscall_name = "futex"},
    };
    static const struct snapshot_process processes[] = {
        {.pid = 100, .alive = true, .status = -1, .comm = "make"},
        {.pid = 102, .ppid = 100, .alive = false, .status = 9, .comm = "cc1"},
        {.pid = 101, .ppid = 100, .alive = false, .status = 3 << 8, .comm = "sh"},
    };

    model->now.tasks = copy_of(tasks, sizeof tasks);
    model->now.task_count = COUNT(tasks);
    model->now.processes = copy_of(processes, sizeof processes);
    model->now.process_count = COUNT(processes);
}

static void fill_code(struct model *model)
{
    static const struct pprofil_code_row code[] = {
        {.source = true,
         .text = "\tfor (i = 0; i < n; i++)",
         .file = "/src/split.c",
         .line = 16,
         .samples = 10,
         .ns = SECOND / 10},
        {.text = "cmp    %eax,%edx",
         .address = 0x401136,
         .line = 16,
         .samples = 10,
         .ns = SECOND / 10},
        {.source = true,
         .text = "\t\tsum += i * i;",
         .file = "/src/split.c",
         .line = 17,
         .samples = 90,
         .ns = 9 * SECOND / 10},
        {.text = "imul   %eax,%eax",
         .address = 0x40113a,
         .line = 17,
         .samples = 90,
         .ns = 9 * SECOND / 10},
    };

    strcpy(model->code_name, "work");
    model->code_id = 601;
    model->now.code = copy_of(code, sizeof code);
    model->now.code_count = COUNT(code);
}

static void fill_candidates(struct model *model)
{
    static const struct pprofil_candidate candidates[] = {
        {.pid = 1,
         .threads = 1,
         .user = "root",
         .comm = "init",
         .command = "/sbin/init",
         .refused = "it belongs to root"},
        {.pid = 4711,
         .uid = 1000,
         .threads = 300,
         .user = "me",
         .comm = "split",
         .command = "./split --fast"},
    };
    static const uint32_t picked[] = {1, 0};
    static const double cpu[] = {0, 1.234};

    model->candidates = copy_of(candidates, sizeof candidates);
    model->candidate_cpu = copy_of(cpu, sizeof cpu);
    model->picked = copy_of(picked, sizeof picked);
    model->candidate_count = model->picked_count = COUNT(candidates);
}

static void fill_header(struct model *model)
{
    strcpy(model->command, "./split --fast");
    strcpy(model->targets, "PID 4711");
    model->have_snapshot = true;
    model->target_cpu = 1.25;
    for (unsigned i = 0; i < MODEL_MINUTE; i++)
        model->minute[i] = (float)i / 40;
    model->asked_hz = 100;
    model->achieved_hz = 99.4;
    model->stopped_share = 0.0012;
    model->running = 2;
    model->sleeping = 297;
    model->uninterruptible = 1;
    model->blocked_in = "futex";
    model->blocked_in_count = 12;
    model->now.sampling = true;
    model->now.rate_hz = 100;
    model->now.totals = (struct pprofil_totals){.samples = 1000,
                                                .cpu_ns = 10 * SECOND,
                                                .elapsed_ns = 754 * SECOND,
                                                .target_cpu_ns = 10 * SECOND,
                                                .threads_alive = 300,
                                                .asked_hz = 100};
}

static struct model *build_model(void)
{
    struct model *model = model_new();

    fill_header(model);
    fill_code_tables(model);
    fill_task_tables(model);
    fill_tasks(model);
    fill_code(model);
    fill_candidates(model);
    return model;
}

/* --- painting the model -------------------------------------------------------------------- */

static struct model *model;
static struct canvas canvas;
static char *lines[4096]; /* the lines that were painted last */
static char *printed;

UNUSED static void begin(void)
{
    model = build_model();
}

UNUSED static void end(void)
{
    model_free(model);
    canvas_free(&canvas);
    free(printed);
}

UNUSED static void print_lines(void)
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

UNUSED static void paint(int columns, int rows, bool utf8)
{
    canvas.utf8 = utf8;
    cr_assert_eq(canvas_resize(&canvas, rows, columns), 0);
    view_screen(model, &canvas, 1000);
    print_lines();
}

#define LINE(row, expected) cr_expect_str_eq(lines[row], expected)

UNUSED static enum style style_at(int row, int column)
{
    return canvas.cells[row * canvas.columns + column].style;
}

#endif
