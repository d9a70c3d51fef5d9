/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * call-tree: the stacks of a profile as a tree of units. A unit is a function, a line or an object. If the paths from
 * the root to several nodes of the profile have the same units, these nodes become one node of the tree. The units are
 * in a table of sums, with the keys of their rows in flat reports.
 */
#ifndef PPROFIL_CALL_TREE_H
#define PPROFIL_CALL_TREE_H

#include "report/sums.h"

#define CALL_TREE_NODES_MAX (UINT32_C(1) << 23) /* real profiles need far fewer nodes */

/* A node of a call tree. In the array of nodes, parents come before their children. Node 0 is the root, and has no
 * unit. */
struct call_node {
    uint32_t parent;         /* index of the node's parent */
    uint32_t unit;           /* index in the table of units */
    /* indexes of the node's first child, and of the next child of the node's parent; 0: none */
    uint32_t child, sibling;
    bool inlined;            /* the unit was inlined into the unit of the parent */
    bool closed;             /* nodes below this node were left out */
    /* amount of the samples whose innermost frame is this node. In trees of callers: the part of total in which the
     * unit at depth 0 itself ran */
    struct amount self;
    struct amount total; /* amount of the samples with the path to this node on their stack */
};

/* A call tree. An empty tree is all 0. */
struct call_tree {
    struct call_node *nodes; /* owned */
    uint32_t count;
    struct hash_index index; /* finds nodes by parent and unit */
};

/* Makes the top-down tree of all samples that count (row_counts). Adds the units of the tree, without amounts, to
 * units, which must be empty. The caller clears tree and units, also after an error. Returns 0, -ENOMEM, or -EOVERFLOW
 * if there are more than CALL_TREE_NODES_MAX nodes. */
int call_tree_build(const struct profile *profile, const struct report_options *options,
                    struct sums *units, struct call_tree *tree);
void call_tree_clear(struct call_tree *tree);

/* --- for trees that are made from another tree -------------------------------------------- */

/* Makes a tree that has only node 0. Returns 0 or -ENOMEM. */
int call_tree_begin(struct call_tree *tree);
/* Finds the child of the node parent that has this unit. If there is no such child, adds one. Returns 0 or an error of
 * call_tree_build. */
int call_tree_descend(struct call_tree *tree, uint32_t parent, uint32_t unit, uint32_t *node);
/* Sets the total of each node to the sum of self over the node and all nodes below it. */
void call_tree_sum(struct call_tree *tree);

/* --- from a function --------------------------------------------------------------------- */

/* The calls from which a tree starts. On each stack this is the outermost call of a wanted unit, so that each stack
 * counts once. */
struct call_roots {
    /* owned; indexed by node: node of the outermost wanted call on the node's stack; 0: none */
    uint32_t *root;
    /* owned; indexed by node, used only for roots: amount of the samples in which the root's unit itself ran, at the
     * root or below it */
    struct amount *own;
    struct amount again; /* amount of the stacks with more than one call of wanted units */
};

/* Finds the roots in a tree. wanted[i]: the tree starts from unit i. The caller clears roots.
 * Returns 0 or -ENOMEM. */
int call_roots_find(const struct call_tree *tree, const bool *wanted, struct call_roots *roots);
void call_roots_clear(struct call_roots *roots);

/* Makes the tree of the functions that the roots called. All roots of one unit become one node. Returns 0 or an error
 * of call_tree_build. */
int call_tree_callees(const struct call_tree *from, const struct call_roots *roots,
                      struct call_tree *tree);

/* Bounds of a bottom-up tree. */
struct call_bounds {
    uint64_t least_ns; /* ns; if the total of a node is less, the callers of the node are left out */
    uint32_t depth;    /* number of levels; 0: all */
};

/* Makes the bottom-up tree of the roots, of their callers, of the callers' callers, and so on. If roots is NULL, the
 * tree starts from all units that ran. The tree ends at the bounds, or earlier if making the tree takes some seconds.
 * The nodes at which the tree ends are closed. Returns 0 or an error of call_tree_build. */
int call_tree_callers(const struct call_tree *from, const struct call_roots *roots,
                      const struct call_bounds *bounds, struct call_tree *tree);

#endif
