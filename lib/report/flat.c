/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flat rows: every sample falls into one row, by a key of two numbers that depends on the
 * grouping; rows are summed in a hash, named, and sorted. Names are looked up for all
 * locations where they make the key, definitions only for rows that are shown.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

#define Z95 1.959963984540054 /* of the normal distribution */

struct sum {
    uint64_t key[2];
    uint32_t location; /* one of them */
    uint32_t thread, syscall;
    bool used;
    uint64_t samples, ns;
};

struct sums {
    struct sum *slots;
    size_t size; /* a power of two */
    size_t count;
};

static const struct profile_location *leaf_of(const struct profile *profile,
                                              const struct profile_sample *sample)
{
    return &profile->locations[profile->nodes[sample->node].location];
}

static const struct profile_line *line_of(const struct profile_location *place)
{
    static const struct profile_line none;
    return place->line_count > 0 ? &place->lines[0] : &none;
}

/* Flat rows are functions as the linker knows them: inlined ones count for their caller. */
static uint32_t function_of(const struct profile_location *place)
{
    return place->line_count > 0 ? place->lines[place->line_count - 1].function : PROFILE_NONE;
}

static void make_key(const struct profile *profile, const struct profile_sample *sample,
                     enum report_by by, uint64_t key[2])
{
    const struct profile_location *place = leaf_of(profile, sample);

    key[1] = 0;
    switch (by) {
    case REPORT_BY_FUNCTION:
        key[0] = profile->functions[function_of(place)].name;
        key[1] = place->object;
        break;
    case REPORT_BY_OBJECT:
        key[0] = place->object;
        break;
    case REPORT_BY_LINE:
        key[0] = (uint64_t)line_of(place)->file << 32 | line_of(place)->line;
        key[1] = place->object;
        break;
    case REPORT_BY_THREAD:
        key[0] = sample->thread;
        break;
    case REPORT_BY_PROCESS:
        key[0] = profile->threads[sample->thread].process;
        break;
    case REPORT_BY_SYSCALL:
        key[0] = sample->syscall;
        break;
    }
}

static struct sum *find_slot(const struct sums *sums, const uint64_t key[2])
{
    uint64_t hash = (key[0] * 0x9e3779b97f4a7c15u) ^ (key[1] * 0xbf58476d1ce4e5b9u);
    size_t slot = (size_t)(hash >> 20) & (sums->size - 1);

    while (sums->slots[slot].used &&
           (sums->slots[slot].key[0] != key[0] || sums->slots[slot].key[1] != key[1]))
        slot = (slot + 1) & (sums->size - 1);
    return &sums->slots[slot];
}

static int make_room(struct sums *sums)
{
    struct sums larger = {.size = sums->size == 0 ? 256 : sums->size * 2, .count = sums->count};

    if (sums->count < sums->size / 2)
        return 0;
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (larger.slots == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < sums->size; i++)
        if (sums->slots[i].used)
            *find_slot(&larger, sums->slots[i].key) = sums->slots[i];
    free(sums->slots);
    *sums = larger;
    return 0;
}

static int add_sample(const struct profile *profile, struct sums *sums,
                      const struct profile_sample *sample, enum report_by by)
{
    uint64_t key[2];
    int error = make_room(sums);
    if (error != 0)
        return error;

    make_key(profile, sample, by, key);
    struct sum *sum = find_slot(sums, key);
    if (!sum->used) {
        *sum = (struct sum){.key = {key[0], key[1]},
                            .location = profile->nodes[sample->node].location,
                            .thread = sample->thread,
                            .syscall = sample->syscall,
                            .used = true};
        sums->count++;
    }
    sum->samples += sample->count;
    sum->ns += profile->totals.wall ? sample->wall_ns : sample->cpu_ns;
    return 0;
}

static int look_up(struct symbolizer *symbolizer, enum report_by by)
{
    if (symbolizer == NULL || (by != REPORT_BY_FUNCTION && by != REPORT_BY_LINE))
        return 0;
    uint32_t what = by == REPORT_BY_LINE ? PROFILE_LOOKED_LINE : PROFILE_LOOKED_NAME;
    return symbolizer_look_up_all(symbolizer, what);
}

/* Half the width of the Wilson score interval: it does not shrink to nothing at 0 and 1. */
static double error95(double share, uint64_t samples)
{
    double n = (double)samples, z2 = Z95 * Z95;

    if (samples == 0)
        return 0;
    return Z95 / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n));
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static void name_by_code(const struct profile *profile, const struct sum *sum, enum report_by by,
                         struct report_row *row)
{
    const struct profile_location *place = &profile->locations[sum->location];
    const char *path = profile->strings[profile->objects[place->object].path];
    const struct profile_function *function = &profile->functions[function_of(place)];
    const struct profile_line *line = line_of(place);

    row->object = base_name(path);
    row->name = path;
    if (by == REPORT_BY_FUNCTION) {
        row->name = function->name != 0 ? profile->strings[function->name] : row->object;
        row->file = profile->strings[function->file];
        row->line = function->line;
    } else if (by == REPORT_BY_LINE) {
        row->name = line->file != 0 ? profile->strings[line->file] : "[no line]";
        row->file = profile->strings[line->file];
        row->line = line->line;
    }
}

static void name_by_task(const struct profile *profile, const struct sum *sum, enum report_by by,
                         struct report_row *row)
{
    const struct profile_thread *thread = &profile->threads[sum->thread];
    const struct profile_process *process = &profile->processes[thread->process];

    row->pid = process->pid;
    if (by == REPORT_BY_THREAD)
        row->tid = thread->tid;
    row->name = profile->strings[by == REPORT_BY_THREAD ? thread->comm : process->comm];
}

static void make_row(const struct profile *profile, const struct sum *sum, enum report_by by,
                     struct report_row *row)
{
    const struct profile_totals *totals = &profile->totals;
    uint64_t whole = totals->wall ? totals->wall_ns : totals->cpu_ns;

    *row = (struct report_row){.name = "", .object = "", .file = ""};
    if (by == REPORT_BY_THREAD || by == REPORT_BY_PROCESS)
        name_by_task(profile, sum, by, row);
    else if (by == REPORT_BY_SYSCALL)
        row->name = sum->syscall == PROFILE_NONE
                        ? "[user]"
                        : profile->strings[profile->syscalls[sum->syscall].name];
    else
        name_by_code(profile, sum, by, row);
    row->samples = sum->samples;
    row->ns = sum->ns;
    row->share = whole == 0 ? 0 : (double)sum->ns / (double)whole;
    row->error95 = error95(row->share, totals->samples);
}

/* A row while it is placed: what it was summed by settles the last ties, and its location is
 * what it is defined by. */
struct place {
    struct report_row row;
    const struct sum *sum;
};

static int compare(const void *left, const void *right)
{
    const struct place *x = left, *y = right;
    const struct report_row *a = &x->row, *b = &y->row;
    int order;

    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    if ((order = strcmp(a->name, b->name)) != 0 || (order = strcmp(a->object, b->object)) != 0)
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

/* All rows in their order. */
static struct place *place_rows(const struct profile *profile, const struct sums *sums,
                                enum report_by by)
{
    struct place *places = calloc(sums->count + 1, sizeof *places);
    size_t count = 0;

    if (places == NULL)
        return NULL;
    for (size_t i = 0; i < sums->size; i++) {
        if (!sums->slots[i].used)
            continue;
        places[count].sum = &sums->slots[i];
        make_row(profile, &sums->slots[i], by, &places[count++].row);
    }
    qsort(places, count, sizeof *places, compare);
    return places;
}

/* Definitions take source lines, which are dear: only a row that is shown gets one. */
static int show_row(struct profile *profile, struct symbolizer *symbolizer,
                    const struct place *place, enum report_by by, struct report_row *row)
{
    int error = 0;

    if (symbolizer != NULL && by == REPORT_BY_FUNCTION)
        error = symbolizer_define(symbolizer, place->sum->location);
    make_row(profile, place->sum, by, row);
    return error;
}

static int fill(struct profile *profile, struct symbolizer *symbolizer, const struct sums *sums,
                const struct report_options *options, struct report *report)
{
    struct place *places = place_rows(profile, sums, options->by);
    int error = 0;

    report->totals = profile->totals;
    report->total = (uint32_t)sums->count;
    report->count = report->total;
    if (options->limit != 0 && options->limit < report->total)
        report->count = options->limit;
    report->rows = calloc(report->count + 1u, sizeof *report->rows);
    if (places == NULL || report->rows == NULL)
        error = -ENOMEM;
    for (uint32_t i = 0; error == 0 && i < report->count; i++)
        error = show_row(profile, symbolizer, &places[i], options->by, &report->rows[i]);
    for (uint32_t i = report->count; error == 0 && i < report->total; i++)
        report->rest_ns += places[i].row.ns;
    free(places);
    return error;
}

int report_flat(struct profile *profile, struct symbolizer *symbolizer,
                const struct report_options *options, struct report **result)
{
    struct report *report = calloc(1, sizeof *report);
    struct sums sums = {0};
    if (report == NULL)
        return -ENOMEM;

    int error = look_up(symbolizer, options->by);
    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        error = add_sample(profile, &sums, &profile->samples[i], options->by);
    if (error == 0)
        error = fill(profile, symbolizer, &sums, options, report);
    free(sums.slots);
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
