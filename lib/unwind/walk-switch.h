/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a walk does about the stacks of the Go runtime. Only for the files of lib/unwind. */
#ifndef PPROFIL_WALK_SWITCH_H
#define PPROFIL_WALK_SWITCH_H

#include "unwind/unwind-internal.h"

/* If the function of this frame has switched from a goroutine's stack to the scheduler stack of the Go runtime, sets
 * the stack pointer to its value before the switch. If the function has switched for good, or is the first one of the
 * thread, ends the walk, and returns true. False: the walk goes on. Only to be called if input->switch_base is not
 * 0. */
bool walk_switch(struct walk *walk, const struct rule *rule);
/* Returns whether this frame, which was reached by a return address, is the first one of a goroutine: it is at the end
 * of the stack, and no call has left that return address. object, offset: where the byte before the return address
 * is. */
bool walk_is_first(const struct walk *walk, const struct unwind_object *object, uint64_t offset);

#endif
