/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * address-layout: gives each object of a profile its own range of addresses, for formats that need addresses in memory.
 *
 * A profile has the addresses of an object in only one process, the first that mapped it. Another process may have
 * mapped another object at the same addresses. One layout serves all processes, so objects must not overlap in it. An
 * object keeps the address of its first mapping if this address is free. Otherwise it gets another address. Code made
 * at run time and addresses without an object cannot be moved, so their addresses are reserved first.
 */
#ifndef PPROFIL_ADDRESS_LAYOUT_H
#define PPROFIL_ADDRESS_LAYOUT_H

#include "profile/profile.h"

struct mapped_object {
    /* addresses of the object in the layout; size 0: it is not mapped, and its addresses are not changed */
    uint64_t start, size;
    uint64_t low;         /* the address in the profile that becomes `start` in the layout */
};

/* Returns true if some code has a real address, or if the profile has no samples. If a profile was read from a format
 * without addresses, all its addresses are invented. In a file with such addresses, no reader could find the code. */
bool layout_has_code(const struct profile *profile);

/* Makes the layout, an array that has an element for each object of the profile, in the same order. The caller frees
 * it. Returns 0, -ENOMEM, or PPROFIL_ERROR_ADDRESSES (the objects do not fit into 64 bits). */
int layout_make(const struct profile *profile, struct mapped_object **mapped);

/* Returns the address of a location in the layout. */
uint64_t layout_address(const struct profile *profile, const struct mapped_object *mapped, uint32_t location);

#endif
