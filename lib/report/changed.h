/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* changed: what is new in a profile that grows, since it was last added to sums: the new time of
 * each sample, and the nodes of the profile that have new samples. */
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

/* Returns true if the sums are of another filter, of another mode, or of a time before a clear.
 * Then they have to be made anew. */
bool added_is_other(const struct added_samples *added, const struct profile *profile,
                    const struct report_filter *filter);
/* Begins anew, with nothing added. */
void added_begin(struct added_samples *added, const struct profile *profile,
                 const struct report_filter *filter);
/* Makes room for all samples of the profile. 0 or -ENOMEM. */
int added_grow(struct added_samples *added, const struct profile *profile);
/* Gives in *more what has not been added of a sample. Returns false if that is nothing, or if the
 * sample does not count. */
bool added_more(const struct added_samples *added, const struct profile *profile,
                const struct report_options *options, uint32_t sample, struct amount *more);
void added_clear(struct added_samples *added);

/* --- nodes ------------------------------------------------------------------------------- */

struct changed_node;

/* The nodes that have new samples, and all nodes above these. All 0 is empty. */
struct changed_nodes {
    struct changed_node *nodes; /* owned; the first stands above all */
    uint32_t count;
    uint32_t *places; /* owned; by node of the profile, its place in nodes; 0: unchanged */
    uint32_t place_count;
};

/* What a walk does at the nodes, by their index in the profile. */
struct changed_visitor {
    int (*enter)(void *context, uint32_t node); /* on the way down; 0 or a negative errno */
    void (*leave)(void *context, uint32_t node, const struct amount *self,
                  const struct amount *total); /* on the way up */
};

/* Adds new samples of a node itself. more may be negative: its numbers wrap around. 0 or
 * -ENOMEM. */
int changed_add(struct changed_nodes *changed, const struct profile *profile, uint32_t node,
                const struct amount *more);
/* Walks over all changed nodes, adds their time to *all, and forgets them. Nothing recurses: files
 * may have stacks of any depth. 0, or what enter returned: then the walk has stopped there. */
int changed_walk(struct changed_nodes *changed, const struct changed_visitor *visitor,
                 void *context, struct amount *all);
void changed_clear(struct changed_nodes *changed);

#endif
