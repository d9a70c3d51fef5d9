/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * address-layout: made-up addresses of objects, for formats that have addresses as mapped.
 *
 * A profile knows where an object was mapped first, and by which process; another process may have mapped another
 * object there. Here one layout serves all processes, so files do not overlap: a file keeps its first address if that
 * is free, and else gets another. Code made at run time and addresses without an object cannot be moved; files give way
 * to them.
 */
#ifndef PPROFIL_ADDRESS_LAYOUT_H
#define PPROFIL_ADDRESS_LAYOUT_H

#include "profile/profile.h"

struct mapped_object {
    uint64_t start, size; /* size 0: it is not mapped, and its addresses stay as they are */
    uint64_t low;         /* the object's own address that is mapped at start */
};

/* Has the profile any code with addresses, or no samples at all? The addresses of a profile of names are made up, and
 * nothing can be found there. */
bool layout_has_code(const struct profile *profile);

/* Makes the layout, by index of the object; the caller frees it. 0, -ENOMEM, or PPROFIL_ERROR_ADDRESSES (the objects do
 * not fit into 64 bits). */
int layout_make(const struct profile *profile, struct mapped_object **mapped);

/* The address of a location in that layout. */
uint64_t layout_address(const struct profile *profile, const struct mapped_object *mapped, uint32_t location);

/* The object that stands for the kernel, in files that have addresses of it and no path. */
#define LAYOUT_KERNEL "[kernel]"
bool layout_is_kernel(const struct profile *profile, uint32_t object);

#endif
