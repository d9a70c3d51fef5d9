/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that is freed as a whole: see arena.h. */
#include "config.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"

#define BLOCK_SIZE ((size_t)1 << 20) /* bytes; a larger thing has a block of its own */

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
};

static struct arena_block *arena_add_block(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX - sizeof *arena->blocks)
        return NULL;
    struct arena_block *block = malloc(sizeof *block + size);
    if (block == NULL)
        return NULL;
    *block = (struct arena_block){.next = arena->blocks, .size = size};
    arena->blocks = block;
    return block;
}

void *arena_allocate(struct arena *arena, size_t size)
{
    struct arena_block *block = arena->blocks;
    size_t rest = block == NULL ? 0 : block->size - block->used;

    if (block == NULL || size > rest) {
        block = arena_add_block(arena, size > BLOCK_SIZE ? size : BLOCK_SIZE);
        if (block == NULL)
            return NULL;
        rest = block->size;
    }
    void *bytes = block->bytes + block->used;
    size_t padding = -size % alignof(max_align_t);
    block->used += size + (padding < rest - size ? padding : rest - size);
    return bytes;
}

void arena_reset(struct arena *arena)
{
    struct arena_block *kept = arena->blocks;

    if (kept == NULL)
        return;
    struct arena others = {kept->next};
    arena_free(&others);
    kept->next = NULL;
    kept->used = 0;
}

void arena_free(struct arena *arena)
{
    for (struct arena_block *block = arena->blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    arena->blocks = NULL;
}
