/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf.data's row in the table of formats. */
#include "config.h"

#include <string.h>

#include "format/perf-data.h"

/* Of either byte order, and of a pipe: the reader says what it does not take. */
static bool matches(const unsigned char *head, size_t size, uint64_t all)
{
    (void)all;
    return size >= 8 && (memcmp(head, PERF_MAGIC, 8) == 0 || memcmp(head, "2ELIFREP", 8) == 0);
}

const struct format format_perf_data = {
    .name = "perf.data",
    .extensions = "perf.data .perf.data",
    .summary = "of perf(1); keeps stacks and objects, loses names and system calls",
    .matches = matches,
    .read = perf_data_read,
    .write = perf_data_write,
};
