/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pprof format's row in the table, and the totals that both directions know. */
#include "config.h"

#include <stddef.h>

#include "format/pprof.h"

#define TOTAL(name) {#name, offsetof(struct profile_totals, name)}

const struct pprof_total pprof_totals[] = {
    TOTAL(elapsed_ns), TOTAL(target_cpu_ns), TOTAL(stopped_ns), TOTAL(supervisor_cpu_ns),
    TOTAL(ticks),      TOTAL(lost),          TOTAL(throttled_ns), TOTAL(repaired),
    {NULL, 0},
};

/* gzip, or a message whose first field is a sample type. */
static bool matches(const unsigned char *head, size_t size)
{
    return size >= 2 && ((head[0] == 0x1f && head[1] == 0x8b) || head[0] == 0x0a);
}

const struct format format_pprof = {
    .name = "pprof",
    .extensions = ".pb.gz .pprof .pb",
    .summary = "pprof's profile.proto, gzip'd; keeps everything",
    .matches = matches,
    .read = pprof_read,
    .write = pprof_write,
};
