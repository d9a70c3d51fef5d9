/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * frames: stacks of functions, for formats that have names.
 *
 * A location is one frame, or several where functions were inlined. All code of a function is the same frame, and
 * stacks with the same frames are the same stack.
 */
#ifndef PPROFIL_FRAMES_H
#define PPROFIL_FRAMES_H

#include "profile/profile.h"

struct frame {
    uint32_t id; /* equal for equal functions; below frame_ids() */
    uint32_t location;
    uint32_t function; /* PROFILE_NONE: its address is all that is known */
    uint32_t file;     /* string: of the line; "": not known */
    uint32_t line;     /* 0: not known */
    bool inlined;      /* into the next frame of the same location */
};

uint32_t frame_ids(const struct profile *profile);
/* The number of a location's frames, at least one; and the i-th of them, innermost first. */
uint32_t frame_count(const struct profile *profile, uint32_t location);
struct frame frame_at(const struct profile *profile, uint32_t location, uint32_t i);

#define FRAME_NAME 512
/* The name of the function. Without one it is "libx.so+0x1f30", which is made in buffer. */
const char *frame_name(const struct profile *profile, const struct frame *frame, char buffer[FRAME_NAME]);
/* Is it a mark (PROFILE_OBJECT_MARK)? */
bool frame_is_mark(const struct profile *profile, const struct frame *frame);

/* The name of a thread, or of its process, or "[unknown]": it is never empty. */
const char *frame_comm(const struct profile *profile, uint32_t thread);

/* --- the frames of a stack ------------------------------------------------------------ */

struct frame_list {
    struct frame *all; /* owned; outermost first */
    uint32_t count;
};

/* Sets the list, whose memory is used again, to the stack of a node of the profile. 0, -ENOMEM or -EOVERFLOW. */
int frame_list_of(const struct profile *profile, uint32_t leaf, struct frame_list *list);

/* --- the tree of all stacks ----------------------------------------------------------- */

/* A node is a stack: its frame, and the stack of its callers. Node 0 is the root, which has no frame. */
struct frame_node {
    uint32_t parent; /* less than its own index */
    uint32_t order;  /* when a walk from callers to callees reaches it */
    struct frame frame;
};

/* The samples of a group of threads in a stack. */
struct frame_weight {
    uint32_t group, node;
    uint64_t count, ns; /* ns: CPU time; in wall mode elapsed time */
};

struct frame_tree {
    struct frame_node *nodes;
    uint32_t node_count;
    struct frame_weight *weights; /* by group, then by order; one for each pair */
    uint32_t weight_count;
};

/* Makes the tree of all samples. group: the group of each thread, by index. 0, -ENOMEM or -EOVERFLOW; the caller clears
 * the tree in any case. */
int frame_tree_make(struct frame_tree *tree, const struct profile *profile, const uint32_t *group);
void frame_tree_clear(struct frame_tree *tree);
/* Sets the list to the stack of a node of the tree. 0, -ENOMEM or -EOVERFLOW. */
int frame_tree_stack(const struct frame_tree *tree, uint32_t node, struct frame_list *list);

#endif
