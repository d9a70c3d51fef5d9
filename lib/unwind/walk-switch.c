/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Steps out of a function that has switched to another stack: from the scheduler stack of the Go runtime to the stack
 * of the goroutine that has called the runtime.
 *
 * Go's functions systemstack and asmcgocall are called on the stack of a goroutine, set the stack pointer to the
 * scheduler stack, and call a function there. Their frames are on the goroutine's stack. Their frame descriptions say
 * nothing of the switch, so they are right for the stack pointer that the function had before it. The runtime keeps
 * this stack pointer, and its own traceback uses it in the same way (funcID_systemstack in runtime/traceback.go).
 * Functions that call the vDSO (time.now) switch stacks too, but keep the stack pointer only in their own frame. There
 * the frame pointer leads to that frame.
 *
 * Which function has switched is not told by its name, but by the return address to which this leads: it must be behind
 * a call of this very function.
 *
 * The functions mcall and morestack switch for good: they do not return, and the scheduler then runs goroutines as it
 * likes. Their frame is the outermost one.
 */
#include "config.h"

#include "unwind/walk-switch.h"

/* A function that has switched has made room for fewer bytes than this on the new stack. */
#define SWITCH_ROOM_MAX 128u
/* The first frame of a goroutine has at most this many bytes above it. */
#define FIRST_ROOM_MAX 64u

/* Returns whether the return address that is stored at `at` is behind a direct call of the function of this frame. */
static bool switch_is_called_from(struct walk *walk, uint64_t at)
{
    const struct unwind_object *object = walk->left;
    uint64_t pc, target, begin;

    if (!memory_read(walk->input, at, walk->machine->word, &pc))
        return false;
    const struct mapped_object *caller = walk_find_mapped(walk, pc - 1);
    return caller != NULL && object != NULL && caller->object == object &&
           call_target(object, walk->machine, walk_offset(caller, pc), &target) &&
           unwind_object_function(object, walk->left_offset, &begin) && begin == target;
}

/* If the frame pointer is still that of this frame, returns the stack pointer before the switch. Go saves the caller's
 * frame pointer in the word below the return address (x86-64), or in the word below the frame (AArch64):
 * cmd/compile/abi-internal.md. frame: distance from the stack pointer to the CFA, bytes. */
static uint64_t switch_sp_by_frame_pointer(const struct walk *walk, uint64_t frame)
{
    const struct machine *machine = walk->machine;
    uint64_t fp = walk->registers[machine->fp];

    return machine->pushes ? fp + 2u * machine->word - frame : fp + machine->word;
}

/* Returns whether an address is on the stack that the thread has left. */
static bool switch_has_left(const struct walk *walk, uint64_t address)
{
    const struct unwind_piece *left = &walk->input->pieces[1];

    return walk->input->piece_count > 1 && address - left->start < left->size;
}

/* Sets the stack pointer to its value before the switch. A function that calls the vDSO also aligns the stack pointer
 * without a switch, if it runs on the scheduler stack already. False: this function has done neither. */
static bool switch_go_back(struct walk *walk, uint64_t frame, uint64_t to_return, bool at_base)
{
    const struct unwind_input *input = walk->input;
    uint64_t *sp = &walk->registers[walk->machine->sp], by_fp = switch_sp_by_frame_pointer(walk, frame);

    if (at_base && switch_has_left(walk, input->switch_sp + to_return) &&
        switch_is_called_from(walk, input->switch_sp + to_return)) {
        *sp = input->switch_sp;
        return walk->switched = true;
    }
    bool left = switch_has_left(walk, by_fp + to_return);
    if (!(left ? at_base : by_fp >= *sp) || !switch_is_called_from(walk, by_fp + to_return))
        return false;
    *sp = by_fp;
    walk->switched = left || by_fp > input->switch_base;
    return true;
}

/* Returns whether this frame is the outermost one of the scheduler stack. at: address of the return address. */
static bool switch_is_outermost(struct walk *walk, uint64_t at)
{
    const struct machine *machine = walk->machine;
    uint64_t sp = walk->registers[machine->sp], base = walk->input->switch_base, pc;

    if (sp <= base) /* the function has switched for good */
        return at >= base && at - base < 2u * machine->word && !switch_is_called_from(walk, at);
    /* the function at which the thread has begun */
    return memory_read(walk->input, at, machine->word, &pc) && !walk_returns_to(walk, pc, true);
}

bool walk_switch(struct walk *walk, const struct rule *rule)
{
    const struct machine *machine = walk->machine;
    uint64_t sp = walk->registers[machine->sp], base = walk->input->switch_base;

    /* Go describes the return address only */
    if (rule->cfa.how != RULE_REGISTER || rule->cfa.number != machine->sp || rule->count != 1 ||
        rule->registers[0].how != RULE_AT)
        return false;
    uint64_t frame = (uint64_t)(int64_t)rule->cfa.value;
    uint64_t to_return = frame + (uint64_t)(int64_t)rule->registers[0].value;
    if (sp <= base && switch_go_back(walk, frame, to_return, base - sp < SWITCH_ROOM_MAX))
        return false;
    if (!switch_is_outermost(walk, sp + to_return))
        return false;
    walk_end(walk, UNWIND_COMPLETE);
    return true;
}

bool walk_is_first(const struct walk *walk, const struct unwind_object *object, uint64_t offset)
{
    uint64_t above = walk->input->goroutine_end - walk->registers[walk->machine->sp];

    return above <= FIRST_ROOM_MAX && !call_precedes(object, walk->machine, offset + 1);
}
