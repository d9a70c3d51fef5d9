/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stacks that have more frames than there is room for: deep recursion. The innermost and the outermost frames are kept,
 * always the same number of them, so that the stacks of a recursion have their outermost frames in common. One frame
 * with the object UNWIND_LEFT_OUT stands for all frames between them.
 */
#include "config.h"

#include <string.h>

#include "unwind/deep-stack.h"

struct deep_stack {
    uint32_t room, inner, outer; /* numbers of frames: in all, and those to be kept */
};

static struct deep_stack deep_stack_sizes(const struct unwind_stack *stack)
{
    uint32_t room = stack->room < UNWIND_FRAMES_MAX ? stack->room : UNWIND_FRAMES_MAX;

    return (struct deep_stack){.room = room, .inner = room / 2, .outer = room / 4};
}

/* Removes frames, so that only `outer` of them are left behind the frame UNWIND_LEFT_OUT. */
static void deep_stack_cut(struct unwind_stack *stack, const struct deep_stack *sizes)
{
    struct unwind_frame *left_out = &stack->frames[sizes->inner];

    memmove(left_out + 1, &stack->frames[stack->count - sizes->outer], sizes->outer * sizeof *left_out);
    stack->count = sizes->inner + 1 + sizes->outer;
}

struct unwind_frame *deep_stack_add(struct unwind_stack *stack)
{
    struct deep_stack sizes = deep_stack_sizes(stack);

    if (stack->count == sizes.room) {
        stack->frames[sizes.inner].object = UNWIND_LEFT_OUT; /* its sp stays that of the first one left out */
        deep_stack_cut(stack, &sizes);
    }
    return &stack->frames[stack->count++];
}

void deep_stack_finish(struct unwind_stack *stack)
{
    struct deep_stack sizes = deep_stack_sizes(stack);

    if (stack->count > sizes.inner + 1 + sizes.outer && stack->frames[sizes.inner].object == UNWIND_LEFT_OUT)
        deep_stack_cut(stack, &sizes);
}
