/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What reading and writing a profile.proto looks things up in: its tables by their ids, and a
 * memory of what has been worked out once.
 */
#ifndef PPROFIL_PPROF_TABLES_H
#define PPROFIL_PPROF_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* What the file calls id. */
struct entry {
    uint64_t id;
    uint32_t index;  /* in the profile, or in the message as long as it is not read */
    uint32_t object; /* function: index + 1 of the object it is in, 0 not known yet */
    uint64_t shift;  /* mapping: object's address less the file's */
};

struct entries {
    struct entry *sorted; /* by id */
    size_t count;
};

/* The index that is known for three numbers, once it is used. */
struct memory {
    uint64_t b;
    uint32_t kind, a, index;
    bool used;
};

struct memo {
    struct hash_index index;
    struct memory *all; /* owned */
    uint32_t count;
};

/* Room for count entries, none yet in use. 0 or -ENOMEM; the caller frees sorted. */
int entries_make(struct entries *entries, size_t count);
/* By id; -EBADMSG where an id is 0 or there twice. */
int entries_sort(struct entries *entries);
/* NULL: there is none. */
struct entry *entries_find(const struct entries *entries, uint64_t id);

/* The place to remember (kind, a, b) at: with its index if it is known, else not yet used.
 * Good until the next call. 0, -ENOMEM or -EOVERFLOW; the caller frees the memo. */
int memo_recall(struct memo *memo, uint32_t kind, uint32_t a, uint64_t b, struct memory **found);
void memo_remember(struct memory *place, uint32_t index);
void memo_free(struct memo *memo);

#endif
