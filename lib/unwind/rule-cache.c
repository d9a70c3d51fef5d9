/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules by address. A profile asks for the same few thousand addresses again and again: those
 * behind calls. An object's cache is bounded, and begins anew when it is full.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/unwind-internal.h"

#define MOST_ENTRIES 65536u
#define FIRST_SIZE 256u

static uint32_t slot_of(const struct rule_cache *cache, uint64_t key)
{
    uint32_t slot = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (cache->size - 1);

    while (cache->slots[slot].key != key && cache->slots[slot].key != 0)
        slot = (slot + 1) & (cache->size - 1);
    return slot;
}

bool rule_cache_find(const struct rule_cache *cache, uint64_t address, const struct rule **rule)
{
    if (cache->size == 0)
        return false;
    const struct rule_slot *slot = &cache->slots[slot_of(cache, address + 1)];
    if (slot->key == 0)
        return false;
    *rule = slot->rule == RULE_NONE ? NULL : (const void *)&cache->words[slot->rule];
    return true;
}

void rule_cache_clear(struct rule_cache *cache)
{
    free(cache->slots);
    free(cache->words);
    *cache = (struct rule_cache){0};
}

/* At least half of the slots stay free. */
static int make_slots(struct rule_cache *cache)
{
    struct rule_cache larger = *cache;

    if (cache->used < cache->size / 2)
        return 0;
    if (cache->used >= MOST_ENTRIES) {
        rule_cache_clear(cache);
        larger = *cache;
    }
    larger.size = cache->size == 0 ? FIRST_SIZE : cache->size * 2;
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (larger.slots == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < cache->size; i++)
        if (cache->slots[i].key != 0)
            larger.slots[slot_of(&larger, cache->slots[i].key)] = cache->slots[i];
    free(cache->slots);
    *cache = larger;
    return 0;
}

static int make_words(struct rule_cache *cache, uint32_t count)
{
    uint32_t room = cache->word_room == 0 ? 1024 : cache->word_room;

    while (room - cache->word_count < count)
        room *= 2; /* at most 65536 rules of some 70 words each */
    if (room == cache->word_room)
        return 0;
    uint32_t *words = realloc(cache->words, room * sizeof *words);
    if (words == NULL)
        return -ENOMEM;
    cache->words = words;
    cache->word_room = room;
    return 0;
}

/* Writes a rule behind the others. */
static void pack(struct rule_cache *cache, const struct rule_full *full, uint8_t flags,
                 uint8_t return_column)
{
    struct rule *rule = (void *)&cache->words[cache->word_count];

    rule->cfa = full->cfa;
    rule->flags = flags | (full->is_signed ? RULE_SIGNED : 0);
    rule->return_column = return_column;
    rule->count = 0;
    for (size_t i = 0; i < UNWIND_REGISTERS; i++)
        if (full->registers[i].how != RULE_SAME)
            rule->registers[rule->count++] = full->registers[i];
    size_t size = sizeof *rule + rule->count * sizeof rule->registers[0];
    cache->word_count += (uint32_t)(size / sizeof *cache->words);
}

int rule_cache_keep(struct rule_cache *cache, uint64_t address, const struct rule_full *full,
                    uint8_t flags, uint8_t return_column)
{
    const size_t most = sizeof(struct rule) + UNWIND_REGISTERS * sizeof(struct rule_register);

    if (make_slots(cache) != 0 || make_words(cache, most / sizeof *cache->words) != 0)
        return -ENOMEM;
    uint32_t slot = slot_of(cache, address + 1);
    cache->slots[slot].rule = full == NULL ? RULE_NONE : cache->word_count;
    if (full != NULL)
        pack(cache, full, flags, return_column);
    if (cache->slots[slot].key == 0)
        cache->used++;
    cache->slots[slot].key = address + 1;
    return 0;
}
