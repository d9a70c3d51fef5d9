/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile-internal: what the files of lib/profile share: the hash indexes of the tables, and the live processes. */
#ifndef PPROFIL_PROFILE_INTERNAL_H
#define PPROFIL_PROFILE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "profile/profile.h"

struct wire_map;
struct wire_wait;

/* A mapping of a live process. */
struct live_mapping {
    uint64_t start, end, offset;
    uint32_t object;
};

/* A process that has not ended. */
struct live_process {
    uint32_t pid;
    uint32_t process;              /* index in profile->processes; an exec changes this index */
    struct live_mapping *mappings; /* owned; sorted by start; no two mappings overlap */
    uint32_t mapping_count;
};

/* What the client has received for an object: a descriptor, a WIRE_MAP event, or both. The entry is added when the
 * first of them comes, and stays in the table. */
struct pending_object {
    uint32_t wire_object; /* id of the object in wire_map.object */
    uint32_t object; /* index in profile->objects; HASH_NONE: no WIRE_MAP event came, or the object was forgotten */
    /* owned; the descriptor, until the WIRE_MAP event comes; negative: there is none */
    int fd;
    bool none;       /* no descriptor will come: an error came instead, or the object was forgotten */
};

struct profile_index {
    struct hash_index strings, functions, objects, threads, locations, nodes, syscalls, waits, samples;
    /* owned; for the threads with an index less than stack_count: index in nodes of the last stack with which the
     * thread was asleep, or PROFILE_NONE */
    uint32_t *asleep_stacks, stack_count;
    uint32_t *wait_ids; /* owned; indexed by wire_wait.id: index in waits; NULL: no event has come */
    void *live; /* owned; root of a tsearch(3) tree of struct live_process, sorted by pid */
    struct pending_object *pending;
    uint32_t pending_count;
    /* for merging: find the first known_process_count processes, and the first known_thread_count threads, by what
     * makes them the same as those of another profile */
    struct hash_index known_processes, known_threads;
    uint32_t known_process_count, known_thread_count;
    bool unnumbered; /* merging has added processes whose generations may not be distinct */
    /* what the events of WIRE_STATS had counted when this period began; 0: it is the first period */
    struct profile_totals before;
    uint32_t unknown_object; /* index of the object of kind PROFILE_OBJECT_UNKNOWN; HASH_NONE: it was not added yet */
};

/* Appends an entry to a table of the profile, and sets *result to its index. Also adds the index to the hash index of
 * the table, unless `index` is NULL because the table has none. Returns 0, -ENOMEM or -EOVERFLOW. */
int profile_append(void *array, uint32_t *count, const void *entry, size_t size, struct hash_index *index,
                   uint32_t hash, uint32_t *result);

/* Returns the live process with this pid, or NULL. */
struct live_process *profile_live(const struct profile *profile, uint32_t pid);
/* Adds a live process to the profile, which then owns it. No other live process may have its pid. Returns 0 or
 * -ENOMEM. */
int profile_add_live(struct profile *profile, struct live_process *live);
/* Removes a live process and frees it. */
void profile_drop_live(struct profile *profile, struct live_process *live);
/* Frees a struct live_process that is in no profile. */
void profile_free_live(void *process);

/* Returns the mapping that contains an address; NULL: none. The pointer is valid until the next event. */
const struct live_mapping *profile_live_mapping(const struct live_process *live, uint64_t address);
/* Adds the wait of an event. Returns 0, -ENOMEM or -EOVERFLOW. */
int profile_feed_wait(struct profile *profile, const struct wire_wait *event);
/* A thread has got a new name: changes the names of the waits for locks that the thread holds. Returns 0, -ENOMEM or
 * -EOVERFLOW. */
int profile_rename_holder(struct profile *profile, uint32_t tid, const char *comm);
/* Returns the index in waits of the wait that had this wire_wait.id in the last event; PROFILE_NONE: there was none. */
uint32_t profile_wait_by_id(const struct profile *profile, uint32_t id);

/* Adds the mapping of an event to a live process. Returns 0, -ENOMEM or -EOVERFLOW. */
int profile_live_map(struct profile *profile, struct live_process *live, const struct wire_map *event);

#endif
