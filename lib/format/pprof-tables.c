/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorted ids, and a hash table with open addressing: see pprof-tables.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "format/pprof-tables.h"

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

int entries_make(struct entries *entries, size_t count)
{
    entries->sorted = calloc(count + 1, sizeof *entries->sorted);
    return entries->sorted == NULL ? -ENOMEM : 0;
}

int entries_sort(struct entries *entries)
{
    qsort(entries->sorted, entries->count, sizeof *entries->sorted, compare_entries);
    for (size_t i = 0; i < entries->count; i++)
        if (entries->sorted[i].id == (i == 0 ? 0 : entries->sorted[i - 1].id))
            return -EBADMSG;
    return 0;
}

struct entry *entries_find(const struct entries *entries, uint64_t id)
{
    const struct entry key = {.id = id};

    return bsearch(&key, entries->sorted, entries->count, sizeof key, compare_entries);
}

/* Where the code lies nobody knows who writes a file, and so not what has the same hash. */
static struct memory *find_slot(const struct memo *memo, uint64_t a, uint64_t b)
{
    uint64_t secret = (uint64_t)(uintptr_t)find_slot * UINT64_C(0xd6e8feb86659fd93);
    uint64_t hash = (a * UINT64_C(0x9e3779b97f4a7c15) + b) ^ secret;

    hash = (hash ^ hash >> 32) * UINT64_C(0x94d049bb133111eb);
    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    size_t slot = (size_t)(hash >> 32) & (memo->size - 1);

    while (memo->slots[slot].used && (memo->slots[slot].a != a || memo->slots[slot].b != b))
        slot = (slot + 1) & (memo->size - 1);
    return &memo->slots[slot];
}

int memo_recall(struct memo *memo, uint64_t kind, uint32_t a, uint64_t b, struct memory **found)
{
    if (memo->count >= memo->size / 2) {
        struct memo larger = {.size = memo->size == 0 ? 256 : memo->size * 2};
        larger.slots = calloc(larger.size, sizeof *larger.slots);
        if (larger.slots == NULL)
            return -ENOMEM;
        for (size_t i = 0; i < memo->size; i++)
            if (memo->slots[i].used)
                *find_slot(&larger, memo->slots[i].a, memo->slots[i].b) = memo->slots[i];
        larger.count = memo->count;
        free(memo->slots);
        *memo = larger;
    }
    *found = find_slot(memo, kind << 32 | a, b);
    if (!(*found)->used)
        **found = (struct memory){.a = kind << 32 | a, .b = b};
    return 0;
}

void memo_remember(struct memo *memo, struct memory *place, uint32_t index)
{
    place->index = index;
    place->used = 1;
    memo->count++;
}
