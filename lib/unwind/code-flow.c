/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes rules for code of x86-64 that has no frame descriptions, as that of musl and busybox: by what the instructions
 * of a function do to the stack pointer and to the registers that a function must preserve (psABI, "Registers").
 *
 * There are two ways, which follow all branches. Forward: from an instruction on to the ends of its function. What the
 * function would restore there on its way is what its caller had. This needs no start of the function, and is right
 * unless a call on the way does not return. From the start: what the function has done so far. This is for functions
 * that never return.
 *
 * In either way, the states in which two branches meet must be equal, and the forward ends must agree. They do not if
 * one goes on behind a call that never returns, into other code. Then there is no rule.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/code.h"
#include "unwind/unwind-internal.h"

#define HEADS_MAX 2048u         /* places to which a function jumps; nearly all functions have fewer */
#define SLOTS (2 * HEADS_MAX)   /* a power of two */
#define INSTRUCTIONS_MAX 16384u /* of a function */
#define STARTS_MAX 4u           /* starts of functions that are tried */
#define CALLS_MAX 8u            /* a function that never returns is found through so many calls */
#define WINDOW_SIZE 4096u
#define RED_ZONE 128 /* bytes below the stack pointer that a function may use (psABI, "The Stack Frame") */

/* --- the bytes of the code ---------------------------------------------------------------------------- */

struct window {
    const struct unwind_object *object;
    uint64_t low, high;   /* the segment is at the offsets [low, high) of the file */
    uint64_t start, size; /* of the bytes that were read */
    uint8_t bytes[WINDOW_SIZE];
};

static bool window_read(struct window *window, uint64_t offset, struct x86_instruction *instruction)
{
    uint64_t into = offset - window->start;

    if (offset < window->low || offset >= window->high)
        return false;
    if (into >= window->size || window->size - into < X86_INSTRUCTION_MAX) {
        window->start = offset;
        window->size = window->high - offset < WINDOW_SIZE ? window->high - offset : WINDOW_SIZE;
        into = 0;
        if (!unwind_object_bytes(window->object, offset, window->bytes, window->size))
            window->size = 0;
    }
    return x86_instruction_read(window->bytes + into, window->size - into, instruction);
}

/* --- flows -------------------------------------------------------------------------------------------- */

/* An instruction to which a branch leads, and the state there. */
struct head {
    uint64_t offset;
    struct x86_state state;
};

struct flow {
    struct unwind_object *object;
    struct window window;
    struct x86_place first_fp;
    uint64_t begin;  /* offset of the instruction where the flow begins */
    uint64_t wanted; /* from the start: an offset in the instruction whose rule is wanted */
    bool forward;
    /* distance from `begin` to the end of the highest instruction that is less than CODE_EXTENT_MAX away */
    uint64_t extent;
    uint32_t depth; /* number of calls that led here, if the question is whether a function returns */
    uint32_t instructions;
    bool found, contradicts;
    struct x86_state result;   /* forward: at the end of the function; from the start: at the wanted instruction */
    uint32_t head_count, done; /* behind the first `done` heads, the flow has been followed */
    uint16_t slots[SLOTS];     /* a hash table: indexes of heads, plus 1; 0: free */
    struct head heads[HEADS_MAX];
};

static uint16_t *flow_slot(struct flow *flow, uint64_t offset)
{
    uint32_t slot = (uint32_t)((offset + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32);

    while (slot &= SLOTS - 1, flow->slots[slot] != 0 && flow->heads[flow->slots[slot] - 1].offset != offset)
        slot++;
    return &flow->slots[slot];
}

static void flow_goto(struct flow *flow, uint64_t offset, const struct x86_state *state)
{
    uint16_t *slot = flow_slot(flow, offset);

    if (*slot != 0) {
        flow->contradicts = flow->contradicts || !x86_place_is(flow->heads[*slot - 1].state.sp, state->sp);
    } else if (flow->head_count == HEADS_MAX) {
        flow->contradicts = true;
    } else {
        flow->heads[flow->head_count++] = (struct head){offset, *state};
        *slot = (uint16_t)flow->head_count;
    }
}

static void flow_note(struct flow *flow, const struct x86_state *state)
{
    if (flow->found && !x86_place_is(flow->result.sp, state->sp))
        flow->contradicts = true;
    if (!flow->found)
        flow->result = *state;
    flow->found = true;
}

/* The function returns, or jumps to another one, which returns for it. */
static void flow_leave(struct flow *flow, const struct x86_state *state)
{
    if (flow->forward)
        flow_note(flow, state);
    else if (!x86_place_is(state->sp, (struct x86_place){0, BASE_SP}) && state->sp.base != BASE_UNKNOWN)
        flow->contradicts = true;
}

static bool function_returns(struct unwind_object *object, uint64_t start, uint32_t depth);

static void flow_jump(struct flow *flow, uint64_t offset, const struct x86_state *state)
{
    if (offset == flow->begin || !code_starts_at(&flow->object->starts, offset))
        flow_goto(flow, offset, state);
    else if (function_returns(flow->object, offset, flow->depth))
        flow_leave(flow, state);
}

/* Returns whether the flow goes on behind an instruction. `offset` is that of the next one. */
static bool flow_goes_on(const struct flow *flow, const struct x86_instruction *instruction, uint64_t offset)
{
    uint64_t target = offset - instruction->size + (uint64_t)instruction->value;

    if (instruction->kind == X86_CALL)
        return !code_starts_at(&flow->object->starts, offset) && function_returns(flow->object, target, flow->depth);
    return instruction->kind != X86_JUMP && instruction->kind != X86_JUMP_ANYWHERE && instruction->kind != X86_RETURN &&
           instruction->kind != X86_STOP;
}

static bool flow_may_read(struct flow *flow)
{
    uint32_t *budget = &flow->object->starts.budget;

    if (flow->instructions == INSTRUCTIONS_MAX || *budget == 0)
        return false;
    flow->instructions++;
    --*budget;
    return true;
}

/* Follows the code from a head on, up to a jump, a return, or another head. */
static void flow_run(struct flow *flow, uint64_t offset, struct x86_state state)
{
    struct x86_instruction instruction;

    do {
        flow->contradicts = flow->contradicts || !flow_may_read(flow);
        if (flow->contradicts || !window_read(&flow->window, offset, &instruction))
            return;
        if (!flow->forward && flow->wanted - offset < instruction.size)
            flow_note(flow, &state);
        if (offset - flow->begin < CODE_EXTENT_MAX && offset - flow->begin + instruction.size > flow->extent)
            flow->extent = offset - flow->begin + instruction.size;
        if (instruction.kind == X86_RETURN)
            flow_leave(flow, &state);
        if (instruction.kind == X86_JUMP || instruction.kind == X86_BRANCH)
            flow_jump(flow, offset + (uint64_t)instruction.value, &state);
        if (instruction.kind == X86_JUMP_ANYWHERE && flow->depth > 0)
            flow_note(flow, &state); /* it may return */
        x86_state_step(&state, &instruction, flow->first_fp);
        offset += instruction.size;
        if (*flow_slot(flow, offset) != 0 && flow_goes_on(flow, &instruction, offset))
            return flow_goto(flow, offset, &state);
    } while (flow_goes_on(flow, &instruction, offset) && (flow->depth == 0 || !flow->found));
}

static void flow_reset(struct flow *flow)
{
    memset(flow->slots, 0, sizeof flow->slots);
    flow->head_count = flow->done = flow->instructions = 0;
    flow->found = flow->contradicts = flow->forward = false;
    flow->first_fp = (struct x86_place){0};
}

static bool flow_all(struct flow *flow, uint64_t begin)
{
    flow->begin = begin;
    flow_goto(flow, begin, &(struct x86_state){.sp = {0, BASE_SP}, .fp = flow->first_fp});
    while (flow->done < flow->head_count && !flow->contradicts && (flow->depth == 0 || !flow->found)) {
        const struct head *head = &flow->heads[flow->done++];
        flow_run(flow, head->offset, head->state);
    }
    return flow->found && !flow->contradicts;
}

static struct flow *flow_new(struct unwind_object *object, uint64_t offset)
{
    struct flow *flow = calloc(1, sizeof *flow);
    GElf_Phdr segment;

    if (flow == NULL)
        return NULL;
    flow->object = object;
    flow->window.object = object;
    if (object_segment_of_offset(object->elf, offset, &segment)) {
        flow->window.low = segment.p_offset;
        flow->window.high = segment.p_offset + segment.p_filesz;
    }
    return flow;
}

/* Returns whether a function returns, as far as this can be found. */
static bool function_returns(struct unwind_object *object, uint64_t start, uint32_t depth)
{
    uint8_t *known = code_starts_returns(&object->starts, start);

    if (known == NULL || *known != CODE_UNKNOWN || depth == CALLS_MAX)
        return known == NULL || *known != CODE_NEVER_RETURNS;
    struct flow *flow = flow_new(object, start);
    if (flow == NULL)
        return true;
    *known = CODE_RETURNS; /* if it calls itself, that call returns */
    flow->forward = true;
    flow->depth = depth + 1;
    if (!flow_all(flow, start) && !flow->contradicts)
        *known = CODE_NEVER_RETURNS;
    free(flow);
    return *known == CODE_RETURNS;
}

/* --- rules ---------------------------------------------------------------------------------------------- */

static void rule_set(struct rule_full *rule, size_t reg, enum rule_how how, int32_t value)
{
    rule->registers[reg] = (struct rule_register){.number = (uint8_t)reg, .how = (uint8_t)how, .value = value};
}

static void rule_set_cfa(struct rule_full *rule, uint8_t base, int32_t value)
{
    *rule = (struct rule_full){.cfa = {.how = RULE_REGISTER, .number = base, .value = value}};
    rule_set(rule, X86_RIP, RULE_AT, -8);
}

/* The state at the end of the function tells from where the registers are restored: from places relative to the present
 * values of rsp and rbp. */
static bool rule_forward(const struct x86_state *end, struct rule_full *rule)
{
    if (end->sp.base == BASE_UNKNOWN || (end->sp.base == BASE_SP && end->sp.offset < 0))
        return false;
    rule_set_cfa(rule, end->sp.base == BASE_SP ? X86_RSP : X86_RBP, end->sp.offset + 8);
    for (size_t i = 0; i < X86_PRESERVED; i++) {
        struct x86_place from = end->preserved[i].value;
        if (from.base == BASE_UNKNOWN)
            continue;
        if (from.base != end->sp.base || (from.base == BASE_SP && from.offset < -RED_ZONE))
            return false;
        rule_set(rule, x86_preserved[i], RULE_AT, from.offset - end->sp.offset - 8);
    }
    return true;
}

/* The state at the instruction tells what the function has done since its start, where the stack pointer was the
 * address of the return address. If the stack pointer is above that after a system call, the kernel has set it:
 * this is the child of clone(2), which has no caller. */
static bool rule_from_start(const struct x86_state *now, bool exact, struct rule_full *rule)
{
    if (now->sp.base == BASE_SP)
        rule_set_cfa(rule, X86_RSP, 8 - now->sp.offset);
    else if (now->fp.base == BASE_SP)
        rule_set_cfa(rule, X86_RBP, 8 - now->fp.offset);
    else
        return false;
    for (size_t i = 0; i < X86_PRESERVED; i++)
        if (now->preserved[i].slot.base == BASE_SP && now->preserved[i].slot_value.base == BASE_UNKNOWN)
            rule_set(rule, x86_preserved[i], RULE_AT, now->preserved[i].slot.offset - 8);
    if (now->sp.base == BASE_SP && now->sp.offset > 0) {
        rule_set(rule, X86_RIP, RULE_UNDEFINED, 0);
        return now->called_kernel && !exact;
    }
    return true;
}

/* Returns whether the call that ends at an offset returns. */
static bool call_returns(struct unwind_object *object, uint64_t offset)
{
    uint64_t target;

    if (code_starts_at(&object->starts, offset))
        return false;
    return !call_target(object, machine_find(UNWIND_X86_64), offset, &target) || function_returns(object, target, 0);
}

static bool flow_forward(struct flow *flow, uint64_t offset, bool exact, struct rule_full *rule)
{
    uint64_t begin = offset + (exact ? 0 : 1);

    flow->forward = true;
    flow->first_fp = (struct x86_place){0, BASE_FP};
    return (exact || call_returns(flow->object, begin)) && flow_all(flow, begin) && rule_forward(&flow->result, rule);
}

uint64_t code_flow_extent(struct unwind_object *object, uint64_t begin)
{
    struct flow *flow = code_starts_look(object) == 0 ? flow_new(object, begin) : NULL;

    if (flow == NULL)
        return 0;
    flow_all(flow, begin);
    uint64_t extent = flow->extent;
    free(flow);
    return extent;
}

/* What seems to be a start may be none: a call instruction that is none, or the address of a label. Then the flow from
 * there does not return as a function does, or does not come here. So several starts are tried. */
static bool flow_from_start(struct flow *flow, uint64_t offset, bool exact, struct rule_full *rule)
{
    uint64_t start, below = offset;

    flow->wanted = offset;
    for (size_t i = 0; i < STARTS_MAX && code_starts_below(&flow->object->starts, below, &start); i++) {
        flow_reset(flow);
        if (flow_all(flow, start))
            return rule_from_start(&flow->result, exact, rule);
        below = start - 1;
    }
    return false;
}

int code_flow_rule(struct unwind_object *object, uint64_t offset, bool exact, struct rule_full *rule)
{
    int error = code_starts_look(object);
    struct flow *flow = error == 0 ? flow_new(object, offset) : NULL;

    if (flow == NULL)
        return error != 0 ? error : -ENOMEM;
    bool found = flow_forward(flow, offset, exact, rule) || flow_from_start(flow, offset, exact, rule);
    free(flow);
    return found ? 0 : -ENOENT;
}
