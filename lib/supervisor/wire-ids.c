/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>

#include "supervisor/wire-ids.h"

/* Returns the index of the thing with this hash, or of the free slot for it. */
static unsigned wire_ids_slot(const struct wire_ids *ids, uint64_t hash)
{
    unsigned slot = (unsigned)(hash % WIRE_IDS_MAX);

    while (ids->hashes[slot] != 0 && ids->hashes[slot] != hash)
        slot = (slot + 1) % WIRE_IDS_MAX;
    return slot;
}

uint16_t wire_ids_find(struct wire_ids *ids, uint64_t hash, bool *known)
{
    hash |= 1; /* 0 marks a free slot */
    unsigned slot = wire_ids_slot(ids, hash);

    *known = ids->hashes[slot] == hash;
    if (!*known && ids->count == WIRE_IDS_MAX / 2) { /* the other half stays free, so that searches are short */
        memset(ids->hashes, 0, sizeof ids->hashes);
        ids->count = 0;
        ids->generation++;
        slot = wire_ids_slot(ids, hash);
    }
    return (uint16_t)(slot + 1);
}

void wire_ids_add(struct wire_ids *ids, uint64_t hash, uint16_t id)
{
    ids->hashes[id - 1] = hash | 1;
    ids->count++;
}

bool wire_sleep_id_holds(const struct wire_sleep_id *sleep, const struct wire_ids *ids, uint64_t turns)
{
    return turns != 0 && sleep->turns == turns && sleep->generation == ids->generation;
}

void wire_sleep_id_set(struct wire_sleep_id *sleep, const struct wire_ids *ids, uint16_t id, uint64_t turns)
{
    *sleep = (struct wire_sleep_id){.id = id, .generation = ids->generation, .turns = id != 0 ? turns : 0};
}
