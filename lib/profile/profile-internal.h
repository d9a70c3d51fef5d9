/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of this room share: the hashes over the tables, and what is live. */
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

/* A process that has not ended: what its events need. */
struct live_process {
    uint32_t pid;
    uint32_t process;              /* index of the present image */
    struct live_mapping *mappings; /* sorted by start, disjoint */
    uint32_t mapping_count;
};

/* A descriptor whose object is not known yet, or the other way round. */
struct pending_object {
    uint32_t wire_object;
    uint32_t object; /* index, or HASH_NONE */
    int fd;          /* or -errno */
    bool none;       /* it will not come */
};

struct profile_index {
    struct hash_index strings, functions, objects, threads, locations, nodes, syscalls, samples;
    void *live; /* tree of tsearch: live_process by pid. A file may have any numbers, so that in a
                 * table with as many places as there are processes all could be in one. */
    struct pending_object *pending;
    uint32_t pending_count;
    uint32_t unknown_object; /* index, or HASH_NONE */
};

/* The process that has this number now, or NULL. */
struct live_process *profile_live(const struct profile *profile, uint32_t pid);

/* What is mapped at an address, or NULL; until the next event. */
const struct live_mapping *profile_live_mapping(const struct live_process *live, uint64_t address);
/* Takes a new mapping in. 0 or -ENOMEM, ... */
int profile_live_map(struct profile *profile, struct live_process *live,
                     const struct wire_map *event);

/* Ends all live processes' bookkeeping. */
void profile_forget_live(struct profile *profile);

#endif
