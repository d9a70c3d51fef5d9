/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Live views: when rows spent their time. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "live/live-internal.h"

void pprofil_live_times(const pprofil_live *live, struct pprofil_live_times *times, size_t size)
{
    const struct profile_history *history = &live->profile->history;
    struct pprofil_live_times all = {.length_ns = history_length(history), .slot_ns = history->slot_ns};

    if (history->slot_ns != 0)
        all.start_ns = history->start - live->profile->clock_offset;
    memcpy(times, &all, size < sizeof all ? size : sizeof all);
}

int pprofil_live_row_times(pprofil_live *live, enum pprofil_by by, const struct pprofil_filter *filter,
                           const pprofil_report *report, const struct pprofil_columns *asked, uint64_t *ns)
{
    const struct report_columns columns = {asked->from_ns, asked->to_ns, asked->count};
    struct report_options options = {.by = by, .live = true, .stacks = true, .no_inlines = !live->inlines};

    if (!report_is_grouping(by) || columns.from_ns >= columns.to_ns || columns.count == 0)
        return -EINVAL;
    int error = live_filter(live, filter, &options.filter);
    return error == 0 ? report_row_times(live->profile, &options, report, &columns, ns) : error;
}
