/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What reading and writing a profile.proto looks things up in: its tables by their ids, and a
 * memory of what has been worked out once.
 */
#ifndef PPROFIL_PPROF_TABLES_H
#define PPROFIL_PPROF_TABLES_H

#include <stddef.h>
#include <stdint.h>

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

/* A hash from two numbers to an index. */
struct memory {
    uint64_t a, b;
    uint32_t index, used;
};

struct memo {
    struct memory *slots;
    size_t size, count; /* size: a power of two, or 0 */
};

/* Room for count entries, none yet in use. 0 or -ENOMEM; the caller frees sorted. */
int entries_make(struct entries *entries, size_t count);
/* By id; -EBADMSG where an id is 0 or there twice. */
int entries_sort(struct entries *entries);
/* NULL: there is none. */
struct entry *entries_find(const struct entries *entries, uint64_t id);

/* The place to remember (kind, a, b) at: with its index if it is known, else not yet used.
 * Good until the next call. 0 or -ENOMEM; the caller frees memo->slots. */
int memo_recall(struct memo *memo, uint64_t kind, uint32_t a, uint64_t b, struct memory **found);
void memo_remember(struct memo *memo, struct memory *place, uint32_t index);

#endif
