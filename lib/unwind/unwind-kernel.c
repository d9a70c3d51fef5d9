/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Puts the functions in which a thread sleeps in the kernel on top of its stack. Only their names are known, so their
 * addresses are invented (profile/named-locations.h).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/named-locations.h"
#include "unwind/unwind-internal.h"
#include "unwind/unwind-kernel.h"
#include "wire/wire.h"

struct unwind_kernel_stack {
    uint32_t count;
    uint32_t locations[WIRE_KERNEL_FRAMES_MAX]; /* the innermost first */
};

static int unwind_kernel_location(struct profile *profile, uint32_t object, const char *name, uint32_t *location)
{
    struct profile_line line = {0};

    int error = profile_named_function(profile, object, name, "", 0, &line.function);
    return error == 0 ? profile_named_location(profile, object, &line, 1, location) : error;
}

/* Returns the memory for the stack with this id; NULL: no memory. */
static struct unwind_kernel_stack *unwind_kernel_room(struct unwinder *unwinder, uint32_t id)
{
    if (unwinder->kernel_stacks == NULL)
        unwinder->kernel_stacks = calloc(WIRE_KERNEL_STACKS_MAX + 1, sizeof *unwinder->kernel_stacks);
    if (unwinder->kernel_stacks == NULL)
        return NULL;
    if (unwinder->kernel_stacks[id] == NULL)
        unwinder->kernel_stacks[id] = malloc(sizeof **unwinder->kernel_stacks);
    return unwinder->kernel_stacks[id];
}

int unwind_add_kernel_stack(struct unwinder *unwinder, struct profile *profile, const struct wire_kernel_stack *event)
{
    struct unwind_kernel_stack *stack = unwind_kernel_room(unwinder, event->id);
    const char *name = event->names;
    uint32_t object;

    if (stack == NULL)
        return -ENOMEM;
    stack->count = 0;
    int error = profile_named_object(profile, PROFILE_KERNEL, &object);
    for (uint32_t i = 0; error == 0 && i < event->count; i++, name += strlen(name) + 1) {
        error = unwind_kernel_location(profile, object, name, &stack->locations[i]);
        stack->count += error == 0;
    }
    return error;
}

int unwind_enter_kernel(const struct unwinder *unwinder, struct profile *profile, uint32_t id, uint32_t *node)
{
    const struct unwind_kernel_stack *stack =
        unwinder->kernel_stacks != NULL && id <= WIRE_KERNEL_STACKS_MAX ? unwinder->kernel_stacks[id] : NULL;
    int error = 0;

    for (uint32_t left = stack != NULL ? stack->count : 0; error == 0 && left > 0; left--)
        error = profile_node(profile, *node, stack->locations[left - 1], node);
    return error;
}

void unwind_move_kernel(struct unwinder *unwinder, const struct profile_moves *moves)
{
    for (uint32_t id = 0; unwinder->kernel_stacks != NULL && id <= WIRE_KERNEL_STACKS_MAX; id++) {
        struct unwind_kernel_stack *stack = unwinder->kernel_stacks[id];
        for (uint32_t i = 0; stack != NULL && i < stack->count; i++)
            stack->locations[i] = moves->locations[stack->locations[i]] - 1; /* all locations of the kernel were kept */
    }
}

void unwind_forget_kernel(struct unwinder *unwinder)
{
    for (uint32_t id = 0; unwinder->kernel_stacks != NULL && id <= WIRE_KERNEL_STACKS_MAX; id++)
        free(unwinder->kernel_stacks[id]);
    free(unwinder->kernel_stacks);
}
