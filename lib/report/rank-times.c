/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums when ranks used CPU time: see rank-times.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pprofil/error.h"
#include "report/mpi-calls.h"
#include "report/rank-times.h"

void rank_times_clear(struct rank_times *times)
{
    free(times->names);
    free(times->totals);
    free(times->cells);
    *times = (struct rank_times){0};
}

/* Returns the rank of a sample's process, index in the profile's strings; 0: it has none. */
static uint32_t rank_times_rank_of(const struct profile *profile, const struct profile_sample *sample)
{
    return profile->processes[profile->threads[sample->thread].process].rank;
}

/* Compares names of ranks for qsort: by number, and by letters if these are equal. */
static int rank_times_compare_names(const void *left, const void *right)
{
    const char *a = *(const char *const *)left, *b = *(const char *const *)right;
    unsigned long x = strtoul(a, NULL, 10), y = strtoul(b, NULL, 10);

    return x != y ? (x > y) - (x < y) : strcmp(a, b);
}

bool rank_times_have_several_jobs(const struct profile *profile)
{
    const struct profile_process *first = NULL;

    for (uint32_t i = 0; i < profile->process_count; i++) {
        const struct profile_process *process = &profile->processes[i];
        if (first == NULL && process->rank != 0)
            first = process;
        if (process->rank != 0 && process->job != first->job)
            return true;
    }
    return false;
}

/* Lists the ranks, also those without samples. known: an element for each string, all 0; element i becomes not 0 if the
 * rank with this name is listed. */
static void rank_times_list(const struct profile *profile, uint32_t *known, struct rank_times *times)
{
    for (uint32_t i = 0; i < profile->process_count; i++) {
        uint32_t rank = profile->processes[i].rank;
        if (rank == 0 || known[rank] != 0)
            continue;
        known[rank] = 1;
        times->names[times->rank_count++] = profile->strings[rank];
    }
    qsort(times->names, times->rank_count, sizeof *times->names, rank_times_compare_names);
}

/* Sets indexes[i] to the index, plus 1, of the rank whose name is string i of the profile. */
static void rank_times_number(const struct profile *profile, const struct rank_times *times, uint32_t *indexes)
{
    for (uint32_t i = 1; i < profile->string_count; i++) {
        const char *name = profile->strings[i];
        const char **found = indexes[i] == 0 ? NULL
                                             : bsearch(&name, times->names, times->rank_count, sizeof *times->names,
                                                       rank_times_compare_names);
        if (found != NULL)
            indexes[i] = (uint32_t)(found - times->names) + 1;
    }
}

/* Divides the history into columns. */
static void rank_times_set_columns(const struct profile_history *history, uint32_t columns_max,
                                   struct rank_times *times)
{
    uint64_t slots = history_length(history) / history->slot_ns;
    uint64_t slots_of_column = (slots + columns_max - 1) / columns_max;

    times->column_ns = slots_of_column * history->slot_ns;
    times->column_count = (uint32_t)((slots + slots_of_column - 1) / slots_of_column);
    times->last_column_ns = slots * history->slot_ns - (times->column_count - 1) * times->column_ns;
}

static void rank_times_add(struct rank_time *time, uint64_t ns, bool is_mpi)
{
    if (is_mpi)
        time->mpi_ns += ns;
    else
        time->work_ns += ns;
}

/* Adds an entry of the history to the cells of a rank. Each slot of the entry has the same part of its time. */
static void rank_times_spread(const struct history_entry *entry, uint32_t slots_of_column, bool is_mpi,
                              struct rank_time *cells)
{
    double slots = (double)entry->last - entry->first + 1;
    uint64_t done = 0;

    for (uint32_t column = entry->first / slots_of_column; column <= entry->last / slots_of_column; column++) {
        uint64_t end = (column + UINT64_C(1)) * slots_of_column;
        uint64_t until = end > entry->last ? entry->cpu_ns
                                           : (uint64_t)((double)entry->cpu_ns * ((double)(end - entry->first) / slots));
        rank_times_add(&cells[column], until - done, is_mpi);
        done = until;
    }
}

/* Returns the number, 1 or more, of the rank to which the time of a sample counts. Returns 0 if the sample has no rank,
 * or if it is time that was not sampled: whether the rank worked or waited is not known. */
static uint32_t rank_times_number_of(const struct profile *profile, const uint32_t *indexes,
                                     const struct profile_sample *sample)
{
    uint32_t object = profile->locations[profile->nodes[sample->node].location].object;

    return profile_is_mark(profile, object, PROFILE_UNSAMPLED_PLACE) ? 0 : indexes[rank_times_rank_of(profile, sample)];
}

static void rank_times_sum(const struct profile *profile, const uint32_t *calls, const uint32_t *indexes,
                           struct rank_times *times)
{
    uint32_t slots_of_column = (uint32_t)(times->column_ns / profile->history.slot_ns);

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        uint32_t rank = rank_times_number_of(profile, indexes, sample);
        if (rank != 0)
            rank_times_add(&times->totals[rank - 1], sample->cpu_ns, calls[sample->node] != PROFILE_NONE);
    }
    for (uint32_t i = 0; i < profile->history.count; i++) {
        const struct history_entry *entry = &profile->history.entries[i];
        const struct profile_sample *sample = &profile->samples[entry->sample];
        uint32_t rank = rank_times_number_of(profile, indexes, sample);
        if (rank != 0 && entry->cpu_ns > 0)
            rank_times_spread(entry, slots_of_column, calls[sample->node] != PROFILE_NONE,
                              times->cells + (size_t)(rank - 1) * times->column_count);
    }
}

static int rank_times_fill(const struct profile *profile, uint32_t columns_max, uint32_t cells_max, uint32_t *indexes,
                           struct rank_times *times)
{
    rank_times_list(profile, indexes, times);
    if (times->rank_count < 2)
        return PPROFIL_ERROR_NO_RANKS;
    if (rank_times_have_several_jobs(profile))
        return PPROFIL_ERROR_SEVERAL_JOBS;
    if (profile->history.count == 0)
        return PPROFIL_ERROR_NO_SAMPLES;
    rank_times_number(profile, times, indexes);
    if (columns_max > cells_max / times->rank_count)
        columns_max = cells_max / times->rank_count + 1;
    rank_times_set_columns(&profile->history, columns_max, times);
    times->totals = calloc(times->rank_count, sizeof *times->totals);
    times->cells = calloc((size_t)times->rank_count * times->column_count, sizeof *times->cells);
    uint32_t *calls = mpi_find_calls(profile);
    bool is_full = times->totals != NULL && times->cells != NULL && calls != NULL;
    if (is_full)
        rank_times_sum(profile, calls, indexes, times);
    free(calls);
    return is_full ? 0 : -ENOMEM;
}

int rank_times_make(const struct profile *profile, uint32_t columns_max, uint32_t cells_max, struct rank_times *times)
{
    uint32_t *indexes = calloc(profile->string_count, sizeof *indexes);

    *times = (struct rank_times){.names = calloc(profile->process_count + 1u, sizeof *times->names)};
    int error = indexes == NULL || times->names == NULL
                    ? -ENOMEM
                    : rank_times_fill(profile, columns_max, cells_max, indexes, times);
    free(indexes);
    return error;
}
