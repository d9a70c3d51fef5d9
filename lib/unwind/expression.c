/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Evaluates the DWARF expressions (version 5, section 2.5) in frame descriptions: arithmetic with
 * registers and the copied stack. Operations that only describe variables (pieces, locations, other
 * frames) make no sense here, and end the evaluation.
 */
#include "config.h"

#include <dwarf.h>

#include "unwind/unwind-internal.h"

#define VALUES_MAX 64u /* largest number of values on the stack of an expression */
/* Largest number of operations in one evaluation. There must be a limit, because some operations jump back. */
#define STEPS_MAX 256u

struct evaluation {
    struct reader code;
    const uint8_t *begin;
    const struct machine *machine;
    const struct expression_context *context;
    uint64_t values[VALUES_MAX];
    uint32_t count;
    enum expression_end end;
};

static void expression_push(struct evaluation *e, uint64_t value)
{
    if (e->count == VALUES_MAX)
        e->end = EXPRESSION_NONSENSE;
    else
        e->values[e->count++] = machine_wrap(e->machine, value);
}

static uint64_t expression_pop(struct evaluation *e)
{
    if (e->count == 0) {
        e->end = EXPRESSION_NONSENSE;
        return 0;
    }
    return e->values[--e->count];
}

/* Pushes a copy of the value that is `below` places below the top of the stack. */
static void expression_pick(struct evaluation *e, uint64_t below)
{
    if (below >= e->count)
        e->end = EXPRESSION_NONSENSE;
    else
        expression_push(e, e->values[e->count - 1 - below]);
}

static void expression_swap(struct evaluation *e)
{
    uint64_t top = expression_pop(e), next = expression_pop(e);

    expression_push(e, top);
    expression_push(e, next);
}

static void expression_rotate(struct evaluation *e)
{
    uint64_t top = expression_pop(e), next = expression_pop(e), third = expression_pop(e);

    expression_push(e, top);
    expression_push(e, third);
    expression_push(e, next);
}

static void expression_push_register(struct evaluation *e, uint64_t number)
{
    int64_t offset = reader_sleb(&e->code);

    if (number >= e->machine->registers)
        e->end = EXPRESSION_NONSENSE;
    else if ((e->context->unknown & UINT64_C(1) << number) != 0)
        e->end = EXPRESSION_NO_MEMORY;
    else
        expression_push(e, e->context->registers[number] + (uint64_t)offset);
}

static void expression_dereference(struct evaluation *e, uint64_t size)
{
    uint64_t address = expression_pop(e), value = 0;

    if (e->end != EXPRESSION_DONE)
        return;
    if (size == 0 || size > e->machine->word)
        e->end = EXPRESSION_NONSENSE;
    else if (!memory_read(e->context->input, address, size, &value))
        e->end = EXPRESSION_NO_MEMORY;
    expression_push(e, value);
}

static void expression_jump(struct evaluation *e, bool taken)
{
    int64_t by = reader_signed(&e->code, 2);

    if (!taken)
        return;
    if (by < e->begin - e->code.at || by > e->code.end - e->code.at)
        e->end = EXPRESSION_NONSENSE;
    else
        e->code.at += by;
}

/* Returns a value as a signed number that has the size of an address. DWARF compares and divides such numbers. */
static int64_t signed_value(const struct evaluation *e, uint64_t value)
{
    return e->machine->word == 4 ? (int32_t)value : (int64_t)value;
}

static uint64_t expression_shift(uint8_t operation, int64_t value, uint64_t by, unsigned bits)
{
    uint64_t plain = bits == 32 ? (uint32_t)value : (uint64_t)value;

    if (by >= bits)
        return operation == DW_OP_shra && value < 0 ? UINT64_MAX : 0;
    if (operation == DW_OP_shl)
        return plain << by;
    return operation == DW_OP_shr ? plain >> by : (uint64_t)(value >> by);
}

static uint64_t expression_compare(uint8_t operation, int64_t left, int64_t right)
{
    switch (operation) {
    case DW_OP_eq:
        return left == right;
    case DW_OP_ne:
        return left != right;
    case DW_OP_ge:
        return left >= right;
    case DW_OP_gt:
        return left > right;
    case DW_OP_le:
        return left <= right;
    }
    return left < right;
}

static uint64_t expression_divide(struct evaluation *e, uint8_t operation, uint64_t left, uint64_t right)
{
    int64_t dividend = signed_value(e, left), divisor = signed_value(e, right);

    if (divisor == 0 || (divisor == -1 && dividend == INT64_MIN)) {
        e->end = EXPRESSION_NONSENSE;
        return 0;
    }
    return operation == DW_OP_mod ? left % right : (uint64_t)(dividend / divisor);
}

static void expression_binary(struct evaluation *e, uint8_t operation)
{
    uint64_t right = expression_pop(e), left = expression_pop(e);

    switch (operation) {
    case DW_OP_and:
        expression_push(e, left & right);
        break;
    case DW_OP_or:
        expression_push(e, left | right);
        break;
    case DW_OP_xor:
        expression_push(e, left ^ right);
        break;
    case DW_OP_plus:
        expression_push(e, left + right);
        break;
    case DW_OP_minus:
        expression_push(e, left - right);
        break;
    case DW_OP_mul:
        expression_push(e, left * right);
        break;
    case DW_OP_div:
    case DW_OP_mod:
        expression_push(e, expression_divide(e, operation, left, right));
        break;
    case DW_OP_shl:
    case DW_OP_shr:
    case DW_OP_shra:
        expression_push(e, expression_shift(operation, signed_value(e, left), right, e->machine->word * 8u));
        break;
    default:
        expression_push(e, expression_compare(operation, signed_value(e, left), signed_value(e, right)));
    }
}

static void expression_unary(struct evaluation *e, uint8_t operation)
{
    uint64_t value = expression_pop(e);
    bool negate = operation == DW_OP_neg || (operation == DW_OP_abs && signed_value(e, value) < 0);

    if (operation == DW_OP_not)
        value = ~value;
    expression_push(e, negate ? 0 - value : value);
}

/* Pushes the operand of DW_OP_const1u, const1s, const2u ... const8s. The codes of these operations follow each other in
 * this order, so the size of the operand, and whether it is signed, can be computed from the code. */
static void expression_constant(struct evaluation *e, uint8_t operation)
{
    unsigned kind = operation - DW_OP_const1u;
    size_t size = (size_t)1 << kind / 2;

    expression_push(e, kind % 2 == 0 ? reader_fixed(&e->code, size) : (uint64_t)reader_signed(&e->code, size));
}

static void expression_other(struct evaluation *e, uint8_t operation)
{
    switch (operation) {
    case DW_OP_nop:
        break;
    case DW_OP_constu:
        expression_push(e, reader_uleb(&e->code));
        break;
    case DW_OP_consts:
        expression_push(e, (uint64_t)reader_sleb(&e->code));
        break;
    case DW_OP_bregx:
        expression_push_register(e, reader_uleb(&e->code));
        break;
    case DW_OP_deref:
        expression_dereference(e, e->machine->word);
        break;
    case DW_OP_deref_size:
        expression_dereference(e, reader_fixed(&e->code, 1));
        break;
    case DW_OP_dup:
        expression_pick(e, 0);
        break;
    case DW_OP_over:
        expression_pick(e, 1);
        break;
    case DW_OP_pick:
        expression_pick(e, reader_fixed(&e->code, 1));
        break;
    case DW_OP_drop:
        expression_pop(e);
        break;
    case DW_OP_swap:
        expression_swap(e);
        break;
    case DW_OP_rot:
        expression_rotate(e);
        break;
    case DW_OP_plus_uconst:
        expression_push(e, expression_pop(e) + reader_uleb(&e->code));
        break;
    case DW_OP_skip:
        expression_jump(e, true);
        break;
    case DW_OP_bra:
        expression_jump(e, expression_pop(e) != 0);
        break;
    default:
        e->end = EXPRESSION_NONSENSE;
    }
}

static void expression_step(struct evaluation *e)
{
    uint8_t operation = (uint8_t)reader_fixed(&e->code, 1);

    if (operation >= DW_OP_lit0 && operation <= DW_OP_lit31)
        expression_push(e, operation - DW_OP_lit0);
    else if (operation >= DW_OP_breg0 && operation <= DW_OP_breg31)
        expression_push_register(e, operation - DW_OP_breg0);
    else if (operation >= DW_OP_const1u && operation <= DW_OP_const8s)
        expression_constant(e, operation);
    else if (operation == DW_OP_abs || operation == DW_OP_neg || operation == DW_OP_not)
        expression_unary(e, operation);
    else if (operation == DW_OP_plus_uconst)
        expression_other(e, operation);
    else if ((operation >= DW_OP_and && operation <= DW_OP_xor) || (operation >= DW_OP_eq && operation <= DW_OP_ne))
        expression_binary(e, operation);
    else
        expression_other(e, operation);
}

enum expression_end expression_run(struct reader code, const struct machine *machine,
                                   const struct expression_context *context, bool first, uint64_t *value)
{
    /* e.values needs no clearing: its elements are written before they are read */
    struct evaluation e;

    e.code = code;
    e.begin = code.at;
    e.machine = machine;
    e.context = context;
    e.count = 0;
    e.end = EXPRESSION_DONE;
    if (first)
        expression_push(&e, *value);
    for (uint32_t i = 0; e.end == EXPRESSION_DONE && e.code.at < e.code.end; i++) {
        expression_step(&e);
        if (e.code.failed || i == STEPS_MAX)
            e.end = EXPRESSION_NONSENSE;
    }
    if (e.end == EXPRESSION_DONE)
        *value = expression_pop(&e);
    return e.end;
}
