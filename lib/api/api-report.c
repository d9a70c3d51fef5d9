/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports as pprofil.h shows them. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"

int pprofil_report_new(pprofil_profile *profile, const struct pprofil_report_options *asked,
                       pprofil_report **result)
{
    struct pprofil_report_options all = {0};

    if (asked != NULL)
        api_copy(&all, sizeof all, asked, asked->size);
    struct report_options options = {.limit = all.limit,
                                     .stacks = all.totals,
                                     .by_total = all.by_total,
                                     .no_inlines = all.no_inlines};
    if (!report_is_grouping(all.by))
        return -EINVAL;
    options.by = all.by;
    struct pprofil_report *report = calloc(1, sizeof *report);
    if (report == NULL)
        return -ENOMEM;

    int error = api_need_symbolizer(profile);
    if (error == 0)
        error = report_flat(profile->profile, profile->symbolizer, &options, &report->report);
    if (error != 0) {
        free(report);
        return error;
    }
    *result = report;
    return 0;
}

bool pprofil_report_has_totals(const pprofil_report *report)
{
    return report->report->stacks;
}

void pprofil_report_free(pprofil_report *report)
{
    if (report == NULL)
        return;
    report_free(report->report);
    free(report);
}

uint32_t pprofil_report_count(const pprofil_report *report)
{
    return report->report->count;
}

uint32_t pprofil_report_all(const pprofil_report *report, uint64_t *rest_ns)
{
    if (rest_ns != NULL)
        *rest_ns = report->report->rest_ns;
    return report->report->total;
}

struct pprofil_row api_row(const struct report_row *from)
{
    return (struct pprofil_row){
        .name = from->name,
        .object = from->object,
        .file = from->file,
        .line = from->line,
        .pid = from->pid,
        .tid = from->tid,
        .samples = from->samples,
        .ns = from->ns,
        .share = from->share,
        .error95 = from->error95,
        .id = from->id,
        .pending = from->pending,
        .hottest = from->hottest,
        .total_samples = from->total_samples,
        .total_ns = from->total_ns,
        .total_share = from->total_share,
        .total_error95 = from->total_error95,
    };
}

void pprofil_report_row(const pprofil_report *report, uint32_t i, struct pprofil_row *row,
                        size_t size)
{
    struct pprofil_row all = api_row(&report->report->rows[i]);

    api_copy(row, size, &all, sizeof all);
}
