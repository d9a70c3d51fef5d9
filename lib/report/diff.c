/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compares two profiles. Functions of both profiles with the same name and object share a row. Then each row is tested
 * (statistics.h). Only functions that the linker knows have rows; the time of an inlined function counts for its
 * caller.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "report/diff.h"
#include "report/row.h"
#include "report/sums.h"

/* A function that one or both profiles have. */
struct diff_function {
    const char *name, *object[DIFF_SIDES]; /* borrowed */
    uint32_t name_id;                      /* index of the name in table.names */
    struct diff_pair self, total;
    /* value that diff_table.samples had when a sample was last added to `total`. So each sample is added only once,
     * even if the function is recursive */
    uint64_t seen;
    /* the object of this function was renamed between the two profiles, so the counts of this function were moved to
     * the row with the new name */
    bool joined;
};

struct diff_table {
    /* owned; a profile that is used only as a table of strings: the names in both profiles */
    struct profile *names;
    /* a key is {name, object}; keys.all[i] and found[i] are for the same function */
    struct sums keys;
    struct diff_function *found; /* owned; one for each key */
    /* owned; one array for each of the two profiles. Element i is the index in `found` of the function at location i */
    uint32_t *rows[DIFF_SIDES];
    struct diff_pair all;
    uint64_t samples; /* how many entries of profile->samples were counted so far, of both profiles together */
    bool stacks;
};

/* --- rows ------------------------------------------------------------------------------ */

static int diff_find_row(struct diff_table *table, const char *name, const char *object, int side, uint32_t *row)
{
    uint32_t ids[2], before = table->keys.count;
    int error = profile_string(table->names, name, &ids[0]);

    if (error == 0)
        error = profile_string(table->names, object, &ids[1]);
    if (error == 0)
        error = array_grow(&table->found, before, sizeof *table->found);
    if (error != 0)
        return error;
    const struct sum *sum = sums_need(&table->keys, (const uint64_t[]){ids[0], ids[1]});
    if (sum == NULL)
        return -ENOMEM;
    *row = (uint32_t)(sum - table->keys.all);
    struct diff_function *found = &table->found[*row];
    if (table->keys.count > before)
        *found = (struct diff_function){.name = name, .object = {"", ""}, .name_id = ids[0]};
    found->object[side] = object;
    return 0;
}

static int diff_find_rows(struct diff_table *table, const struct profile *profile, int side)
{
    int error = 0;

    table->rows[side] = calloc(profile->location_count + 1u, sizeof *table->rows[side]);
    if (table->rows[side] == NULL)
        return -ENOMEM;
    for (uint32_t i = 1; error == 0 && i < profile->location_count; i++) {
        const struct profile_location *place = &profile->locations[i];
        const char *object = path_base_name(profile->strings[profile->objects[place->object].path]);
        uint32_t name = profile->functions[row_function(place)].name;
        error = diff_find_row(table, name != 0 ? profile->strings[name] : object, object, side, &table->rows[side][i]);
    }
    return error;
}

/* --- counts ---------------------------------------------------------------------------- */

static void diff_add(struct diff_sums *sums, uint64_t count, uint64_t ns)
{
    sums->samples += count;
    sums->ns += ns;
    sums->cells++;
    sums->squares += (double)ns * (double)ns / (double)(count > 0 ? count : 1);
}

static void diff_count_sample(struct diff_table *table, const struct profile *profile,
                              const struct profile_sample *sample, int side)
{
    uint64_t ns = report_ns(profile, sample);
    uint32_t leaf = profile->nodes[sample->node].location;

    table->samples++;
    diff_add(&table->all.of[side], sample->count, ns);
    if (leaf != PROFILE_NONE)
        diff_add(&table->found[table->rows[side][leaf]].self.of[side], sample->count, ns);
    table->stacks = table->stacks || profile->nodes[sample->node].parent != PROFILE_NONE;
    for (uint32_t node = sample->node; node != PROFILE_NONE; node = profile->nodes[node].parent) {
        struct diff_function *found = &table->found[table->rows[side][profile->nodes[node].location]];
        if (found->seen != table->samples)
            diff_add(&found->total.of[side], sample->count, ns);
        found->seen = table->samples;
    }
}

static void diff_count_samples(struct diff_table *table, const struct profile *profile, int side)
{
    const struct report_options options = {.by = PPROFIL_BY_FUNCTION};

    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (row_counts(profile, &options, &profile->samples[i]))
            diff_count_sample(table, profile, &profile->samples[i], side);
}

/* --- what was renamed -------------------------------------------------------------------- */

/* Functions with the same name, each of which is in only one of the two profiles. count[side]: how many of them are in
 * the profile `side`. row[side]: index in diff_table.found of the last of those in this profile. */
struct single {
    uint32_t row[DIFF_SIDES], count[DIFF_SIDES];
};

static bool is_in(const struct diff_function *found, int side)
{
    return found->total.of[side].samples > 0;
}

static int join_renamed(struct diff_table *table)
{
    struct single *names = calloc(table->names->string_count + 1u, sizeof *names);

    if (names == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < table->keys.count; i++) {
        const struct diff_function *found = &table->found[i];
        if (is_in(found, DIFF_OLD) == is_in(found, DIFF_NEW))
            continue;
        int side = is_in(found, DIFF_OLD) ? DIFF_OLD : DIFF_NEW;
        names[found->name_id].row[side] = i;
        names[found->name_id].count[side]++;
    }
    for (uint32_t i = 0; i < table->names->string_count; i++) {
        const struct single *name = &names[i];
        if (name->count[DIFF_OLD] != 1 || name->count[DIFF_NEW] != 1)
            continue;
        struct diff_function *into = &table->found[name->row[DIFF_NEW]];
        struct diff_function *from = &table->found[name->row[DIFF_OLD]];
        into->object[DIFF_OLD] = from->object[DIFF_OLD];
        into->self.of[DIFF_OLD] = from->self.of[DIFF_OLD];
        into->total.of[DIFF_OLD] = from->total.of[DIFF_OLD];
        from->joined = true;
    }
    free(names);
    return 0;
}

/* --- weights ----------------------------------------------------------------------------- */

/* Estimates, for each function of one profile, the sum of the squares of its samples' weights. Adds these sums up
 * for the whole profile. */
static void diff_estimate(struct diff_table *table, int side)
{
    struct diff_spread spread = {0};

    for (uint32_t i = 0; i < table->keys.count; i++)
        diff_spread_add(&spread, &table->found[i].self.of[side]);
    table->all.of[side].squares = 0;
    for (uint32_t i = 0; i < table->keys.count; i++) {
        diff_settle(&table->found[i].self.of[side], &spread);
        diff_settle(&table->found[i].total.of[side], &spread);
        if (!table->found[i].joined)
            table->all.of[side].squares += table->found[i].self.of[side].squares;
    }
}

/* --- the result -------------------------------------------------------------------------- */

static void diff_make_rows(const struct diff_table *table, const struct diff_test *test, struct pprofil_diff *diff)
{
    for (uint32_t i = 0; i < table->keys.count; i++) {
        const struct diff_function *found = &table->found[i];
        if (found->joined || (!is_in(found, DIFF_OLD) && !is_in(found, DIFF_NEW)))
            continue;
        struct pprofil_diff_row *row = &diff->rows[diff->totals.rows++];
        *row = (struct pprofil_diff_row){.name = found->name};
        for (int side = 0; side < DIFF_SIDES; side++)
            row->object[side] = is_in(found, side) ? found->object[side] : "";
        diff_compare(test, &found->self, &row->self);
        row->total.p = row->total.q = 1;
        if (diff->totals.stacks)
            diff_compare(test, &found->total, &row->total);
    }
}

/* Returns the i-th change to test. The changes of `self` in all rows come first. If the profiles have stacks, the
 * changes of `total` in all rows follow. Returns NULL if there are no more changes. */
static struct pprofil_change *tested(struct pprofil_diff *diff, size_t i)
{
    if (i < diff->totals.rows)
        return &diff->rows[i].self;
    i -= diff->totals.rows;
    if (diff->totals.stacks && i < diff->totals.rows)
        return &diff->rows[i].total;
    return NULL;
}

/* Returns true if a function has time in at least one profile. If it has none, there is nothing to test. */
static bool has_samples(const struct pprofil_change *change)
{
    return change->ns[DIFF_OLD] > 0 || change->ns[DIFF_NEW] > 0;
}

static void judge(struct pprofil_change *change, double q, double least)
{
    change->q = q;
    change->significant = q <= DIFF_LEVEL && fabs(change->change) >= least;
}

/* Computes the q-values of all changes (statistics_adjust). A q-value depends on all tests that are made, so all tests
 * are adjusted together. One of them is the test of the profiles' whole time. If shares are compared, this test is left
 * out, because the share of the whole time is always 1. */
static int diff_judge_all(struct pprofil_diff *diff, const struct diff_options *options)
{
    double *values = calloc(2 * (size_t)diff->totals.rows + 1, sizeof *values);
    double least = options->least;
    bool of_share = options->by == PPROFIL_DIFF_SHARE;
    struct pprofil_change *change;
    size_t count = 0;

    if (values == NULL)
        return -ENOMEM;
    if (!of_share) {
        least *= diff->totals.whole.value[DIFF_OLD];
        values[count++] = diff->totals.whole.p;
    }
    for (size_t i = 0; (change = tested(diff, i)) != NULL; i++)
        if (has_samples(change))
            values[count++] = change->p;
    int error = statistics_adjust(values, count);
    count = 0;
    diff->totals.whole.q = 1;
    if (error == 0 && !of_share)
        judge(&diff->totals.whole, values[count++], least);
    for (size_t i = 0; error == 0 && (change = tested(diff, i)) != NULL; i++)
        judge(change, has_samples(change) ? values[count++] : 1, least);
    free(values);
    return error;
}

static bool is_significant(const struct pprofil_diff_row *row)
{
    return row->self.significant || row->total.significant;
}

static int diff_compare_sizes(double a, double b)
{
    return a > b ? -1 : a < b;
}

static int diff_compare_rows(const void *left, const void *right)
{
    const struct pprofil_diff_row *a = left, *b = right;
    int result = is_significant(b) - is_significant(a);

    if (result == 0)
        result = diff_compare_sizes(fabs(a->self.change), fabs(b->self.change));
    if (result == 0)
        result = diff_compare_sizes(fabs(a->total.change), fabs(b->total.change));
    if (result == 0)
        result = diff_compare_sizes(a->self.share[DIFF_NEW], b->self.share[DIFF_NEW]);
    if (result == 0)
        result = strcmp(a->name, b->name);
    return result != 0 ? result : strcmp(a->object[DIFF_NEW], b->object[DIFF_NEW]);
}

static int make_diff(const struct diff_table *table, const struct diff_test *test,
                     const struct diff_options *options, struct pprofil_diff *diff)
{
    diff->totals.stacks = table->stacks;
    diff->rows = calloc(table->keys.count + 1u, sizeof *diff->rows);
    if (diff->rows == NULL)
        return -ENOMEM;
    diff_make_rows(table, test, diff);
    struct diff_test of_times = *test;
    of_times.by_share = false;
    diff_compare(&of_times, &test->all, &diff->totals.whole);
    int error = diff_judge_all(diff, options);
    for (uint32_t i = 0; i < diff->totals.rows; i++)
        diff->totals.significant += is_significant(&diff->rows[i]);
    qsort(diff->rows, diff->totals.rows, sizeof *diff->rows, diff_compare_rows);
    diff->count = diff->totals.rows;
    if (options->limit != 0 && options->limit < diff->totals.rows)
        diff->count = options->limit;
    return error;
}

static int diff_count(struct diff_table *table, struct profile *const profiles[],
                      struct symbolizer *const symbolizers[])
{
    int error = 0;

    table->names = profile_new();
    if (table->names == NULL)
        return -ENOMEM;
    for (int side = 0; error == 0 && side < DIFF_SIDES; side++) {
        if (symbolizers != NULL && symbolizers[side] != NULL)
            error = symbolizer_look_up_all(symbolizers[side], PROFILE_LOOKED_NAME);
        if (error == 0)
            error = diff_find_rows(table, profiles[side], side);
    }
    for (int side = 0; error == 0 && side < DIFF_SIDES; side++)
        diff_count_samples(table, profiles[side], side);
    if (error == 0)
        error = join_renamed(table);
    for (int side = 0; error == 0 && side < DIFF_SIDES; side++)
        diff_estimate(table, side);
    return error;
}

static void diff_clear(struct diff_table *table)
{
    profile_free(table->names);
    sums_clear(&table->keys);
    free(table->found);
    for (int side = 0; side < DIFF_SIDES; side++)
        free(table->rows[side]);
}

static int diff_check(struct profile *const profiles[], enum pprofil_diff_by by, struct diff_test *test)
{
    const struct profile_totals *old = &profiles[DIFF_OLD]->totals;
    const struct profile_totals *new = &profiles[DIFF_NEW]->totals;

    if (old->samples > 0 && new->samples > 0 && old->wall != new->wall)
        return PPROFIL_ERROR_MIXED_TIMES;
    test->by_share = by == PPROFIL_DIFF_SHARE;
    for (int side = 0; side < DIFF_SIDES; side++) {
        uint64_t elapsed = profiles[side]->totals.elapsed_ns;
        test->seconds[side] = 1e9;
        if (by != PPROFIL_DIFF_TIME_A_SECOND)
            continue;
        if (elapsed == 0)
            return PPROFIL_ERROR_NO_DURATION;
        test->seconds[side] = (double)elapsed;
    }
    return 0;
}

int diff_new(struct profile *const profiles[DIFF_SIDES], struct symbolizer *const symbolizers[],
             const struct diff_options *options, struct pprofil_diff **result)
{
    struct diff_table table = {0};
    struct diff_test test = {0};
    int error = diff_check(profiles, options->by, &test);

    if (error != 0)
        return error;
    struct pprofil_diff *diff = calloc(1, sizeof *diff);
    if (diff == NULL)
        return -ENOMEM;
    diff->totals.wall = profiles[DIFF_OLD]->totals.wall || profiles[DIFF_NEW]->totals.wall;
    error = diff_count(&table, profiles, symbolizers);
    test.all = table.all;
    if (error == 0)
        error = make_diff(&table, &test, options, diff);
    diff_clear(&table);
    if (error != 0) {
        pprofil_diff_free(diff);
        return error;
    }
    *result = diff;
    return 0;
}

void pprofil_diff_free(struct pprofil_diff *diff)
{
    if (diff == NULL)
        return;
    free(diff->rows);
    free(diff);
}
