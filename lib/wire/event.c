/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks events that come from another process or from a file. After this check other code trusts their fields. The
 * table least_size has the smallest size of each type of event, in bytes. Events with a variable part or with text have
 * further checks.
 */
#include "config.h"

#include <string.h>

#include "wire/wire.h"

static const size_t least_size[] = {
    [WIRE_SAMPLE] = sizeof(struct wire_sample),
    [WIRE_MAP] = sizeof(struct wire_map) + 8,
    [WIRE_EXEC] = sizeof(struct wire_task),
    [WIRE_FORK] = sizeof(struct wire_fork),
    [WIRE_THREAD] = sizeof(struct wire_task),
    [WIRE_COMM] = sizeof(struct wire_comm),
    [WIRE_EXIT] = sizeof(struct wire_exit),
    [WIRE_LOST] = sizeof(struct wire_lost),
    [WIRE_THROTTLE] = sizeof(struct wire_throttle),
    [WIRE_STATS] = sizeof(struct wire_stats),
    [WIRE_PYTHON_CODE] = sizeof(struct wire_python_code),
    [WIRE_KERNEL_STACK] = sizeof(struct wire_kernel_stack) + 8,
    [WIRE_WAIT] = sizeof(struct wire_wait),
    [WIRE_USAGE] = sizeof(struct wire_usage),
    [WIRE_CLOCK] = sizeof(struct wire_clock),
};

static bool map_valid(const struct wire_map *map)
{
    size_t name_size = map->header.size - sizeof *map;

    return map->kind >= WIRE_MAP_FILE && map->kind <= WIRE_MAP_ANON && map->start < map->end &&
           map->build_id_size <= sizeof map->build_id && memchr(map->name, '\0', name_size) != NULL;
}

const struct wire_stack *wire_sample_stack(const struct wire_sample *sample)
{
    return sample->flags & WIRE_SAMPLE_STACK ? (const void *)(sample + 1) : NULL;
}

const unsigned char *wire_stack_bytes(const struct wire_stack *stack)
{
    return (const unsigned char *)(stack + 1);
}

/* Returns the size of a stack in an event, with the padding that follows it, bytes. */
static size_t stack_event_size(const struct wire_stack *stack)
{
    return (sizeof *stack + (size_t)stack->size + stack->below_size + 7) / 8 * 8;
}

const struct wire_python *wire_sample_python(const struct wire_sample *sample)
{
    const struct wire_stack *stack = wire_sample_stack(sample);
    size_t before = stack != NULL ? stack_event_size(stack) : 0;

    return sample->flags & WIRE_SAMPLE_PYTHON ? (const void *)((const unsigned char *)(sample + 1) + before) : NULL;
}

static bool sample_valid(const struct wire_sample *sample)
{
    const struct wire_stack *stack = wire_sample_stack(sample);
    size_t rest = sample->header.size - sizeof *sample;

    if (stack != NULL && (rest < sizeof *stack || stack->size > rest - sizeof *stack ||
                          stack->below_size > rest - sizeof *stack - stack->size))
        return false;
    if ((sample->flags & WIRE_SAMPLE_PYTHON) == 0)
        return true;
    size_t before = stack != NULL ? stack_event_size(stack) : 0;
    const struct wire_python *python = wire_sample_python(sample);
    return before <= rest && rest - before >= sizeof *python && python->count <= WIRE_PYTHON_FRAMES_MAX &&
           python->count <= (rest - before - sizeof *python) / sizeof *python->frames;
}

static bool text_valid(const struct wire_python_text *text)
{
    return (text->width == 1 || text->width == 2 || text->width == 4) && text->size % text->width == 0 &&
           text->size <= WIRE_PYTHON_TEXT_MAX;
}

static bool python_code_valid(const struct wire_python_code *code)
{
    size_t rest = code->header.size - sizeof *code;

    return code->code != 0 && text_valid(&code->file) && text_valid(&code->name) &&
           code->lines_size <= WIRE_PYTHON_LINES_MAX &&
           (size_t)code->file.size + code->name.size + code->lines_size <= rest;
}

/* Returns true if there are `count` texts, each with its NUL, between `at` and the end of the event. */
static bool texts_valid(const char *at, uint32_t count, const struct wire_header *event)
{
    const char *end = (const char *)event + event->size;

    for (uint32_t i = 0; i < count && at != NULL; i++) {
        at = memchr(at, '\0', (size_t)(end - at));
        at = at != NULL ? at + 1 : NULL;
    }
    return at != NULL;
}

static bool kernel_stack_valid(const struct wire_kernel_stack *stack)
{
    return stack->id != 0 && stack->id <= WIRE_KERNEL_STACKS_MAX && stack->count != 0 &&
           stack->count <= WIRE_KERNEL_FRAMES_MAX && texts_valid(stack->names, stack->count, &stack->header);
}

static bool wait_valid(const struct wire_wait *wait)
{
    bool needs_file =
        wait->kind == WIRE_WAIT_FILE || wait->kind == WIRE_WAIT_PATH || wait->kind == WIRE_WAIT_FILE_LOCK;

    return wait->id != 0 && wait->id <= WIRE_WAITS_MAX && wait->kind >= WIRE_WAIT_FILE &&
           wait->kind <= WIRE_WAIT_FILE_LOCK && wait->file_count <= WIRE_WAIT_FILES_MAX &&
           (!needs_file || wait->file_count > 0) && texts_valid(wait->files, wait->file_count, &wait->header);
}

static bool comm_valid(const char comm[16])
{
    return memchr(comm, '\0', 16) != NULL;
}

static size_t largest_size(uint32_t type)
{
    return type == WIRE_SAMPLE ? WIRE_SAMPLE_MAX : type == WIRE_PYTHON_CODE ? WIRE_PYTHON_CODE_MAX : WIRE_EVENT_MAX;
}

bool wire_event_valid(const struct wire_header *event, size_t available)
{
    if (available < sizeof *event || event->size > available || event->size % 8 != 0 ||
        event->size > largest_size(event->type))
        return false;
    if (event->type >= sizeof least_size / sizeof *least_size || least_size[event->type] == 0 ||
        event->size < least_size[event->type])
        return false;
    if (event->type == WIRE_SAMPLE)
        return sample_valid((const struct wire_sample *)event);
    if (event->type == WIRE_MAP)
        return map_valid((const struct wire_map *)event);
    if (event->type == WIRE_COMM)
        return comm_valid(((const struct wire_comm *)event)->comm);
    if (event->type == WIRE_USAGE)
        return comm_valid(((const struct wire_usage *)event)->comm);
    if (event->type == WIRE_PYTHON_CODE)
        return python_code_valid((const struct wire_python_code *)event);
    if (event->type == WIRE_WAIT)
        return wait_valid((const struct wire_wait *)event);
    if (event->type == WIRE_KERNEL_STACK)
        return kernel_stack_valid((const struct wire_kernel_stack *)event);
    return true;
}
