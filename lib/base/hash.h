/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hash: an index from the contents of a caller's array to its elements' places.
 *
 * It holds numbers only, and never looks at an element: the caller hashes what an element is known
 * by, and compares the elements that have this hash with what it looks for:
 *
 *     uint32_t hash = hash_pair(pid, start), at = hash, found;
 *     while ((found = hash_next(&index, hash, &at)) != HASH_NONE)
 *         if (tasks[found].pid == pid && tasks[found].start == start)
 *             return found;
 *     return hash_add(&index, hash, count++);
 *
 * All of these take constant time on average. An index that is all 0 is empty; hash_free frees what
 * it allocated.
 */
#ifndef PPROFIL_BASE_HASH_H
#define PPROFIL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_NONE UINT32_MAX

struct hash_index {
    uint32_t *slots;  /* owned; of an element its place + 1, 0: free */
    uint32_t *hashes; /* owned; by slot */
    uint32_t size;    /* slots: a power of two, or 0 */
    uint32_t count;   /* elements */
};

/* Returns the place of the next element with this hash, or HASH_NONE. *at is the hash at first, and
 * then belongs to the walk, which an addition or a removal ends. */
uint32_t hash_next(const struct hash_index *index, uint32_t hash, uint32_t *at);

/* Enters the element at a place below HASH_NONE that has not been entered yet. 0, -ENOMEM, or
 * -EOVERFLOW past 2^31 slots: nothing has changed. */
int hash_add(struct hash_index *index, uint32_t hash, uint32_t place);

/* Removes what hash_add entered with the same numbers; does nothing where it did not. */
void hash_remove(struct hash_index *index, uint32_t hash, uint32_t place);

/* Removes everything, and keeps the memory for what comes next. */
void hash_clear(struct hash_index *index);
void hash_free(struct hash_index *index);

/* Hashes of a key. They differ from one process to the next, so that nobody can write a file whose
 * keys all have the same hash: do not store them. For a key of more than two numbers, hash_pair
 * takes another one's result as a. */
uint32_t hash_bytes(const void *bytes, size_t size);
uint32_t hash_pair(uint32_t a, uint64_t b);

/* The FNV-1a sum of 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/), which is the same everywhere and may be
 * stored: it tells one file's bytes from another's where nobody means to deceive. sum: HASH_FNV_START, or the sum of
 * the bytes before these. */
#define HASH_FNV_START UINT64_C(0xcbf29ce484222325)
uint64_t hash_fnv(uint64_t sum, const void *bytes, size_t size);

#endif
