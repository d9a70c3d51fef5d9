/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile-internal: shared by the files of this room: the hashes over the tables, and the live
 * processes. */
#ifndef PPROFIL_PROFILE_INTERNAL_H
#define PPROFIL_PROFILE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

struct profile;
struct wire_map;

/* One mapping of a live address space. */
struct live_mapping {
    uint64_t start, end, offset;
    uint32_t object;
};

/* A process that has not ended. */
struct live_process {
    uint32_t pid;
    uint32_t process;              /* index of the image that it runs */
    struct live_mapping *mappings; /* sorted by start, disjoint */
    uint32_t mapping_count;
};

/* A descriptor whose object is not known yet, or an object whose descriptor has not come yet. */
struct pending_object {
    uint32_t wire_object;
    uint32_t object; /* index, or HASH_NONE */
    int fd;          /* the descriptor, or -errno */
    bool none;       /* the descriptor will not come */
};

struct profile_index {
    struct hash_index strings, functions, objects, threads, locations, nodes, syscalls, samples;
    void *live; /* a tree for tsearch(3) of live_process by pid */
    struct pending_object *pending;
    uint32_t pending_count;
    uint32_t unknown_object; /* index, or HASH_NONE */
};

/* Returns the live process with this pid, or NULL. */
struct live_process *profile_live(const struct profile *profile, uint32_t pid);
/* Enters a live process, whose pid no other has. The profile owns it then. Returns 0 or -ENOMEM. */
int profile_add_live(struct profile *profile, struct live_process *live);
/* Removes a live process and frees it. */
void profile_drop_live(struct profile *profile, struct live_process *live);
/* Frees a struct live_process that is in no profile. */
void profile_free_live(void *process);

/* Returns the mapping around an address, or NULL. It is valid until the next event. */
const struct live_mapping *profile_live_mapping(const struct live_process *live, uint64_t address);
/* Enters a new mapping. Returns 0 or a negative error of profile_object. */
int profile_live_map(struct profile *profile, struct live_process *live,
                     const struct wire_map *event);

#endif
