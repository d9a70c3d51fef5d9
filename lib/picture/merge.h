/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The stacks of profiles, merged by the names of their functions. They go into a profile, the
 * store, whose tables find equal names and equal children: a function there is a name of the
 * picture (its object in place of the system's name, its kind in place of the line), and the
 * location of a node is such a function.
 */
#ifndef PPROFIL_PICTURE_MERGE_H
#define PPROFIL_PICTURE_MERGE_H

#include "picture/picture.h"

/* A profile that is merged into the store. */
struct merge {
    const struct profile *from;
    struct profile *to;
    bool several;     /* programs: stacks stand on their processes */
    uint32_t *order;  /* samples, by the name of their process */
    uint32_t *lane;   /* by node of from: the last process that it was merged for, ... */
    uint32_t *merged; /* ... and the node of the store that it was merged into */
    uint32_t *stack;  /* nodes on the way down from a leaf */
    uint32_t *names;  /* by location of one function: its name in the store; 0: not made yet */
    uint32_t *leaves; /* by sample: its node of the store */
};

/* Merges from into to; then leaves may be used. 0, -ENOMEM or -EOVERFLOW. */
int merge_profile(struct merge *merge);
void merge_clear(struct merge *merge);

/* Are there samples of processes with different names? */
bool merge_has_several(const struct profile *profile);

#endif
