/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What code of x86-64 has done to the stack pointer, to the frame pointer, and to the registers that a function must
 * preserve (psABI, "Registers"): step by step, from a first instruction on.
 */
#include "config.h"

#include "unwind/code.h"

#define FRAME_MAX (1 << 28) /* bytes; sums of such offsets fit into 32 bits */

static struct x86_place place_add(struct x86_place place, int64_t by)
{
    int64_t offset = place.offset + by;

    if (place.base == BASE_UNKNOWN || offset < -FRAME_MAX || offset > FRAME_MAX)
        return (struct x86_place){0};
    return (struct x86_place){(int32_t)offset, place.base};
}

bool x86_place_is(struct x86_place a, struct x86_place b)
{
    return a.base == b.base && a.offset == b.offset;
}

const uint8_t x86_preserved[X86_PRESERVED] = {X86_RBX, X86_RBP, X86_R12, X86_R12 + 1, X86_R12 + 2, X86_R12 + 3};

/* Returns the index of a register in x86_preserved, or X86_PRESERVED. */
static size_t saved_index(uint8_t reg)
{
    size_t i = 0;

    while (i < X86_PRESERVED && x86_preserved[i] != reg)
        i++;
    return i;
}

/* Only the first store saves a register. A later one is of the function's own value. */
static void state_store(struct x86_state *state, uint8_t reg, struct x86_place place)
{
    size_t i = saved_index(reg);

    if (i == X86_PRESERVED || state->preserved[i].slot.base != BASE_UNKNOWN)
        return;
    state->preserved[i].slot = place;
    state->preserved[i].slot_value = state->preserved[i].value;
}

static void state_load(struct x86_state *state, uint8_t reg, struct x86_place place, struct x86_place first_fp)
{
    size_t i = saved_index(reg);

    if (reg == X86_RSP)
        state->sp = (struct x86_place){0};
    if (i == X86_PRESERVED)
        return;
    struct preserved *preserved = &state->preserved[i];
    bool restores = place.base != BASE_UNKNOWN && x86_place_is(preserved->slot, place);
    preserved->value = restores ? preserved->slot_value : place;
    if (restores)
        preserved->slot = (struct x86_place){0};
    if (reg == X86_RBP)
        state->fp = restores && preserved->value.base == BASE_UNKNOWN ? first_fp : (struct x86_place){0};
}

static void state_copy(struct x86_state *state, const struct x86_instruction *instruction)
{
    struct x86_place from = instruction->base == X86_RSP ? state->sp : state->fp;
    struct x86_place value = place_add(from, instruction->value);

    if (instruction->reg == X86_RSP)
        state->sp = value;
    else if (instruction->reg == X86_RBP)
        state->fp = value;
}

void x86_state_step(struct x86_state *state, const struct x86_instruction *instruction, struct x86_place first_fp)
{
    struct x86_place at = place_add(instruction->base == X86_RSP ? state->sp : state->fp, instruction->value);

    switch (instruction->kind) {
    case X86_PUSH:
        state->sp = place_add(state->sp, -8);
        return state_store(state, instruction->reg, state->sp);
    case X86_LEAVE:
        state->sp = state->fp;
        /* fall through */
    case X86_POP:
        at = state->sp;
        state->sp = place_add(state->sp, 8);
        return state_load(state, instruction->kind == X86_LEAVE ? X86_RBP : instruction->reg, at, first_fp);
    case X86_SP_PLUS:
        state->sp = place_add(state->sp, instruction->value);
        return;
    case X86_COPY:
        return state_copy(state, instruction);
    case X86_STORE:
        return state_store(state, instruction->reg, at);
    case X86_LOAD:
        return state_load(state, instruction->reg, at, first_fp);
    case X86_LOSES_SP:
        state->sp = (struct x86_place){0};
        return;
    case X86_SYSCALL:
        state->called_kernel = true;
    }
}
