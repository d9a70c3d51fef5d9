/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * memo: a hash table from keys of three numbers to indexes. Readers and writers of formats use it to find what they
 * have already added to a table.
 */
#ifndef PPROFIL_MEMO_H
#define PPROFIL_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

struct memo_entry {
    uint64_t b;
    uint32_t kind, a;
    uint32_t index; /* valid if used */
    bool used;
};

struct memo {
    struct hash_index index;
    struct memo_entry *all; /* owned */
    uint32_t count;
};

/* Finds the entry with the key (kind, a, b), or adds one that is not used yet. The entry is valid until the next call.
 * Returns 0, -ENOMEM or -EOVERFLOW. An empty memo is all 0. The caller frees the memo. */
int memo_find(struct memo *memo, uint32_t kind, uint32_t a, uint64_t b, struct memo_entry **found);
/* Stores the index, and marks the entry as used. */
void memo_set(struct memo_entry *entry, uint32_t index);
void memo_free(struct memo *memo);

#endif
