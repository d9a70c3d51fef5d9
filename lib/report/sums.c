/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Open addressing, never more than half full. What is hashed are indexes, so that the table stays
 * small enough for a cache when there are many sums. */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "profile/profile.h"
#include "report/sums.h"

#define FIRST_SIZE 256

uint64_t sums_hash(const uint64_t key[2])
{
    uint64_t x = key[0] * UINT64_C(0x9e3779b97f4a7c15) + key[1];

    x ^= x >> 32;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 29;
}

static uint32_t *find_slot(const struct sums *sums, const uint64_t key[2])
{
    uint32_t mask = sums->size - 1, slot = (uint32_t)sums_hash(key) & mask;

    for (; sums->slots[slot] != 0; slot = (slot + 1) & mask) {
        const struct sum *sum = &sums->all[sums->slots[slot] - 1];
        if (sum->key[0] == key[0] && sum->key[1] == key[1])
            break;
    }
    return &sums->slots[slot];
}

static bool sums_make_room(struct sums *sums)
{
    if (array_grow(&sums->all, sums->count, sizeof *sums->all) != 0)
        return false;
    if (sums->count < sums->size / 2)
        return true;
    struct sums larger = *sums;
    larger.size = sums->size == 0 ? FIRST_SIZE : sums->size * 2;
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (larger.slots == NULL)
        return false;
    for (uint32_t i = 0; i < sums->count; i++)
        *find_slot(&larger, sums->all[i].key) = i + 1;
    free(sums->slots);
    *sums = larger;
    return true;
}

struct sum *sums_need(struct sums *sums, const uint64_t key[2])
{
    uint32_t known = sums->size == 0 ? 0 : *find_slot(sums, key);

    if (known != 0)
        return &sums->all[known - 1];
    if (!sums_make_room(sums))
        return NULL;
    sums->all[sums->count] = (struct sum){.key = {key[0], key[1]}};
    *find_slot(sums, key) = sums->count + 1;
    return &sums->all[sums->count++];
}

const struct sum *sums_find(const struct sums *sums, const uint64_t key[2])
{
    uint32_t slot = sums->size == 0 ? 0 : *find_slot(sums, key);
    return slot == 0 ? NULL : &sums->all[slot - 1];
}

void sums_clear(struct sums *sums)
{
    free(sums->all);
    free(sums->slots);
    *sums = (struct sums){0};
}
