/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unwinds the stacks of samples, and adds the stacks to a profile. The profile has the mappings and
 * files that are needed. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "launch/file-opener.h"
#include "unwind/unwind-internal.h"
#include "unwind/unwind-kernel.h"
#include "wire/wire.h"

#define PAGE 4096u /* bytes; no machine has smaller pages */

struct unwound_process {
    struct profile *profile;
    uint32_t pid;
};

/* Finds a mapping (unwind_callbacks.find). The profile does not know where mappings end. But the page of the address is
 * part of the mapping in any case. So the mapping is assumed to end at the end of that page. */
static bool unwind_profile_find(void *context, uint64_t address, struct unwind_mapping *mapping)
{
    const struct unwound_process *process = context;

    if (!profile_find_mapping(process->profile, process->pid, address, &mapping->object,
                              &mapping->start, &mapping->offset))
        return false;
    mapping->end = (address | (PAGE - 1)) + 1;
    if (process->profile->objects[mapping->object].kind == PROFILE_OBJECT_ANON)
        mapping->offset = mapping->start;
    return true;
}

/* Opens an object's file by its path, because a recording has no descriptors. If the file at that path has the inode of
 * the file that was mapped, it is assumed to be the same file. Returns a descriptor or -ENOENT. */
static int unwind_profile_open_path(const struct profile *profile, const struct profile_object *object)
{
    if (object->kind != PROFILE_OBJECT_FILE || object->deleted || object->hangs || object->inode == 0)
        return -ENOENT;
    int fd = file_opener_open(profile->strings[object->path], object->inode);
    return fd < 0 ? -ENOENT : fd;
}

/* An object of kind ANON (JIT code) has no ELF file. Its descriptor, if any, is that of a list of names. */
int unwind_object_file(struct profile *profile, uint32_t number)
{
    const struct profile_object *object = &profile->objects[number];

    if (object->kind == PROFILE_OBJECT_ANON)
        return -ENOENT;
    if (object->fd >= 0)
        return object->fd;
    if (profile_awaits_object(profile, number))
        return -EAGAIN;
    int fd = unwind_profile_open_path(profile, object);
    if (fd >= 0)
        profile_set_file(profile, number, fd);
    return fd;
}

/* unwind_callbacks.open */
static int unwind_profile_open(void *context, uint32_t number)
{
    const struct unwound_process *process = context;

    return unwind_object_file(process->profile, number);
}

/* unwind_callbacks.find_jit */
static bool unwind_profile_find_jit(void *context, uint32_t number, struct unwind_jit_file *file)
{
    const struct unwound_process *process = context;
    const struct profile_object *object = &process->profile->objects[number];

    if (object->kind != PROFILE_OBJECT_ANON)
        return false;
    *file = (struct unwind_jit_file){
        .process = object->process, .fd = object->fd, .owner = jit_owner_of(process->profile, object)};
    return true;
}

static int unwind_profile_mark_no_info(struct profile *profile, uint32_t object, uint32_t *location)
{
    char text[300];
    const char *path = profile->strings[profile->objects[object].path];
    const char *base = path_base_name(path);

    if (*base != '\0' && profile->objects[object].kind == PROFILE_OBJECT_FILE)
        path = base;
    snprintf(text, sizeof text, "[no unwind info: %.255s]", path);
    return profile_mark(profile, text, location);
}

static int unwind_profile_make_mark(struct profile *profile, const struct unwind_stack *stack, uint32_t *location)
{
    switch (stack->end) {
    case UNWIND_TRUNCATED:
        return profile_mark(profile, "[truncated]", location);
    case UNWIND_NOT_COPIED:
        return profile_mark(profile, "[not copied]", location);
    case UNWIND_NO_INFO:
        return unwind_profile_mark_no_info(profile, stack->frames[stack->count - 1].object, location);
    case UNWIND_TOO_DEEP:
        return profile_mark(profile, "[too deep]", location);
    default:
        return profile_mark(profile, "[broken stack]", location);
    }
}

int unwind_profile_make_location(struct profile *profile, const struct unwind_frame *frame, uint32_t *location)
{
    uint32_t object = frame->object;

    if (object == UNWIND_LEFT_OUT)
        return profile_mark(profile, "[frames left out]", location);
    int error = object == UNWIND_NO_OBJECT ? profile_unknown_object(profile, &object) : 0;

    return error != 0 ? error : profile_location(profile, object, frame->address, location);
}

/* Makes the locations of a stack's frames, the innermost first. If the stack is not complete, a mark is added behind
 * the outermost frame, as if it were the caller of that frame. python: Python frames of the same thread; NULL: none. */
static int unwind_profile_make_locations(struct unwinder *unwinder, struct profile *profile,
                                         const struct unwind_stack *stack, const struct wire_python *python,
                                         uint32_t *locations, uint32_t *count)
{
    int error = 0;

    *count = 0;
    if (python != NULL) {
        error = unwind_merge_python(unwinder, profile, stack, python, locations, count);
    } else {
        for (; error == 0 && *count < stack->count; ++*count)
            error = unwind_profile_make_location(profile, &stack->frames[*count], &locations[*count]);
    }
    if (error == 0 && stack->end != UNWIND_COMPLETE)
        error = unwind_profile_make_mark(profile, stack, &locations[(*count)++]);
    return error;
}

/* Adds the frames of a stack to the profile, the outermost frame first. *node becomes the node of the innermost
 * frame. */
static int unwind_profile_add_stack(struct unwinder *unwinder, struct profile *profile,
                                    const struct unwind_stack *stack, const struct wire_python *python, uint32_t *node)
{
    uint32_t *locations = malloc((stack->count + 1 + (python != NULL ? python->count : 0)) * sizeof *locations);
    uint32_t count, at = PROFILE_NONE;

    if (locations == NULL)
        return -ENOMEM;
    int error = unwind_profile_make_locations(unwinder, profile, stack, python, locations, &count);
    while (count > 0 && error == 0)
        error = profile_node(profile, at, locations[--count], &at);
    free(locations);
    *node = at;
    return error;
}

/* Does what unwind_into_profile does, and puts the Python frames of the thread into the stack. python: NULL: none. */
static int unwind_profile_walk(struct unwinder *unwinder, struct profile *profile, uint32_t pid,
                               const struct unwind_input *input, const struct wire_python *python, uint32_t *node)
{
    struct unwound_process context = {.profile = profile, .pid = pid};
    const struct unwind_callbacks callbacks = {.context = &context,
                                               .find = unwind_profile_find,
                                               .open = unwind_profile_open,
                                               .find_jit = unwind_profile_find_jit};
    struct unwind_frame *frames = malloc(UNWIND_FRAMES_MAX * sizeof *frames);
    struct unwind_stack stack = {.frames = frames, .room = UNWIND_FRAMES_MAX};

    if (frames == NULL)
        return -ENOMEM;
    int error = unwind_walk(unwinder, &callbacks, input, &stack);
    if (stack.end == UNWIND_TRUNCATED && input->pieces[0].size == 0)
        stack.end = UNWIND_NOT_COPIED;
    if (error == 0)
        error = unwind_profile_add_stack(unwinder, profile, &stack, python, node);
    free(frames);
    return error;
}

int unwind_into_profile(struct unwinder *unwinder, struct profile *profile, uint32_t pid,
                        const struct unwind_input *input, uint32_t *node)
{
    return unwind_profile_walk(unwinder, profile, pid, input, NULL, node);
}

/* --- events ----------------------------------------------------------------------------- */

static enum unwind_machine machine_of(const struct wire_sample *sample)
{
#ifdef __aarch64__
    (void)sample;
    return UNWIND_AARCH64;
#else
    /* the sample of a sleeping 32-bit thread may lack WIRE_SAMPLE_COMPAT, but the stack of a 64-bit
     * thread is never below 4 GiB */
    bool narrow = (sample->flags & WIRE_SAMPLE_COMPAT) != 0 || sample->sp <= UINT32_MAX;
    return narrow ? UNWIND_I386 : UNWIND_X86_64;
#endif
}

static int unwind_feed_stack(struct unwinder *unwinder, struct profile *profile,
                             const struct wire_sample *sample, const struct wire_stack *stack)
{
    struct unwind_input input = {.registers.machine = machine_of(sample),
                                 .piece_count = stack->below_size > 0 ? 2 : 1,
                                 .switch_base = stack->switch_base,
                                 .switch_sp = stack->switch_sp,
                                 .goroutine_end = stack->goroutine_end};
    const uint8_t *bytes = wire_stack_bytes(stack);
    uint32_t node;

    memcpy(input.registers.values, stack->regs, sizeof stack->regs);
    input.registers.unknown = ~stack->known;
    const struct machine *machine = machine_find(input.registers.machine);
    input.registers.values[machine->pc] = sample->pc;
    input.registers.values[machine->sp] = sample->sp;
    input.registers.unknown &= ~(UINT64_C(1) << machine->pc | UINT64_C(1) << machine->sp);
    input.pieces[0] = (struct unwind_piece){.start = stack->start, .bytes = bytes, .size = stack->size};
    input.pieces[1] = (struct unwind_piece){
        .start = stack->below_start, .bytes = bytes + stack->size, .size = stack->below_size};
    int error = unwind_profile_walk(unwinder, profile, sample->pid, &input, wire_sample_python(sample), &node);
    if (error == 0)
        error = unwind_enter_kernel(unwinder, profile, sample->kernel_stack, &node);
    return error == 0 ? profile_feed_sample(profile, sample, node) : error;
}

/* Returns whether an event reports that a process has ended, or executes another program. Stores its pid in *pid. */
static bool unwind_ends_program(const struct wire_header *event, uint32_t *pid)
{
    const struct wire_exit *end = (const void *)event;
    const struct wire_task *exec = (const void *)event;

    *pid = event->type == WIRE_EXEC ? exec->pid : end->pid;
    return event->type == WIRE_EXEC || (event->type == WIRE_EXIT && end->pid == end->tid);
}

int unwind_feed(struct unwinder *unwinder, struct profile *profile, const struct wire_header *event)
{
    const struct wire_sample *sample = (const void *)event;
    const struct wire_stack *stack = event->type == WIRE_SAMPLE ? wire_sample_stack(sample) : NULL;
    uint32_t pid;

    if (event->type == WIRE_PYTHON_CODE)
        return unwind_add_code(unwinder, profile, (const struct wire_python_code *)event);
    if (event->type == WIRE_KERNEL_STACK)
        return unwind_add_kernel_stack(unwinder, profile, (const struct wire_kernel_stack *)event);
    if (unwinder->codes != NULL && unwind_ends_program(event, &pid)) {
        int error = script_codes_forget(unwinder->codes, pid);
        if (error != 0)
            return error;
    }
    if (stack == NULL)
        return profile_feed(profile, event);
    return unwind_feed_stack(unwinder, profile, sample, stack);
}
