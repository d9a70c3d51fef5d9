/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The figures of pprofil stat: their table, the order of processes, and totals. */
#include "config.h"

#include <stdlib.h>

#include "stat-report.h"

#define AT(member) offsetof(struct pprofil_usage, member)

/* text has three figures in a line */
static const struct stat_figure all_figures[] = {
    {"cpu_ns", "CPU time", AT(cpu_ns), STAT_TIME, false},
    {"user_ns", "user", AT(user_ns), STAT_TIME, false},
    {"system_ns", "system", AT(system_ns), STAT_TIME, false},
    {"run_delay_ns", "run delay", AT(run_delay_ns), STAT_TIME, false},
    {"voluntary_switches", "vol. switches", AT(voluntary_switches), STAT_COUNT, false},
    {"involuntary_switches", "inv. switches", AT(involuntary_switches), STAT_COUNT, false},
    {"max_rss_bytes", "max RSS", AT(max_rss), STAT_BYTES, true},
    {"minor_faults", "minor faults", AT(minor_faults), STAT_COUNT, false},
    {"major_faults", "major faults", AT(major_faults), STAT_COUNT, false},
    {"read_bytes", "read", AT(read_bytes), STAT_BYTES, false},
    {"read_calls", "read calls", AT(read_calls), STAT_COUNT, false},
    {"storage_read_bytes", "from storage", AT(storage_read_bytes), STAT_BYTES, false},
    {"written_bytes", "written", AT(written_bytes), STAT_BYTES, false},
    {"write_calls", "write calls", AT(write_calls), STAT_COUNT, false},
    {"storage_written_bytes", "to storage", AT(storage_written_bytes), STAT_BYTES, false},
};
#define FIGURES (sizeof all_figures / sizeof *all_figures)

const struct stat_figure *stat_figure_at(unsigned i)
{
    return i < FIGURES ? &all_figures[i] : NULL;
}

uint64_t stat_figure_value(const struct stat_figure *figure, const struct pprofil_usage *usage)
{
    return *(const uint64_t *)((const char *)usage + figure->offset);
}

/* The most CPU time first. Processes whose CPU time is not known come last. */
static int stat_compare(const void *left, const void *right)
{
    const struct pprofil_usage *one = left, *other = right;
    uint64_t cpu = one->cpu_ns + 1, other_cpu = other->cpu_ns + 1; /* makes PPROFIL_UNKNOWN the lowest value */

    if (cpu != other_cpu)
        return cpu > other_cpu ? -1 : 1;
    return one->pid < other->pid ? -1 : one->pid > other->pid;
}

/* Returns the total of a figure. A sum is known only if all its parts are. The largest value is taken of those that are
 * known. */
static uint64_t stat_total(const struct stat_figure *figure, const struct pprofil_usage *usages, uint32_t count)
{
    uint64_t total = figure->largest ? PPROFIL_UNKNOWN : 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = stat_figure_value(figure, &usages[i]);
        if (!figure->largest)
            total = value == PPROFIL_UNKNOWN || total == PPROFIL_UNKNOWN ? PPROFIL_UNKNOWN : total + value;
        else if (value != PPROFIL_UNKNOWN && (total == PPROFIL_UNKNOWN || value > total))
            total = value;
    }
    return total;
}

static uint32_t stat_total_threads(const struct pprofil_usage *usages, uint32_t count)
{
    uint32_t threads = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (usages[i].threads == 0)
            return 0;
        threads += usages[i].threads;
    }
    return threads;
}

void stat_figures_make(struct stat_figures *figures, struct pprofil_usage *usages, uint32_t count, uint32_t limit)
{
    qsort(usages, count, sizeof *usages, stat_compare);
    *figures = (struct stat_figures){.usages = usages, .count = count, .shown = count};
    if (limit > 0 && limit < count)
        figures->shown = limit;
    figures->total.status = -1;
    figures->total.threads = stat_total_threads(usages, count);
    for (unsigned i = 0; i < FIGURES; i++)
        *(uint64_t *)((char *)&figures->total + all_figures[i].offset) = stat_total(&all_figures[i], usages, count);
}
