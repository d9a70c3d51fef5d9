/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sums when the rows of a report spent their time: the history of each row.
 *
 * Each sample belongs to one row: that of its innermost frame, of its thread, or whatever the rows of the report are.
 * An entry of the profile's history adds its time to the columns that it overlaps, evenly.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "report/row.h"

#define NO_ROW UINT32_MAX

struct row_times {
    const struct profile *profile;
    const struct report_options *options;
    const struct pprofil_report *report;
    const struct report_columns *columns;
    struct hash_index index; /* owned; finds rows of the report by id */
    uint32_t *rows;          /* owned; indexed by sample: 2 + index of its row, 1: it is in no row, 0: not known yet */
    uint64_t *ns;
};

static int row_times_index(struct row_times *times)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < times->report->count; i++)
        error = hash_add(&times->index, hash_pair(0, times->report->rows[i].id), i);
    return error;
}

static uint32_t row_times_find(const struct row_times *times, uint64_t id)
{
    uint32_t hash = hash_pair(0, id), at = hash, found;

    while ((found = hash_next(&times->index, hash, &at)) != HASH_NONE)
        if (times->report->rows[found].id == id)
            return found;
    return NO_ROW;
}

static bool row_times_is_code(enum pprofil_by by)
{
    return by == PPROFIL_BY_FUNCTION || by == PPROFIL_BY_LINE || by == PPROFIL_BY_OBJECT;
}

static uint32_t row_times_row(const struct row_times *times, const struct profile_sample *sample)
{
    const struct profile *profile = times->profile;
    enum pprofil_by by = times->options->by;
    uint32_t location = profile->nodes[sample->node].location, first, end;
    uint64_t key[2];

    if (!row_counts(profile, times->options, sample))
        return NO_ROW;
    if (row_times_is_code(by)) {
        row_frames(&profile->locations[location], times->options, &first, &end);
        row_frame_key(profile, location, first, times->options, key);
    } else {
        row_task_key(profile, sample, by, key);
    }
    return row_times_find(times, row_id(key, by));
}

/* Adds an entry's time to the columns of its row. */
static void row_times_spread(const struct row_times *times, const struct history_entry *entry, uint64_t amount,
                             uint64_t *ns)
{
    const struct report_columns *columns = times->columns;
    double slot_ns = (double)times->profile->history.slot_ns, from = (double)columns->from_ns;
    double width = ((double)columns->to_ns - from) / columns->count;
    double begin = (entry->first * slot_ns - from) / width, end = ((entry->last + 1.0) * slot_ns - from) / width;
    double rate = (double)amount / (end - begin); /* time in a column that the entry covers */

    if (end <= 0 || begin >= columns->count)
        return;
    for (uint32_t column = begin > 0 ? (uint32_t)begin : 0; column < columns->count && column < end; column++) {
        double left = begin > column ? begin : column, right = end < column + 1.0 ? end : column + 1.0;
        ns[column] += (uint64_t)(rate * (right - left) + 0.5);
    }
}

static void row_times_sum(const struct row_times *times)
{
    const struct profile_history *history = &times->profile->history;

    for (uint32_t i = 0; i < history->count; i++) {
        const struct history_entry *entry = &history->entries[i];
        uint32_t *row = &times->rows[entry->sample];
        if (*row == 0)
            *row = row_times_row(times, &times->profile->samples[entry->sample]) + 2;
        uint64_t amount = times->profile->totals.wall ? entry->wall_ns : entry->cpu_ns;
        if (*row != 1 && amount > 0)
            row_times_spread(times, entry, amount, &times->ns[(size_t)(*row - 2) * times->columns->count]);
    }
}

int report_row_times(const struct profile *profile, const struct report_options *options,
                     const struct pprofil_report *report, const struct report_columns *columns, uint64_t *ns)
{
    struct row_times times = {.profile = profile, .options = options, .report = report, .columns = columns, .ns = ns};
    int error = row_times_index(&times);

    times.rows = calloc(profile->sample_count + 1u, sizeof *times.rows);
    if (times.rows == NULL)
        error = -ENOMEM;
    if (error == 0)
        row_times_sum(&times);
    hash_free(&times.index);
    free(times.rows);
    return error;
}
