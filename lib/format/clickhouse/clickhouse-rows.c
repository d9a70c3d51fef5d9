/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the rows of a table of samples: see clickhouse-rows.h.
 *
 * The samples are sorted once, so that those of one row follow each other. For each piece of time, the amounts of all
 * samples are summed from the history, and one pass over the sorted samples makes the rows. Files have times in the
 * history in microseconds. So the last piece in which a sample occurs gets what is left of it: all pieces together have
 * exactly the counts and times of the profile.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/clickhouse/clickhouse-rows.h"

#define PIECE_NS UINT64_C(60000000000)
#define PIECES_MAX 4096u /* almost three days; pieces of longer profiles are longer, for a damaged file may say years */

/* --- the order of samples ------------------------------------------------------------------ */

static int clickhouse_compare(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

/* Compares two frames by where their code is, not by their functions. */
static int clickhouse_compare_lines(const struct profile *profile, uint32_t a, uint32_t b)
{
    struct frame first = frame_at(profile, profile->nodes[a].location, 0);
    struct frame second = frame_at(profile, profile->nodes[b].location, 0);
    int found = clickhouse_compare(first.file, second.file);

    return found != 0 ? found : clickhouse_compare(first.line, second.line);
}

/* Two rows are equal, and their samples are one row of the table, if this returns 0. */
static int clickhouse_compare_rows(const void *left, const void *right, void *context)
{
    const struct clickhouse_row *a = left, *b = right;
    const struct clickhouse_rows *rows = context;
    const struct profile_sample *first = &rows->profile->samples[a->sample];
    const struct profile_sample *second = &rows->profile->samples[b->sample];
    int found = clickhouse_compare(first->thread, second->thread);

    if (found == 0)
        found = clickhouse_compare(rows->tree.nodes[a->node].order, rows->tree.nodes[b->node].order);
    if (found == 0)
        found = clickhouse_compare_lines(rows->profile, first->node, second->node);
    if (found == 0)
        found = clickhouse_compare(first->state, second->state);
    if (found == 0)
        found = clickhouse_compare(first->syscall, second->syscall);
    return found != 0 ? found : clickhouse_compare(first->wait, second->wait);
}

static int clickhouse_sort_samples(struct clickhouse_rows *rows)
{
    const struct profile *profile = rows->profile;

    rows->order = calloc(profile->sample_count + 1u, sizeof *rows->order);
    if (rows->order == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (profile_counts_sample(profile, &profile->samples[i]))
            rows->order[rows->order_count++] = (struct clickhouse_row){
                .sample = i, .node = rows->tree.stacks[profile->samples[i].node]};
    qsort_r(rows->order, rows->order_count, sizeof *rows->order, clickhouse_compare_rows, rows);
    return 0;
}

/* --- pieces of time ------------------------------------------------------------------------ */

/* Adds the part of an entry that lies in the slots from `from`, and before `to`. The parts of an entry have the sum of
 * the entry, because each part is the difference of two shares that begin with the entry's first slot. */
static void clickhouse_add_entry(struct clickhouse_rows *rows, const struct history_entry *entry, uint64_t from,
                                 uint64_t to)
{
    struct profile_sample *sum = &rows->amounts[entry->sample];
    uint64_t whole = (uint64_t)entry->last - entry->first + 1;

    if (to <= entry->first || from > entry->last)
        return;
    from = from > entry->first ? from - entry->first : 0;
    to = to <= entry->last ? to - entry->first : whole;
    sum->count += history_share(entry->count, to, whole) - history_share(entry->count, from, whole);
    sum->cpu_ns += history_share(entry->cpu_ns, to, whole) - history_share(entry->cpu_ns, from, whole);
    sum->wall_ns += history_share(entry->wall_ns, to, whole) - history_share(entry->wall_ns, from, whole);
}

/* Sets `amounts` to what the history has of the slots from `from`, and before `to`. */
static void clickhouse_sum_history(struct clickhouse_rows *rows, uint64_t from, uint64_t to)
{
    const struct profile_history *history = &rows->profile->history;

    memset(rows->amounts, 0, rows->profile->sample_count * sizeof *rows->amounts);
    for (uint32_t i = 0; i < history->count; i++)
        clickhouse_add_entry(rows, &history->entries[i], from, to);
}

/* Returns true if the history says of all samples when they were taken. It does not if a profile without a history was
 * merged into this one. */
static bool clickhouse_knows_times(struct clickhouse_rows *rows)
{
    const struct profile *profile = rows->profile;

    clickhouse_sum_history(rows, 0, UINT64_MAX);
    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (rows->amounts[i].count != profile->samples[i].count)
            return false;
    return true;
}

/* Finds the last slot in which each sample occurs. */
static void clickhouse_find_ends(struct clickhouse_rows *rows)
{
    const struct profile_history *history = &rows->profile->history;

    for (uint32_t i = 0; i < history->count; i++) {
        uint32_t *end = &rows->ends[history->entries[i].sample];
        if (history->entries[i].last > *end)
            *end = history->entries[i].last;
    }
}

/* Cuts the profile into pieces of whole slots. The last piece may be half as long again as the others, or half as
 * long. */
static void clickhouse_cut(struct clickhouse_rows *rows)
{
    const struct profile_history *history = &rows->profile->history;
    uint64_t slot_ns = history->slot_ns, slots = slot_ns == 0 ? 0 : history_length(history) / slot_ns, each = 1;

    rows->piece_count = 1;
    if (slots == 0)
        return;
    if (slot_ns < PIECE_NS)
        each = PIECE_NS / slot_ns;
    if (slots / each >= PIECES_MAX)
        each = slots / PIECES_MAX + 1;
    uint64_t pieces = (slots + each / 2) / each;
    if (pieces <= 1 || !clickhouse_knows_times(rows))
        return;
    rows->piece_count = (uint32_t)pieces;
    rows->piece_slots = each;
    rows->slots = slots;
    clickhouse_find_ends(rows);
}

/* --- the table ------------------------------------------------------------------------------- */

static int clickhouse_allocate(struct clickhouse_rows *rows)
{
    const struct profile *profile = rows->profile;

    rows->amounts = calloc(profile->sample_count + 1u, sizeof *rows->amounts);
    rows->left = calloc(profile->sample_count + 1u, sizeof *rows->left);
    rows->ends = calloc(profile->sample_count + 1u, sizeof *rows->ends);
    if (rows->amounts == NULL || rows->left == NULL || rows->ends == NULL)
        return -ENOMEM;
    if (profile->sample_count > 0)
        memcpy(rows->left, profile->samples, profile->sample_count * sizeof *rows->left);
    return 0;
}

int clickhouse_rows_make(struct clickhouse_rows *rows, const struct profile *profile)
{
    uint32_t *groups = calloc(profile->thread_count + 1u, sizeof *groups); /* one group: its weights are not used */

    *rows = (struct clickhouse_rows){.profile = profile};
    int error = groups == NULL ? -ENOMEM : frame_tree_make(&rows->tree, profile, groups);
    free(groups);
    if (error == 0)
        error = clickhouse_sort_samples(rows);
    if (error == 0)
        error = clickhouse_allocate(rows);
    if (error == 0)
        clickhouse_cut(rows);
    return error;
}

void clickhouse_rows_clear(struct clickhouse_rows *rows)
{
    frame_tree_clear(&rows->tree);
    free(rows->order);
    free(rows->amounts);
    free(rows->left);
    free(rows->ends);
    *rows = (struct clickhouse_rows){0};
}

static uint64_t clickhouse_lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Takes the amounts of sample number i in the current piece from what is left. all: it is the sample's last piece. */
static void clickhouse_take(struct clickhouse_rows *rows, uint32_t i, bool all)
{
    struct profile_sample *taken = &rows->amounts[i], *left = &rows->left[i];

    taken->count = all ? left->count : clickhouse_lesser(taken->count, left->count);
    taken->cpu_ns = all ? left->cpu_ns : clickhouse_lesser(taken->cpu_ns, left->cpu_ns);
    taken->wall_ns = all ? left->wall_ns : clickhouse_lesser(taken->wall_ns, left->wall_ns);
    left->count -= taken->count;
    left->cpu_ns -= taken->cpu_ns;
    left->wall_ns -= taken->wall_ns;
}

/* Returns the whole time of a profile as one piece. */
static struct clickhouse_piece clickhouse_whole(const struct profile_totals *totals)
{
    uint64_t end = profile_end_time(totals);

    return (struct clickhouse_piece){.begin = totals->start_time,
                                     .length_ns = end != 0 ? end - totals->start_time : totals->elapsed_ns};
}

void clickhouse_rows_begin(struct clickhouse_rows *rows, uint32_t piece)
{
    bool last = piece + 1 == rows->piece_count;
    uint64_t slot_ns = rows->profile->history.slot_ns, from = piece * rows->piece_slots;
    uint64_t end = last ? rows->slots : from + rows->piece_slots, start = profile_history_start(rows->profile);

    rows->next = 0;
    rows->current = (struct clickhouse_piece){.begin = start == 0 ? 0 : start + from * slot_ns,
                                              .length_ns = (end - from) * slot_ns};
    if (rows->piece_count == 1)
        rows->current = clickhouse_whole(&rows->profile->totals);
    else
        clickhouse_sum_history(rows, from, end);
    for (uint32_t i = 0; i < rows->profile->sample_count; i++)
        clickhouse_take(rows, i, last || rows->ends[i] < end);
}

bool clickhouse_rows_next(struct clickhouse_rows *rows, struct clickhouse_row *row)
{
    bool wall = rows->profile->totals.wall;

    while (rows->next < rows->order_count) {
        *row = rows->order[rows->next];
        do {
            const struct profile_sample *amount = &rows->amounts[rows->order[rows->next++].sample];
            row->count += amount->count;
            row->ns += wall ? amount->wall_ns : amount->cpu_ns;
        } while (rows->next < rows->order_count && clickhouse_compare_rows(row, &rows->order[rows->next], rows) == 0);
        if (row->count > 0 || row->ns > 0)
            return true;
    }
    return false;
}
