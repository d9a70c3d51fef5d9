/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A table and its windows. A row's time in a window is the increase of its time from one report to the next. While the
 * rows of a new report are taken, a hash finds the rows of the previous report by their ids.
 *
 * When an address gets a name, its counts move to the row of the function of this name. The row that had the counts
 * shrinks or vanishes. The function's row grows, as if the function had used this time in the present window. So the
 * growth of all growing rows may be more than the growth of the total time. A row's share is its part of the growth of
 * all growing rows. Its part of the growth of the total time could exceed 1.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "table.h"

/* half width of the interval that holds 95 % of the standard normal distribution */
#define Z95 1.959963984540054
/* Weight of the last window in a smoothed share. It is more than a half, so that one whole window is enough to change
 * the order: if all work moves from one function to another, the second function is on top after this window. */
#define FOLLOW 0.6
/* Smaller shares count as 0, because they are not visible. */
#define UNSEEN 5e-5

/* --- the join ----------------------------------------------------------------------------- */

static int table_index_rows(const struct table *table, struct hash_index *index)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < table->count; i++)
        error = hash_add(index, hash_pair(0, table->rows[i].total.id), i);
    return error;
}

/* Returns the row with this id, or NULL. */
static const struct table_row *table_indexed_row(const struct table *table, const struct hash_index *index, uint64_t id)
{
    uint32_t hash = hash_pair(0, id), at = hash, found;

    while ((found = hash_next(index, hash, &at)) != HASH_NONE)
        if (table->rows[found].total.id == id)
            return &table->rows[found];
    return NULL;
}

/* --- windows ------------------------------------------------------------------------------ */

uint64_t table_growth(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static void table_take_row(struct table_row *row, const struct snapshot_rows *rows, uint32_t index)
{
    const struct pprofil_row *total = &rows->rows[index];

    *row = (struct table_row){.total = *total, .change = rows->changes != NULL ? &rows->changes[index] : NULL};
    row->total.name = text_or_empty(total->name);
    row->total.object = text_or_empty(total->object);
    row->total.file = text_or_empty(total->file);
    row->total.hottest = text_or_empty(total->hottest);
}

/* Takes the history of a row from its state in the previous report, and computes the increase of the
 * row's counts in the window. */
static void table_carry(struct table_row *row, const struct table_row *before)
{
    row->window_ns = table_growth(row->total.ns, before->total.ns);
    row->window_samples = table_growth(row->total.samples, before->total.samples);
    row->window_inclusive_ns = table_growth(row->total.total_ns, before->total.total_ns);
    row->smooth_share = before->smooth_share;
    row->smooth_inclusive = before->smooth_inclusive;
    row->smooth_cpus = before->smooth_cpus;
    row->depth = before->depth;
    memcpy(row->history, before->history, sizeof row->history);
}

/* Returns half the width of the 95 % Wilson score interval of a share, or NAN if there are no
 * samples. The interval does not shrink to 0 for shares of 0 and 1. */
static double table_error95(double share, uint64_t samples)
{
    double n = (double)samples, z2 = Z95 * Z95;

    if (samples == 0)
        return NAN;
    return Z95 / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n));
}

double table_smooth_share(bool first, double before, double now)
{
    double share = first ? now : FOLLOW * now + (1 - FOLLOW) * before;

    return share < UNSEEN ? 0 : share;
}

static void table_smooth(const struct table *table, struct table_row *row)
{
    bool first = table->unsmoothed || table->filled <= 1;

    if (table->empty && !table->unsmoothed)
        return;
    double cpus = (double)row->window_ns / 1e9 / table->window_seconds;
    double inclusive = table->empty ? 0 : fmin((double)row->window_inclusive_ns / (double)table->window_ns, 1);
    row->smooth_share = table_smooth_share(first, row->smooth_share, row->window_share);
    row->smooth_inclusive = table_smooth_share(first, row->smooth_inclusive, inclusive);
    row->smooth_cpus = first ? cpus : FOLLOW * cpus + (1 - FOLLOW) * row->smooth_cpus;
}

static void table_close_window(const struct table *table, struct table_row *row)
{
    double share = table->empty ? 0 : (double)row->window_ns / (double)table->window_ns;

    row->window_share = share;
    row->window_error95 = table->empty ? (double)NAN : table_error95(share, table->window_samples);
    table_smooth(table, row);
    memmove(row->history, row->history + 1, sizeof row->history - sizeof row->history[0]);
    row->history[TABLE_WINDOWS - 1] = (float)share;
}

static void table_sum_up(struct table *table, double seconds)
{
    table->total_ns = table->window_ns = table->window_samples = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        table->total_ns += table->rows[i].total.ns;
        table->window_ns += table->rows[i].window_ns;
        table->window_samples += table->rows[i].window_samples;
    }
    if (!(seconds > 0))
        return;
    table->empty = table->window_ns == 0;
    table->windows++;
    table->filled += !table->empty;
    table->window_seconds = seconds;
    for (uint32_t i = 0; i < table->count; i++)
        table_close_window(table, &table->rows[i]);
}

/* Makes shares of a report's history, and gives each row its own. Shares are parts of the time of all rows in a
 * column. */
static void table_take_history(struct table *table, const struct snapshot_rows *rows)
{
    uint32_t first = TABLE_WINDOWS - rows->columns;

    for (uint32_t column = 0; column < rows->columns; column++) {
        double sum = 0;
        for (uint32_t i = 0; i < rows->count; i++)
            sum += (double)rows->history[(size_t)i * rows->columns + column];
        for (uint32_t i = 0; i < rows->count; i++) {
            double ns = (double)rows->history[(size_t)i * rows->columns + column];
            table->rows[i].history[first + column] = sum > 0 ? (float)(ns / sum) : 0;
        }
    }
}

int table_take(struct table *table, const struct snapshot_rows *rows, double seconds)
{
    static const struct table_row nothing;
    struct hash_index index = {0};

    if (table->taken && !(seconds > 0))
        return 0;
    struct table_row *fresh = calloc((size_t)rows->count + 1, sizeof *fresh);
    if (fresh == NULL || table_index_rows(table, &index) != 0) {
        hash_free(&index);
        free(fresh);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        table_take_row(&fresh[i], rows, i);
        const struct table_row *before = table_indexed_row(table, &index, fresh[i].total.id);
        if (seconds > 0)
            table_carry(&fresh[i], before != NULL ? before : &nothing);
    }
    hash_free(&index);
    free(table->rows);
    table->rows = fresh;
    table->count = rows->count;
    table_sum_up(table, seconds);
    if (rows->history != NULL)
        table_take_history(table, rows);
    table->taken = true;
    return 0;
}

/* --- whole tables ------------------------------------------------------------------------- */

void table_free(struct table *table)
{
    free(table->rows);
    *table = (struct table){0};
}

void table_clear(struct table *table)
{
    bool unsmoothed = table->unsmoothed;

    table_free(table);
    table->unsmoothed = unsmoothed;
}

int table_copy(struct table *copy, const struct table *table)
{
    struct table_row *rows = malloc(((size_t)table->count + 1) * sizeof *rows);

    if (rows == NULL)
        return -ENOMEM;
    if (table->count > 0)
        memcpy(rows, table->rows, table->count * sizeof *rows);
    free(copy->rows);
    *copy = *table;
    copy->rows = rows;
    return 0;
}

void table_copy_texts(struct table *into, const struct table *from)
{
    struct hash_index index = {0};

    if (table_index_rows(from, &index) == 0)
        for (uint32_t i = 0; i < into->count; i++) {
            const struct table_row *row = table_indexed_row(from, &index, into->rows[i].total.id);
            if (row == NULL)
                continue;
            into->rows[i].total.name = row->total.name;
            into->rows[i].total.file = row->total.file;
            into->rows[i].total.line = row->total.line;
        }
    hash_free(&index);
}

bool table_lacks_names(const struct table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (table->rows[i].total.pending)
            return true;
    return false;
}

int table_find(const struct table *table, uint64_t id)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (table->rows[i].total.id == id)
            return (int)i;
    return -1;
}

/* --- names that come late ------------------------------------------------------------------- */

/* When addresses get names, some rows shrink or vanish, and others grow. `grown` is the growth of all growing rows, in
 * ns. The other members are what the shrinking and vanishing rows lose of the last window. The growing rows get it. */
struct moved {
    uint64_t grown, window_ns, window_samples;
    double smooth_share;
};

static void table_keep_window(struct table_row *row, const struct table_row *before, struct moved *moved)
{
    const struct table_row taken = *row;
    const struct pprofil_row *now = &taken.total;
    double kept = before->total.ns > now->ns ? (double)now->ns / (double)before->total.ns : 1;

    *row = *before;
    row->total = taken.total;
    row->change = taken.change;
    row->window_ns = (uint64_t)((double)before->window_ns * kept);
    row->window_samples = (uint64_t)((double)before->window_samples * kept);
    row->smooth_share = before->smooth_share * kept;
    moved->grown += table_growth(now->ns, before->total.ns);
    moved->window_ns -= row->window_ns;
    moved->window_samples -= row->window_samples;
    moved->smooth_share -= row->smooth_share;
}

static void table_give_window(const struct table *table, struct table_row *row, uint64_t grown,
                              const struct moved *moved)
{
    double part = moved->grown > 0 ? (double)grown / (double)moved->grown : 0;

    row->window_ns += (uint64_t)((double)moved->window_ns * part);
    row->window_samples += (uint64_t)((double)moved->window_samples * part);
    row->smooth_share += moved->smooth_share * part;
    if (table->windows == 0)
        return;
    row->window_share = table->window_ns > 0 ? (double)row->window_ns / (double)table->window_ns : 0;
    row->window_error95 = table_error95(row->window_share, table->window_samples);
    row->history[TABLE_WINDOWS - 1] = (float)row->window_share;
}

int table_retext(struct table *table, const struct snapshot_rows *rows)
{
    static const struct table_row nothing;
    struct moved moved = {0};
    struct hash_index index = {0};
    struct table_row *fresh = calloc((size_t)rows->count + 1, sizeof *fresh);

    if (fresh == NULL || table_index_rows(table, &index) != 0) {
        hash_free(&index);
        free(fresh);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < table->count; i++) {
        moved.window_ns += table->rows[i].window_ns;
        moved.window_samples += table->rows[i].window_samples;
        moved.smooth_share += table->rows[i].smooth_share;
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        table_take_row(&fresh[i], rows, i);
        const struct table_row *before = table_indexed_row(table, &index, fresh[i].total.id);
        table_keep_window(&fresh[i], before != NULL ? before : &nothing, &moved);
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct table_row *before = table_indexed_row(table, &index, fresh[i].total.id);
        uint64_t had = before != NULL ? before->total.ns : 0;
        if (fresh[i].total.ns != had)
            table_give_window(table, &fresh[i], table_growth(fresh[i].total.ns, had), &moved);
    }
    hash_free(&index);
    free(table->rows);
    table->rows = fresh;
    table->count = rows->count;
    table->total_ns = 0;
    for (uint32_t i = 0; i < table->count; i++)
        table->total_ns += table->rows[i].total.ns;
    return 0;
}
