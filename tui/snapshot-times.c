/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Takes the parts of a snapshot that say when something happened: histories of rows, the use of CPUs, the time line. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "snapshot-source.h"

#define SNAPSHOT_STATES_MAX 8     /* states of threads in a profile, at most */
#define SNAPSHOT_THREADS_MAX 1000 /* lines of the time line, at most */

/* Returns the range of time of a table's history: the whole profile if it is saved, else its last windows. The count is
 * 0 if there is no such range. */
static struct pprofil_columns source_history_columns(const struct source *source, const struct snapshot_wants *wants)
{
    struct pprofil_live_times times;
    struct pprofil_columns columns = {.from_ns = wants->filter.from_ns, .count = SNAPSHOT_HISTORY};

    pprofil_live_times(source->live, &times, sizeof times);
    columns.to_ns = wants->filter.to_ns != 0 ? wants->filter.to_ns : times.length_ns;
    if (!source->saved && times.length_ns > 0) {
        uint64_t now = time_now(), windows;
        columns.to_ns = now > times.start_ns ? now - times.start_ns : 0;
        windows = columns.to_ns / wants->window_ns;
        columns.count = windows < SNAPSHOT_HISTORY ? (uint32_t)windows : SNAPSHOT_HISTORY;
        columns.from_ns = columns.to_ns - columns.count * wants->window_ns;
    }
    if (times.length_ns == 0 || columns.from_ns >= columns.to_ns)
        columns.count = 0;
    return columns;
}

int source_take_history(const struct source *source, enum pprofil_by by, const struct snapshot_wants *wants,
                        const pprofil_report *report, struct snapshot_rows *rows)
{
    const struct pprofil_columns columns = source_history_columns(source, wants);

    if (columns.count == 0)
        return 0;
    rows->history = calloc((size_t)rows->count * columns.count + 1, sizeof *rows->history);
    rows->columns = columns.count;
    if (rows->history == NULL)
        return -ENOMEM;
    return pprofil_live_row_times(source->live, by, &wants->filter, report, &columns, rows->history);
}

int source_take_use(const struct source *source, const struct snapshot_wants *wants, struct snapshot *snapshot)
{
    struct pprofil_columns columns = source_history_columns(source, wants);
    uint64_t ns[SNAPSHOT_USE * SNAPSHOT_STATES_MAX] = {0};
    pprofil_report *report;

    if (columns.count == 0)
        return 0;
    columns.count = SNAPSHOT_USE;
    int error = pprofil_live_report(source->live, PPROFIL_BY_STATE, &wants->filter, &report);
    if (error != 0)
        return error;
    if (pprofil_report_count(report) <= SNAPSHOT_STATES_MAX)
        error = pprofil_live_row_times(source->live, PPROFIL_BY_STATE, &wants->filter, report, &columns, ns);
    for (uint32_t i = 0; error == 0 && i < pprofil_report_count(report); i++) {
        struct pprofil_row row;
        pprofil_report_row(report, i, &row, sizeof row);
        for (unsigned k = 0; strcmp(row.name, "running") == 0 && k < SNAPSHOT_USE; k++)
            snapshot->use[k] = (float)((double)ns[i * SNAPSHOT_USE + k] * SNAPSHOT_USE /
                                       (double)(columns.to_ns - columns.from_ns));
    }
    snapshot->has_use = error == 0;
    pprofil_report_free(report);
    return error;
}

/* --- the time line ---------------------------------------------------------------------- */

/* Returns the place in a cell of the time in a state. */
static float *cell_state(struct snapshot_cell *cell, const char *state)
{
    return strcmp(state, "running") == 0             ? &cell->running
           : strcmp(state, "waiting for a CPU") == 0 ? &cell->waiting
           : strcmp(state, "uninterruptible") == 0   ? &cell->blocked
                                                     : &cell->asleep;
}

/* Adds the time that threads spent in one state to the cells. */
static int timeline_add_state(const struct source *source, const struct snapshot_wants *wants,
                              const struct pprofil_row *state, const pprofil_report *threads,
                              struct snapshot_timeline *line)
{
    const struct pprofil_columns columns = {line->from_ns, line->to_ns, line->columns};
    double width = (double)(line->to_ns - line->from_ns) / line->columns;
    struct pprofil_filter filter = wants->filter;
    uint64_t *ns = calloc((size_t)pprofil_report_count(threads) * line->columns + 1, sizeof *ns);

    if (ns == NULL)
        return -ENOMEM;
    filter.state = state->id;
    int error = pprofil_live_row_times(source->live, PPROFIL_BY_THREAD, &filter, threads, &columns, ns);
    for (uint32_t i = 0; error == 0 && i < pprofil_report_count(threads); i++)
        for (uint32_t k = 0; k < line->columns; k++) {
            float share = (float)((double)ns[(size_t)i * line->columns + k] / width);
            *cell_state(&line->cells[k], state->name) += share;
            if (i < line->count)
                *cell_state(&line->cells[(size_t)(i + 1) * line->columns + k], state->name) += share;
        }
    free(ns);
    return error;
}

static int timeline_fill(const struct source *source, const struct snapshot_wants *wants, const pprofil_report *threads,
                         struct snapshot_timeline *line)
{
    pprofil_report *states;
    uint32_t count = pprofil_report_count(threads);

    line->count = count < SNAPSHOT_THREADS_MAX ? count : SNAPSHOT_THREADS_MAX;
    line->rows = calloc(line->count + 1u, sizeof *line->rows);
    line->cells = calloc((line->count + 1u) * (size_t)line->columns + 1, sizeof *line->cells);
    if (line->rows == NULL || line->cells == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < line->count; i++)
        pprofil_report_row(threads, i, &line->rows[i], sizeof line->rows[i]);
    int error = pprofil_live_report(source->live, PPROFIL_BY_STATE, &wants->filter, &states);
    if (error != 0)
        return error;
    for (uint32_t i = 0; error == 0 && line->columns > 0 && i < pprofil_report_count(states); i++) {
        struct pprofil_row state;
        pprofil_report_row(states, i, &state, sizeof state);
        error = timeline_add_state(source, wants, &state, threads, line);
    }
    pprofil_report_free(states);
    return error;
}

int source_take_timeline(const struct source *source, const struct snapshot_wants *wants,
                         struct snapshot_timeline *line)
{
    struct pprofil_live_times times;
    pprofil_report *threads;

    pprofil_live_times(source->live, &times, sizeof times);
    *line = (struct snapshot_timeline){
        .taken = true,
        .from_ns = wants->filter.from_ns,
        .to_ns = wants->filter.to_ns != 0 ? wants->filter.to_ns : times.length_ns,
    };
    line->columns = line->to_ns > line->from_ns && times.length_ns > 0 ? wants->timeline_columns : 0;
    int error = pprofil_live_report(source->live, PPROFIL_BY_THREAD, &wants->filter, &threads);
    if (error != 0)
        return error;
    error = timeline_fill(source, wants, threads, line);
    pprofil_report_free(threads);
    return error;
}
