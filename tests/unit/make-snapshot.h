/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes snapshots for the tests of the TUI. The name of a row is a letter. A sample represents 1 ms. */
#ifndef MAKE_SNAPSHOT_H
#define MAKE_SNAPSHOT_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)

static __attribute__((unused)) const char *letter(uint64_t id)
{
    static const char letters[][2] = {"?", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
                                      "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z"};
    return letters[id < sizeof letters / 2 ? id : 0];
}

static __attribute__((unused)) struct pprofil_row make_row(uint64_t id, uint64_t ms)
{
    return (struct pprofil_row){.name = letter(id),
                                .object = "prog",
                                .file = "",
                                .hottest = "",
                                .pid = 100,
                                .tid = 100 + (uint32_t)id,
                                .samples = ms,
                                .ns = ms * MS,
                                .id = id};
}

/* Adds a row to a grouping. */
static __attribute__((unused)) struct pprofil_row *add_row(struct snapshot_rows *rows, uint64_t id, uint64_t ms)
{
    rows->taken = true;
    rows->rows = realloc(rows->rows, (rows->count + 1) * sizeof *rows->rows);
    rows->rows[rows->count] = make_row(id, ms);
    return &rows->rows[rows->count++];
}

/* Expects rows with these letters as names, in this order. */
static __attribute__((unused)) void expect_order(const struct table *table, const char *names)
{
    cr_assert_eq(table->count, strlen(names));
    for (uint32_t i = 0; i < table->count; i++)
        cr_assert_eq(table->rows[i].total.name[0], names[i], "row %u is %s, not %c", i,
                     table->rows[i].total.name, names[i]);
}

static __attribute__((unused)) void add_process(struct snapshot *snapshot, uint32_t pid, uint32_t ppid)
{
    uint32_t count = snapshot->process_count++;
    snapshot->processes = realloc(snapshot->processes, snapshot->process_count * sizeof *snapshot->processes);
    snapshot->processes[count] = (struct snapshot_process){
        .pid = pid, .ppid = ppid, .alive = true, .status = -1, .comm = "prog"};
    strcpy(snapshot->command, "prog -x");
}

static __attribute__((unused)) void add_task(struct snapshot *snapshot, uint32_t tid, char state,
                                             int32_t syscall, const char *name)
{
    uint32_t count = snapshot->task_count++;
    snapshot->tasks = realloc(snapshot->tasks, snapshot->task_count * sizeof *snapshot->tasks);
    snapshot->tasks[count] = (struct pprofil_task){.pid = 100,
                                                   .tid = tid,
                                                   .comm = "worker",
                                                   .state = state,
                                                   .syscall = syscall,
                                                   .syscall_name = name};
}

static __attribute__((unused)) void add_code(struct snapshot *snapshot, const char *text, uint64_t ms)
{
    uint32_t count = snapshot->code_count++;
    snapshot->code = realloc(snapshot->code, snapshot->code_count * sizeof *snapshot->code);
    snapshot->code[count] = (struct pprofil_code_row){.text = text, .file = "", .ns = ms * MS, .samples = ms};
}

static __attribute__((unused)) enum effect press(struct model *model, uint32_t key)
{
    struct key_event event = {.key = key};
    return model_key(model, &event);
}

static __attribute__((unused)) void type_in(struct model *model, const char *text)
{
    for (; *text != '\0'; text++)
        press(model, (unsigned char)*text);
}

#endif
