/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * live-calls: the call tree of a profile that grows, cheap enough for each refresh of a screen.
 * Only the largest rows are made, up to a limit, and nodes are merged by name only as far as these
 * rows need it. (A saved profile's tree, report/call-tree.h, merges all nodes: that takes 30 times
 * as long for a million nodes.)
 */
#ifndef PPROFIL_LIVE_CALLS_H
#define PPROFIL_LIVE_CALLS_H

#include "report/changed.h"
#include "report/report.h"

/* A node of the profile with its time. Nodes without time are not linked. */
struct live_node {
    struct amount self, total;
    uint32_t child, sibling; /* indexes; 0: there is none */
};

/* Kept from call to call. All 0 is empty. */
struct live_nodes {
    struct live_node *all; /* owned; by the profile's node. Node 0 stands above all */
    uint32_t count;
    struct added_samples added;
};

/* Brings nodes up to date, or makes them anew if the filter is another one. 0 or -ENOMEM; then they
 * are empty. */
int live_nodes_update(struct live_nodes *nodes, const struct profile *profile,
                      const struct report_options *options);
void live_nodes_clear(struct live_nodes *nodes);

struct live_calls {
    struct pprofil_live_call *rows; /* owned, parents first; texts are borrowed from the profile */
    uint32_t count;
    uint64_t ns, root_ns; /* of all samples that count; of those in the tree */
};

/* Makes the tree. options are BY_FUNCTION, and their limit is not 0. kind: CALLS, CALLERS or
 * CALLEES; function is the id of the row BY_FUNCTION of the function that the last two are about.
 * nodes are kept from call to call; the caller clears them and *calls, also after an error. 0 or
 * -ENOMEM. */
int live_calls_find(const struct profile *profile, const struct report_options *options,
                    enum pprofil_tree_kind kind, uint64_t function, struct live_nodes *nodes,
                    struct live_calls *calls);
void live_calls_clear(struct live_calls *calls);

#endif
