/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walks over a stack, from the innermost frame to the outermost.
 *
 * Each step finds the object that is mapped at the program counter, the rule for its frame, and the
 * caller's registers, until there is no caller. Whatever the copy and the files contain, each step
 * moves up the stack or passes one signal, and there are at most UNWIND_STEPS_MAX steps.
 *
 * If a frame has no rule, or the register on which its CFA is based is not known, walk-heuristics.c guesses.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "unwind/deep-stack.h"
#include "unwind/unwind-jit.h"
#include "unwind/walk-switch.h"

/* Ends the walk, because memory at an address was not copied. The result of the walk is UNWIND_TRUNCATED. But if the
 * address comes from a guess and is in no stack, the result is UNWIND_BROKEN. */
static void walk_end_outside(struct walk *walk, uint64_t address)
{
    bool stack = !walk->guessed || walk_is_above_copy(walk, address);
    walk_end(walk, stack ? UNWIND_TRUNCATED : UNWIND_BROKEN);
}

/* --- a step by a rule, which says where the caller's registers are --------------------------- */

/* Returns whether an epilogue has already popped a register. A popped register has the value of the caller again, and
 * `at`, the address where it was saved, is below the stack pointer, where little or nothing was copied. */
static bool was_popped(const struct walk *walk, const struct rule_register *how, uint64_t at)
{
    return how->how == RULE_AT && at < walk->registers[walk->machine->sp];
}

/* Computes the value of one register, or of the CFA. False: the walk has ended. */
static bool rule_evaluate(struct walk *walk, const struct unwind_object *object, const struct rule *rule,
                          const struct rule_register *how, uint64_t cfa, uint64_t *value)
{
    uint64_t at = cfa + (uint64_t)(int64_t)how->value;
    bool expression = how->how == RULE_AT_EXPRESSION || how->how == RULE_IS_EXPRESSION;

    *value = at;
    if (expression) {
        at = cfa;
        enum expression_end end = expression_run(
            unwind_object_expression(object, rule, how), walk->machine,
            &(struct expression_context){walk->registers, walk->unknown, walk->input}, how != &rule->cfa, &at);
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

static bool rule_find_cfa(struct walk *walk, const struct unwind_object *object, const struct rule *rule, uint64_t *cfa)
{
    if (rule->cfa.how == RULE_REGISTER)
        *cfa = walk->registers[rule->cfa.number] + (uint64_t)(int64_t)rule->cfa.value;
    else
        rule_evaluate(walk, object, rule, &rule->cfa, 0, cfa);
    *cfa = machine_wrap(walk->machine, *cfa);
    return !walk->ended;
}

/* Returns whether a step has reached another frame. Usually, the stack pointer must have moved up. After a step out of
 * a signal handler, it may be anywhere. It may be unchanged if the frame was stopped or interrupted (was_exact), or if
 * calls push nothing on this machine, because then the return address may be in a register. In both cases the program
 * counter must have changed. */
static bool has_moved(const struct walk *walk, const struct rule *rule, bool was_exact, uint64_t pc, uint64_t sp)
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

/* Sets the program counter to the return address. In a sleeping thread, the return address may be in a register that is
 * not known, which ends the walk. */
static void return_to_caller(struct walk *walk, const struct rule *rule)
{
    uint64_t *registers = walk->registers;

    if (walk_is_unknown(walk, rule->return_column))
        walk_end(walk, UNWIND_TRUNCATED);
    registers[walk->machine->pc] = strip_return(walk, rule, registers[rule->return_column]);
}

/* Steps by a rule in a fast way. This works for most frames: those that have saved everything above the stack pointer,
 * in the first piece of the copy. False: the frame is not one of them, and nothing has changed. */
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

/* Sets the registers that a rule restores. A register that gets its value from an unknown register
 * becomes unknown too. */
static void put_registers(struct walk *walk, const struct rule *rule, const uint64_t *values)
{
    uint64_t before = walk->unknown;

    for (size_t i = 0; i < rule->count; i++) {
        const struct rule_register *how = &rule->registers[i];
        walk->registers[how->number] = machine_wrap(walk->machine, values[i]);
        walk_set_unknown(walk, how->number, how->how == RULE_REGISTER && (before & UINT64_C(1) << how->value) != 0);
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
        if (rule->registers[i].number == rule->return_column && rule->registers[i].how == RULE_UNDEFINED)
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
    /* the kernel saves all registers at a signal, so after this step none of them is a guess */
    walk->guessed = walk->guessed && !walk->exact;
    if (!walk->ended && !has_moved(walk, rule, was_exact, pc, sp))
        walk_end(walk, walk->made ? UNWIND_COMPLETE : UNWIND_BROKEN);
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

/* Finds the rule of a frame. If the frame has made a call, `offset` is that of the byte before the return address,
 * which belongs to the call. If that byte has no rule, the return address does not come from a call: the program has
 * set it to the start of a function (makecontext). In this case, the rule of the return address itself is used, and
 * walk->made is set. False: the walk has ended. */
static bool walk_find_rule(struct walk *walk, struct unwind_object *object, uint64_t offset, const struct rule **rule)
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

/* Sets frame->address to the return address itself, not to the byte before it. This is for a return address that does
 * not come from a call: the byte before it may belong to another function. */
static void frame_make_exact(struct unwind_frame *frame)
{
    frame->address += frame->exact ? 0 : 1;
    frame->exact = true;
}

/* Steps out of code that is in no file, by a description that its compiler has written. False: there is none. */
static bool walk_by_jit(struct walk *walk, const struct mapped_object *mapped, uint64_t address)
{
    const struct rule *rule;
    int error = unwind_jit_rule(walk, mapped->mapping.object, address, &rule);

    if (error != 0)
        walk_fail(walk, error);
    else if (rule != NULL)
        walk_by_rule(walk, mapped->object, rule);
    return error != 0 || rule != NULL;
}

static void walk_step(struct walk *walk, const struct mapped_object *mapped, uint64_t address,
                      struct unwind_frame *frame)
{
    const struct rule *rule = NULL;
    struct unwind_object *object = mapped == NULL ? NULL : mapped->object;
    uint64_t offset = mapped == NULL ? 0 : walk_offset(mapped, address);
    bool in_file = object != NULL && object->elf != NULL, pushes = walk->machine->pushes;

    walk->left = object;
    walk->left_offset = offset;

    if (in_file ? !walk_find_rule(walk, object, offset, &rule) : object != NULL && walk_by_jit(walk, mapped, offset))
        return;
    if (walk->made || (rule != NULL && (rule->flags & RULE_SIGNAL) != 0))
        frame_make_exact(frame);
    if (walk->made && pushes && trampoline_is(object, walk->machine, offset + 1))
        rule = NULL;
    if (rule != NULL && !walk->exact && (rule->flags & RULE_SIGNAL) == 0 &&
        walk_is_first(walk, object, offset))
        return walk_end(walk, UNWIND_COMPLETE);
    if (rule != NULL && walk->input->switch_base != 0 && !walk->switched && walk_switch(walk, rule))
        return;
    /* On AArch64, trampoline_is is called before the rule is used, because the rule in AArch64's
     * vdso does not describe the whole frame of a signal. */
    if (rule != NULL && (pushes || (rule->flags & RULE_SIGNAL) == 0))
        return walk_by_rule(walk, object, rule);
    if (in_file && trampoline_is(object, walk->machine, walk->exact ? offset : offset + 1)) {
        frame_make_exact(frame);
        bool lost = walk_is_unknown(walk, walk->machine->sp) && !walk->by_call;
        return lost ? walk_end(walk, UNWIND_TRUNCATED) : walk_by_trampoline(walk);
    }
    if (rule != NULL)
        return walk_by_rule(walk, object, rule);
    if (in_file && walk->exact && unwind_object_entry(object, offset) && walk_by_call(walk))
        return; /* a function behind the entry point that has no symbol, or a call to the entry point */
    if (in_file && (unwind_object_entry(object, offset) ||
                    (!walk->exact && !call_precedes(object, walk->machine, offset + 1))))
        /* there is no caller: the program begins here, or the address here is a return address
         * without a call before it */
        return walk_end(walk, UNWIND_COMPLETE);
    if (in_file && walk_by_code(walk, object, offset))
        return;
    if (walk->ended || walk_by_call(walk) || walk_by_frame_pointer(walk) || walk->ended)
        return;
    if (object == NULL || in_file || !(walk_by_padding(walk) || walk_by_interpreter(walk)))
        walk_end(walk, mapped == NULL ? UNWIND_BROKEN : UNWIND_NO_INFO);
}

/* --- the walk --------------------------------------------------------------------------- */

/* Handles a step that has led to an address without code. If the return address of the last frame does not come from a
 * call, or the last frame is that of the function at the entry point, that frame was the outermost one. Otherwise, the
 * function of the last frame may have pushed one word more than its frame description says, as some hand-written
 * functions do. So the next word is tried as the return address. */
static void walk_out_of_code(struct walk *walk)
{
    if (walk->made || (walk->left != NULL && unwind_object_entry(walk->left, walk->left_offset)))
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
    if (walk->steps++ == UNWIND_STEPS_MAX)
        return walk_end(walk, UNWIND_TOO_DEEP);
    struct unwind_frame *frame = deep_stack_add(stack);
    *frame = (struct unwind_frame){.object = mapped == NULL ? UNWIND_NO_OBJECT : mapped->mapping.object,
                                   .exact = walk->exact,
                                   .address = mapped == NULL ? address : walk_offset(mapped, address),
                                   .sp = walk->registers[walk->machine->sp]};
    walk_step(walk, mapped, address, frame);
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
            /* the value of an unknown register is there by chance, so no guess may be made from it */
            walk.registers[i] = 0;
    walk.mapped_count = 0;
    walk.exact = true;
    walk.made = false;
    walk.left = NULL;
    walk.guessed = walk.by_call = false;
    walk.framed = walk.switched = false;
    walk.steps = 0;
    walk.ended = false;
    walk.end = UNWIND_BROKEN;
    walk.error = 0;
    while (!walk.ended)
        walk_frame(&walk, stack);
    deep_stack_finish(stack);
    stack->end = walk.end;
    return walk.error;
}
