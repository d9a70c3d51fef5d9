/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* changed: finds what has not been added to sums yet in a growing profile: the new time of each sample, and the nodes
 * on the stacks of samples with new time. */
#ifndef PPROFIL_CHANGED_H
#define PPROFIL_CHANGED_H

#include "report/sums.h"

/* --- samples ----------------------------------------------------------------------------- */

/* How much of each sample has been added to sums already. */
struct added_samples {
    struct report_filter filter; /* the filter that the samples had to pass */
    bool wall;                   /* true: the sums are of elapsed time; false: of CPU time */
    uint32_t clears;             /* the value that profile->clears had when added_begin was called */
    struct amount *amounts;      /* owned; indexed by sample: amount that has been added */
    uint32_t count;
};

/* Returns true if the sums must be made again, because the filter or the mode (CPU time or elapsed time) has changed,
 * or because the profile was cleared. */
bool added_is_other(const struct added_samples *added, const struct profile *profile,
                    const struct report_filter *filter);
/* Clears *added. Then copies the filter, profile->totals.wall and profile->clears into it. */
void added_begin(struct added_samples *added, const struct profile *profile, const struct report_filter *filter);
/* Makes room for all samples of the profile. Returns 0 or -ENOMEM. */
int added_grow(struct added_samples *added, const struct profile *profile);
/* Writes to *more the part of a sample that has not been added yet. Returns false if this part is 0, or if the sample
 * does not count. */
bool added_more(const struct added_samples *added, const struct profile *profile,
                const struct report_options *options, uint32_t sample, struct amount *more);
void added_clear(struct added_samples *added);

/* --- nodes ------------------------------------------------------------------------------- */

struct changed_node;

/* The nodes that have new samples, and the callers of these nodes up to the root. An empty structure is all 0. */
struct changed_nodes {
    struct changed_node *nodes; /* owned; the first is the root, above all outermost frames */
    uint32_t count;
    /* owned; indexed by node of the profile: index of this node in the array `nodes`; 0: the node has not changed */
    uint32_t *places;
    uint32_t place_count;
};

/* The functions that a walk calls for each changed node. `node` is the index of this node in the profile. */
struct changed_visitor {
    /* called before the walk visits the nodes below this node; returns 0 or a negative errno */
    int (*enter)(void *context, uint32_t node);
    /* called after the walk has visited the nodes below this node; `total` includes those nodes */
    void (*leave)(void *context, uint32_t node, const struct amount *self, const struct amount *total);
};

/* Adds new samples whose innermost frame is the node `node`. Returns 0 or -ENOMEM. */
int changed_add(struct changed_nodes *changed, const struct profile *profile, uint32_t node, const struct amount *more);
/* Walks over all changed nodes, adds their samples and time to *all, and removes the nodes. The walk does not recurse,
 * because files may have stacks of any depth. If the function `enter` fails, the walk stops and returns its error.
 * Otherwise the walk returns 0. */
int changed_walk(struct changed_nodes *changed, const struct changed_visitor *visitor,
                 void *context, struct amount *all);
void changed_clear(struct changed_nodes *changed);

#endif
