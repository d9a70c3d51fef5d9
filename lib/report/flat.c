/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flat rows: every sample falls into one row, by a key of two numbers that depends on the
 * grouping; rows are summed in a hash, named, and sorted. Names are looked up for all
 * locations where they make the key, definitions only for rows that are shown; where the profile
 * still grows neither is, and what others have not looked up yet has a key of its own.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "report/call-tree.h"
#include "report/flat.h"
#include "report/live-sums.h"
#include "report/sums.h"

#define Z95 1.959963984540054 /* of the normal distribution */

/* All rows, and what they add up to. */
struct table {
    struct sums sums;
    const struct sums *hottest; /* borrowed; NULL: not asked for */
    struct call_total *totals; /* of each of the sums; NULL: there are no stacks */
    uint64_t samples, ns;
};

/* A row stands for all functions of a name. Where some of them begin is not known. A row is shown by one whose
 * beginning is known. */
void flat_show_by(const struct profile *profile, struct sum *sum, uint32_t location,
                  uint32_t frame)
{
    const struct profile_location *place = &profile->locations[location];

    if (sum->location != PROFILE_NONE) {
        if ((place->looked & PROFILE_LOOKED_LINE) == 0) /* nor is it known where anything begins */
            return;
        const struct profile_line *now = flat_line(&profile->locations[sum->location], sum->frame);
        if (profile->functions[now->function].line != 0 ||
            profile->functions[flat_line(place, frame)->function].line == 0)
            return;
    }
    sum->location = location;
    sum->frame = frame;
}

static int add_sample(const struct profile *profile, const struct report_options *options,
                      struct table *table, const struct profile_sample *sample)
{
    uint64_t key[2], ns = report_ns(profile, sample);

    if (!flat_counts(profile, options, sample))
        return 0;
    flat_key(profile, sample, options, key);
    struct sum *sum = sums_need(&table->sums, key);
    if (sum == NULL)
        return -ENOMEM;
    if (sum->location == PROFILE_NONE) {
        sum->thread = sample->thread;
        sum->syscall = sample->syscall;
        sum->state = sample->state;
    }
    uint32_t location = profile->nodes[sample->node].location;
    flat_show_by(profile, sum, location, flat_frame(&profile->locations[location], options->by));
    sum->samples += sample->count;
    sum->ns += ns;
    table->samples += sample->count;
    table->ns += ns;
    return 0;
}

static int look_up(struct symbolizer *symbolizer, enum pprofil_by by)
{
    if (symbolizer == NULL || (by != PPROFIL_BY_FUNCTION && by != PPROFIL_BY_LINE))
        return 0;
    uint32_t what = by == PPROFIL_BY_LINE ? PROFILE_LOOKED_LINE : PROFILE_LOOKED_NAME;
    return symbolizer_look_up_all(symbolizer, what);
}

double flat_error95(double share, uint64_t samples)
{
    double n = (double)samples, z2 = Z95 * Z95;

    if (samples == 0)
        return 0;
    return Z95 / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n));
}

void flat_name_code(const struct profile *profile, const struct sum *sum, enum pprofil_by by,
                    struct report_row *row)
{
    const struct profile_location *place = &profile->locations[sum->location];
    const struct profile_object *object = &profile->objects[place->object];
    const char *path = profile->strings[object->path];
    const struct profile_line *line = flat_line(place, sum->frame);
    const struct profile_function *function = &profile->functions[line->function];

    row->object = object->kind == PROFILE_OBJECT_MARK ? "" : path_base_name(path);
    row->name = path;
    if (by == PPROFIL_BY_FUNCTION) {
        row->name = function->name != 0 ? profile->strings[function->name] : row->object;
        row->file = profile->strings[function->file];
        row->line = function->line;
    } else if (by == PPROFIL_BY_LINE && row->pending) {
        row->name = row->object;
    } else if (by == PPROFIL_BY_LINE) {
        row->name = line->file != 0 ? profile->strings[line->file] : "[no line]";
        row->file = profile->strings[line->file];
        row->line = line->line;
    }
}

static void name_by_task(const struct profile *profile, const struct sum *sum, enum pprofil_by by,
                         struct report_row *row)
{
    const struct profile_thread *thread = &profile->threads[sum->thread];
    const struct profile_process *process = &profile->processes[thread->process];

    row->pid = process->pid;
    if (by == PPROFIL_BY_THREAD)
        row->tid = thread->tid;
    row->name = profile->strings[by == PPROFIL_BY_THREAD ? thread->comm : process->comm];
}

static const char *name_hottest(const struct profile *profile, const struct table *table,
                                const struct sum *sum)
{
    const struct sum *best =
        table->hottest == NULL ? NULL : sums_find(table->hottest, sum->key);
    if (best == NULL)
        return "";
    uint32_t function = flat_function(&profile->locations[best->location]);
    return profile->strings[profile->functions[function].name];
}

static void make_row(const struct profile *profile, const struct table *table,
                     const struct sum *sum, enum pprofil_by by, struct report_row *row)
{
    *row = (struct report_row){.name = "", .object = "", .file = "", .hottest = ""};
    row->id = flat_id(sum->key, by);
    row->pending = flat_is_pending(sum->key);
    if (by == PPROFIL_BY_THREAD || by == PPROFIL_BY_PROCESS) {
        name_by_task(profile, sum, by, row);
        row->hottest = name_hottest(profile, table, sum);
    } else if (by == PPROFIL_BY_SYSCALL) {
        row->name = sum->syscall == PROFILE_NONE
                        ? "[user]"
                        : profile->strings[profile->syscalls[sum->syscall].name];
    } else if (by == PPROFIL_BY_STATE) {
        row->name = profile_state_name((enum profile_state)sum->state);
    } else {
        flat_name_code(profile, sum, by, row);
    }
    row->samples = sum->samples;
    row->ns = sum->ns;
    row->share = table->ns == 0 ? 0 : (double)sum->ns / (double)table->ns;
    row->error95 = flat_error95(row->share, table->samples);
    if (table->totals == NULL)
        return;
    const struct call_total *total = &table->totals[sum - table->sums.all];
    row->total_samples = total->samples;
    row->total_ns = total->ns;
    row->total_share = table->ns == 0 ? 0 : (double)total->ns / (double)table->ns;
    row->total_error95 = flat_error95(row->total_share, table->samples);
}

/* A row while it is placed: what it was summed by settles the last ties, and its location is
 * what it is defined by. There may be many: what mostly decides is here, to be moved about. */
struct place {
    uint64_t ns;    /* what is largest comes first */
    uint64_t total; /* of equals: the largest total, or own time */
    const struct report_row *row;
    const struct sum *sum;
};

int flat_compare_text(const char *a, const char *b)
{
    return a == b ? 0 : strcmp(a, b);
}

static int flat_compare(const void *left, const void *right)
{
    const struct place *x = left, *y = right;
    const struct report_row *a = x->row, *b = y->row;
    int order;

    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    if ((order = flat_compare_text(a->name, b->name)) != 0 ||
        (order = flat_compare_text(a->object, b->object)) != 0)
        return order;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->tid != b->tid)
        return a->tid < b->tid ? -1 : 1;
    if (x->sum->key[0] != y->sum->key[0])
        return x->sum->key[0] < y->sum->key[0] ? -1 : 1;
    return x->sum->key[1] < y->sum->key[1] ? -1 : x->sum->key[1] > y->sum->key[1];
}

/* Sums that go on may have lost all that they had. */
static bool is_empty(const struct table *table, uint32_t sum)
{
    return table->sums.all[sum].samples == 0 &&
           (table->totals == NULL || table->totals[sum].samples == 0);
}

/* All rows, and their order. Returns how many. */
static uint32_t place_rows(const struct profile *profile, const struct table *table,
                           const struct report_options *options, struct report_row *rows,
                           struct place *places)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < table->sums.count; i++) {
        const struct sum *sum = &table->sums.all[i];
        struct report_row *row = &rows[count];
        if (is_empty(table, i))
            continue;
        make_row(profile, table, sum, options->by, row);
        places[count] =
            (struct place){.ns = sum->ns, .total = row->total_ns, .row = row, .sum = sum};
        if (options->by_total && table->totals != NULL) {
            places[count].ns = row->total_ns;
            places[count].total = sum->ns;
        }
        count++;
    }
    if (count > 0)
        qsort(places, count, sizeof *places, flat_compare);
    return count;
}

/* Definitions take source lines, which are dear: only a row that is shown gets one. */
static int show_row(struct profile *profile, struct symbolizer *symbolizer,
                    const struct table *table, const struct place *place, enum pprofil_by by,
                    struct report_row *row)
{
    *row = *place->row;
    if (symbolizer == NULL || by != PPROFIL_BY_FUNCTION)
        return 0;
    int error = symbolizer_define(symbolizer, place->sum->location);
    make_row(profile, table, place->sum, by, row);
    return error;
}

static int fill(struct profile *profile, struct symbolizer *symbolizer,
                const struct table *table, const struct report_options *options,
                struct report *report)
{
    uint32_t count = table->sums.count;
    struct report_row *rows = calloc(count + 1u, sizeof *rows);
    struct place *places = calloc(count + 1u, sizeof *places);
    int error = rows == NULL || places == NULL ? -ENOMEM : 0;

    report->totals = profile->totals;
    if (error == 0)
        report->total = place_rows(profile, table, options, rows, places);
    report->count = report->total;
    if (options->limit != 0 && options->limit < report->total)
        report->count = options->limit;
    report->rows = calloc(report->count + 1u, sizeof *report->rows);
    if (report->rows == NULL)
        error = -ENOMEM;
    for (uint32_t i = 0; error == 0 && i < report->count; i++)
        error = show_row(profile, symbolizer, table, &places[i], options->by, &report->rows[i]);
    for (uint32_t i = report->count; error == 0 && i < report->total; i++)
        report->rest_ns += places[i].sum->ns;
    free(rows);
    free(places);
    return error;
}

/* Frames make the sums, of which only the leaves have time of their own. */
static int add_stacks(struct profile *profile, const struct report_options *options,
                      struct table *table)
{
    struct call_tree tree = {0};
    int error = call_tree_build(profile, options, &table->sums, &tree);

    if (error == 0) {
        table->totals = calloc(table->sums.count + 1u, sizeof *table->totals);
        error = table->totals == NULL ? -ENOMEM
                                      : call_tree_totals(&tree, table->sums.count, table->totals);
        table->ns = tree.nodes[0].total.ns;
        table->samples = tree.nodes[0].total.samples;
    }
    call_tree_clear(&tree);
    return error;
}

static int add_samples(struct profile *profile, const struct report_options *options,
                       struct table *table)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        error = add_sample(profile, options, table, &profile->samples[i]);
    return error;
}

static bool is_code(enum pprofil_by by)
{
    return by == PPROFIL_BY_FUNCTION || by == PPROFIL_BY_LINE || by == PPROFIL_BY_OBJECT;
}

static bool is_by_task(enum pprofil_by by)
{
    return by == PPROFIL_BY_THREAD || by == PPROFIL_BY_PROCESS;
}

/* Sums of what grows; those of other reports go on. */
static int fill_live(struct profile *profile, const struct report_options *options,
                     struct report *report)
{
    struct live_sums own = {0}, *sums = options->sums != NULL ? options->sums : &own;
    int error = live_sums_update(sums, profile, options);
    struct table table = {
        .sums = sums->sums, .samples = sums->all.samples, .ns = sums->all.ns,
        .hottest = &sums->hottest.best};

    report->stacks = options->stacks && is_code(options->by) && sums->has_stacks;
    if (report->stacks)
        table.totals = sums->totals;
    if (error == 0 && is_by_task(options->by))
        error = hottest_update(&sums->hottest, profile, options);
    if (error == 0)
        error = fill(profile, NULL, &table, options, report);
    live_sums_settle(sums, profile);
    live_sums_clear(&own);
    return error;
}

static int fill_whole(struct profile *profile, struct symbolizer *symbolizer,
                      const struct report_options *options, struct report *report)
{
    struct table table = {0};

    report->stacks = options->stacks && is_code(options->by) && report_has_stacks(profile);
    int error = report->stacks ? call_tree_look_up(symbolizer, options)
                               : look_up(symbolizer, options->by);
    if (error == 0)
        error = report->stacks ? add_stacks(profile, options, &table)
                               : add_samples(profile, options, &table);
    if (error == 0)
        error = fill(profile, symbolizer, &table, options, report);
    sums_clear(&table.sums);
    free(table.totals);
    return error;
}

int report_flat(struct profile *profile, struct symbolizer *symbolizer,
                const struct report_options *options, struct report **result)
{
    struct report *report = calloc(1, sizeof *report);

    if (report == NULL)
        return -ENOMEM;
    int error = options->live ? fill_live(profile, options, report)
                              : fill_whole(profile, symbolizer, options, report);
    if (error != 0) {
        report_free(report);
        return error;
    }
    *result = report;
    return 0;
}

void report_free(struct report *report)
{
    if (report == NULL)
        return;
    free(report->rows);
    free(report);
}
