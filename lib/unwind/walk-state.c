/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state of a walk: the objects that are mapped at the addresses it comes to, and how the walk
 * ends. An unwinder opens each object once, at the first walk that goes through it.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "unwind/unwind-internal.h"
#include "unwind/unwind-jit.h"
#include "unwind/unwind-kernel.h"

#define STACK_REST (UINT64_C(1) << 30) /* a stack may go on for this many bytes above its copy */
#define OBJECTS_MAX (1u << 24)         /* objects with this number or a higher one have no rules */

/* --- the objects that walks went through, each opened once ---------------------------------- */

struct unwinder *unwinder_new(void)
{
    return calloc(1, sizeof(struct unwinder));
}

void unwinder_free(struct unwinder *unwinder)
{
    if (unwinder == NULL)
        return;
    for (uint32_t i = 0; i < unwinder->count; i++)
        unwind_object_close(unwinder->objects[i]);
    free(unwinder->objects);
    unwind_forget_python(unwinder);
    unwind_forget_kernel(unwinder);
    unwind_forget_jit(unwinder);
    free(unwinder->runtimes);
    free(unwinder);
}

/* Finds an object, and opens its file if this was not done before. *object becomes NULL if the file
 * has not come yet, or if `number` is too large. 0 or -ENOMEM. */
static int unwinder_object(struct unwinder *unwinder, const struct unwind_callbacks *callbacks,
                           uint32_t number, struct unwind_object **object)
{
    *object = NULL;
    if (number >= OBJECTS_MAX)
        return 0;
    if (number >= unwinder->count || unwinder->objects[number] == NULL) {
        int fd = callbacks->open(callbacks->context, number);
        if (fd == -EAGAIN)
            return 0;
        if (array_extend(&unwinder->objects, &unwinder->count, number + 1, sizeof *unwinder->objects) != 0)
            return -ENOMEM;
        unwinder->objects[number] = unwind_object_open(fd);
    }
    *object = unwinder->objects[number];
    return *object == NULL ? -ENOMEM : 0;
}

/* --- the state of a walk ---------------------------------------------------------------- */

void walk_end(struct walk *walk, enum unwind_end end)
{
    walk->ended = true;
    walk->end = end;
}

bool walk_is_above_copy(const struct walk *walk, uint64_t address)
{
    for (uint32_t i = 0; i < walk->input->piece_count; i++) {
        const struct unwind_piece *stack = &walk->input->pieces[i];
        uint64_t above = address - stack->start - stack->size;
        if (address - stack->start >= stack->size && above < STACK_REST)
            return true;
    }
    return false;
}

void walk_fail(struct walk *walk, int error)
{
    walk->error = error;
    walk->ended = true;
}

/* On AArch64, a return address may have a signature (pointer authentication), in bits that addresses do not use.
 * registers.signature has these bits set. If it is 0, they are not known, and assumed to begin at bit 48. But in some
 * kernels (CONFIG_ARM64_VA_BITS_39: Android, Raspberry Pi) user addresses have only 39 bits. So if something is mapped
 * at the low 39 bits of pc, and nothing at its low 48 bits, they are assumed to begin at bit 39. */
uint64_t walk_strip_signature(struct walk *walk, uint64_t pc)
{
    uint64_t signature = walk->input->registers.signature;
    uint64_t longer = pc & ((UINT64_C(1) << 48) - 1), shorter = pc & ((UINT64_C(1) << 39) - 1);

    if (signature != 0)
        return pc & ~signature;
    bool short_addresses = longer != shorter && walk_find_mapped(walk, longer - 1) == NULL &&
                           walk_find_mapped(walk, shorter - 1) != NULL;
    return short_addresses ? shorter : longer;
}

/* --- mappings ----------------------------------------------------------------- */

const struct mapped_object *walk_find_mapped(struct walk *walk, uint64_t address)
{
    for (uint32_t i = 0; i < walk->mapped_count; i++) {
        const struct unwind_mapping *known = &walk->mapped[i].mapping;
        if (address >= known->start && address < known->end)
            return &walk->mapped[i];
    }
    struct mapped_object mapped;
    if (!walk->callbacks->find(walk->callbacks->context, address, &mapped.mapping))
        return NULL;
    int error = unwinder_object(walk->unwinder, walk->callbacks, mapped.mapping.object, &mapped.object);
    if (error != 0) {
        walk_fail(walk, error);
        return NULL;
    }
    if (walk->mapped_count == WALK_MAPPED_MAX)
        walk->mapped_count--; /* the new element replaces the last one */
    walk->mapped[walk->mapped_count] = mapped;
    return &walk->mapped[walk->mapped_count++];
}
