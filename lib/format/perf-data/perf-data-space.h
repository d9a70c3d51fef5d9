/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf-data-space: the mappings of a process, as perf.data tells them.
 *
 * A search tree, whose order is that of addresses and in which two mappings that overlap are the
 * same: what a new one finds there is what it replaces.
 */
#ifndef PPROFIL_PERF_DATA_SPACE_H
#define PPROFIL_PERF_DATA_SPACE_H

#include <stdbool.h>
#include <stdint.h>

struct mapping {
    uint64_t start, end; /* [start, end) */
    uint64_t offset;     /* of start in the object */
    uint32_t object;
    bool mark; /* no mapping, but why callers are not known */
};

struct perf_space {
    void *tree; /* of struct mapping, for tsearch(3); NULL: none */
};

/* The mapping around an address, good until one is added; NULL: none. */
const struct mapping *space_find(const struct perf_space *space, uint64_t address);
/* Adds a mapping, of at least one byte, which takes over what it overlaps. 0 or -ENOMEM. */
int space_add(struct perf_space *space, const struct mapping *mapping);
/* Adds those of another process, at most *room, which goes down by their number. 0, -ENOMEM or
 * PPROFIL_ERROR_DAMAGED: there are more. */
int space_copy(struct perf_space *to, const struct perf_space *from, uint64_t *room);
void space_clear(struct perf_space *space);

#endif
