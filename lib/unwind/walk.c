/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The walk itself: where is the program counter mapped, what does that object say about its
 * frame, where are the caller's registers; again, until there is no caller. Whatever the copy
 * and the files hold, each step moves up the stack or passes one signal, and there are at most
 * UNWIND_MOST_FRAMES.
 *
 * Where nothing describes a frame, two guesses are made. The frame pointer, which JIT compilers
 * keep; and at the very instruction where a thread was stopped, the return address where a call
 * puts it, on top of the stack or in a register, since hand-written functions and stubs mostly push
 * nothing. A guess holds only if it
 * leads behind a call.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/unwind-internal.h"

#define MOST_PLACES 8u
#define LEAST_ADDRESS 4096u                    /* of anything that can be mapped */
#define STACK_REST (UINT64_C(1) << 30)         /* no more of a stack is expected above the copy */
#define USER_ADDRESS ((UINT64_C(1) << 48) - 1) /* AArch64, where the mask is not known */

/* A mapping that this walk has met. */
struct place {
    struct unwind_mapping mapping;
    struct unwind_object *object; /* NULL: not to be had yet */
};

struct walk {
    struct unwinder *unwinder;
    const struct unwind_world *world;
    const struct unwind_input *input;
    const struct machine *machine;
    uint64_t registers[UNWIND_REGISTERS];
    uint64_t unknown; /* bit i: registers[i] is not */
    struct place places[MOST_PLACES];
    uint32_t place_count;
    bool exact;   /* the program counter is no return address */
    bool made;    /* the return address to the last frame was made by hand: it is the outermost */
    bool guessed; /* the registers are */
    bool ended;
    enum unwind_end end;
    int error;
};

static void end_walk(struct walk *walk, enum unwind_end end)
{
    walk->ended = true;
    walk->end = end;
}

/* Does the stack go on there, above what was copied? */
static bool above_copy(const struct walk *walk, uint64_t address)
{
    const struct unwind_piece *stack = &walk->input->pieces[0];

    return walk->input->piece_count > 0 && address - stack->start >= stack->size &&
           address - stack->start - stack->size < STACK_REST;
}

/* Memory is wanted that was not copied. After a guess it may be anywhere. */
static void end_outside(struct walk *walk, uint64_t address)
{
    bool stack = !walk->guessed || above_copy(walk, address);
    end_walk(walk, stack ? UNWIND_TRUNCATED : UNWIND_BROKEN);
}

static void fail(struct walk *walk, int error)
{
    walk->error = error;
    walk->ended = true;
}

/* --- mappings ----------------------------------------------------------------- */

static const struct place *find_place(struct walk *walk, uint64_t address)
{
    for (uint32_t i = 0; i < walk->place_count; i++) {
        const struct unwind_mapping *known = &walk->places[i].mapping;
        if (address >= known->start && address < known->end)
            return &walk->places[i];
    }
    struct place place;
    if (!walk->world->find(walk->world->context, address, &place.mapping))
        return NULL;
    int error = unwinder_object(walk->unwinder, walk->world, place.mapping.object, &place.object);
    if (error != 0) {
        fail(walk, error);
        return NULL;
    }
    if (walk->place_count == MOST_PLACES)
        walk->place_count--; /* the last one goes */
    walk->places[walk->place_count] = place;
    return &walk->places[walk->place_count++];
}

static uint64_t offset_in(const struct place *place, uint64_t address)
{
    return address - place->mapping.start + place->mapping.offset;
}

/* Could this be where a call returns to? In a file there is a call before it. */
static bool returns_to(struct walk *walk, uint64_t address, bool file_only)
{
    const struct place *place = find_place(walk, address - 1);

    if (place == NULL || place->object == NULL)
        return false;
    if (place->object->elf == NULL)
        return !file_only;
    return call_precedes(place->object, walk->machine, offset_in(place, address - 1) + 1);
}

/* --- by rule ---------------------------------------------------------------------------- */

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
                           &(struct expression_world){walk->registers, walk->unknown, walk->input},
                           how != &rule->cfa, &at);
        if (end == EXPRESSION_NO_MEMORY)
            end_walk(walk, UNWIND_TRUNCATED);
        else if (end == EXPRESSION_NONSENSE)
            end_walk(walk, UNWIND_BROKEN);
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
        end_outside(walk, at);
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

/* A signature is in the bits that no address uses. */
static uint64_t strip(const struct walk *walk, const struct rule *rule, uint64_t pc)
{
    uint64_t signature = walk->input->registers.signature;

    if (signature != 0)
        return pc & ~signature;
    return (rule->flags & RULE_SIGNED) != 0 ? pc & USER_ADDRESS : machine_wrap(walk->machine, pc);
}

static bool is_unknown(const struct walk *walk, size_t number)
{
    return (walk->unknown & UINT64_C(1) << number) != 0;
}

static void set_unknown(struct walk *walk, size_t number, bool unknown)
{
    uint64_t bit = UINT64_C(1) << number;
    walk->unknown = unknown ? walk->unknown | bit : walk->unknown & ~bit;
}

/* To where the frame returns. Of a sleeper it may be in a register, and not be known. */
static void go_back(struct walk *walk, const struct rule *rule)
{
    uint64_t *registers = walk->registers;

    if (is_unknown(walk, rule->return_column))
        end_walk(walk, UNWIND_TRUNCATED);
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
        set_unknown(walk, saved->number, false);
    }
    registers[machine->sp] = cfa;
    go_back(walk, rule);
    walk->exact = false;
    return true;
}

/* Could this be where a function that keeps a frame pointer saved its caller's? */
static bool is_frame_pointer(struct walk *walk, uint64_t slot)
{
    const struct unwind_piece *piece = &walk->input->pieces[0];
    uint64_t word = walk->machine->word, saved, caller;

    if (!memory_read(walk->input, slot, (size_t)word, &saved) ||
        !memory_read(walk->input, slot + word, (size_t)word, &caller))
        return false;
    bool outermost = saved < LEAST_ADDRESS;
    bool above = saved > slot && saved - piece->start < piece->size;
    return (above || outermost) && returns_to(walk, caller, true);
}

/* A sleeper's frame pointer is not known, but where it points can be told from what is there. */
static bool find_frame_pointer(struct walk *walk, const struct rule *rule)
{
    const struct machine *machine = walk->machine;
    const struct unwind_piece *piece = &walk->input->pieces[0];
    uint64_t word = machine->word, slot = walk->registers[machine->sp] & ~(word - 1);

    if (rule->cfa.number != machine->fp || rule->cfa.value != (int64_t)(2 * word))
        return false;
    while (slot - piece->start < piece->size && !is_frame_pointer(walk, slot))
        slot += word;
    walk->registers[machine->fp] = slot;
    set_unknown(walk, machine->fp, false);
    return slot - piece->start < piece->size;
}

static bool base_is_known(struct walk *walk, const struct rule *rule)
{
    return rule->cfa.how != RULE_REGISTER || !is_unknown(walk, rule->cfa.number) ||
           find_frame_pointer(walk, rule);
}

/* What is only in another register is as well known as that one. */
static void put_registers(struct walk *walk, const struct rule *rule, const uint64_t *values)
{
    uint64_t before = walk->unknown;

    for (size_t i = 0; i < rule->count; i++) {
        const struct rule_register *how = &rule->registers[i];
        walk->registers[how->number] = machine_wrap(walk->machine, values[i]);
        set_unknown(walk, how->number,
                    how->how == RULE_REGISTER && (before & UINT64_C(1) << how->value) != 0);
    }
}

static void step_by_rule(struct walk *walk, const struct unwind_object *object,
                         const struct rule *rule)
{
    const struct machine *machine = walk->machine;
    uint64_t *registers = walk->registers, cfa, values[UNWIND_REGISTERS];
    uint64_t pc = registers[machine->pc], sp = registers[machine->sp];
    bool was_exact = walk->exact;

    if (walk->unknown != 0 && !base_is_known(walk, rule))
        return end_walk(walk, UNWIND_TRUNCATED);
    if (step_plainly(walk, rule))
        return;
    for (size_t i = 0; i < rule->count; i++)
        if (rule->registers[i].number == rule->return_column &&
            rule->registers[i].how == RULE_UNDEFINED)
            return end_walk(walk, UNWIND_COMPLETE);
    if (!find_cfa(walk, object, rule, &cfa))
        return;
    for (size_t i = 0; i < rule->count; i++)
        if (!evaluate(walk, object, rule, &rule->registers[i], cfa, &values[i]))
            return;
    registers[machine->sp] = cfa;
    put_registers(walk, rule, values);
    go_back(walk, rule);
    walk->exact = (rule->flags & RULE_SIGNAL) != 0;
    if (!walk->ended && !has_moved(walk, rule, was_exact, pc, sp))
        end_walk(walk, UNWIND_BROKEN);
}

/* --- without a rule ----------------------------------------------------------------------- */

static void go(struct walk *walk, uint64_t pc, uint64_t sp)
{
    walk->registers[walk->machine->pc] = pc;
    walk->registers[walk->machine->sp] = sp;
    walk->exact = false;
    walk->guessed = true;
}

/* No frame says whether it is signed. */
static uint64_t strip_guess(const struct walk *walk, uint64_t pc)
{
    uint64_t signature = walk->input->registers.signature;

    if (walk->machine->pushes)
        return pc;
    return signature != 0 ? pc & ~signature : pc & USER_ADDRESS;
}

/* The caller's frame pointer lies where ours points, the return address above it. */
static bool step_by_frame_pointer(struct walk *walk)
{
    const struct machine *machine = walk->machine;
    uint64_t fp = walk->registers[machine->fp], caller, pc;

    if (fp % machine->word != 0 || fp < walk->registers[machine->sp])
        return false;
    if (!memory_read(walk->input, fp, machine->word, &caller) ||
        !memory_read(walk->input, fp + machine->word, machine->word, &pc)) {
        if (above_copy(walk, fp + machine->word))
            end_walk(walk, UNWIND_TRUNCATED);
        return walk->ended;
    }
    pc = strip_guess(walk, pc);
    bool called = pc != 0 && returns_to(walk, pc, false);
    if (!called && (pc == 0 || caller == 0)) {
        end_walk(walk, UNWIND_COMPLETE); /* as Go's outermost: its return address was made */
        return true;
    }
    if (!called)
        return false;
    walk->registers[machine->fp] = caller;
    go(walk, pc, machine_wrap(machine, fp + 2u * machine->word));
    return true;
}

/* As if it had pushed nothing: the return address is where the call put it. */
static bool step_by_call(struct walk *walk)
{
    const struct machine *machine = walk->machine;
    uint64_t sp = walk->registers[machine->sp], pc;

    if (!walk->exact)
        return false;
    if (!machine->pushes)
        pc = strip_guess(walk, walk->registers[machine->link]);
    else if (!memory_read(walk->input, sp, machine->word, &pc))
        return false;
    if (pc == 0 || !returns_to(walk, pc, true))
        return false;
    go(walk, pc, machine_wrap(machine, machine->pushes ? sp + machine->word : sp));
    return true;
}

static void step_by_trampoline(struct walk *walk)
{
    if (!trampoline_step(walk->machine, walk->input, walk->registers))
        return end_outside(walk, walk->registers[walk->machine->sp]);
    walk->unknown = 0;
    walk->exact = true;
}

/* False: the walk has ended. A return address that was made by hand (makecontext) is where a
 * function begins: the instruction before it says nothing. */
static bool find_rule(struct walk *walk, struct unwind_object *object, uint64_t offset,
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
        fail(walk, error);
    return error == 0;
}

static void step(struct walk *walk, const struct place *place, uint64_t address)
{
    const struct rule *rule = NULL;
    const struct unwind_object *object = place == NULL ? NULL : place->object;
    uint64_t offset = place == NULL ? 0 : offset_in(place, address);
    bool in_file = object != NULL && object->elf != NULL;

    if (in_file && !find_rule(walk, place->object, offset, &rule))
        return;
    bool pushes = walk->machine->pushes; /* else what is said of signals is not all */
    if (rule != NULL && (pushes || (rule->flags & RULE_SIGNAL) == 0))
        return step_by_rule(walk, object, rule);
    if (in_file && trampoline_is(object, walk->machine, walk->exact ? offset : offset + 1))
        return step_by_trampoline(walk);
    if (rule != NULL)
        return step_by_rule(walk, object, rule);
    if (in_file && (unwind_object_entry(object, offset) ||
                    (!walk->exact && !call_precedes(object, walk->machine, offset + 1))))
        return end_walk(walk, UNWIND_COMPLETE); /* nobody called from here */
    if (!step_by_call(walk) && !step_by_frame_pointer(walk) && !walk->ended)
        end_walk(walk, place == NULL ? UNWIND_BROKEN : UNWIND_NO_INFO);
}

/* --- the walk --------------------------------------------------------------------------- */

/* The last step led where no code is. Behind functions that were never called nothing has to be;
 * and some hand-written ones push a word more than they describe. */
static void lead_back(struct walk *walk)
{
    if (walk->made)
        return end_walk(walk, UNWIND_COMPLETE);
    walk->exact = true;
    if (!step_by_call(walk) && !walk->ended)
        end_walk(walk, UNWIND_BROKEN);
}

/* One frame, and the way to the next. */
static void take_frame(struct walk *walk, struct unwind_stack *stack)
{
    uint64_t pc = walk->registers[walk->machine->pc], address = pc - (walk->exact ? 0 : 1);
    const struct place *place = find_place(walk, address);

    if (walk->ended)
        return;
    if (pc == 0 && stack->count > 0)
        return end_walk(walk, UNWIND_COMPLETE);
    if (place == NULL && stack->count > 0)
        return lead_back(walk);
    if (stack->count == stack->room || stack->count == UNWIND_MOST_FRAMES)
        return end_walk(walk, UNWIND_TOO_DEEP);
    stack->frames[stack->count++] =
        (struct unwind_frame){.object = place == NULL ? UNWIND_NO_OBJECT : place->mapping.object,
                              .exact = walk->exact,
                              .address = place == NULL ? address : offset_in(place, address)};
    step(walk, place, address);
}

int unwind_walk(struct unwinder *unwinder, const struct unwind_world *world,
                const struct unwind_input *input, struct unwind_stack *stack)
{
    struct walk walk; /* places are written before they are read */

    stack->count = 0;
    stack->end = UNWIND_BROKEN;
    walk.machine = machine_find(input->registers.machine);
    if (walk.machine == NULL || input->piece_count > UNWIND_MOST_PIECES)
        return -EINVAL;
    walk.unwinder = unwinder;
    walk.world = world;
    walk.input = input;
    memcpy(walk.registers, input->registers.values, sizeof walk.registers);
    walk.unknown = input->registers.unknown;
    for (size_t i = 0; walk.unknown != 0 && i < UNWIND_REGISTERS; i++)
        if (is_unknown(&walk, i))
            walk.registers[i] = 0; /* no guess is to be made of what is there by chance */
    walk.place_count = 0;
    walk.exact = true;
    walk.made = false;
    walk.guessed = false;
    walk.ended = false;
    walk.end = UNWIND_BROKEN;
    walk.error = 0;
    while (!walk.ended)
        take_frame(&walk, stack);
    stack->end = walk.end;
    return walk.error;
}
