/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compares the ranks of a job. Each function has a row of cells, one for each rank: the time that the rank spent in the
 * function itself. The time of all that a function of MPI calls counts in the row of that function.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pprofil.h"
#include "report/imbalance.h"
#include "report/mpi-calls.h"
#include "report/rank-times.h"
#include "report/row.h"
#include "report/statistics.h"

struct imbalance_maker {
    const struct profile *profile;
    struct report_options options;
    uint32_t *rank_of; /* owned; by string: index of the rank with this name, plus 1; 0: none */
    uint32_t *names;   /* owned; by rank: its name, index in strings */
    uint32_t ranks;
    uint32_t *mpi_calls;       /* owned; see mpi_find_calls */
    bool *is_mpi;              /* owned; by row */
    struct sums sums;          /* one for each row */
    struct amount *cells;      /* owned; rows of `ranks` cells */
    struct diff_sums *weights; /* owned; by row: the weights of its samples */
    struct diff_sums all_weights, mpi_weights;
    struct amount *all, *mpi; /* owned; one row each */
    uint32_t room;            /* how many rows have room in cells, weights and is_mpi */
};

/* --- cells ------------------------------------------------------------------------------- */

/* Finds the ranks, also those without samples: they have spent no time. */
static void imbalance_find_ranks(struct imbalance_maker *maker)
{
    const struct profile *profile = maker->profile;

    for (uint32_t i = 0; i < profile->process_count; i++) {
        uint32_t name = profile->processes[i].rank;
        if (name == 0 || maker->rank_of[name] != 0)
            continue;
        maker->names[maker->ranks++] = name;
        maker->rank_of[name] = maker->ranks;
    }
}

/* Makes room for more rows, whose cells and weights are 0. Returns false if there is no memory. */
static bool imbalance_make_room(struct imbalance_maker *maker)
{
    uint32_t before = maker->room, room = 2 * before + 64;
    struct amount *cells = reallocarray(maker->cells, (size_t)room * maker->ranks, sizeof *cells);
    struct diff_sums *weights = reallocarray(maker->weights, room, sizeof *weights);
    bool *is_mpi = realloc(maker->is_mpi, room * sizeof *is_mpi);

    maker->cells = cells != NULL ? cells : maker->cells;
    maker->weights = weights != NULL ? weights : maker->weights;
    maker->is_mpi = is_mpi != NULL ? is_mpi : maker->is_mpi;
    if (cells == NULL || weights == NULL || is_mpi == NULL)
        return false;
    memset(cells + (size_t)before * maker->ranks, 0, (size_t)(room - before) * maker->ranks * sizeof *cells);
    memset(weights + before, 0, (room - before) * sizeof *weights);
    maker->room = room;
    return true;
}

/* Finds or adds the row of the frame in which a sample counts. Returns 0 or -ENOMEM. */
static int imbalance_need_row(struct imbalance_maker *maker, uint32_t node, uint32_t *row)
{
    const struct profile *profile = maker->profile;
    uint32_t call = maker->mpi_calls[node], first, end;
    uint32_t location = profile->nodes[call != PROFILE_NONE ? call : node].location;
    struct report_options options = maker->options;
    uint64_t key[2];

    /* what the compiler has inlined into a function of MPI counts as that function */
    options.no_inlines = options.no_inlines || call != PROFILE_NONE;
    row_frames(&profile->locations[location], &options, &first, &end);
    row_frame_key(profile, location, first, &options, key);
    struct sum *sum = sums_need(&maker->sums, key);
    if (sum == NULL)
        return -ENOMEM;
    *row = (uint32_t)(sum - maker->sums.all);
    if (*row >= maker->room && !imbalance_make_room(maker))
        return -ENOMEM;
    if (sum->location == PROFILE_NONE)
        maker->is_mpi[*row] = call != PROFILE_NONE;
    row_name_by(profile, sum, location, first);
    return 0;
}

static int imbalance_count(struct imbalance_maker *maker)
{
    const struct profile *profile = maker->profile;

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        uint32_t rank = maker->rank_of[profile->processes[profile->threads[sample->thread].process].rank], row;
        const struct amount amount = {.samples = sample->count, .ns = report_ns(profile, sample)};
        if (rank == 0 || !row_counts(profile, &maker->options, sample))
            continue;
        int error = imbalance_need_row(maker, sample->node, &row);
        if (error != 0)
            return error;
        diff_sums_count(&maker->weights[row], amount.samples, amount.ns);
        amount_add(&maker->cells[(size_t)row * maker->ranks + rank - 1], &amount);
        amount_add(&maker->all[rank - 1], &amount);
        if (maker->mpi_calls[sample->node] != PROFILE_NONE)
            amount_add(&maker->mpi[rank - 1], &amount);
    }
    return 0;
}

/* Estimates how much the weights of the samples of each row differ: late samples weigh more than others. */
static void imbalance_settle_weights(struct imbalance_maker *maker)
{
    struct diff_spread spread = {0};

    for (uint32_t i = 0; i < maker->sums.count; i++)
        diff_spread_add(&spread, &maker->weights[i]);
    for (uint32_t i = 0; i < maker->sums.count; i++) {
        diff_settle(&maker->weights[i], &spread);
        diff_sums_add(&maker->all_weights, &maker->weights[i]);
        if (maker->is_mpi[i])
            diff_sums_add(&maker->mpi_weights, &maker->weights[i]);
    }
}

/* --- rows -------------------------------------------------------------------------------- */

static int imbalance_compare_times(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Returns true if a sum of squares of `freedom` independent standard normal values is this large by chance in at least
 * 5 % of all cases: the approximation of Wilson and Hilferty (1931) of the chi-square distribution. */
static bool imbalance_is_chance(double squares, double freedom)
{
    double part = 2 / (9 * freedom);

    return (cbrt(squares / freedom) - (1 - part)) / sqrt(part) < 1.644854;
}

/* Fills in the numbers of a row from its cells and weights. times: room for a number for each rank. The time of a
 * rank varies as if its samples came at random times; the variance of such a sum is the sum of the squares of its
 * weights. */
static void imbalance_measure(const struct imbalance_maker *maker, const struct amount *cells,
                              const struct diff_sums *weights, uint64_t whole_ns, uint64_t *times,
                              struct pprofil_imbalance_row *row)
{
    uint32_t ranks = maker->ranks, least = 0, most = 0;
    double squares = 0;

    for (uint32_t i = 0; i < ranks; i++) {
        times[i] = cells[i].ns;
        row->ns += cells[i].ns;
        row->samples += cells[i].samples;
        if (cells[i].ns < cells[least].ns)
            least = i;
        if (cells[i].ns > cells[most].ns)
            most = i;
    }
    qsort(times, ranks, sizeof *times, imbalance_compare_times);
    row->min_ns = times[0];
    row->max_ns = times[ranks - 1];
    row->median_ns = times[(ranks - 1) / 2] + (times[ranks / 2] - times[(ranks - 1) / 2]) / 2;
    row->min_rank = maker->profile->strings[maker->names[least]];
    row->max_rank = maker->profile->strings[maker->names[most]];
    row->by_chance = true;
    if (row->ns == 0 || row->samples == 0)
        return;
    double mean = (double)row->ns / ranks, unit = weights->squares / (double)row->ns;
    row->share = (double)row->ns / (double)whole_ns;
    row->imbalance = (double)row->max_ns / mean - 1;
    row->error95 = STATISTICS_Z95 * (row->imbalance + 1) * sqrt(unit / (double)row->max_ns + unit / (double)row->ns);
    for (uint32_t i = 0; i < ranks; i++)
        squares += ((double)times[i] - mean) * ((double)times[i] - mean) / (mean * unit);
    row->by_chance = imbalance_is_chance(squares, ranks - 1);
}

/* Compares rows for qsort: by the time by which the slowest rank is above the mean, largest first; then by name. */
static int imbalance_compare_rows(const void *left, const void *right)
{
    const struct pprofil_imbalance_row *a = left, *b = right;
    double x = (double)a->max_ns - (double)a->max_ns / (1 + a->imbalance);
    double y = (double)b->max_ns - (double)b->max_ns / (1 + b->imbalance);

    if (x != y)
        return x > y ? -1 : 1;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : strcmp(a->object, b->object);
}

static int imbalance_make_rows(const struct imbalance_maker *maker, struct pprofil_imbalance *imbalance)
{
    uint64_t *times = calloc(maker->ranks, sizeof *times), whole_ns = 0;

    imbalance->rows = calloc(maker->sums.count + 1u, sizeof *imbalance->rows);
    if (times == NULL || imbalance->rows == NULL) {
        free(times);
        return -ENOMEM;
    }
    imbalance->ranks = maker->ranks;
    for (uint32_t i = 0; i < maker->ranks; i++)
        whole_ns += maker->all[i].ns;
    imbalance->all.name = imbalance->mpi.name = imbalance->all.object = imbalance->mpi.object = "";
    imbalance->mpi.mpi = true;
    imbalance_measure(maker, maker->all, &maker->all_weights, whole_ns, times, &imbalance->all);
    imbalance_measure(maker, maker->mpi, &maker->mpi_weights, whole_ns, times, &imbalance->mpi);
    for (uint32_t i = 0; i < maker->sums.count; i++) {
        struct pprofil_imbalance_row *row = &imbalance->rows[imbalance->count];
        struct pprofil_row code = ROW_EMPTY;
        imbalance_measure(maker, maker->cells + (size_t)i * maker->ranks, &maker->weights[i], whole_ns, times, row);
        if (row->ns == 0)
            continue;
        row_name_code(maker->profile, &maker->sums.all[i], PPROFIL_BY_FUNCTION, &code);
        row->name = code.name;
        row->object = code.object;
        row->mpi = maker->is_mpi[i];
        imbalance->count++;
    }
    qsort(imbalance->rows, imbalance->count, sizeof *imbalance->rows, imbalance_compare_rows);
    free(times);
    return 0;
}

static int imbalance_make(struct imbalance_maker *maker, struct pprofil_imbalance *imbalance)
{
    const struct profile *profile = maker->profile;

    maker->rank_of = calloc(profile->string_count, sizeof *maker->rank_of);
    maker->names = calloc(profile->process_count + 1u, sizeof *maker->names);
    maker->mpi_calls = mpi_find_calls(profile);
    if (maker->rank_of == NULL || maker->names == NULL || maker->mpi_calls == NULL)
        return -ENOMEM;
    imbalance_find_ranks(maker);
    if (maker->ranks < 2)
        return PPROFIL_ERROR_NO_RANKS;
    if (rank_times_have_several_jobs(profile))
        return PPROFIL_ERROR_SEVERAL_JOBS;
    maker->all = calloc(maker->ranks, sizeof *maker->all);
    maker->mpi = calloc(maker->ranks, sizeof *maker->mpi);
    if (maker->all == NULL || maker->mpi == NULL)
        return -ENOMEM;
    int error = imbalance_count(maker);
    if (error == 0)
        imbalance_settle_weights(maker);
    return error == 0 ? imbalance_make_rows(maker, imbalance) : error;
}

int report_imbalance(const struct profile *profile, struct symbolizer *symbolizer, struct pprofil_imbalance **result)
{
    struct imbalance_maker maker = {.profile = profile,
                                    .options = {.by = PPROFIL_BY_FUNCTION, .no_inlines = !report_has_stacks(profile)}};
    struct pprofil_imbalance *imbalance = calloc(1, sizeof *imbalance);
    int error = imbalance == NULL ? -ENOMEM : row_look_up(symbolizer, &maker.options);

    if (error == 0)
        error = imbalance_make(&maker, imbalance);
    sums_clear(&maker.sums);
    free(maker.rank_of);
    free(maker.names);
    free(maker.mpi_calls);
    free(maker.is_mpi);
    free(maker.cells);
    free(maker.weights);
    free(maker.all);
    free(maker.mpi);
    if (error != 0 && imbalance != NULL) {
        free(imbalance->rows);
        free(imbalance);
        imbalance = NULL;
    }
    *result = imbalance;
    return error;
}
