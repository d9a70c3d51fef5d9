/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps to the caller's frame by a rule, which says where the caller's registers are. */
#include "config.h"

#include <string.h>

#include "unwind/unwind-internal.h"

/* Returns whether an epilogue has popped a register already. The saved value is below the stack
 * pointer then, where little or nothing was copied. But the register has its value back. */
static bool was_popped(const struct walk *walk, const struct rule_register *how, uint64_t at)
{
    return how->how == RULE_AT && at < walk->registers[walk->machine->sp];
}

/* Computes the value of one register, or of the CFA. False: the walk has ended. */
static bool rule_evaluate(struct walk *walk, const struct unwind_object *object,
                          const struct rule *rule, const struct rule_register *how, uint64_t cfa,
                          uint64_t *value)
{
    uint64_t at = cfa + (uint64_t)(int64_t)how->value;
    bool expression = how->how == RULE_AT_EXPRESSION || how->how == RULE_IS_EXPRESSION;

    *value = at;
    if (expression) {
        at = cfa;
        enum expression_end end = expression_run(
            unwind_object_expression(object, rule, how), walk->machine,
            &(struct expression_context){walk->registers, walk->unknown, walk->input},
            how != &rule->cfa, &at);
        if (end == EXPRESSION_NO_MEMORY)
            walk_end(walk, UNWIND_TRUNCATED);
        else if (end == EXPRESSION_NONSENSE)
            walk_end(walk, UNWIND_BROKEN);
        *value = at;
    } else if (how->how == RULE_REGISTER) {
        *value = walk->registers[how->value];
    } else if (how->how == RULE_UNDEFINED) {
        *value = 0;
    }
    at = machine_wrap(walk->machine, at);
    bool in_memory = how->how == RULE_AT || how->how == RULE_AT_EXPRESSION;
    if (walk->ended || !in_memory || memory_read(walk->input, at, walk->machine->word, value))
        return !walk->ended;
    if (was_popped(walk, how, at))
        *value = walk->registers[how->number];
    else
        walk_end_outside(walk, at);
    return !walk->ended;
}

static bool rule_find_cfa(struct walk *walk, const struct unwind_object *object,
                          const struct rule *rule, uint64_t *cfa)
{
    if (rule->cfa.how == RULE_REGISTER)
        *cfa = walk->registers[rule->cfa.number] + (uint64_t)(int64_t)rule->cfa.value;
    else
        rule_evaluate(walk, object, rule, &rule->cfa, 0, cfa);
    *cfa = machine_wrap(walk->machine, *cfa);
    return !walk->ended;
}

/* Returns whether a step has reached another frame. The caller's stack pointer is higher, unless a
 * signal came between. It may be the same in the frame where the thread was stopped. On machines
 * whose calls push nothing, it may also be the same in leaf functions, because the return address
 * can be in a register. Then the program counter must have changed. */
static bool has_moved(const struct walk *walk, const struct rule *rule, bool was_exact, uint64_t pc,
                      uint64_t sp)
{
    uint64_t now = walk->registers[walk->machine->sp];

    if (now == sp)
        return walk->registers[walk->machine->pc] != pc && (was_exact || !walk->machine->pushes);
    return now > sp || (rule->flags & RULE_SIGNAL) != 0;
}

static uint64_t strip_return(struct walk *walk, const struct rule *rule, uint64_t pc)
{
    bool may_be_signed = walk->input->registers.signature != 0 || (rule->flags & RULE_SIGNED) != 0;

    return may_be_signed ? walk_strip_signature(walk, pc) : machine_wrap(walk->machine, pc);
}

/* Sets the program counter to the return address. In a sleeping thread, the return address may be
 * in a register that is not known. Then the walk ends. */
static void return_to_caller(struct walk *walk, const struct rule *rule)
{
    uint64_t *registers = walk->registers;

    if (walk_is_unknown(walk, rule->return_column))
        walk_end(walk, UNWIND_TRUNCATED);
    registers[walk->machine->pc] = strip_return(walk, rule, registers[rule->return_column]);
}

/* Steps by a rule in a fast way, which fits most frames: everything that the frame saved is in the
 * first piece of the copy, above the stack pointer. False: the frame does not fit, and nothing has
 * changed. */
static bool walk_by_plain_rule(struct walk *walk, const struct rule *rule)
{
    const struct machine *machine = walk->machine;
    const struct unwind_piece *piece = &walk->input->pieces[0];
    uint64_t *registers = walk->registers, sp = registers[machine->sp];
    uint64_t cfa = registers[rule->cfa.number] + (uint64_t)(int64_t)rule->cfa.value;
    uint64_t low = cfa + (uint64_t)(int64_t)rule->low, into = low - piece->start;
    uint64_t size = (uint64_t)((int64_t)rule->high - rule->low);

    if ((rule->flags & RULE_PLAIN) == 0 || machine->word != sizeof cfa || cfa <= sp || low < sp ||
        walk->input->piece_count == 0 || into > piece->size || piece->size - into < size)
        return false;
    const uint8_t *at = piece->bytes + into;
    for (size_t i = 0; i < rule->count; i++) {
        const struct rule_register *saved = &rule->registers[i];
        memcpy(&registers[saved->number], at + (saved->value - rule->low), sizeof cfa);
        walk_set_unknown(walk, saved->number, false);
    }
    registers[machine->sp] = walk_caller_sp(walk, rule, cfa);
    walk_set_unknown(walk, machine->sp, false);
    return_to_caller(walk, rule);
    walk->exact = false;
    return true;
}

static bool base_is_known(struct walk *walk, const struct rule *rule)
{
    if (rule->cfa.how != RULE_REGISTER || !walk_is_unknown(walk, rule->cfa.number))
        return true;
    return rule->cfa.number == walk->machine->sp ? walk_find_stack_pointer(walk, rule)
                                                 : walk_find_frame_pointer(walk, rule);
}

/* Sets the registers that a rule restores. A value from another register is unknown if that
 * register was unknown. */
static void put_registers(struct walk *walk, const struct rule *rule, const uint64_t *values)
{
    uint64_t before = walk->unknown;

    for (size_t i = 0; i < rule->count; i++) {
        const struct rule_register *how = &rule->registers[i];
        walk->registers[how->number] = machine_wrap(walk->machine, values[i]);
        walk_set_unknown(walk, how->number,
                         how->how == RULE_REGISTER && (before & UINT64_C(1) << how->value) != 0);
    }
}

void walk_by_rule(struct walk *walk, const struct unwind_object *object, const struct rule *rule)
{
    const struct machine *machine = walk->machine;
    uint64_t *registers = walk->registers, cfa, values[UNWIND_REGISTERS];
    uint64_t pc = registers[machine->pc], sp = registers[machine->sp];
    bool was_exact = walk->exact;

    if (walk->unknown != 0 && !base_is_known(walk, rule))
        return walk_end(walk, UNWIND_TRUNCATED);
    if (walk_by_plain_rule(walk, rule))
        return;
    for (size_t i = 0; i < rule->count; i++)
        if (rule->registers[i].number == rule->return_column &&
            rule->registers[i].how == RULE_UNDEFINED)
            return walk_end(walk, UNWIND_COMPLETE);
    if (!rule_find_cfa(walk, object, rule, &cfa))
        return;
    for (size_t i = 0; i < rule->count; i++)
        if (!rule_evaluate(walk, object, rule, &rule->registers[i], cfa, &values[i]))
            return;
    registers[machine->sp] = walk_caller_sp(walk, rule, cfa);
    walk_set_unknown(walk, machine->sp, false);
    put_registers(walk, rule, values);
    return_to_caller(walk, rule);
    walk->exact = (rule->flags & RULE_SIGNAL) != 0;
    /* at a signal the kernel has saved all registers, so none is a guess */
    walk->guessed = walk->guessed && !walk->exact;
    if (!walk->ended && !has_moved(walk, rule, was_exact, pc, sp))
        walk_end(walk, walk->made ? UNWIND_COMPLETE : UNWIND_BROKEN);
}
