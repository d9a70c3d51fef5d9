/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A cache of unwinding rules by address, one for each object. Stacks go through the same few thousand return addresses
 * again and again. A cache is emptied when it has ENTRIES_MAX addresses and needs room for one more.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/unwind-internal.h"

#define ENTRIES_MAX 65536u
#define FIRST_SIZE 256u

void rule_cache_clear(struct rule_cache *cache)
{
    free(cache->slots);
    free(cache->words);
    *cache = (struct rule_cache){0};
}

/* Makes room for one more address. After that address is added, at least half of the slots are
 * still free. If the cache is full, empties it. 0 or -ENOMEM. */
static int rule_cache_make_slots(struct rule_cache *cache)
{
    struct rule_cache larger = *cache;

    if (cache->used < cache->size / 2)
        return 0;
    if (cache->used >= ENTRIES_MAX) {
        rule_cache_clear(cache);
        larger = *cache;
    }
    larger.size = cache->size == 0 ? FIRST_SIZE : cache->size * 2;
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (larger.slots == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < cache->size; i++)
        if (cache->slots[i].key != 0)
            larger.slots[rule_cache_slot(&larger, cache->slots[i].key - 1)] = cache->slots[i];
    free(cache->slots);
    *cache = larger;
    return 0;
}

static int rule_cache_make_words(struct rule_cache *cache, uint32_t count)
{
    uint32_t room = cache->word_room == 0 ? 1024 : cache->word_room;

    while (room - cache->word_count < count)
        /* this cannot overflow: there are at most ENTRIES_MAX rules, and none has more than about 70 words */
        room *= 2;
    if (room == cache->word_room)
        return 0;
    uint32_t *words = realloc(cache->words, room * sizeof *words);
    if (words == NULL)
        return -ENOMEM;
    cache->words = words;
    cache->word_room = room;
    return 0;
}

/* Sets the fields `low` and `high` of a rule: the range of memory with the saved registers. Sets
 * RULE_PLAIN if all registers of the rule are saved there, and no signal interrupted the caller. */
static void rule_find_extent(struct rule *rule, const struct machine *machine)
{
    bool plain = rule->cfa.how == RULE_REGISTER && rule->count > 0;

    rule->low = INT32_MAX;
    rule->high = INT32_MIN;
    for (size_t i = 0; i < rule->count; i++) {
        const struct rule_register *saved = &rule->registers[i];
        plain = plain && saved->how == RULE_AT && saved->number != machine->sp &&
                saved->value < INT32_MAX - machine->word;
        if (saved->value < rule->low)
            rule->low = saved->value;
        if (plain && saved->value + machine->word > rule->high)
            rule->high = saved->value + machine->word;
    }
    if (plain && (rule->flags & RULE_SIGNAL) == 0)
        rule->flags |= RULE_PLAIN;
}

/* Appends a rule to cache->words, which must have room for it. */
static void rule_cache_pack(struct rule_cache *cache, const struct machine *machine,
                            const struct rule_full *full, uint8_t flags, uint8_t return_column)
{
    struct rule *rule = (void *)&cache->words[cache->word_count];

    rule->cfa = full->cfa;
    rule->flags = flags;
    if (full->is_signed)
        rule->flags |= RULE_SIGNED;
    rule->return_column = return_column;
    rule->count = 0;
    for (size_t i = 0; i < UNWIND_REGISTERS; i++)
        if (full->registers[i].how != RULE_SAME)
            rule->registers[rule->count++] = full->registers[i];
    rule_find_extent(rule, machine);
    size_t size = sizeof *rule + rule->count * sizeof rule->registers[0];
    cache->word_count += (uint32_t)(size / sizeof *cache->words);
}

int rule_cache_keep(struct rule_cache *cache, const struct machine *machine, uint64_t address,
                    const struct rule_full *full, uint8_t flags, uint8_t return_column)
{
    const size_t most = sizeof(struct rule) + UNWIND_REGISTERS * sizeof(struct rule_register);

    if (rule_cache_make_slots(cache) != 0 || rule_cache_make_words(cache, most / sizeof *cache->words) != 0)
        return -ENOMEM;
    uint32_t slot = rule_cache_slot(cache, address);
    cache->slots[slot].rule = full == NULL ? RULE_NONE : cache->word_count;
    if (full != NULL)
        rule_cache_pack(cache, machine, full, flags, return_column);
    if (cache->slots[slot].key == 0)
        cache->used++;
    cache->slots[slot].key = address + 1;
    return 0;
}
