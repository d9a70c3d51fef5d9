/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wire-ids: gives ids to things that samples refer to, such as stacks in the kernel. Equal things get the same id, so
 * each thing is sent to the client only once. If there are too many things, all ids are forgotten.
 */
#ifndef PPROFIL_WIRE_IDS_H
#define PPROFIL_WIRE_IDS_H

#include <stdbool.h>
#include <stdint.h>

#define WIRE_IDS_MAX 4096u /* largest id */

/* An empty table is all 0. */
struct wire_ids {
    uint64_t hashes[WIRE_IDS_MAX]; /* hash table with open addressing; the id of a thing is its index plus 1; 0: free */
    unsigned count;
    uint32_t generation; /* goes up when all ids are forgotten */
};

/* Returns the id of the thing with this hash, 1 to WIRE_IDS_MAX. Sets *known to false if the thing is not in the table.
 * Then the id is the one that wire_ids_add will give to it, and a thing that had this id is forgotten. */
uint16_t wire_ids_find(struct wire_ids *ids, uint64_t hash, bool *known);
/* Adds the thing for which wire_ids_find has just returned this id, once the client knows it. */
void wire_ids_add(struct wire_ids *ids, uint64_t hash, uint16_t id);

/* The id of what a sleeping thread does, which stays the same until the thread runs again. It is unknown if all is
 * 0. */
struct wire_sleep_id {
    uint16_t id;
    uint32_t generation; /* value of wire_ids.generation when the thing had this id */
    uint64_t turns;      /* value of procfs_cpu.turns when the id was found; 0: it is not known */
};

/* Returns true if the id is still the right one for a thread that has got a CPU `turns` times; 0: not known. */
bool wire_sleep_id_holds(const struct wire_sleep_id *sleep, const struct wire_ids *ids, uint64_t turns);
/* Stores an id; 0: it is not known. */
void wire_sleep_id_set(struct wire_sleep_id *sleep, const struct wire_ids *ids, uint16_t id, uint64_t turns);

#endif
