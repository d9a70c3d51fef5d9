/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sums: counts by a key of two numbers. */
#ifndef PPROFIL_SUMS_H
#define PPROFIL_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sum {
    uint64_t key[2];
    uint64_t samples, ns;
    uint32_t location; /* one of them; 0 where the sum is new */
    uint32_t frame;    /* which of the location's lines, 0: the innermost */
    uint32_t thread, syscall, state;
};

struct sums {
    struct sum *all; /* owned; in the order in which they came */
    uint32_t count;
    uint32_t *slots; /* owned: a hash of indexes + 1 */
    uint32_t size;   /* of it: a power of two, or 0 */
};

/* The sum with this key, which is all 0 if it is new, until the next call; NULL: no memory. */
struct sum *sums_need(struct sums *sums, const uint64_t key[2]);
/* The same, or NULL where there is none. */
const struct sum *sums_find(const struct sums *sums, const uint64_t key[2]);
void sums_clear(struct sums *sums);

/* Spreads a key over all bits. */
uint64_t sums_hash(const uint64_t key[2]);

#endif
