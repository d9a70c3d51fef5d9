/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * changed: what a profile that grows has more than was added to sums before: of each sample, and of
 * the nodes of its stack.
 */
#ifndef PPROFIL_CHANGED_H
#define PPROFIL_CHANGED_H

#include "report/sums.h"

/* --- samples ----------------------------------------------------------------------------- */

/* How much of each sample is in sums already. */
struct added_samples {
    struct report_filter filter; /* of the samples that count */
    bool wall;                   /* elapsed time is summed */
    uint32_t clears;             /* as in the profile */
    struct amount *amounts;      /* owned; by sample */
    uint32_t count;
};

/* Do the sums hold samples that a report with this filter would not count? Then they have to be
 * made anew. Sums that are all 0 hold none. */
bool added_is_other(const struct added_samples *added, const struct profile *profile,
                    const struct report_filter *filter);
/* Begins with nothing added. added may be all 0, or hold something. */
void added_begin(struct added_samples *added, const struct profile *profile,
                 const struct report_filter *filter);
/* Makes room for all samples of the profile. 0 or -ENOMEM. */
int added_grow(struct added_samples *added, const struct profile *profile);
/* Gives in *more what has not been added of a sample; false: nothing, or the sample does not
 * count. */
bool added_more(const struct added_samples *added, const struct profile *profile,
                const struct report_options *options, uint32_t sample, struct amount *more);
void added_clear(struct added_samples *added);

/* --- nodes ------------------------------------------------------------------------------- */

struct changed_node;

/* The nodes that have new samples, and all nodes above these. All 0 is empty. */
struct changed_nodes {
    struct changed_node *nodes; /* owned; the first stands above all */
    uint32_t count;
    uint32_t *places; /* owned; by the profile's node its place in nodes; 0: it has not changed */
    uint32_t place_count;
};

/* What a walk does at the nodes, by their index in the profile. */
struct changed_visitor {
    int (*enter)(void *context, uint32_t node); /* on the way down; 0 or a negative errno */
    void (*leave)(void *context, uint32_t node, const struct amount *self,
                  const struct amount *total); /* on the way up */
};

/* Adds samples to those of a node's own. An amount may be less than nothing, as unsigned numbers
 * can be. 0 or -ENOMEM. */
int changed_add(struct changed_nodes *changed, const struct profile *profile, uint32_t node,
                const struct amount *more);
/* Walks over all that has changed, adds it to *all, and forgets it. It recurses nowhere: files may
 * have stacks of any depth. 0, or what enter returned; then nodes are left that were entered. */
int changed_walk(struct changed_nodes *changed, const struct changed_visitor *visitor,
                 void *context, struct amount *all);
void changed_clear(struct changed_nodes *changed);

#endif
