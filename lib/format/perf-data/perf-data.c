/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf.data's row in the table of formats. */
#include "config.h"

#include <string.h>

#include "format/perf-data/perf-data.h"

/* Matches files of either byte order, and those that were written for a pipe. The reader says which it does not
 * take. */
static bool perf_data_matches(const unsigned char *head, size_t size, uint64_t all)
{
    (void)all;
    return size >= 8 && (memcmp(head, PERF_MAGIC, 8) == 0 || memcmp(head, "2ELIFREP", 8) == 0);
}

const struct format format_perf_data = {
    .name = "perf.data",
    .extensions = "perf.data .perf.data",
    .summary = "of perf: report, script, annotate, diff; also for hotspot",
    .keeps = "stacks of addresses, objects with build-ids, marks, processes and "
             "threads, sample counts (up to 1048576), times, the rate in whole hertz, "
             "the command",
    .loses = "names and lines (looked up again), callers beyond the 8000th, system "
             "calls, states, CPU time in a profile of elapsed time, totals",
    .matches = perf_data_matches,
    .read = perf_data_read,
    .write = perf_data_write,
};
