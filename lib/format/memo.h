/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * memo: a hash table that finds an index by a key of three numbers. Readers and writers of formats use it to find what
 * they have already added to a table.
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

/* Finds the entry with the key (kind, a, b), or adds it. In an added entry, `used` is false until the caller calls
 * memo_set. *found is valid until the next call of memo_find. Returns 0, -ENOMEM or -EOVERFLOW. A memo whose bytes are
 * all 0 is empty. The caller frees the memo with memo_free. */
int memo_find(struct memo *memo, uint32_t kind, uint32_t a, uint64_t b, struct memo_entry **found);
/* Stores an index in the entry, and sets the entry's field `used` to true. */
void memo_set(struct memo_entry *entry, uint32_t index);
void memo_free(struct memo *memo);

#endif
