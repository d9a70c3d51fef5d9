/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes flat reports: one row for each function, line, object, thread, process, system call or state. The time of a
 * sample counts as self time in exactly one row. Rows are made from sums (flat-sums.h), and are then named and sorted.
 *
 * If rows depend on names, all locations are looked up first. A live report looks up nothing: in each object, the code
 * that has not been looked up yet has one row.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "report/flat-sums.h"
#include "report/row.h"

struct maker {
    const struct profile *profile;
    struct symbolizer *symbolizer; /* NULL: nothing is looked up */
    const struct report_options *options;
    const struct flat_sums *sums;
    struct pprofil_report *report;
};

static void flat_name_task(const struct profile *profile, const struct sum *sum, enum pprofil_by by,
                           struct pprofil_row *row)
{
    const struct profile_thread *thread = &profile->threads[sum->subject];
    const struct profile_process *process = &profile->processes[thread->process];

    row->pid = process->pid;
    if (by == PPROFIL_BY_THREAD)
        row->tid = thread->tid;
    row->name = profile->strings[by == PPROFIL_BY_THREAD ? thread->comm : process->comm];
}

static const char *flat_name_hottest(const struct profile *profile, const struct sums *hottest, const struct sum *sum)
{
    const struct sum *best = sums_find(hottest, sum->key);

    if (best == NULL)
        return "";
    uint32_t function = row_function(&profile->locations[best->location]);
    return profile->strings[profile->functions[function].name];
}

static void flat_make_row(const struct maker *maker, const struct sum *sum, struct pprofil_row *row)
{
    const struct profile *profile = maker->profile;
    enum pprofil_by by = maker->options->by;

    *row = ROW_EMPTY;
    row->id = row_id(sum->key, by);
    row->pending = row_is_pending(sum->key);
    if (by == PPROFIL_BY_THREAD || by == PPROFIL_BY_PROCESS) {
        flat_name_task(profile, sum, by, row);
        row->hottest = flat_name_hottest(profile, &maker->sums->hottest.best, sum);
    } else if (by == PPROFIL_BY_FUNCTION || by == PPROFIL_BY_OBJECT || by == PPROFIL_BY_LINE) {
        row_name_code(profile, sum, by, row);
    } else {
        row->name = row_subject_name(profile, by, sum->subject);
    }
    row_set_amounts(row, &sum->self, maker->report->stacks ? &sum->total : NULL, &maker->sums->all);
}

/* A row during sorting. Usually self time and total time decide the order of rows. So this structure has copies of
 * both, which makes sorting many rows faster. */
struct ordered_row {
    /* the times by which rows are sorted, ns: self time, then total time. In a report that is sorted by total time:
     * total time, then self time */
    uint64_t first, second;
    const struct pprofil_row *row;
    const struct sum *sum;
};

/* Compares rows for qsort: by time, largest first, then by the names and numbers that the rows show, then by key. */
static int flat_compare(const void *left, const void *right)
{
    const struct ordered_row *x = left, *y = right;
    const struct pprofil_row *a = x->row, *b = y->row;
    int order;

    if (x->first != y->first)
        return x->first > y->first ? -1 : 1;
    if (x->second != y->second)
        return x->second > y->second ? -1 : 1;
    if ((order = row_compare_text(a->name, b->name)) != 0 || (order = row_compare_text(a->object, b->object)) != 0)
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

/* Fills the array `rows` with a row for each sum that has samples, and the array `order` with a sorted list of these
 * rows. Returns the number of rows. */
static uint32_t flat_order_rows(const struct maker *maker, struct pprofil_row *rows, struct ordered_row *order)
{
    const struct sums *sums = &maker->sums->sums;
    bool by_total = maker->options->by_total && maker->report->stacks;
    uint32_t count = 0;

    for (uint32_t i = 0; i < sums->count; i++) {
        const struct sum *sum = &sums->all[i];
        struct pprofil_row *row = &rows[count];
        if (sum->self.samples == 0 && sum->total.samples == 0) /* all samples of the sum were taken out again */
            continue;
        flat_make_row(maker, sum, row);
        order[count++] = (struct ordered_row){.first = by_total ? row->total_ns : row->ns,
                                              .second = by_total ? row->ns : row->total_ns,
                                              .row = row,
                                              .sum = sum};
    }
    if (count > 0)
        qsort(order, count, sizeof *order, flat_compare);
    return count;
}

/* Copies a row that the report shows, and adds the place where the row's function is defined. Looking up this place
 * takes long, so only rows that are shown get it. */
static int flat_show_row(const struct maker *maker, const struct ordered_row *from, struct pprofil_row *row)
{
    *row = *from->row;
    if (maker->symbolizer == NULL || maker->options->by != PPROFIL_BY_FUNCTION)
        return 0;
    int error = symbolizer_define(maker->symbolizer, from->sum->location);
    flat_make_row(maker, from->sum, row);
    return error;
}

static int flat_make_rows(const struct maker *maker)
{
    struct pprofil_report *report = maker->report;
    uint32_t count = maker->sums->sums.count, limit = maker->options->limit;
    struct pprofil_row *rows = calloc(count + 1u, sizeof *rows);
    struct ordered_row *order = calloc(count + 1u, sizeof *order);
    int error = rows == NULL || order == NULL ? -ENOMEM : 0;

    if (error == 0)
        report->total = flat_order_rows(maker, rows, order);
    report->count = limit != 0 && limit < report->total ? limit : report->total;
    report->rows = calloc(report->count + 1u, sizeof *report->rows);
    if (report->rows == NULL)
        error = -ENOMEM;
    for (uint32_t i = 0; error == 0 && i < report->count; i++)
        error = flat_show_row(maker, &order[i], &report->rows[i]);
    for (uint32_t i = report->count; error == 0 && i < report->total; i++)
        report->rest_ns += order[i].sum->self.ns;
    free(rows);
    free(order);
    return error;
}

/* Fills in a report. Rows have totals only if they are functions, lines or objects, and the profile has stacks. */
static int flat_fill(struct profile *profile, struct symbolizer *symbolizer,
                     const struct report_options *asked, struct pprofil_report *report)
{
    struct report_options options = *asked;
    struct flat_sums own = {0}, *sums = asked->sums != NULL ? asked->sums : &own;
    struct maker maker = {profile, symbolizer, &options, sums, report};
    bool is_code = options.by == PPROFIL_BY_FUNCTION || options.by == PPROFIL_BY_LINE ||
                   options.by == PPROFIL_BY_OBJECT;
    int error = 0;

    if (!options.live) {
        options.stacks = options.stacks && is_code && report_has_stacks(profile);
        options.no_inlines = options.no_inlines || !options.stacks;
        error = row_look_up(symbolizer, &options);
    }
    if (error == 0)
        error = flat_sums_update(sums, profile, &options);
    report->totals = profile->totals;
    report->stacks = options.stacks && is_code && (!options.live || sums->has_stacks);
    if (error == 0)
        error = flat_make_rows(&maker);
    flat_sums_settle(sums, profile);
    flat_sums_clear(&own);
    return error;
}

int report_flat(struct profile *profile, struct symbolizer *symbolizer,
                const struct report_options *options, struct pprofil_report **result)
{
    struct pprofil_report *report = calloc(1, sizeof *report);

    if (report == NULL)
        return -ENOMEM;
    int error = flat_fill(profile, symbolizer, options, report);
    if (error != 0) {
        pprofil_report_free(report);
        return error;
    }
    *result = report;
    return 0;
}

void pprofil_report_free(struct pprofil_report *report)
{
    if (report == NULL)
        return;
    free(report->rows);
    free(report);
}
