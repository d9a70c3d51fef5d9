/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * frames: turns the stacks of a profile into stacks of functions, for formats that store names.
 *
 * A location is one frame, or several frames if functions were inlined there. All code of one function counts as the
 * same frame, and stacks with the same frames count as the same stack.
 */
#ifndef PPROFIL_FRAMES_H
#define PPROFIL_FRAMES_H

#include "profile/profile.h"

struct frame {
    uint32_t id; /* the same for all code of a function; less than frame_ids() */
    uint32_t location;
    uint32_t function; /* index; PROFILE_NONE: only the address is known */
    uint32_t file;     /* string: source file of the line; "": not known */
    uint32_t line;     /* 0: not known */
    bool inlined;      /* inlined into the next frame of the same location */
};

uint32_t frame_ids(const struct profile *profile);
/* frame_count returns the number of frames of a location, at least one. frame_at returns the i-th of them, innermost
 * first. */
uint32_t frame_count(const struct profile *profile, uint32_t location);
struct frame frame_at(const struct profile *profile, uint32_t location, uint32_t i);

#define FRAME_NAME 512
/* Returns the name of the frame's function. If the function has no name or is not known, writes a name like
 * "libx.so+0x1f30" into buffer and returns buffer. */
const char *frame_name(const struct profile *profile, const struct frame *frame, char buffer[FRAME_NAME]);
/* Is the frame a mark (PROFILE_OBJECT_MARK) and not code? */
bool frame_is_mark(const struct profile *profile, const struct frame *frame);

/* Returns the name of a thread. If it is empty, returns the name of the process. If both are empty, returns
 * "[unknown]". */
const char *frame_comm(const struct profile *profile, uint32_t thread);

/* --- the frames of a stack ------------------------------------------------------------ */

struct frame_list {
    struct frame *all; /* owned; the outermost frame first */
    uint32_t count;
};

/* Sets the list to the stack of leaf, a node of the profile. The memory of the list is reused. Returns 0, -ENOMEM or
 * -EOVERFLOW. */
int frame_list_of(const struct profile *profile, uint32_t leaf, struct frame_list *list);

/* --- the tree of all stacks ----------------------------------------------------------- */

/* A node represents a stack: its own frame, called by the stack of its parent. Node 0 is the root and has no frame. */
struct frame_node {
    uint32_t parent; /* index, less than the index of this node */
    uint32_t order;  /* number of the node in a depth-first walk, from 0 (the root) */
    struct frame frame;
};

/* The samples of one stack in one group of threads. */
struct frame_weight {
    uint32_t group, node;
    uint64_t count, ns; /* ns: CPU time; in wall mode elapsed time */
};

struct frame_tree {
    struct frame_node *nodes;
    uint32_t node_count;
    struct frame_weight *weights; /* sorted by group, then by order of the node; one for each group and node */
    uint32_t weight_count;
};

/* Makes the tree of the stacks of all samples. group[i] is the group of thread i. Returns 0, -ENOMEM or -EOVERFLOW. The
 * caller clears the tree in any case. */
int frame_tree_make(struct frame_tree *tree, const struct profile *profile, const uint32_t *group);
void frame_tree_clear(struct frame_tree *tree);
/* Sets the list to the stack of a node of the tree. Returns 0, -ENOMEM or -EOVERFLOW. */
int frame_tree_stack(const struct frame_tree *tree, uint32_t node, struct frame_list *list);

#endif
