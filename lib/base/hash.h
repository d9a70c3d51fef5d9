/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hash: an index that finds elements of a caller's array by their contents.
 *
 * For each element the index contains the hash of its key and its place, which is its position in the caller's array.
 * The index never reads an element. The caller hashes the key that it looks for. hash_next then finds the elements with
 * this hash, and the caller compares their keys:
 *
 *     uint32_t hash = hash_pair(pid, start), at = hash, found;
 *     while ((found = hash_next(&index, hash, &at)) != HASH_NONE)
 *         if (tasks[found].pid == pid && tasks[found].start == start)
 *             return found;
 *     return hash_add(&index, hash, count++);
 *
 * Each call takes constant time on average. An empty index is all 0. hash_free frees what an index has allocated.
 */
#ifndef PPROFIL_BASE_HASH_H
#define PPROFIL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_NONE UINT32_MAX

/* The place and the hash of an element are neighbours in memory, for a large index is not in the caches. */
struct hash_slot {
    uint32_t place; /* place of an element, plus 1; 0: the slot is free */
    uint32_t hash;
};

struct hash_index {
    struct hash_slot *slots; /* owned */
    uint32_t size;           /* number of slots: a power of two, or 0 */
    uint32_t count;          /* number of elements */
};

/* Returns the place of the next element with this hash, or HASH_NONE. The caller sets *at to the hash before the first
 * call, and does not change *at between calls. After an addition or a removal, the search must start again. */
uint32_t hash_next(const struct hash_index *index, uint32_t hash, uint32_t *at);

/* Adds the element that is at position `place` of the array. place must be below HASH_NONE, and must not be in the
 * index yet. Returns 0, -ENOMEM, or -EOVERFLOW if more than 2^31 slots would be necessary. After an error nothing has
 * changed. */
int hash_add(struct hash_index *index, uint32_t hash, uint32_t place);

/* Makes room for `count` elements in all, so that additions need not move the elements again and again. Returns 0 or
 * -ENOMEM, after which nothing has changed. */
int hash_reserve(struct hash_index *index, uint32_t count);

/* Removes the element that hash_add added with the same hash and place. Does nothing if there is no such element. */
void hash_remove(struct hash_index *index, uint32_t hash, uint32_t place);

/* Removes all elements, and keeps the memory for later additions. */
void hash_clear(struct hash_index *index);
void hash_free(struct hash_index *index);

/* Both functions below return the hash of a key. Hashes differ from one process to the next, so nobody can write a file
 * whose keys all have the same hash. Do not store hashes in a file. If a key consists of three numbers, pass hash_pair
 * the hash of two of them as `a`, and the third as `b`. */
uint32_t hash_bytes(const void *bytes, size_t size);
uint32_t hash_pair(uint32_t a, uint64_t b);

/* Returns the 64-bit FNV-1a checksum (http://www.isthe.com/chongo/tech/comp/fnv/), which is the same in all processes
 * and on all machines, so it may be stored. Two different files hardly ever have the same checksum, unless somebody
 * makes them so on purpose. The parameter `sum` is HASH_FNV_START, or the result for the data before these bytes. */
#define HASH_FNV_START UINT64_C(0xcbf29ce484222325)
uint64_t hash_fnv(uint64_t sum, const void *bytes, size_t size);

#endif
