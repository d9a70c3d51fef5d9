/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
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

int memo_recall(struct memo *memo, uint32_t kind, uint32_t a, uint64_t b, struct memory **found)
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
    **found = (struct memory){.kind = kind, .a = a, .b = b};
    return 0;
}

void memo_remember(struct memory *place, uint32_t index)
{
    place->index = index;
    place->used = true;
}

void memo_free(struct memo *memo)
{
    hash_free(&memo->index);
    free(memo->all);
    memo->all = NULL;
    memo->count = 0;
}
