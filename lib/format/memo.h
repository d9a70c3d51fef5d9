/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memo: which index something got that is known by three numbers. */
#ifndef PPROFIL_MEMO_H
#define PPROFIL_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

struct memo_entry {
    uint64_t b;
    uint32_t kind, a;
    uint32_t index; /* if used */
    bool used;
};

struct memo {
    struct hash_index index;
    struct memo_entry *all; /* owned */
    uint32_t count;
};

/* Finds the entry of (kind, a, b), or makes one that is not yet used. It is valid until the next call. 0, -ENOMEM or
 * -EOVERFLOW. An empty memo is all 0; the caller frees it. */
int memo_find(struct memo *memo, uint32_t kind, uint32_t a, uint64_t b, struct memo_entry **found);
/* Stores the index, which makes the entry a used one. */
void memo_set(struct memo_entry *entry, uint32_t index);
void memo_free(struct memo *memo);

#endif
