/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * frames: stacks as people read them, for formats that hold names. A location is one frame, or
 * several where functions were inlined; frames of one function are the same frame, wherever in
 * it the samples were, and stacks that look the same are one stack.
 */
#ifndef PPROFIL_FRAMES_H
#define PPROFIL_FRAMES_H

#include "profile/profile.h"

struct frame {
    uint32_t id; /* the same for the same function; below frame_ids() */
    uint32_t location;
    uint32_t function; /* PROFILE_NONE: it has no name but its address */
    uint32_t file;     /* string: of the line; "" not known */
    uint32_t line;     /* 0 not known */
    bool inlined;      /* into the next frame of the same location */
};

uint32_t frame_ids(const struct profile *profile);
/* The frames of a location, at least one; the i-th, innermost first. */
uint32_t frame_count(const struct profile *profile, uint32_t location);
struct frame frame_at(const struct profile *profile, uint32_t location, uint32_t i);

#define FRAME_NAME 512
/* Its function's name, else "libx.so+0x1f30", which is made in buffer. */
const char *frame_name(const struct profile *profile, const struct frame *frame,
                       char buffer[FRAME_NAME]);
/* Is it a mark (PROFILE_OBJECT_MARK)? */
bool frame_is_mark(const struct profile *profile, const struct frame *frame);

/* A process's or thread's name, which is never empty. */
const char *frames_comm(const struct profile *profile, uint32_t thread);

/* --- stacks that look the same ------------------------------------------------------- */

/* A stack of frames; its callers are nodes too. Node 0 is below all. */
struct frame_node {
    uint32_t parent; /* less than its own index */
    uint32_t order;  /* its place when the tree is walked, parents first */
    struct frame frame;
};

/* What was sampled in a stack, in a group of threads. */
struct frame_weight {
    uint32_t group, node;
    uint64_t count, ns; /* ns: CPU time, in wall mode elapsed time */
};

struct frames {
    struct frame_node *nodes;
    uint32_t node_count;
    struct frame_weight *weights; /* by group, then by order; of each pair one */
    uint32_t weight_count;
};

/* Makes the frames of all samples. group: the group of each thread, by index. 0, -ENOMEM or -EOVERFLOW. The caller
 * clears frames, also after an error. */
int frames_make(struct frames *frames, const struct profile *profile, const uint32_t *group);
void frames_clear(struct frames *frames);

/* A node's frames, outermost first, written to a growing array. 0 or -ENOMEM. */
struct frame_list {
    struct frame *all; /* owned */
    uint32_t count;
};
int frames_of_node(const struct frames *frames, uint32_t node, struct frame_list *list);
/* The same of a node of the profile. */
int frames_of_stack(const struct profile *profile, uint32_t leaf, struct frame_list *list);

#endif
