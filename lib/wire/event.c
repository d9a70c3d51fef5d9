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

static bool sample_valid(const struct wire_sample *sample)
{
    const struct wire_stack *stack = wire_sample_stack(sample);
    size_t rest = sample->header.size - sizeof *sample;

    return stack == NULL || (rest >= sizeof *stack && stack->size <= rest - sizeof *stack &&
                             stack->below_size <= rest - sizeof *stack - stack->size);
}

static bool comm_valid(const struct wire_comm *comm)
{
    return memchr(comm->comm, '\0', sizeof comm->comm) != NULL;
}

bool wire_event_valid(const struct wire_header *event, size_t available)
{
    if (available < sizeof *event || event->size > available || event->size % 8 != 0 ||
        event->size > (event->type == WIRE_SAMPLE ? WIRE_SAMPLE_MAX : WIRE_EVENT_MAX))
        return false;
    if (event->type >= sizeof least_size / sizeof *least_size || least_size[event->type] == 0 ||
        event->size < least_size[event->type])
        return false;
    if (event->type == WIRE_SAMPLE)
        return sample_valid((const struct wire_sample *)event);
    if (event->type == WIRE_MAP)
        return map_valid((const struct wire_map *)event);
    if (event->type == WIRE_COMM)
        return comm_valid((const struct wire_comm *)event);
    return true;
}
