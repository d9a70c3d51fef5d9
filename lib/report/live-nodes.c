/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A few passes over arrays, without a hash: parents come before their children, so that totals
 * go up from the last node to the first.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "report/flat.h"
#include "report/live-nodes.h"

static void add(struct call_total *to, const struct call_total *more)
{
    to->samples += more->samples;
    to->ns += more->ns;
}

static void add_samples(const struct profile *profile, const struct report_options *options,
                        struct live_nodes *nodes)
{
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        if (flat_counts(profile, options, sample))
            add(&nodes->self[sample->node],
                &(struct call_total){sample->count, report_ns(profile, sample)});
    }
}

static void sum_up(const struct profile *profile, struct live_nodes *nodes)
{
    for (uint32_t i = profile->node_count - 1; i > 0; i--) {
        uint32_t parent = profile->nodes[i].parent;
        add(&nodes->total[i], &nodes->self[i]);
        if (nodes->total[i].samples == 0)
            continue;
        add(&nodes->total[parent], &nodes->total[i]);
        nodes->sibling[i] = nodes->child[parent];
        nodes->child[parent] = i;
    }
}

int live_nodes_find(const struct profile *profile, const struct report_options *options,
                    struct live_nodes *nodes)
{
    size_t count = profile->node_count;

    *nodes = (struct live_nodes){.self = calloc(count, sizeof *nodes->self),
                                 .total = calloc(count, sizeof *nodes->total),
                                 .child = calloc(count, sizeof *nodes->child),
                                 .sibling = calloc(count, sizeof *nodes->sibling)};
    if (nodes->self == NULL || nodes->total == NULL || nodes->child == NULL ||
        nodes->sibling == NULL)
        return -ENOMEM;
    add_samples(profile, options, nodes);
    sum_up(profile, nodes);
    return 0;
}

void live_nodes_clear(struct live_nodes *nodes)
{
    free(nodes->self);
    free(nodes->total);
    free(nodes->child);
    free(nodes->sibling);
    *nodes = (struct live_nodes){0};
}
