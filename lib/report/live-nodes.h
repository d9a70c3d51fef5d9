/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* live-nodes: the profile's own nodes, with their time and in the order of a tree. */
#ifndef PPROFIL_LIVE_NODES_H
#define PPROFIL_LIVE_NODES_H

#include "report/call-tree.h"

/* Arrays by index of the profile's nodes; 0 stands above all. */
struct live_nodes {
    struct call_total *self, *total; /* owned */
    uint32_t *child, *sibling;       /* owned; of nodes with time only; 0: none */
};

/* To be cleared, also after an error. 0 or -ENOMEM. */
int live_nodes_find(const struct profile *profile, const struct report_options *options,
                    struct live_nodes *nodes);
void live_nodes_clear(struct live_nodes *nodes);

#endif
