/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples with stacks become input of the unwinder, and its result goes into the profile. */
#include "config.h"

#include <string.h>

#include "unwind/unwind-internal.h"

static enum unwind_machine machine_of(const struct wire_sample *sample)
{
#ifdef __aarch64__
    (void)sample;
    return UNWIND_AARCH64;
#else
    /* of a sleeper that is all that tells: a 64-bit stack is never so low */
    bool narrow = (sample->flags & WIRE_SAMPLE_COMPAT) != 0 || sample->sp <= UINT32_MAX;
    return narrow ? UNWIND_I386 : UNWIND_X86_64;
#endif
}

static int feed_stack(struct unwinder *unwinder, struct profile *profile,
                      const struct wire_sample *sample, const struct wire_stack *stack)
{
    struct unwind_input input = {.registers.machine = machine_of(sample),
                                 .piece_count = stack->below_size > 0 ? 2 : 1};
    const uint8_t *bytes = wire_stack_bytes(stack);
    uint32_t node;

    memcpy(input.registers.values, stack->regs, sizeof stack->regs);
    input.registers.unknown = ~stack->known;
    const struct machine *machine = machine_find(input.registers.machine);
    input.registers.values[machine->pc] = sample->pc;
    input.registers.values[machine->sp] = sample->sp;
    input.registers.unknown &= ~(UINT64_C(1) << machine->pc | UINT64_C(1) << machine->sp);
    input.pieces[0] = (struct unwind_piece){
        .start = stack->start, .bytes = bytes, .size = stack->size};
    input.pieces[1] = (struct unwind_piece){.start = stack->below_start,
                                            .bytes = bytes + stack->size,
                                            .size = stack->below_size};
    int error = unwind_into_profile(unwinder, profile, sample->pid, &input, &node);
    return error == 0 ? profile_feed_stack(profile, sample, node) : error;
}

int unwind_feed(struct unwinder *unwinder, struct profile *profile, const struct wire_header *event)
{
    const struct wire_sample *sample = (const void *)event;
    const struct wire_stack *stack = event->type == WIRE_SAMPLE ? wire_sample_stack(sample) : NULL;

    if (stack == NULL)
        return profile_feed(profile, event);
    return feed_stack(unwinder, profile, sample, stack);
}
