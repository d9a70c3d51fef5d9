/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hash table of numbers: see hash.h. It uses open addressing with linear probing, and is never more than two thirds
 * full. Each slot has the hash of its element, too. So the table can grow without reading the elements, and a search
 * seldom makes its caller compare a wrong element. A removal leaves a gap, and moves later entries into it, because a
 * search ends at the first free slot.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define SIZE_MIN 64
#define FNV_PRIME UINT64_C(0x100000001b3)

/* Returns a number that differs between processes. The kernel loads this code at another random address in each
 * process. Whoever writes a file cannot know this address, and so cannot choose keys that all have the same hash. With
 * such keys each search would have to look at all elements. */
static uint64_t hash_secret(void)
{
    return (uint64_t)(uintptr_t)hash_secret * UINT64_C(0xd6e8feb86659fd93);
}

/* `a` and `b` often grow together (process and tid, node and parent), so that a ^ b would have only a few different
 * values. Therefore the multiplication first spreads `a` over all bits. The code after it mixes all 64 bits, as
 * splitmix64 does. */
uint32_t hash_pair(uint32_t a, uint64_t b)
{
    uint64_t x = (a * UINT64_C(0x9e3779b97f4a7c15) + b) ^ hash_secret();
    x ^= x >> 32;
    x *= UINT64_C(0x94d049bb133111eb);
    x ^= x >> 29;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(x >> 32);
}

uint32_t hash_bytes(const void *bytes, size_t size)
{
    uint64_t sum = hash_fnv(HASH_FNV_START ^ hash_secret(), bytes, size);

    return (uint32_t)(sum ^ sum >> 32);
}

uint64_t hash_fnv(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * FNV_PRIME;
    return sum;
}

/* *at is the slot at which the search continues, or the hash before the first call. */
uint32_t hash_next(const struct hash_index *index, uint32_t hash, uint32_t *at)
{
    if (index->size == 0)
        return HASH_NONE;
    uint32_t mask = index->size - 1;
    for (uint32_t slot = *at & mask; index->slots[slot].place != 0; slot = (slot + 1) & mask) {
        *at = slot + 1;
        if (index->slots[slot].hash == hash)
            return index->slots[slot].place - 1;
    }
    return HASH_NONE;
}

static void hash_put(struct hash_index *index, struct hash_slot element)
{
    uint32_t mask = index->size - 1, slot = element.hash & mask;

    while (index->slots[slot].place != 0)
        slot = (slot + 1) & mask;
    index->slots[slot] = element;
}

/* Moves the elements to `size` slots. */
static int hash_resize(struct hash_index *index, uint32_t size)
{
    struct hash_index larger = {.size = size, .count = index->count};

    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (larger.slots == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < index->size; i++)
        if (index->slots[i].place != 0)
            hash_put(&larger, index->slots[i]);
    hash_free(index);
    *index = larger;
    return 0;
}

static int hash_grow(struct hash_index *index)
{
    if (index->size > UINT32_MAX / 2)
        return -EOVERFLOW;
    return hash_resize(index, index->size == 0 ? SIZE_MIN : index->size * 2);
}

int hash_reserve(struct hash_index *index, uint32_t count)
{
    uint32_t size = index->size == 0 ? SIZE_MIN : index->size;

    while (size <= UINT32_MAX / 2 && size / 3 * 2 <= count)
        size *= 2;
    return size > index->size ? hash_resize(index, size) : 0;
}

int hash_add(struct hash_index *index, uint32_t hash, uint32_t place)
{
    if (index->count >= index->size / 3 * 2) {
        int error = hash_grow(index);
        if (error != 0)
            return error;
    }
    hash_put(index, (struct hash_slot){.place = place + 1, .hash = hash});
    index->count++;
    return 0;
}

void hash_remove(struct hash_index *index, uint32_t hash, uint32_t place)
{
    if (index->size == 0)
        return;
    uint32_t mask = index->size - 1, gap = hash & mask;

    while (index->slots[gap].place != 0 && index->slots[gap].place != place + 1)
        gap = (gap + 1) & mask;
    if (index->slots[gap].place == 0)
        return;
    for (uint32_t slot = (gap + 1) & mask; index->slots[slot].place != 0; slot = (slot + 1) & mask) {
        uint32_t walked = (slot - index->slots[slot].hash) & mask;
        if (walked < ((slot - gap) & mask))
            continue; /* a search for this element starts behind the gap, so the element stays where it is */
        index->slots[gap] = index->slots[slot];
        gap = slot;
    }
    index->slots[gap].place = 0;
    index->count--;
}

void hash_clear(struct hash_index *index)
{
    if (index->size > 0)
        memset(index->slots, 0, index->size * sizeof *index->slots);
    index->count = 0;
}

void hash_free(struct hash_index *index)
{
    free(index->slots);
    *index = (struct hash_index){0};
}
