/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computes what a process has used from what the kernel has counted at its beginning and at its end. Reads no files. */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "supervisor/usage-settle.h"

uint64_t usage_since(uint64_t count, uint64_t base)
{
    if (count == WIRE_UNKNOWN || base == WIRE_UNKNOWN)
        return WIRE_UNKNOWN;
    return count > base ? count - base : 0;
}

void usage_forget_figures(struct wire_usage *figures)
{
    size_t known = offsetof(struct wire_usage, cpu_ns);

    memset((unsigned char *)figures + known, 0xff, sizeof *figures - known); /* WIRE_UNKNOWN has all bits set */
}

/* Finds out for which children the process has waited since it was followed: for all that have ended here, or for none.
 * Only a child that vfork(2) has made, and that execs nothing, may end without page faults. Returns what the children
 * have used; NULL: not known. */
static const struct usage_sums *usage_waited_for(const struct process_usage *usage, const struct procfs_usage *end)
{
    static const struct usage_sums none = {.io.known = true};
    uint64_t minor = usage_since(end->children_minor_faults, usage->base.children_minor_faults);
    uint64_t major = usage_since(end->children_major_faults, usage->base.children_major_faults);

    if (minor == usage->children.minor_faults && major == usage->children.major_faults)
        return &usage->children;
    return minor == 0 && major == 0 ? &none : NULL;
}

/* Divides the CPU time into user and system time, in the proportion of the two other times. */
static void usage_split_cpu(struct wire_usage *figures, uint64_t user, uint64_t system)
{
    double sum = (double)user + (double)system;

    if (figures->cpu_ns == WIRE_UNKNOWN || (sum == 0 && figures->cpu_ns > 0))
        return;
    figures->user_ns = sum == 0 ? 0 : (uint64_t)((double)figures->cpu_ns * ((double)user / sum));
    figures->system_ns = figures->cpu_ns - figures->user_ns;
}

static void usage_settle_io(struct wire_usage *figures, const struct procfs_io *end, const struct procfs_io *base,
                            const struct procfs_io *waited)
{
    if (!end->known || !base->known || !waited->known)
        return;
    figures->read_bytes = usage_since(end->read_bytes, base->read_bytes + waited->read_bytes);
    figures->written_bytes = usage_since(end->written_bytes, base->written_bytes + waited->written_bytes);
    figures->read_calls = usage_since(end->read_calls, base->read_calls + waited->read_calls);
    figures->write_calls = usage_since(end->write_calls, base->write_calls + waited->write_calls);
    figures->storage_read_bytes = usage_since(end->storage_read_bytes,
                                              base->storage_read_bytes + waited->storage_read_bytes);
    figures->storage_written_bytes = usage_since(end->storage_written_bytes,
                                                 base->storage_written_bytes + waited->storage_written_bytes);
}

/* Returns the maximum resident set size of a process that has ended, in KiB. wait(2) reports the largest of its own and
 * those of the children for which it has waited. So its own is known only if it is larger than theirs. 0: not known. */
static uint64_t usage_own_rss(const struct process_usage *usage, const struct usage_sums *both,
                              const struct usage_sums *waited)
{
    bool earlier = usage->base.children_minor_faults > 0; /* it may have waited for children before it was followed */

    if (waited == NULL || earlier || both->max_rss_kb <= waited->max_rss_kb || both->max_rss_kb <= usage->launch_rss_kb)
        return 0;
    return both->max_rss_kb;
}

void usage_settle(struct process_usage *usage, const struct procfs_usage *end, uint64_t cpu_ns,
                  const struct usage_sums *both, uint64_t max_rss_kb)
{
    const struct usage_sums *waited = usage_waited_for(usage, end);
    struct wire_usage *figures = &usage->figures;

    usage_forget_figures(figures);
    usage->settled = true;
    memcpy(figures->comm, end->comm, sizeof figures->comm);
    figures->ppid = (uint32_t)end->parent;
    figures->cpu_ns = usage_since(cpu_ns, usage->base_cpu_ns);
    if (both != NULL && waited != NULL && !usage->attached)
        usage_split_cpu(figures, usage_since(both->user_us, waited->user_us),
                        usage_since(both->system_us, waited->system_us));
    else
        usage_split_cpu(figures, usage_since(end->user_ticks, usage->base.user_ticks),
                        usage_since(end->system_ticks, usage->base.system_ticks));
    figures->minor_faults = usage_since(end->minor_faults, usage->base.minor_faults);
    figures->major_faults = usage_since(end->major_faults, usage->base.major_faults);
    if (waited != NULL)
        usage_settle_io(figures, &end->io, &usage->base.io, &waited->io);
    if (both != NULL)
        max_rss_kb = usage_own_rss(usage, both, waited);
    if (max_rss_kb > 0)
        figures->max_rss = max_rss_kb * 1024;
}
