/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arena: memory for many small things that are freed together.
 *
 * An arena whose bytes are all 0 is empty and valid. Nothing in it is freed alone.
 */
#ifndef PPROFIL_BASE_ARENA_H
#define PPROFIL_BASE_ARENA_H

#include <stddef.h>

struct arena {
    struct arena_block *blocks; /* owned; the block that memory is taken from comes first */
};

/* Returns `size` bytes, aligned for any type. Their contents are undefined. Returns NULL if there is no memory. */
void *arena_allocate(struct arena *arena, size_t size);

/* Makes all memory of the arena available to it again. What arena_allocate has returned is no longer valid. */
void arena_reset(struct arena *arena);

/* Frees all memory of the arena, which is then empty. */
void arena_free(struct arena *arena);

#endif
