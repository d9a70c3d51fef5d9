/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds and adds sums by key: see sums.h. */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "report/sums.h"

static uint32_t sums_hash(const uint64_t key[2])
{
    return hash_pair(hash_pair(0, key[0]), key[1]);
}

struct sum *sums_find(const struct sums *sums, const uint64_t key[2])
{
    uint32_t hash = sums_hash(key), at = hash, found;

    while ((found = hash_next(&sums->index, hash, &at)) != HASH_NONE)
        if (sums->all[found].key[0] == key[0] && sums->all[found].key[1] == key[1])
            return &sums->all[found];
    return NULL;
}

struct sum *sums_need(struct sums *sums, const uint64_t key[2])
{
    struct sum *known = sums_find(sums, key);

    if (known != NULL)
        return known;
    if (array_grow(&sums->all, sums->count, sizeof *sums->all) != 0 ||
        hash_add(&sums->index, sums_hash(key), sums->count) != 0)
        return NULL;
    sums->all[sums->count] = (struct sum){.key = {key[0], key[1]}};
    return &sums->all[sums->count++];
}

void sums_clear(struct sums *sums)
{
    free(sums->all);
    hash_free(&sums->index);
    *sums = (struct sums){0};
}
