/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Puts Python frames into a native stack. A native frame of the interpreter's function _PyEval_EvalFrameDefault
 * executes one Python frame, or from 3.11 on several, which call each other. They take its place.
 *
 * From 3.11 on, each Python frame comes with an address in the native frame that executes it. Before, nothing links the
 * two stacks, but they have the same order, and each native frame of the function executes one Python frame. The native
 * frames of the function are then found by its name. A thread that has just entered the function, or is about to leave
 * it, may have one native frame more than Python frames. This is the innermost one, and it stays as it is.
 *
 * If the native stack is not complete, the outer Python frames are known nevertheless. They become the callers of the
 * native frames.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "script/script.h"
#include "unwind/unwind-internal.h"
#include "wire/wire.h"

int unwind_add_code(struct unwinder *unwinder, struct profile *profile, const struct wire_python_code *event)
{
    if (unwinder->codes == NULL)
        unwinder->codes = script_codes_new(profile);
    return unwinder->codes == NULL ? -ENOMEM : script_codes_add(unwinder->codes, event);
}

void unwind_forget_python(struct unwinder *unwinder)
{
    script_codes_free(unwinder->codes);
}

struct python_merge {
    struct unwinder *unwinder;
    struct profile *profile;
    const struct unwind_stack *stack;
    const struct wire_python *python;
    uint32_t next;       /* number of the next Python frame */
    bool after_group;    /* the last native frame was replaced by Python frames */
    uint32_t *locations; /* result */
    uint32_t count;
};

/* Returns true if the native frame is one of _PyEval_EvalFrameDefault. */
static bool merge_is_eval(struct python_merge *merge, const struct unwind_frame *frame)
{
    const struct script_interpreter *interpreter;

    if (frame->object >= UNWIND_LEFT_OUT || /* none */
        unwind_find_interpreter(merge->unwinder, merge->profile, frame->object, &interpreter) != 0)
        return false;
    for (unsigned i = 0; i < SCRIPT_EVAL_PARTS; i++)
        if (frame->address >= interpreter->eval[i].start && frame->address < interpreter->eval[i].end)
            return true;
    return false;
}

static int merge_add_python(struct python_merge *merge)
{
    const struct wire_python_frame *frame = &merge->python->frames[merge->next++];

    int error = script_codes_location(merge->unwinder->codes, frame, &merge->locations[merge->count]);

    merge->count += error == 0 && merge->locations[merge->count] != PROFILE_NONE;
    return error;
}

/* Adds the next Python frame, and the following ones that have the same native frame. */
static int merge_add_group(struct python_merge *merge)
{
    uint64_t address = merge->python->frames[merge->next].stack;
    int error = 0;

    while (error == 0 && merge->next < merge->python->count && merge->python->frames[merge->next].stack == address)
        error = merge_add_python(merge);
    return error;
}

/* Adds a native frame. With python -X perf, the interpreter's function is called through code that is made at run time,
 * and has the name of the Python function. It is left out, because the Python frame shows the function already. */
static int merge_add_native(struct python_merge *merge, const struct unwind_frame *frame)
{
    bool after_group = merge->after_group;

    merge->after_group = false;
    if (after_group && frame->object < UNWIND_LEFT_OUT &&
        merge->profile->objects[frame->object].kind == PROFILE_OBJECT_ANON)
        return 0;
    return unwind_profile_make_location(merge->profile, frame, &merge->locations[merge->count++]);
}

/* Adds a native frame, or the Python frames that it executes. They are found by their addresses. */
static int merge_by_address(struct python_merge *merge, uint32_t number)
{
    const struct unwind_frame *frame = &merge->stack->frames[number];
    bool last = number + 1 == merge->stack->count;
    uint64_t end = last ? UINT64_MAX : frame[1].sp;
    int error = 0;

    while (error == 0 && merge->next < merge->python->count) {
        uint64_t address = merge->python->frames[merge->next].stack;
        if (address >= frame->sp && address < end && !last) {
            merge->after_group = true;
            return merge_add_group(merge);
        }
        if (address >= frame->sp && address < end)
            break;
        /* its native frame was not found, but it is further in than this one */
        if (address == 0 || address > frame->sp)
            break;
        error = merge_add_group(merge);
    }
    return error == 0 ? merge_add_native(merge, frame) : error;
}

/* Finds the native frames of the function by its name. If there are more than Python frames, the innermost ones stay as
 * they are. But if the native stack is not complete, its outermost frames may be missing, so all are taken. */
static int merge_by_name(struct python_merge *merge)
{
    const struct unwind_stack *stack = merge->stack;
    uint32_t extra = 0;
    int error = 0;

    for (uint32_t i = 0; stack->end == UNWIND_COMPLETE && i < stack->count; i++)
        extra += merge_is_eval(merge, &stack->frames[i]);
    extra = extra > merge->python->count ? extra - merge->python->count : 0;
    for (uint32_t i = 0; error == 0 && i < stack->count; i++) {
        bool eval = merge->next < merge->python->count && merge_is_eval(merge, &stack->frames[i]);
        bool stays = eval && extra > 0;
        extra -= stays;
        error = eval && !stays ? merge_add_python(merge) : merge_add_native(merge, &stack->frames[i]);
    }
    return error;
}

int unwind_merge_python(struct unwinder *unwinder, struct profile *profile, const struct unwind_stack *stack,
                        const struct wire_python *python, uint32_t *locations, uint32_t *count)
{
    struct python_merge merge = {unwinder, profile, stack, python, .locations = locations};
    bool by_name = python->count > 0 && python->frames[0].stack == 0;

    if (unwinder->codes == NULL)
        unwinder->codes = script_codes_new(profile);
    if (unwinder->codes == NULL)
        return -ENOMEM;
    int error = by_name ? merge_by_name(&merge) : 0;
    for (uint32_t i = 0; !by_name && error == 0 && i < stack->count; i++)
        error = merge_by_address(&merge, i);
    while (error == 0 && merge.next < python->count)
        error = merge_add_python(&merge);
    *count = merge.count;
    return error;
}
