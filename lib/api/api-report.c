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
    int error = api_need_symbolizer(profile);

    return error == 0 ? report_flat(profile->profile, profile->symbolizer, &options, result)
                      : error;
}

bool pprofil_report_has_totals(const pprofil_report *report)
{
    return report->stacks;
}

uint32_t pprofil_report_count(const pprofil_report *report)
{
    return report->count;
}

uint32_t pprofil_report_all(const pprofil_report *report, uint64_t *rest_ns)
{
    if (rest_ns != NULL)
        *rest_ns = report->rest_ns;
    return report->total;
}

void pprofil_report_row(const pprofil_report *report, uint32_t i, struct pprofil_row *row,
                        size_t size)
{
    api_copy(row, size, &report->rows[i], sizeof report->rows[i]);
}
