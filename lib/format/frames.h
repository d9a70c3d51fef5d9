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
    uint32_t id; /* frames with the same id count as the same frame; less than frame_ids(profile) */
    uint32_t location;
    uint32_t function; /* index in the table functions; PROFILE_NONE: only the address is known */
    uint32_t file;     /* index in the table strings: the source file of the line; "": not known */
    uint32_t line;     /* 0: not known */
    bool inlined;      /* this function was inlined into the function of the location's next frame */
};

uint32_t frame_ids(const struct profile *profile);
/* Return the frames of a location. frame_count returns how many there are, at least one. frame_at returns frame number
 * i, where frame 0 is the innermost. */
uint32_t frame_count(const struct profile *profile, uint32_t location);
struct frame frame_at(const struct profile *profile, uint32_t location, uint32_t i);

#define FRAME_NAME 512
/* Returns the name of the frame's function. If the function has no name or is not known, writes a name like
 * "libx.so+0x1f30" into buffer and returns buffer. */
const char *frame_name(const struct profile *profile, const struct frame *frame, char buffer[FRAME_NAME]);
/* Returns true if the frame is a mark (PROFILE_OBJECT_MARK), which is not code. */
bool frame_is_mark(const struct profile *profile, const struct frame *frame);

/* Returns the name of a thread. If the thread has no name, returns the name of its process. If the process has no name
 * either, returns "[unknown]". */
const char *frame_comm(const struct profile *profile, uint32_t thread);

/* --- the frames of a stack ------------------------------------------------------------ */

struct frame_list {
    struct frame *all; /* owned; the outermost frame comes first */
    uint32_t count;
};

/* Fills *list with the frames of a stack. `leaf` is the stack's innermost node, an index in profile->nodes. Memory that
 * the list has from an earlier call is used again. Returns 0, -ENOMEM or -EOVERFLOW. */
int frame_list_of(const struct profile *profile, uint32_t leaf, struct frame_list *list);

/* --- the tree of all stacks ----------------------------------------------------------- */

/* A node stands for a stack: the stack of its parent, and below it the frame of the node. Node 0 is the root, which has
 * no frame and stands for the empty stack. */
struct frame_node {
    uint32_t parent; /* index, less than the index of this node */
    uint32_t order;  /* the place of this node in a depth-first walk of the tree; 0: the root */
    struct frame frame;
};

/* The sum of the samples that have the same stack and whose threads are in the same group. */
struct frame_weight {
    uint32_t group, node;
    uint64_t count, ns; /* `ns` is CPU time, or elapsed time in wall mode */
};

struct frame_tree {
    struct frame_node *nodes;
    uint32_t node_count;
    /* sorted by group, and within a group by the order of the nodes; each pair of group and node occurs once */
    struct frame_weight *weights;
    uint32_t weight_count;
    uint32_t *stacks; /* owned; stacks[i]: the node of the tree for the stack of node i of the profile */
};

/* Makes the tree of the stacks of all samples. The caller decides which threads form a group: group[i] is the number of
 * the group of thread i. Returns 0, -ENOMEM or -EOVERFLOW. The caller clears the tree in any case. */
int frame_tree_make(struct frame_tree *tree, const struct profile *profile, const uint32_t *group);
void frame_tree_clear(struct frame_tree *tree);
/* Fills *list with the frames of the stack that a node of the tree stands for. Returns 0, -ENOMEM or -EOVERFLOW. */
int frame_tree_stack(const struct frame_tree *tree, uint32_t node, struct frame_list *list);

#endif
