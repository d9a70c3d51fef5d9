/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * live-calls: who calls whom in a profile that still grows, cheap enough for each refresh of a
 * screen: what is merged and named is only the largest part of the tree, down to a number of rows.
 */
#ifndef PPROFIL_LIVE_CALLS_H
#define PPROFIL_LIVE_CALLS_H

#include "report/changed.h"
#include "report/report.h"

/* The nodes of the profile with their time, kept from call to call. Arrays are by index of the
 * profile's nodes; node 0 stands above all. All 0 is empty. */
struct live_nodes {
    struct amount *self, *total; /* owned */
    uint32_t *child, *sibling;   /* owned; of nodes with time only; 0: none */
    uint32_t self_count, total_count, child_count, sibling_count;
    struct added_samples added;
};

/* Brings nodes up to date. They may be of a report with another filter, which is what matters of
 * the options. 0 or -ENOMEM; then they are empty. */
int live_nodes_update(struct live_nodes *nodes, const struct profile *profile,
                      const struct report_options *options);
void live_nodes_clear(struct live_nodes *nodes);

struct live_calls {
    struct pprofil_live_call *rows; /* owned; texts are borrowed from the profile */
    uint32_t count;
    uint64_t ns, root_ns; /* of all that the filter lets through; of what is shown */
};

/* kind: CALLS; CALLERS and CALLEES of a function, by the id of its row. Of BY_FUNCTION options the
 * filter and live count; limit: rows, the largest of all, 0 not allowed. nodes go on from call to
 * call, and are all 0 for the first; the caller clears them. calls is to be cleared, also after an
 * error. 0 or -ENOMEM. */
int live_calls_find(const struct profile *profile, const struct report_options *options,
                    enum pprofil_tree_kind kind, uint64_t function, struct live_nodes *nodes,
                    struct live_calls *calls);
void live_calls_clear(struct live_calls *calls);

#endif
