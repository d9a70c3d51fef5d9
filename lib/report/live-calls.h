/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * live-calls: makes the call tree of a growing profile, fast enough to make it again for each refresh of a screen.
 *
 * The tree has only the largest rows, up to a limit, and only the nodes of these rows are merged by name. The tree of a
 * saved profile (report/call-tree.h) merges all nodes, which takes 30 times as long for a million nodes.
 */
#ifndef PPROFIL_LIVE_CALLS_H
#define PPROFIL_LIVE_CALLS_H

#include "report/changed.h"
#include "report/report.h"

/* A node of the profile, and its time. Nodes without time are not in the lists of children. */
struct live_node {
    struct amount self, total;
    /* indexes of the node's first child, and of the next child of the node's parent; 0: none */
    uint32_t child, sibling;
};

/* The nodes of a profile. The caller keeps this structure between calls. An empty structure is all 0. */
struct live_nodes {
    struct live_node *all; /* owned; indexed by node of the profile; node 0 is the root */
    uint32_t count;
    struct added_samples added;
};

/* Adds the new samples of the profile to *nodes. Starts again with all samples if the filter or the mode (CPU time or
 * elapsed time) has changed, or if the profile was cleared. Returns 0 or -ENOMEM, which leaves *nodes empty. */
int live_nodes_update(struct live_nodes *nodes, const struct profile *profile, const struct report_options *options);
void live_nodes_clear(struct live_nodes *nodes);

struct live_calls {
    /* owned, parents before children; the texts in the rows are borrowed from the profile */
    struct pprofil_live_call *rows;
    uint32_t count;
    /* time of all samples that count, and time of the samples in the tree, ns */
    uint64_t ns, root_ns;
};

/* Makes a call tree of functions: options->by is PPROFIL_BY_FUNCTION, and options->limit is above 0. `kind` is not
 * PPROFIL_TREE_INVERTED. A tree of callers or callees starts from one function; `function` is the id of this function's
 * row in a report by function. The caller may use *nodes again in the next call. It clears *nodes and *calls, also
 * after an error. Returns 0 or -ENOMEM. */
int live_calls_find(const struct profile *profile, const struct report_options *options, enum pprofil_tree_kind kind,
                    uint64_t function, struct live_nodes *nodes, struct live_calls *calls);
void live_calls_clear(struct live_calls *calls);

#endif
