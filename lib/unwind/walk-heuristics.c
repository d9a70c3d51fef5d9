/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Guesses the caller of a frame for which no file has a frame description. A guess is accepted only if it leads to an
 * address after a call instruction, or to code that is in no file (JIT).
 *
 * On x86-64, the code of the function says where its return address is (code-flow.c): this is tried first. Where it
 * does not, there are three guesses. The frame may have a frame pointer, as in code of JIT compilers. Or, if the
 * thread was stopped in this frame, the return address may still be where the call left it: on top of the stack, or in
 * a register. This is so in most hand-written functions and stubs, which push nothing. Or the function only passes a
 * call on, as the trampolines of python -X perf do.
 *
 * The frame pointer of a sleeping thread is not known. It is found by a search of the stack for the frame record to
 * which it points: the caller's frame pointer, then the return address.
 */
#include "config.h"

#include <string.h>

#include "unwind/unwind-internal.h"

#define ADDRESS_MIN 4096u /* nothing is mapped below this address */
/* a leaf function without a frame description pushes fewer bytes than this */
#define LEAF_SIZE_MAX 512u
#define JIT_SIZE_MAX 4096u /* JIT code has less than this on the stack, bytes, where its interpreter is searched for */

bool walk_returns_to(struct walk *walk, uint64_t address, bool file_only)
{
    const struct mapped_object *mapped = walk_find_mapped(walk, address - 1);

    if (mapped == NULL || mapped->object == NULL)
        return false;
    if (mapped->object->elf == NULL)
        return !file_only;
    return call_precedes(mapped->object, walk->machine, walk_offset(mapped, address - 1) + 1);
}

static void guess_caller(struct walk *walk, uint64_t pc, uint64_t sp)
{
    walk->registers[walk->machine->pc] = pc;
    walk->registers[walk->machine->sp] = sp;
    walk->exact = false;
    walk->guessed = true;
    walk->by_call = false;
}

/* Removes the signature from a guessed return address, if it has one. */
static uint64_t strip_guess(struct walk *walk, uint64_t pc)
{
    return walk->machine->pushes ? pc : walk_strip_signature(walk, pc);
}

/* Returns whether this frame record is the last one of its stack. The record has the frame pointer `caller` and the
 * return address `pc`. In the last record of a Go stack, `caller` is 0, and `pc` does not come from a call. Before the
 * first step by frame pointer (walk->framed is false), the frame pointer register may hold anything, and may point to
 * zeros by chance. So before that step, the result is true only if code is mapped at `pc`. */
static bool is_outermost(struct walk *walk, uint64_t caller, uint64_t pc)
{
    if (walk->framed)
        return pc == 0 || caller == 0;
    return caller == 0 && pc != 0 && walk_find_mapped(walk, pc) != NULL;
}

bool walk_by_frame_pointer(struct walk *walk)
{
    const struct machine *machine = walk->machine;
    uint64_t fp = walk->registers[machine->fp], caller, pc;

    if (fp % machine->word != 0 || fp < walk->registers[machine->sp])
        return false;
    if (!memory_read(walk->input, fp, machine->word, &caller) ||
        !memory_read(walk->input, fp + machine->word, machine->word, &pc)) {
        if (walk_is_above_copy(walk, fp + machine->word))
            walk_end(walk, UNWIND_TRUNCATED);
        return walk->ended;
    }
    pc = strip_guess(walk, pc);
    if (pc == 0 || !walk_returns_to(walk, pc, false)) {
        if (is_outermost(walk, caller, pc))
            walk_end(walk, UNWIND_COMPLETE);
        return walk->ended;
    }
    walk->framed = true;
    walk->registers[machine->fp] = caller;
    guess_caller(walk, pc, machine_wrap(machine, fp + 2u * machine->word));
    /* On machines whose calls push nothing, the record is the lowest part of the frame. So it is
     * not known where the frame ends. */
    walk_set_unknown(walk, machine->sp, !machine->pushes);
    return true;
}

/* Returns whether the function of this frame has already saved the return address `pc` in a frame record of its own. */
static bool has_own_record(struct walk *walk, uint64_t pc)
{
    const struct machine *machine = walk->machine;
    uint64_t saved;

    return !machine->pushes && !walk_is_unknown(walk, machine->fp) &&
           memory_read(walk->input, walk->registers[machine->fp] + machine->word, machine->word, &saved) &&
           strip_guess(walk, saved) == pc;
}

bool walk_by_call(struct walk *walk)
{
    const struct machine *machine = walk->machine;
    uint64_t sp = walk->registers[machine->sp], pc;

    if (!walk->exact)
        return false;
    if (!machine->pushes)
        pc = strip_guess(walk, walk->registers[machine->link]);
    else if (!memory_read(walk->input, sp, machine->word, &pc))
        return false;
    if (pc == 0 || !walk_returns_to(walk, pc, true))
        return false;
    if (has_own_record(walk, pc))
        return walk_by_frame_pointer(walk);
    guess_caller(walk, pc, machine_wrap(machine, machine->pushes ? sp + machine->word : sp));
    walk->by_call = !machine->pushes;
    walk_set_unknown(walk, machine->sp, walk->by_call);
    return true;
}

bool walk_by_padding(struct walk *walk)
{
    const struct machine *machine = walk->machine;
    uint64_t sp = walk->registers[machine->sp], pc;

    if (walk->exact || !machine->pushes || walk_is_unknown(walk, machine->sp) || sp % (2u * machine->word) != 0 ||
        !memory_read(walk->input, sp + machine->word, machine->word, &pc) || !walk_returns_to(walk, pc, true))
        return false;
    guess_caller(walk, pc, machine_wrap(machine, sp + 2u * machine->word));
    return true;
}

/* Returns whether an address follows a call of a function that, by its frame description, has its whole frame at its
 * first instruction already. Compilers make no such functions. *target becomes the address of that instruction, and
 * *size the size of the frame with the return address, bytes. */
static bool calls_interpreter(struct walk *walk, uint64_t address, uint64_t *target, uint64_t *size)
{
    const struct mapped_object *caller = walk_find_mapped(walk, address - 1);
    const struct rule *rule;
    uint64_t offset;

    if (caller == NULL || caller->object == NULL ||
        !call_target(caller->object, walk->machine, walk_offset(caller, address), &offset))
        return false;
    *target = caller->mapping.start + (offset - caller->mapping.offset);
    int error = unwind_object_rule(caller->object, walk->machine, offset, &rule);
    if (error != 0)
        walk_fail(walk, error);
    if (error != 0 || rule == NULL || (rule->flags & RULE_PLAIN) == 0 || rule->cfa.number != walk->machine->sp ||
        rule->cfa.value <= walk->machine->word)
        return false;
    *size = (uint64_t)rule->cfa.value;
    return true;
}

/* The interpreter of LuaJIT has one frame description, which is that of its whole code. It jumps to JIT code, which
 * leaves the interpreter's frame on the stack, and has its own data below. So the frame is found by its return
 * address. */
bool walk_by_interpreter(struct walk *walk)
{
    const struct machine *machine = walk->machine;
    uint64_t sp = walk->registers[machine->sp], word = machine->word, address, target, size;

    if (!machine->pushes || walk_is_unknown(walk, machine->sp) || sp % word != 0)
        return false;
    for (uint64_t into = 0; into < JIT_SIZE_MAX && !walk->ended; into += word) {
        if (!memory_read(walk->input, sp + into, (size_t)word, &address))
            return false;
        if (!walk_returns_to(walk, address, true) || !calls_interpreter(walk, address, &target, &size) ||
            into + word < size)
            continue;
        guess_caller(walk, target, sp + into + word - size);
        walk->exact = true;
        return true;
    }
    return false;
}

bool walk_by_code(struct walk *walk, struct unwind_object *object, uint64_t offset)
{
    const struct rule *rule;
    struct walk before = *walk;
    int error = unwind_object_code_rule(object, walk->machine, offset, walk->exact, &rule);

    if (error != 0)
        walk_fail(walk, error);
    if (error != 0 || rule == NULL)
        return false;
    walk->guessed = true;
    walk_by_rule(walk, object, rule);
    if (walk->ended || walk_returns_to(walk, walk->registers[walk->machine->pc], true))
        return true;
    *walk = before;
    return false;
}

static const struct rule_register *find_saved(const struct rule *rule, size_t number)
{
    for (size_t i = 0; i < rule->count; i++)
        if (rule->registers[i].number == number && rule->registers[i].how == RULE_AT)
            return &rule->registers[i];
    return NULL;
}

bool walk_has_record(const struct walk *walk, const struct rule *rule, int32_t *at)
{
    const struct rule_register *fp = find_saved(rule, walk->machine->fp),
                               *pc = find_saved(rule, rule->return_column);

    if (fp == NULL || pc == NULL || pc->value != fp->value + walk->machine->word)
        return false;
    *at = fp->value;
    return true;
}

/* Returns whether the word at this address is a return address. */
static bool has_return_at(struct walk *walk, uint64_t address)
{
    uint64_t pc;

    return memory_read(walk->input, address, walk->machine->word, &pc) &&
           walk_returns_to(walk, strip_guess(walk, pc), false);
}

/* After walk_by_call, the stack pointer has its old value. This is right unless the function that this step has left
 * had pushed something. It is known to be wrong if the word to which the rule leads is no return address. Then it is
 * computed from the frame pointer, which points to a frame record. But if the present function does not set the frame
 * pointer, the record belongs to an outer frame. So the new value is used only if it is less than LEAF_SIZE_MAX bytes
 * above the old one. */
bool walk_find_stack_pointer(struct walk *walk, const struct rule *rule)
{
    const struct machine *machine = walk->machine;
    uint64_t *sp = &walk->registers[machine->sp], fp = walk->registers[machine->fp], word = machine->word;
    int32_t record = 0;
    bool has_record = !walk_is_unknown(walk, machine->fp) && walk_has_record(walk, rule, &record);
    uint64_t by_record =
        machine_wrap(machine, fp - (uint64_t)(int64_t)record - (uint64_t)(int64_t)rule->cfa.value);
    uint64_t unchanged =
        *sp + (uint64_t)(int64_t)rule->cfa.value + (uint64_t)(int64_t)record + word;

    if (!walk->by_call && !has_record)
        return false;
    if (!walk->by_call || (has_record && by_record - *sp < LEAF_SIZE_MAX &&
                           !has_return_at(walk, unchanged) && has_return_at(walk, fp + word)))
        *sp = by_record;
    walk_set_unknown(walk, machine->sp, false);
    return true;
}

/* --- the frame pointer of a sleeping thread -------------------------------------------------- */

/* How likely it is that two words on the stack are the frame record of a function. */
enum likelihood { IMPOSSIBLE, DOUBTFUL, LIKELY, CERTAIN };

static bool is_trampoline(struct walk *walk, uint64_t address)
{
    const struct mapped_object *mapped = walk_find_mapped(walk, address);

    return mapped != NULL && mapped->object != NULL && mapped->object->elf != NULL &&
           trampoline_is(mapped->object, walk->machine, walk_offset(mapped, address));
}

/* Says how likely it is that a frame record with this return address belongs to the function at the program counter:
 *   certain: the address is a trampoline, or follows a call of this function
 *   likely: the address follows a call whose target is not known
 *   doubtful: the address follows a call of another function. Either the record is left over from that call, or the
 *             other function has jumped to this one. */
static enum likelihood judge_return(struct walk *walk, uint64_t address)
{
    uint64_t pc = walk->registers[walk->machine->pc] - (walk->exact ? 0 : 1), target, begin;

    if (is_trampoline(walk, address))
        return CERTAIN;
    if (!walk_returns_to(walk, address, true))
        return IMPOSSIBLE;
    const struct mapped_object *caller = walk_find_mapped(walk, address - 1);
    const struct unwind_object *object = caller->object;
    if (!call_target(object, walk->machine, walk_offset(caller, address), &target) ||
        !unwind_object_function(object, target, &begin) || begin != target)
        return LIKELY;
    const struct mapped_object *here = walk_find_mapped(walk, pc);
    bool same = here != NULL && here->object == object &&
                unwind_object_function(object, walk_offset(here, pc), &begin) && begin == target;
    return same ? CERTAIN : DOUBTFUL;
}

static enum likelihood judge_slot(struct walk *walk, uint64_t slot)
{
    const struct unwind_piece *piece = &walk->input->pieces[0];
    uint64_t word = walk->machine->word, saved, caller;

    if (!memory_read(walk->input, slot, (size_t)word, &saved) ||
        !memory_read(walk->input, slot + word, (size_t)word, &caller))
        return IMPOSSIBLE;
    bool outermost = saved < ADDRESS_MIN;
    bool above = saved > slot && saved - piece->start < piece->size;
    enum likelihood likelihood = judge_return(walk, caller);
    return likelihood == LIKELY && !above && !outermost ? DOUBTFUL : likelihood;
}

/* Searches the stack upwards for a likely record. After a doubtful record, only a certain one is accepted: the doubtful
 * record may be the right one, and a likely record above it would leave out frames. */
bool walk_find_frame_pointer(struct walk *walk, const struct rule *rule)
{
    const struct machine *machine = walk->machine;
    const struct unwind_piece *piece = &walk->input->pieces[0];
    uint64_t word = machine->word, slot = walk->registers[machine->sp] & ~(word - 1);
    enum likelihood found = IMPOSSIBLE, least = LIKELY;
    int32_t record;

    /* the rule must say that the frame pointer points to the record */
    if (rule->cfa.number != machine->fp || !walk_has_record(walk, rule, &record) || rule->cfa.value != -record)
        return false;
    for (; slot - piece->start < piece->size; slot += word) {
        found = judge_slot(walk, slot);
        if (found >= least)
            break;
        if (found == DOUBTFUL)
            least = CERTAIN;
    }
    if (found < least)
        return false;
    walk->registers[machine->fp] = slot;
    walk_set_unknown(walk, machine->fp, false);
    return true;
}
