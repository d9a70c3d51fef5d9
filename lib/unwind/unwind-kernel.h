/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* unwind-kernel: the kernel stacks of sleeping threads. */
#ifndef PPROFIL_UNWIND_KERNEL_H
#define PPROFIL_UNWIND_KERNEL_H

#include <stdint.h>

#include "profile/profile.h"
#include "unwind/unwind.h"
#include "wire/wire.h"

/* Adds a kernel stack, or replaces the one that has its id. 0, -ENOMEM, -EOVERFLOW or PPROFIL_ERROR_DAMAGED. */
int unwind_add_kernel_stack(struct unwinder *unwinder, struct profile *profile, const struct wire_kernel_stack *event);
/* Adds the functions of a kernel stack below *node, which becomes the node of the innermost function. Does nothing if
 * the id is 0 or not known. 0, -ENOMEM or -EOVERFLOW. */
int unwind_enter_kernel(const struct unwinder *unwinder, struct profile *profile, uint32_t id, uint32_t *node);
/* Does for the kernel stacks what unwinder_end_period does. */
void unwind_move_kernel(struct unwinder *unwinder, const struct profile_moves *moves);
/* Frees what the functions above keep in the unwinder. */
void unwind_forget_kernel(struct unwinder *unwinder);

#endif
