/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tree: who calls whom, as rows: each is followed by what is below it, largest first. */
#ifndef PPROFIL_TREE_H
#define PPROFIL_TREE_H

#include "report/report.h"

enum report_tree_kind {
    REPORT_TREE_CALLS,    /* top-down, from where threads begin */
    REPORT_TREE_INVERTED, /* bottom-up, from what runs: below each its callers */
    REPORT_TREE_CALLERS,  /* bottom-up, from functions of a name */
    REPORT_TREE_CALLEES,  /* top-down, from functions of a name */
};

#define REPORT_TREE_TOP UINT32_MAX

struct report_tree_row {
    /* Its own time, and with that of all it calls (total). Bottom-up the total is that of what is
     * above all, by this way, and its own the part of that in which that itself ran. */
    struct report_row row;
    uint32_t parent; /* row; REPORT_TREE_TOP: none */
    uint32_t depth;  /* 0: none above */
    uint32_t indent; /* as depth, but that an only row below its parent is no further in */
    uint32_t below;  /* rows and others that are directly below it, shown or not */
    uint32_t cut;    /* not 0: no function, but so many that are not shown below the parent */
    bool last;       /* no other of its parent's follows */
    bool inlined;    /* into its caller */
};

struct report_tree {
    struct report_tree_row *rows; /* owned */
    uint32_t count;
    uint32_t all;     /* that there would be without bounds; bottom-up: that were looked for */
    uint64_t rest_ns; /* own time of those that are not shown; bottom-up: of what is above all */
    uint64_t samples, ns;           /* of the whole profile: what shares are of */
    uint64_t root_samples, root_ns; /* of what is above all: of stacks with the function */
    uint64_t again_ns;              /* of stacks that have it more than once */
};

struct report_tree_options {
    struct report_options of; /* by FUNCTION, LINE or OBJECT; limit of rows; stacks goes without
                               * saying */
    enum report_tree_kind kind;
    const char *function; /* CALLERS, CALLEES: a pattern, match.h; whose outermost calls count */
    double least;         /* share of the whole that a row must have, 0..1 */
    uint32_t depth;       /* levels; 0: all */
};

/* Makes the rows, looking up names as needed (symbolizer may be NULL). Strings are borrowed from
 * the profile. 0; -ENOMEM; -EINVAL: the function is no pattern; -ENOENT: there is no such function;
 * -EOVERFLOW: the profile is too large. Of -EINVAL and -ENOENT problem is told. */
int report_tree(struct profile *profile, struct symbolizer *symbolizer,
                const struct report_tree_options *options, struct report_tree **tree, char *problem,
                size_t size);
void report_tree_free(struct report_tree *tree);

#endif
