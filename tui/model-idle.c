/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Adds rows for threads and processes without a sample, because reports do not have such rows. A
 * list without sleeping threads would not show where a program hangs. An added row has the id that
 * reports will give it, so that it remains the same row when its first sample comes.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model-internal.h"

static int idle_compare_ids(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Returns the ids of the report's rows, sorted, or NULL for want of memory. The caller frees the array. */
static uint64_t *idle_sorted_ids(const struct snapshot_rows *rows)
{
    uint64_t *ids = malloc(((size_t)rows->count + 1) * sizeof *ids);

    if (ids == NULL)
        return NULL;
    for (uint32_t i = 0; i < rows->count; i++)
        ids[i] = rows->rows[i].id;
    qsort(ids, rows->count, sizeof *ids, idle_compare_ids);
    return ids;
}

/* Returns true if the program image that the filter selects is still alive, or if the filter selects
 * no image. If the image is not alive, the threads with its pid belong to a later image (execve(2)). */
static bool filter_image_lives(const struct snapshot *snapshot, const struct pprofil_filter *filter)
{
    for (uint32_t i = 0; filter->process != 0 && i < snapshot->process_count; i++)
        if (snapshot->processes[i].id == filter->process)
            return snapshot->processes[i].alive;
    return true;
}

/* Returns true if the filter lets a thread or process without samples through. Such a thread or process has no system
 * call, object or state. */
static bool filter_lets_through(const struct pprofil_filter *filter, uint32_t pid, uint32_t tid)
{
    return filter->object == 0 && filter->syscall == 0 && filter->state == 0 && filter->wait == 0 &&
           (filter->pid == 0 || filter->pid == pid) && (filter->tid == 0 || filter->tid == tid);
}

static bool idle_thread_row(const struct pprofil_task *task, const struct pprofil_filter *filter,
                            struct pprofil_row *row)
{
    *row = (struct pprofil_row){
        .name = task->name, .pid = task->pid, .tid = task->tid, .id = task->id};
    return filter_lets_through(filter, task->pid, task->tid) &&
           (filter->thread == 0 || filter->thread == task->id);
}

/* Fills *row for a process without samples. Returns true if the process is alive and the filter
 * lets it through. A filter for a thread lets only that thread's process through. */
static bool idle_process_row(const struct snapshot_process *process, const struct pprofil_filter *filter,
                             struct pprofil_row *row)
{
    *row = (struct pprofil_row){.name = process->comm, .pid = process->pid, .id = process->id};
    return process->alive && filter_lets_through(filter, process->pid, filter->tid) &&
           (filter->process == 0 || filter->process == process->id);
}

/* Makes room for `more` rows after those that there are, and sets their history to 0. Returns 0 or -ENOMEM. */
static int idle_make_room(struct snapshot_rows *rows, uint32_t more)
{
    size_t count = (size_t)rows->count + more, known = (size_t)rows->count * rows->columns;
    struct pprofil_row *larger = realloc(rows->rows, count * sizeof *larger);

    if (larger == NULL)
        return -ENOMEM;
    rows->rows = larger;
    if (rows->history == NULL)
        return 0;
    uint64_t *history = realloc(rows->history, (count * rows->columns + 1) * sizeof *history);
    if (history == NULL)
        return -ENOMEM;
    rows->history = history;
    memset(history + known, 0, (size_t)more * rows->columns * sizeof *history);
    return 0;
}

int idle_add(const struct model *model, struct snapshot *snapshot, enum pprofil_by by)
{
    static const struct pprofil_filter everything;
    const struct pprofil_filter *filter =
        model->filter_count > 0 ? &model->filters[model->filter_count - 1].filter : &everything;
    struct snapshot_rows *rows = &snapshot->by[by];
    bool threads = by == PPROFIL_BY_THREAD;
    uint32_t most = threads ? snapshot->task_count : snapshot->process_count;

    if ((!threads && by != PPROFIL_BY_PROCESS) || most == 0 || !filter_image_lives(snapshot, filter))
        return 0;
    uint64_t *ids = idle_make_room(rows, most) == 0 ? idle_sorted_ids(rows) : NULL;
    if (ids == NULL)
        return -ENOMEM;
    uint32_t sampled = rows->count;
    for (uint32_t i = 0; i < most; i++) {
        struct pprofil_row *row = &rows->rows[rows->count];
        bool shown = threads ? idle_thread_row(&snapshot->tasks[i], filter, row)
                             : idle_process_row(&snapshot->processes[i], filter, row);
        if (shown && row->id != 0 && bsearch(&row->id, ids, sampled, sizeof *ids, idle_compare_ids) == NULL)
            rows->count++;
    }
    free(ids);
    return 0;
}
