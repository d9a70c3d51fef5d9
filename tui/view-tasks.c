/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paints the columns that need threads or processes of the snapshot: states, system calls, statuses
 * and the tree of processes. */
#include "config.h"

#include "columns.h"

#include <stdio.h>
#include <string.h>

#include "view.h"

#define TREE_DEPTH 12 /* number of levels of the process tree whose lines are drawn */

/* --- threads --------------------------------------------------------------------------- */

/* Returns the task of a row's thread, or NULL if the thread has ended. If the process has executed
 * another program since, the row's thread has ended, even if a thread with the same tid lives. */
static const struct pprofil_task *row_task(const struct pen *pen, const void *row)
{
    const struct pprofil_row *thread = &((const struct table_row *)row)->total;
    const struct pprofil_task *task = model_task(pen->model, thread->tid);

    return task != NULL && task->id != 0 && task->id != thread->id ? NULL : task;
}

void view_paint_state(const struct pen *pen, const void *row)
{
    const struct pprofil_task *task = row_task(pen, row);
    char text[2] = {task == NULL ? '-' : task->state, '\0'};

    canvas_put(pen->canvas, pen->row, pen->column, pen->width, task == NULL ? STYLE_DIM : STYLE_FIGURE, text);
}

void view_paint_sleeps_in(const struct pen *pen, const void *row)
{
    const struct pprofil_task *task = row_task(pen, row);

    if (task == NULL)
        pen_text(pen, STYLE_DIM, "ended");
    else if (task->syscall_name != NULL)
        pen_text(pen, STYLE_DIM, task->syscall_name);
}

/* Paints the number of threads that are in the row's system call now. */
void view_paint_in_call(const struct pen *pen, const void *row)
{
    const struct snapshot *now = &pen->model->now;
    uint32_t count = 0;

    for (uint32_t i = 0; i < now->task_count; i++)
        if (now->tasks[i].syscall_name != NULL && now->tasks[i].syscall_name[0] != '\0' &&
            strcmp(now->tasks[i].syscall_name, ((const struct table_row *)row)->total.name) == 0)
            count++;
    if (count > 0)
        pen_number(pen, STYLE_FIGURE, count);
}

/* --- processes ------------------------------------------------------------------------- */

/* Returns the process of a row, or NULL. If no process has the row's id, returns the last process with the row's pid
 * and name, or else the last process with its pid. */
static const struct snapshot_process *row_process(const struct snapshot *now, const struct pprofil_row *row)
{
    const struct snapshot_process *found = NULL;
    bool by_name = false;

    for (uint32_t i = 0; i < now->process_count; i++) {
        const struct snapshot_process *process = &now->processes[i];
        if (process->id != 0 && process->id == row->id)
            return process;
        bool same = process->comm != NULL && strcmp(process->comm, row->name) == 0;
        if (process->pid == row->pid && (same || !by_name)) {
            found = process;
            by_name = by_name || same;
        }
    }
    return found;
}

/* Returns true if the process has executed another program. In this case, the next entry with the
 * same pid has the next image number. */
static bool process_has_execed(const struct snapshot *now, const struct snapshot_process *process)
{
    const struct snapshot_process *end = now->processes + now->process_count;

    for (const struct snapshot_process *next = process + 1; next < end; next++)
        if (next->pid == process->pid)
            return next->image == process->image + 1;
    return false;
}

void view_paint_status(const struct pen *pen, const void *row)
{
    const struct snapshot_process *process = row_process(&pen->model->now, &((const struct table_row *)row)->total);
    char text[48] = "gone";

    if (process == NULL || process->alive)
        return;
    if (process->status >= 0)
        phrase_status(process->status, true, text, sizeof text);
    else if (process_has_execed(&pen->model->now, process))
        snprintf(text, sizeof text, "exec'd");
    pen_text(pen, STYLE_DIM, text);
}

/* Returns true if the branch at this depth of the tree goes on below the row `index`, that is, if a
 * later row has this depth and no row between them has a smaller depth. */
static bool tree_branch_goes_on(const struct table *table, uint32_t index, unsigned depth)
{
    for (uint32_t i = index + 1; i < table->count && table->rows[i].depth >= depth; i++)
        if (table->rows[i].depth == depth)
            return true;
    return false;
}

void view_paint_process(const struct pen *pen, const void *row)
{
    static const char *const branches[2][4] = {{"   ", "|  ", "`- ", "|- "},
                                               {"   ", "│  ", "└─ ", "├─ "}};
    const struct table_row *line = row;
    const char *const *branch = branches[pen->canvas->utf8];
    int column = pen->column;

    for (unsigned depth = 1; depth <= line->depth && depth <= TREE_DEPTH; depth++) {
        unsigned kind = (depth == line->depth ? 2u : 0u) + tree_branch_goes_on(pen->table, pen->index, depth);
        int space = pen->column + pen->width - column;
        column += space <= 0 ? 0 : canvas_put(pen->canvas, pen->row, column, space, STYLE_DIM, branch[kind]);
    }
    pen_row_name(pen, line, false, column, line->total.name);
}
