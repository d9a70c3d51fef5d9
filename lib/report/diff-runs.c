/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the functions of several runs: see diff-runs.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/path.h"
#include "report/diff-runs.h"
#include "report/row.h"

#define RUNS_FREEDOM_MAX 200u /* with more, Student's t is nearly normal */

/* --- counts ---------------------------------------------------------------------------------- */

/* Counts the samples of one run. */
struct run_counter {
    const struct diff_functions *functions;
    const struct profile *profile;
    int side;
    uint32_t *at;   /* owned; by location: index of its function, plus 1; 0: the merged profile does not have it */
    uint32_t *seen; /* owned; by function: 1 + index of the sample that was last added to its total */
    double *values; /* borrowed: ns of each function and of the whole */
};

/* Finds the function that the merged profiles have for a location of a run. */
static int runs_find_function(const struct run_counter *counter, uint32_t location, uint32_t *found)
{
    const struct diff_functions *functions = counter->functions;
    const struct profile *profile = counter->profile;
    const struct profile_location *place = &profile->locations[location];
    const char *object = path_base_name(profile->strings[profile->objects[place->object].path]);
    uint32_t name = profile->functions[row_function(place)].name, ids[2];
    int error = profile_string(functions->names, name != 0 ? profile->strings[name] : object, &ids[0]);

    if (error == 0)
        error = profile_string(functions->names, object, &ids[1]);
    if (error != 0)
        return error;
    const struct sum *sum = sums_find(&functions->keys, (const uint64_t[]){ids[0], ids[1]});
    if (sum == NULL)
        return 0;
    uint32_t index = (uint32_t)(sum - functions->keys.all);
    if (counter->side == DIFF_OLD && functions->moved[index] != 0)
        index = functions->moved[index] - 1;
    *found = index + 1;
    return 0;
}

static int runs_find_functions(const struct run_counter *counter)
{
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < counter->profile->location_count; i++)
        error = runs_find_function(counter, i, &counter->at[i]);
    return error;
}

static void runs_count_sample(const struct run_counter *counter, uint32_t i)
{
    const struct profile *profile = counter->profile;
    const struct profile_sample *sample = &profile->samples[i];
    double ns = counter->functions->timed ? (double)report_ns(profile, sample) : (double)sample->count;
    uint32_t function = counter->at[profile->nodes[sample->node].location];

    counter->values[2 * counter->functions->keys.count] += ns;
    if (function != 0)
        counter->values[2 * (function - 1) + DIFF_RUNS_SELF] += ns;
    for (uint32_t node = sample->node; node != PROFILE_NONE; node = profile->nodes[node].parent) {
        function = counter->at[profile->nodes[node].location];
        if (function != 0 && counter->seen[function - 1] != i + 1)
            counter->values[2 * (function - 1) + DIFF_RUNS_TOTAL] += ns;
        if (function != 0)
            counter->seen[function - 1] = i + 1;
    }
}

/* Makes the compared values of one run from its times. The whole is always a time. */
static void runs_scale(const struct run_counter *counter, enum pprofil_diff_by by)
{
    uint32_t all = 2 * counter->functions->keys.count;
    double elapsed = (double)counter->profile->totals.elapsed_ns;
    double of_whole = by == PPROFIL_DIFF_TIME_A_SECOND ? elapsed : 1e9;
    double unit = by == PPROFIL_DIFF_SHARE ? counter->values[all] : of_whole;

    for (uint32_t i = 0; i < all; i++)
        counter->values[i] = unit > 0 ? counter->values[i] / unit : 0;
    counter->values[all] = of_whole > 0 ? counter->values[all] / of_whole : 0;
}

static int runs_count_one(struct run_counter *counter, enum pprofil_diff_by by)
{
    const struct report_options options = {.by = PPROFIL_BY_FUNCTION};
    const struct profile *profile = counter->profile;

    counter->at = calloc(profile->location_count + 1u, sizeof *counter->at);
    counter->seen = calloc(counter->functions->keys.count + 1u, sizeof *counter->seen);
    int error = counter->at == NULL || counter->seen == NULL ? -ENOMEM : runs_find_functions(counter);
    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        if (row_counts(profile, &options, &profile->samples[i]))
            runs_count_sample(counter, i);
    if (error == 0)
        runs_scale(counter, by);
    free(counter->at);
    free(counter->seen);
    return error;
}

int diff_runs_count(const struct diff_run_list *list, const struct diff_functions *functions, enum pprofil_diff_by by,
                    struct diff_runs *runs)
{
    size_t width = 2 * (size_t)functions->keys.count + 1;
    int error = 0;

    *runs = (struct diff_runs){.list = list, .functions = functions->keys.count};
    for (int side = 0; error == 0 && side < DIFF_SIDES; side++) {
        runs->values[side] = calloc(list->count[side] * width, sizeof *runs->values[side]);
        if (runs->values[side] == NULL)
            error = -ENOMEM;
        for (uint32_t i = 0; error == 0 && i < list->count[side]; i++) {
            struct run_counter counter = {.functions = functions,
                                          .profile = list->profiles[side][i],
                                          .side = side,
                                          .values = runs->values[side] + i * width};
            error = runs_count_one(&counter, by);
        }
    }
    return error;
}

void diff_runs_clear(struct diff_runs *runs)
{
    for (int side = 0; side < DIFF_SIDES; side++)
        free(runs->values[side]);
    *runs = (struct diff_runs){0};
}

/* --- tests ----------------------------------------------------------------------------------- */

/* Returns the mean of a value over the runs of a side. *squares grows by the squared deviations from this mean. */
static double runs_mean(const struct diff_runs *runs, int side, size_t value, double *squares)
{
    size_t width = 2 * (size_t)runs->functions + 1;
    uint32_t count = runs->list->count[side];
    double mean = 0;

    for (uint32_t i = 0; i < count; i++)
        mean += runs->values[side][i * width + value] / count;
    for (uint32_t i = 0; i < count; i++) {
        double deviation = runs->values[side][i * width + value] - mean;
        *squares += deviation * deviation;
    }
    return mean;
}

/* Returns the degrees of freedom of a variance of which only the part `observed`, with so many degrees of freedom, was
 * estimated: the formula of Satterthwaite (1946) for the sum of this part and one that is known. */
static uint32_t runs_freedom(double variance, double observed, uint32_t freedom)
{
    double ratio = observed > 0 ? variance / observed : RUNS_FREEDOM_MAX, sum = freedom * ratio * ratio;

    return sum < RUNS_FREEDOM_MAX ? (uint32_t)sum : RUNS_FREEDOM_MAX;
}

void diff_runs_compare(const struct diff_runs *runs, uint32_t function, enum diff_runs_value which,
                       struct pprofil_change *change)
{
    const uint32_t *count = runs->list->count;
    uint32_t freedom = count[DIFF_OLD] + count[DIFF_NEW] - 2;
    double squares = 0, sampling = (change->high - change->low) / (2 * STATISTICS_Z95);

    for (int side = 0; side < DIFF_SIDES; side++)
        change->value[side] = runs_mean(runs, side, 2 * (size_t)function + which, &squares);
    change->change = change->value[DIFF_NEW] - change->value[DIFF_OLD];
    if (!isfinite(sampling))
        return; /* there is nothing to compare */
    double observed = squares / freedom * (1.0 / count[DIFF_OLD] + 1.0 / count[DIFF_NEW]);
    double variance = fmax(observed, sampling * sampling), deviation = sqrt(variance);
    if (observed < variance)
        freedom = runs_freedom(variance, observed, freedom);
    double half_width = deviation * statistics_t_quantile(0.05, freedom);
    change->low = change->change - half_width;
    change->high = change->change + half_width;
    change->p = deviation > 0 ? statistics_t_p(change->change / deviation, freedom) : 1;
}
