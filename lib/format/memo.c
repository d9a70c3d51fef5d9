/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash table that finds an index by a key of three numbers. */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "format/memo.h"

int memo_find(struct memo *memo, uint32_t kind, uint32_t a, uint64_t b, struct memo_entry **found)
{
    uint32_t hash = hash_pair(hash_pair(kind, a), b), at = hash, known;

    while ((known = hash_next(&memo->index, hash, &at)) != HASH_NONE) {
        *found = &memo->all[known];
        if ((*found)->kind == kind && (*found)->a == a && (*found)->b == b)
            return 0;
    }
    int error = array_grow(&memo->all, memo->count, sizeof *memo->all);
    if (error == 0)
        error = hash_add(&memo->index, hash, memo->count);
    if (error != 0)
        return error;
    *found = &memo->all[memo->count++];
    **found = (struct memo_entry){.kind = kind, .a = a, .b = b};
    return 0;
}

void memo_set(struct memo_entry *entry, uint32_t index)
{
    entry->index = index;
    entry->used = true;
}

void memo_free(struct memo *memo)
{
    hash_free(&memo->index);
    free(memo->all);
    *memo = (struct memo){0};
}
