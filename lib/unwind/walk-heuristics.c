/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is guessed. Where nothing describes a frame: the frame pointer, which JIT compilers keep;
 * and at the very instruction where a thread was stopped the return address where a call puts it,
 * on top of the stack or in a register, since hand-written functions and stubs mostly push nothing.
 * A thread that sleeps: where its frame pointer points. A guess holds only if it leads behind a call.
 */
#include "config.h"

#include <string.h>

#include "unwind/unwind-internal.h"

#define ADDRESS_MIN 4096u /* of anything that can be mapped */
#define LEAF_SIZE_MAX 512u  /* of the frame of a function that nothing describes, and that calls nobody */

/* Could this be where a call returns to? In a file there is a call before it. */
static bool returns_to(struct walk *walk, uint64_t address, bool file_only)
{
    const struct mapped_object *mapped = walk_find_mapped(walk, address - 1);

    if (mapped == NULL || mapped->object == NULL)
        return false;
    if (mapped->object->elf == NULL)
        return !file_only;
    return call_precedes(mapped->object, walk->machine, walk_offset(mapped, address - 1) + 1);
}

static void go(struct walk *walk, uint64_t pc, uint64_t sp)
{
    walk->registers[walk->machine->pc] = pc;
    walk->registers[walk->machine->sp] = sp;
    walk->exact = false;
    walk->guessed = true;
    walk->by_call = false;
}

/* No frame says whether it is signed. */
static uint64_t strip_guess(struct walk *walk, uint64_t pc)
{
    return walk->machine->pushes ? pc : walk_strip_signature(walk, pc);
}

/* Does a chain of frame pointers end so? Go's does with a return address that was made, and a frame
 * pointer of 0. But what is no frame pointer may point to zeros, too. */
static bool is_outermost(struct walk *walk, uint64_t caller, uint64_t pc)
{
    if (walk->framed)
        return pc == 0 || caller == 0;
    return caller == 0 && pc != 0 && walk_find_mapped(walk, pc) != NULL;
}

/* The caller's frame pointer lies where ours points, the return address above it. */
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
    if (pc == 0 || !returns_to(walk, pc, false)) {
        if (is_outermost(walk, caller, pc))
            walk_end(walk, UNWIND_COMPLETE);
        return walk->ended;
    }
    walk->framed = true;
    walk->registers[machine->fp] = caller;
    go(walk, pc, machine_wrap(machine, fp + 2u * machine->word));
    /* where calls push nothing, compilers put the record below all else of the frame */
    walk_set_unknown(walk, machine->sp, !machine->pushes);
    return true;
}

/* Does the frame have a record of its own, with this return address? */
static bool has_own_record(struct walk *walk, uint64_t pc)
{
    const struct machine *machine = walk->machine;
    uint64_t saved;

    return !machine->pushes && !walk_is_unknown(walk, machine->fp) &&
           memory_read(walk->input, walk->registers[machine->fp] + machine->word, machine->word, &saved) &&
           strip_guess(walk, saved) == pc;
}

/* As if it had pushed nothing: the return address is where the call put it. */
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
    if (pc == 0 || !returns_to(walk, pc, true))
        return false;
    if (has_own_record(walk, pc))
        return walk_by_frame_pointer(walk);
    go(walk, pc, machine_wrap(machine, machine->pushes ? sp + machine->word : sp));
    walk->by_call = !machine->pushes;
    walk_set_unknown(walk, machine->sp, walk->by_call);
    return true;
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
    const struct rule_register *fp = find_saved(rule, walk->machine->fp), *pc = find_saved(rule, rule->return_column);

    if (fp == NULL || pc == NULL || pc->value != fp->value + walk->machine->word)
        return false;
    *at = fp->value;
    return true;
}

/* Does a return address lie there? */
static bool has_return_at(struct walk *walk, uint64_t address)
{
    uint64_t pc;

    return memory_read(walk->input, address, walk->machine->word, &pc) &&
           returns_to(walk, strip_guess(walk, pc), false);
}

/* After a call of what nothing describes the stack pointer is as it was there, as a rule. If no return address lies
 * where that leads to, some more was pushed there. A frame may have a record and leave the frame pointer alone: then
 * that points further up than what a function that calls nobody pushes. */
bool walk_find_stack_pointer(struct walk *walk, const struct rule *rule)
{
    const struct machine *machine = walk->machine;
    uint64_t *sp = &walk->registers[machine->sp], fp = walk->registers[machine->fp], word = machine->word;
    int32_t record = 0;
    bool has_record = !walk_is_unknown(walk, machine->fp) && walk_has_record(walk, rule, &record);
    uint64_t by_record = machine_wrap(machine, fp - (uint64_t)(int64_t)record - (uint64_t)(int64_t)rule->cfa.value);
    uint64_t unchanged = *sp + (uint64_t)(int64_t)rule->cfa.value + (uint64_t)(int64_t)record + word;

    if (!walk->by_call && !has_record)
        return false;
    if (!walk->by_call || (has_record && by_record - *sp < LEAF_SIZE_MAX && !has_return_at(walk, unchanged) &&
                           has_return_at(walk, fp + word)))
        *sp = by_record;
    walk_set_unknown(walk, machine->sp, false);
    return true;
}

/* --- a sleeper's frame pointer ------------------------------------------------------------- */

/* Whether a function that keeps a frame pointer saved its caller's in some place. */
enum likelihood { IMPOSSIBLE, DOUBTFUL, LIKELY, CERTAIN };

static bool is_trampoline(struct walk *walk, uint64_t address)
{
    const struct mapped_object *mapped = walk_find_mapped(walk, address);

    return mapped != NULL && mapped->object != NULL && mapped->object->elf != NULL &&
           trampoline_is(mapped->object, walk->machine, walk_offset(mapped, address));
}

/* By the return address above it: a call of this very function leaves no doubt; one of another may
 * be left over from that, or that may have jumped here; of others it is not known what they call.
 */
static enum likelihood judge_return(struct walk *walk, uint64_t address)
{
    uint64_t pc = walk->registers[walk->machine->pc] - (walk->exact ? 0 : 1), target, begin;

    if (is_trampoline(walk, address))
        return CERTAIN;
    if (!returns_to(walk, address, true))
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

/* What is above a doubtful place is only believed if it is certain: nothing is to be left out. */
bool walk_find_frame_pointer(struct walk *walk, const struct rule *rule)
{
    const struct machine *machine = walk->machine;
    const struct unwind_piece *piece = &walk->input->pieces[0];
    uint64_t word = machine->word, slot = walk->registers[machine->sp] & ~(word - 1);
    enum likelihood found = IMPOSSIBLE, least = LIKELY;
    int32_t record;

    /* the frame pointer has to point to the record */
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
