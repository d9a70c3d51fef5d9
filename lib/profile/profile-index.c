/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open addressing with linear probing, never more than two thirds full. Hashes are kept beside
 * the indexes, so that growing touches no entry and a miss rarely compares one. A removal moves
 * the entries behind it up, for a gap would end the walks that led across it.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile-internal.h"

#define FIRST_SIZE 64

/* Where this code lies is another place in each process, which nobody can know who writes a file:
 * else its entries could all have one hash, and to find one would take as long as there are. */
static uint64_t secret(void)
{
    return (uint64_t)(uintptr_t)secret * UINT64_C(0xd6e8feb86659fd93);
}

/* The two parts often count up together (process and tid, node and parent), so that a plain
 * a ^ b would take a few values only: a is spread over all bits first. */
uint32_t index_mix(uint32_t a, uint64_t b)
{
    uint64_t x = (a * UINT64_C(0x9e3779b97f4a7c15) + b) ^ secret();
    x ^= x >> 32;
    x *= UINT64_C(0x94d049bb133111eb);
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(x >> 32);
}

/* FNV-1a */
uint32_t index_hash(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint32_t hash = 2166136261u ^ (uint32_t)(secret() >> 32);

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* *at starts as the hash and becomes the next slot to look at; the hash is passed apart
 * because the walk forgets it. */
uint32_t index_next(const struct index *index, uint32_t hash, uint32_t *at)
{
    if (index->size == 0)
        return PROFILE_ABSENT;
    uint32_t mask = index->size - 1;
    for (uint32_t slot = *at & mask; index->slots[slot] != 0; slot = (slot + 1) & mask) {
        *at = slot + 1;
        if (index->hashes[slot] == hash)
            return index->slots[slot] - 1;
    }
    return PROFILE_ABSENT;
}

static void profile_index_put(struct index *index, uint32_t hash, uint32_t slot_value)
{
    uint32_t mask = index->size - 1, slot = hash & mask;

    while (index->slots[slot] != 0)
        slot = (slot + 1) & mask;
    index->slots[slot] = slot_value;
    index->hashes[slot] = hash;
}

static int grow(struct index *index)
{
    if (index->size > UINT32_MAX / 2)
        return -EOVERFLOW;
    struct index larger = {.size = index->size == 0 ? FIRST_SIZE : index->size * 2,
                           .count = index->count};

    larger.slots = calloc(larger.size, sizeof *larger.slots);
    larger.hashes = malloc(larger.size * sizeof *larger.hashes);
    if (larger.slots == NULL || larger.hashes == NULL) {
        index_free(&larger);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < index->size; i++)
        if (index->slots[i] != 0)
            profile_index_put(&larger, index->hashes[i], index->slots[i]);
    index_free(index);
    *index = larger;
    return 0;
}

int index_add(struct index *index, uint32_t hash, uint32_t entry)
{
    if (index->count >= index->size / 3 * 2) {
        int error = grow(index);
        if (error != 0)
            return error;
    }
    profile_index_put(index, hash, entry + 1);
    index->count++;
    return 0;
}

void index_remove(struct index *index, uint32_t hash, uint32_t entry)
{
    if (index->size == 0)
        return;
    uint32_t mask = index->size - 1, gap = hash & mask;

    while (index->slots[gap] != 0 && index->slots[gap] != entry + 1)
        gap = (gap + 1) & mask;
    if (index->slots[gap] == 0)
        return;
    for (uint32_t slot = (gap + 1) & mask; index->slots[slot] != 0; slot = (slot + 1) & mask) {
        uint32_t walked = (slot - index->hashes[slot]) & mask;
        if (walked < ((slot - gap) & mask))
            continue; /* its walk starts behind the gap */
        index->slots[gap] = index->slots[slot];
        index->hashes[gap] = index->hashes[slot];
        gap = slot;
    }
    index->slots[gap] = 0;
    index->count--;
}

void index_clear(struct index *index)
{
    if (index->size > 0)
        memset(index->slots, 0, index->size * sizeof *index->slots);
    index->count = 0;
}

void index_free(struct index *index)
{
    free(index->slots);
    free(index->hashes);
    *index = (struct index){0};
}

int profile_grow(void *array, uint32_t count, size_t element)
{
    void **pointer = array;

    if (count >= UINT32_MAX - 1)
        return -EOVERFLOW;
    if (count != 0 && (count & (count - 1)) != 0)
        return 0; /* capacities are powers of two: there is room */
    size_t capacity = count == 0 ? 1 : (size_t)count * 2;
    void *larger = realloc(*pointer, capacity * element);
    if (larger == NULL)
        return -ENOMEM;
    *pointer = larger;
    return 0;
}
