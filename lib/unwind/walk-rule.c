/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way to the next frame by a rule, which says where the caller's registers are. */
#include "config.h"

#include <string.h>

#include "unwind/unwind-internal.h"

/* Below the stack pointer, where mostly nothing was copied, lies what an epilogue has popped: the
 * register has it again. */
static bool popped(const struct walk *walk, const struct rule_register *how, uint64_t at)
{
    return how->how == RULE_AT && at < walk->registers[walk->machine->sp];
}

/* The value of one register, or of the CFA. False: the walk has ended. */
static bool evaluate(struct walk *walk, const struct unwind_object *object, const struct rule *rule,
                     const struct rule_register *how, uint64_t cfa, uint64_t *value)
{
    uint64_t at = cfa + (uint64_t)(int64_t)how->value;
    bool expression = how->how == RULE_AT_EXPRESSION || how->how == RULE_IS_EXPRESSION;

    *value = at;
    if (expression) {
        at = cfa;
        enum expression_end end =
            expression_run(unwind_object_expression(object, rule, how), walk->machine,
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
    if (popped(walk, how, at))
        *value = walk->registers[how->number];
    else
        walk_end_outside(walk, at);
    return !walk->ended;
}

static bool find_cfa(struct walk *walk, const struct unwind_object *object, const struct rule *rule,
                     uint64_t *cfa)
{
    if (rule->cfa.how == RULE_REGISTER)
        *cfa = walk->registers[rule->cfa.number] + (uint64_t)(int64_t)rule->cfa.value;
    else
        evaluate(walk, object, rule, &rule->cfa, 0, cfa);
    *cfa = machine_wrap(walk->machine, *cfa);
    return !walk->ended;
}

/* Callers are further up, or a signal came between. Where a thread was stopped, and in leaves of
 * machines that push nothing, a return address may be in a register, and no frame be left. */
static bool has_moved(const struct walk *walk, const struct rule *rule, bool was_exact, uint64_t pc,
                      uint64_t sp)
{
    uint64_t now = walk->registers[walk->machine->sp];

    if (now == sp)
        return walk->registers[walk->machine->pc] != pc && (was_exact || !walk->machine->pushes);
    return now > sp || (rule->flags & RULE_SIGNAL) != 0;
}

static uint64_t strip(struct walk *walk, const struct rule *rule, uint64_t pc)
{
    bool may_be_signed = walk->input->registers.signature != 0 || (rule->flags & RULE_SIGNED) != 0;

    return may_be_signed ? walk_strip_signature(walk, pc) : machine_wrap(walk->machine, pc);
}

/* To where the frame returns. Of a sleeper it may be in a register, and not be known. */
static void go_back(struct walk *walk, const struct rule *rule)
{
    uint64_t *registers = walk->registers;

    if (walk_is_unknown(walk, rule->return_column))
        walk_end(walk, UNWIND_TRUNCATED);
    registers[walk->machine->pc] = strip(walk, rule, registers[rule->return_column]);
}

/* Most frames: all that they saved lies in one piece of the copy, above the stack pointer. False:
 * not this one, and nothing is changed. */
static bool step_plainly(struct walk *walk, const struct rule *rule)
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
    go_back(walk, rule);
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

/* What is only in another register is as well known as that one. */
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
    if (step_plainly(walk, rule))
        return;
    for (size_t i = 0; i < rule->count; i++)
        if (rule->registers[i].number == rule->return_column &&
            rule->registers[i].how == RULE_UNDEFINED)
            return walk_end(walk, UNWIND_COMPLETE);
    if (!find_cfa(walk, object, rule, &cfa))
        return;
    for (size_t i = 0; i < rule->count; i++)
        if (!evaluate(walk, object, rule, &rule->registers[i], cfa, &values[i]))
            return;
    registers[machine->sp] = walk_caller_sp(walk, rule, cfa);
    walk_set_unknown(walk, machine->sp, false);
    put_registers(walk, rule, values);
    go_back(walk, rule);
    walk->exact = (rule->flags & RULE_SIGNAL) != 0;
    walk->guessed = walk->guessed && !walk->exact; /* the kernel saved them all */
    if (!walk->ended && !has_moved(walk, rule, was_exact, pc, sp))
        walk_end(walk, walk->made ? UNWIND_COMPLETE : UNWIND_BROKEN);
}
