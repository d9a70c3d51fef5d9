/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * call-tree: the stacks of a profile as a tree of functions, lines or objects ("units"). Nodes of
 * the profile are one node here if the units on the way to them are the same. A unit is a sum with
 * the key of its row in flat reports.
 */
#ifndef PPROFIL_CALL_TREE_H
#define PPROFIL_CALL_TREE_H

#include "report/sums.h"

#define CALL_TREE_NODES_MAX (UINT32_C(1) << 23) /* no real profile comes near */

/* Parents come before their children. Node 0 stands above all; it has no unit. */
struct call_node {
    uint32_t parent;         /* index */
    uint32_t unit;           /* index */
    uint32_t child, sibling; /* the first of its own, the next of its parent's; 0: none */
    bool inlined;            /* into its parent */
    bool closed;             /* nodes below it were left out */
    struct amount self; /* of samples that ran here; callers: the part of total in which the unit at
                         * the top ran itself */
    struct amount total; /* of samples with the way to this node on their stack */
};

/* All 0 is empty. */
struct call_tree {
    struct call_node *nodes; /* owned */
    uint32_t count;
    struct hash_index index; /* of nodes, by parent and unit */
};

/* Makes the top-down tree of all samples that count. units has to be empty and gets the units,
 * without amounts. The caller clears tree and units, also after an error. 0, -ENOMEM, or
 * -EOVERFLOW: there are more than CALL_TREE_NODES_MAX nodes. */
int call_tree_build(const struct profile *profile, const struct report_options *options,
                    struct sums *units, struct call_tree *tree);
void call_tree_clear(struct call_tree *tree);

/* --- for trees that are made of another -------------------------------------------------- */

/* Makes a tree that has node 0 only. 0 or -ENOMEM. */
int call_tree_begin(struct call_tree *tree);
/* Gives the child of a node with this unit, made if there is none yet. Errors as
 * call_tree_build. */
int call_tree_descend(struct call_tree *tree, uint32_t parent, uint32_t unit, uint32_t *node);
/* Sets the totals of all nodes to what they and all nodes below have of their own. */
void call_tree_sum(struct call_tree *tree);

/* --- from a function --------------------------------------------------------------------- */

/* The calls that a tree is about: on each stack the outermost call of a wanted unit, so that each
 * stack counts once. */
struct call_roots {
    uint32_t *root;      /* owned; by node, the outermost wanted call on its stack; 0: none */
    struct amount *own;  /* owned; by root, time below it in which its unit ran */
    struct amount again; /* time of stacks with more than one call of wanted units */
};

/* wanted: by unit. 0 or -ENOMEM. */
int call_roots_find(const struct call_tree *tree, const bool *wanted, struct call_roots *roots);
void call_roots_clear(struct call_roots *roots);

/* Makes the tree of what the roots called: all calls of one unit together. Errors as
 * call_tree_build. */
int call_tree_callees(const struct call_tree *from, const struct call_roots *roots,
                      struct call_tree *tree);

/* Where bottom-up trees end. */
struct call_bounds {
    uint64_t least_ns; /* callers of less than this are not looked for */
    uint32_t depth;    /* levels; 0: all */
};

/* Makes the tree of who called the roots, and who called these, and so on. roots NULL: all units
 * that ran. The tree ends where the bounds say so, and where it would take too long: there nodes
 * are closed. Errors as call_tree_build. */
int call_tree_callers(const struct call_tree *from, const struct call_roots *roots,
                      const struct call_bounds *bounds, struct call_tree *tree);

#endif
