/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walks over a stack, from the innermost frame to the outermost.
 *
 * Each step finds the object that is mapped at the program counter, the rule for its frame, and the
 * caller's registers, until there is no caller. Whatever the copy and the files hold, each step
 * moves up the stack or passes one signal, and there are at most UNWIND_FRAMES_MAX steps.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "unwind/unwind-internal.h"

#define STACK_REST (UINT64_C(1) << 30) /* bytes of a stack that may lie above the copy */
#define OBJECTS_MAX (1u << 24)         /* objects with this number or a higher one have no rules */

/* --- the objects that walks went through, each opened once ---------------------------------- */

struct unwinder {
    struct unwind_object **objects; /* owned; by the caller's number; NULL: not opened yet */
    uint32_t count;
};

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
    free(unwinder);
}

/* Finds an object, and opens it at the first call. *object is NULL if the file may still come, or
 * number is too large. 0 or -ENOMEM. */
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
        if (array_extend(&unwinder->objects, &unwinder->count, number + 1,
                         sizeof *unwinder->objects) != 0)
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

void walk_end_outside(struct walk *walk, uint64_t address)
{
    bool stack = !walk->guessed || walk_is_above_copy(walk, address);
    walk_end(walk, stack ? UNWIND_TRUNCATED : UNWIND_BROKEN);
}

static void walk_fail(struct walk *walk, int error)
{
    walk->error = error;
    walk->ended = true;
}

/* A signature is in the bits that addresses do not use. registers.signature has these bits if the
 * kernel returned them. Otherwise they begin at bit 48, or at bit 39 if user addresses are shorter
 * (CONFIG_ARM64_VA_BITS_39: Android, Raspberry Pi). */
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
    int error =
        unwinder_object(walk->unwinder, walk->callbacks, mapped.mapping.object, &mapped.object);
    if (error != 0) {
        walk_fail(walk, error);
        return NULL;
    }
    if (walk->mapped_count == WALK_MAPPED_MAX)
        walk->mapped_count--; /* the new element replaces the last one */
    walk->mapped[walk->mapped_count] = mapped;
    return &walk->mapped[walk->mapped_count++];
}

/* --- steps ------------------------------------------------------------------------------ */

static void walk_by_trampoline(struct walk *walk)
{
    if (!trampoline_step(walk->machine, walk->input, walk->registers))
        return walk_end_outside(walk, walk->registers[walk->machine->sp]);
    walk->unknown = 0;
    walk->exact = true;
    walk->guessed = false;
}

/* Finds the rule of a frame. A return address that no call made (makecontext) is the start of a
 * function. No frame description covers the byte before it. Then the rule for the return address
 * itself is taken, and walk->made is set. False: the walk has ended. */
static bool walk_find_rule(struct walk *walk, struct unwind_object *object, uint64_t offset,
                           const struct rule **rule)
{
    walk->made = false;
    if (rule_cache_find(&object->cache, offset, rule) && *rule != NULL)
        return true;
    int error = unwind_object_rule(object, walk->machine, offset, rule);
    walk->made = error == 0 && *rule == NULL && !walk->exact;
    if (walk->made)
        error = unwind_object_rule(object, walk->machine, offset + 1, rule);
    walk->made = walk->made && *rule != NULL;
    if (error != 0)
        walk_fail(walk, error);
    return error == 0;
}

/* Sets address to the return address itself. No call made it, so the byte before it belongs to
 * another function. */
static void frame_make_exact(struct unwind_frame *frame)
{
    frame->address += frame->exact ? 0 : 1;
    frame->exact = true;
}

static void walk_step(struct walk *walk, const struct mapped_object *mapped, uint64_t address,
                      struct unwind_frame *frame)
{
    const struct rule *rule = NULL;
    const struct unwind_object *object = mapped == NULL ? NULL : mapped->object;
    uint64_t offset = mapped == NULL ? 0 : walk_offset(mapped, address);
    bool in_file = object != NULL && object->elf != NULL;

    if (in_file && !walk_find_rule(walk, mapped->object, offset, &rule))
        return;
    if (walk->made || (rule != NULL && (rule->flags & RULE_SIGNAL) != 0))
        frame_make_exact(frame);
    /* AArch64's vdso does not describe the whole frame of a signal, so trampoline_is is tried
     * first */
    bool pushes = walk->machine->pushes;
    if (rule != NULL && (pushes || (rule->flags & RULE_SIGNAL) == 0))
        return walk_by_rule(walk, object, rule);
    if (in_file && trampoline_is(object, walk->machine, walk->exact ? offset : offset + 1)) {
        frame_make_exact(frame);
        bool lost = walk_is_unknown(walk, walk->machine->sp) && !walk->by_call;
        return lost ? walk_end(walk, UNWIND_TRUNCATED) : walk_by_trampoline(walk);
    }
    if (rule != NULL)
        return walk_by_rule(walk, object, rule);
    if (in_file && (unwind_object_entry(object, offset) ||
                    (!walk->exact && !call_precedes(object, walk->machine, offset + 1))))
        /* the program begins here, or no call was made here: there is no caller */
        return walk_end(walk, UNWIND_COMPLETE);
    if (!walk_by_call(walk) && !walk_by_frame_pointer(walk) && !walk->ended)
        walk_end(walk, mapped == NULL ? UNWIND_BROKEN : UNWIND_NO_INFO);
}

/* --- the walk --------------------------------------------------------------------------- */

/* Handles a step that led to an address without code. If no call made the last return address, that
 * was the outermost frame. Otherwise the function of the last frame may have pushed one word more
 * than its frame description has, as some hand-written functions do. So the next word is tried as
 * the return address. */
static void walk_out_of_code(struct walk *walk)
{
    if (walk->made)
        return walk_end(walk, UNWIND_COMPLETE);
    walk->exact = true;
    if (!walk_by_call(walk) && !walk->ended)
        walk_end(walk, UNWIND_BROKEN);
}

/* Adds one frame, and steps to the next. */
static void walk_frame(struct walk *walk, struct unwind_stack *stack)
{
    uint64_t pc = walk->registers[walk->machine->pc], address = pc - (walk->exact ? 0 : 1);
    const struct mapped_object *mapped = walk_find_mapped(walk, address);

    if (walk->ended)
        return;
    if (pc == 0 && stack->count > 0)
        return walk_end(walk, UNWIND_COMPLETE);
    if (mapped == NULL && stack->count > 0)
        return walk_out_of_code(walk);
    if (stack->count == stack->room || stack->count == UNWIND_FRAMES_MAX)
        return walk_end(walk, UNWIND_TOO_DEEP);
    stack->frames[stack->count++] =
        (struct unwind_frame){.object = mapped == NULL ? UNWIND_NO_OBJECT : mapped->mapping.object,
                              .exact = walk->exact,
                              .address = mapped == NULL ? address : walk_offset(mapped, address)};
    walk_step(walk, mapped, address, &stack->frames[stack->count - 1]);
}

int unwind_walk(struct unwinder *unwinder, const struct unwind_callbacks *callbacks,
                const struct unwind_input *input, struct unwind_stack *stack)
{
    struct walk walk; /* walk.mapped needs no clearing: it is written before it is read */

    stack->count = 0;
    stack->end = UNWIND_BROKEN;
    walk.machine = machine_find(input->registers.machine);
    if (walk.machine == NULL || input->piece_count > UNWIND_PIECES_MAX)
        return -EINVAL;
    walk.unwinder = unwinder;
    walk.callbacks = callbacks;
    walk.input = input;
    memcpy(walk.registers, input->registers.values, sizeof walk.registers);
    walk.unknown = input->registers.unknown;
    for (size_t i = 0; walk.unknown != 0 && i < UNWIND_REGISTERS; i++)
        if (walk_is_unknown(&walk, i))
            /* so that no guess is made from a value that is there by chance */
            walk.registers[i] = 0;
    walk.mapped_count = 0;
    walk.exact = true;
    walk.made = false;
    walk.guessed = walk.by_call = false;
    walk.framed = false;
    walk.ended = false;
    walk.end = UNWIND_BROKEN;
    walk.error = 0;
    while (!walk.ended)
        walk_frame(&walk, stack);
    stack->end = walk.end;
    return walk.error;
}
