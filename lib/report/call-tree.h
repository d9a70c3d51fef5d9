/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * call-tree: stacks as a tree of what their frames are summed by: functions, lines or objects
 * ("units"). A unit is a sum with the key of its flat row.
 */
#ifndef PPROFIL_CALL_TREE_H
#define PPROFIL_CALL_TREE_H

#include "report/report.h"
#include "report/sums.h"

#define CALL_TREE_NODES_MAX (UINT32_C(1) << 23) /* nodes: no real profile comes near */

struct call_total {
    uint64_t samples, ns;
};

/* Parents come before their children. Node 0 stands above all; it has no unit. */
struct call_node {
    uint32_t parent;         /* index */
    uint32_t unit;           /* index */
    uint32_t child, sibling; /* the first of its own, the next of its parent's; 0: none */
    bool inlined;            /* into its parent */
    bool closed;             /* there is more below, which was not followed */
    struct call_total self;  /* of samples that end here; bottom-up: in which the root itself ran */
    struct call_total total; /* of samples that come through here */
};

struct call_tree {
    struct call_node *nodes; /* owned */
    uint32_t count;
    uint32_t *slots; /* owned: a hash of indexes by parent and unit; 0: free */
    uint32_t size;   /* of it: a power of two, or 0 */
};

/* Looks up what the names of frames take. symbolizer may be NULL. 0 or -ENOMEM. */
int call_tree_look_up(struct symbolizer *symbolizer, const struct report_options *options);

/* Top-down, of all samples that count. units has to be empty, gets a sum for each, with the time
 * of its own, and is to be cleared by the caller, as is the tree, also after an error. 0, -ENOMEM,
 * or -EOVERFLOW: there are more than CALL_TREE_NODES_MAX nodes. */
int call_tree_build(const struct profile *profile, const struct report_options *options,
                    struct sums *units, struct call_tree *tree);

/* Adds up for each unit (totals: so many, all 0) the time of samples with it anywhere on their
 * stack, each counted once. tree is a top-down one. 0 or -ENOMEM. */
int call_tree_totals(const struct call_tree *tree, uint32_t unit_count, struct call_total *totals);

void call_tree_clear(struct call_tree *tree);

/* --- for what makes other trees of one --------------------------------------------------- */

/* An empty one, with room for about so many nodes. 0 or -ENOMEM. */
int call_tree_begin(struct call_tree *tree, uint32_t expected);
/* The child of a node with this unit, which is made if it is new. Errors as call_tree_build. */
int call_tree_descend(struct call_tree *tree, uint32_t parent, uint32_t unit, uint32_t *node);
/* Makes totals of what nodes have of their own. */
void call_tree_sum(struct call_tree *tree);

/* --- from a function --------------------------------------------------------------------- */

/* Which calls a tree is about: of stacks with a wanted unit the outermost such call, so that each
 * stack counts once. */
struct call_roots {
    uint32_t *root;          /* owned: of each node the outermost wanted one at or above it; 0 */
    struct call_total *own;  /* owned: of each root, time in which its unit itself ran */
    struct call_total again; /* time of stacks that have wanted units more than once */
};

int call_roots_find(const struct call_tree *tree, const bool *wanted, struct call_roots *roots);
void call_roots_clear(struct call_roots *roots);

/* What the roots called, all calls of one unit together. Errors as call_tree_build. */
int call_tree_callees(const struct call_tree *from, const struct call_roots *roots,
                      struct call_tree *tree);

/* Where bottom-up trees end. */
struct call_bounds {
    uint64_t least_ns; /* callers of less than this are not looked for */
    uint32_t depth;    /* levels; 0: all */
};

/* Who called the roots (NULL: whatever ran itself), and so on upwards. Nodes below which there
 * is more than the bounds let through, or than can be had in reasonable time, are closed. */
int call_tree_callers(const struct call_tree *from, const struct call_roots *roots,
                      const struct call_bounds *bounds, struct call_tree *tree);

#endif
