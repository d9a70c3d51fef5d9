/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a sample has more goes up its stack; a node joins the tree with its first. */
#include "config.h"

#include <stdlib.h>

#include "report/live-nodes.h"

static int live_nodes_make_room(struct live_nodes *nodes, uint32_t count)
{
    int error = live_grow(&nodes->self, &nodes->self_count, count, sizeof *nodes->self);

    if (error == 0)
        error = live_grow(&nodes->total, &nodes->total_count, count, sizeof *nodes->total);
    if (error == 0)
        error = live_grow(&nodes->child, &nodes->child_count, count, sizeof *nodes->child);
    if (error == 0)
        error = live_grow(&nodes->sibling, &nodes->sibling_count, count, sizeof *nodes->sibling);
    return error;
}

static void live_nodes_add(struct live_nodes *nodes, const struct profile *profile, uint32_t leaf,
                           const struct call_total *more)
{
    live_add(&nodes->self[leaf], more);
    for (uint32_t node = leaf; node != PROFILE_NONE; node = profile->nodes[node].parent) {
        uint32_t parent = profile->nodes[node].parent;
        if (nodes->total[node].samples == 0) {
            nodes->sibling[node] = nodes->child[parent];
            nodes->child[parent] = node;
        }
        live_add(&nodes->total[node], more);
    }
    live_add(&nodes->total[PROFILE_NONE], more);
}

int live_nodes_update(struct live_nodes *nodes, const struct profile *profile,
                      const struct report_options *options)
{
    struct call_total more;

    if (!live_samples_go_on(&nodes->samples, profile, &options->filter)) {
        live_nodes_clear(nodes);
        live_samples_begin(&nodes->samples, profile, &options->filter);
    }
    int error = live_samples_grow(&nodes->samples, profile);
    if (error == 0)
        error = live_nodes_make_room(nodes, profile->node_count);
    if (error != 0) {
        live_nodes_clear(nodes);
        return error;
    }
    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (live_samples_more(&nodes->samples, profile, options, i, &more)) {
            live_samples_take(&nodes->samples, i, &more);
            live_nodes_add(nodes, profile, profile->samples[i].node, &more);
        }
    return 0;
}

void live_nodes_clear(struct live_nodes *nodes)
{
    free(nodes->self);
    free(nodes->total);
    free(nodes->child);
    free(nodes->sibling);
    live_samples_clear(&nodes->samples);
    *nodes = (struct live_nodes){0};
}
