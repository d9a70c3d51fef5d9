/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* deep-stack: the frames of stacks that may have more of them than there is room for. */
#ifndef PPROFIL_DEEP_STACK_H
#define PPROFIL_DEEP_STACK_H

#include "unwind/unwind.h"

/* Returns the next element of stack->frames, to be filled by the caller. If all are used, frames in the middle of the
 * stack are removed first. stack->room: at least 4. */
struct unwind_frame *deep_stack_add(struct unwind_stack *stack);
/* The last frame has been added. */
void deep_stack_finish(struct unwind_stack *stack);

#endif
