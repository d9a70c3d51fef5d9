/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * call-tree: the stacks of a profile as a tree of units. A unit is a function, a line or an object. If the ways from
 * the root to several nodes of the profile lead through the same units, these nodes become one node of the tree. The
 * units are kept in a table of sums (sums.h), which uses the same keys for them as for the rows of flat reports.
 */
#ifndef PPROFIL_CALL_TREE_H
#define PPROFIL_CALL_TREE_H

#include "report/sums.h"

/* the largest number of nodes of a tree; real profiles need far fewer */
#define CALL_TREE_NODES_MAX (UINT32_C(1) << 23)

/* A node of a call tree. In the array of nodes, parents come before their children. Node 0 is the root, and has no
 * unit. */
struct call_node {
    uint32_t parent;         /* index of the node's parent */
    uint32_t unit;           /* index of the node's unit in the table of units */
    /* indexes of the node's first child, and of the next child of the node's parent; 0: none */
    uint32_t child, sibling;
    bool inlined;            /* the unit was inlined into the unit of the parent node */
    bool closed;             /* the nodes below this node were left out */
    /* amount of the samples whose innermost frame is this node. In a tree of callers, which starts from a function: the
     * part of `total` in which this function itself ran, and not its callees */
    struct amount self;
    struct amount total; /* amount of the samples whose stacks contain the path from the root to this node */
};

/* A call tree. An empty tree is all 0. */
struct call_tree {
    struct call_node *nodes; /* owned */
    uint32_t count;
    struct hash_index index; /* finds nodes by parent and unit */
};

/* Makes the top-down tree of all samples that count (row_counts). Adds the units of the tree, without amounts, to the
 * table *units, which must be empty. The caller clears *tree and *units, also after an error. Returns 0, -ENOMEM, or
 * -EOVERFLOW if there are more than CALL_TREE_NODES_MAX nodes. */
int call_tree_build(const struct profile *profile, const struct report_options *options,
                    struct sums *units, struct call_tree *tree);
void call_tree_clear(struct call_tree *tree);

/* --- for trees that are made from another tree -------------------------------------------- */

/* Makes a tree that has only node 0. Returns 0 or -ENOMEM. */
int call_tree_begin(struct call_tree *tree);
/* Finds the child of the node `parent` that has the unit `unit`. If there is no such child, adds it. Returns 0 or an
 * error of call_tree_build. */
int call_tree_descend(struct call_tree *tree, uint32_t parent, uint32_t unit, uint32_t *node);
/* Sets the total of each node to the sum of the fields `self` of the node and of all nodes below it. */
void call_tree_sum(struct call_tree *tree);

/* --- from a function --------------------------------------------------------------------- */

/* The calls from which a tree of callers or callees starts: calls of the units that the caller of call_roots_find
 * chooses. If a stack has several such calls, only the outermost is a root, so each stack counts once. */
struct call_roots {
    /* owned; indexed by node: the root above this node, or this node if it is a root itself; 0: none */
    uint32_t *root;
    /* owned; indexed by node, set only for roots: amount of the samples that ran in the root's unit itself, and not in
     * its callees. If the unit calls itself, the inner calls count too */
    struct amount *own;
    struct amount again; /* amount of the stacks with several calls of the chosen units */
};

/* Finds the roots in a tree. wanted[i] is true if calls of unit i can be roots. The caller clears *roots. Returns 0 or
 * -ENOMEM. */
int call_roots_find(const struct call_tree *tree, const bool *wanted, struct call_roots *roots);
void call_roots_clear(struct call_roots *roots);

/* Makes the tree of the functions that the roots called, directly or through other functions. All roots with the same
 * unit become one node. Returns 0 or an error of call_tree_build. */
int call_tree_callees(const struct call_tree *from, const struct call_roots *roots, struct call_tree *tree);

/* Where a bottom-up tree ends. */
struct call_bounds {
    uint64_t least_ns; /* if the total of a node is less than this, ns, the callers of the node are left out */
    uint32_t depth;    /* number of levels of the tree; 0: no limit */
};

/* Makes the bottom-up tree of the roots, of their callers, of the callers' callers, and so on. If `roots` is NULL,
 * the tree starts from all units in which samples ran. The tree ends where `bounds` says, or earlier if making the
 * tree takes some seconds. The nodes at which the tree ends are marked as closed. Returns 0 or an error of
 * call_tree_build. */
int call_tree_callers(const struct call_tree *from, const struct call_roots *roots,
                      const struct call_bounds *bounds, struct call_tree *tree);

#endif
