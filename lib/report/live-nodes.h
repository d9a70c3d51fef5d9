/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* live-nodes: the profile's own nodes, with their time and in the order of a tree, which go on as
 * live-sums do. */
#ifndef PPROFIL_LIVE_NODES_H
#define PPROFIL_LIVE_NODES_H

#include "report/live-samples.h"

/* Arrays by index of the profile's nodes; 0 stands above all. */
struct live_nodes {
    struct call_total *self, *total; /* owned */
    uint32_t *child, *sibling;       /* owned; of nodes with time only; 0: none */
    uint32_t self_count, total_count, child_count, sibling_count;
    struct live_samples samples;     /* that are in them */
};

/* Brings nodes up to date: they may be all 0, or of a report with another filter, which is what
 * counts of the options. 0 or -ENOMEM: then they are all 0. */
int live_nodes_update(struct live_nodes *nodes, const struct profile *profile,
                      const struct report_options *options);
void live_nodes_clear(struct live_nodes *nodes);

#endif
