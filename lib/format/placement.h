/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * placement: where the objects of a profile lie in memory, for formats that say addresses as
 * mapped.
 *
 * A profile knows where an object was mapped first, and by which process; another may have had
 * something else there. So that one map serves all processes, files do not overlap here: each
 * keeps its first place if that is free, and else gets another. Code made at run time and
 * addresses without an object cannot be moved; files make room for them.
 */
#ifndef PPROFIL_PLACEMENT_H
#define PPROFIL_PLACEMENT_H

#include "profile/profile.h"

struct place {
    uint64_t start, size; /* size 0: nothing is mapped */
    uint64_t low;         /* the object's own address of start */
};

/* Has it code with addresses, or no samples at all? A profile of names has none: its addresses are
 * made up, and nothing can be found there. */
bool placement_has_code(const struct profile *profile);

/* By object, for the caller to free. 0, -ENOMEM, or PPROFIL_ERROR_ADDRESSES: they do not fit into 64 bits. */
int placement_make(const struct profile *profile, struct place **places);

/* The address of a location as mapped there. */
uint64_t placement_address(const struct profile *profile, const struct place *places,
                           uint32_t location);

/* The kernel, of which only addresses are known: an object of this path, as read from files
 * that have it. */
#define PLACEMENT_KERNEL "[kernel]"
bool placement_is_kernel(const struct profile *profile, uint32_t object);

#endif
