/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mappings of each process in a perf.data, which the reader needs to find the object of an address. */
#include "config.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "base/array.h"
#include "format/perf-data/perf-data-read.h"
#include "pprofil/error.h"

static int compare_mappings(const void *left, const void *right)
{
    const struct perf_mapping *a = left, *b = right;

    if (a->end <= b->start)
        return -1;
    return a->start >= b->end;
}

const struct perf_mapping *perf_space_find(const struct perf_space *space, uint64_t address)
{
    const struct perf_mapping one = {.start = address, .end = address + 1};
    struct perf_mapping **found = address == UINT64_MAX ? NULL : tfind(&one, &space->tree, compare_mappings);

    return found == NULL ? NULL : *found;
}

static int insert_mapping(struct perf_space *space, const struct perf_mapping *mapping)
{
    struct perf_mapping *copy = malloc(sizeof *copy);

    if (copy == NULL)
        return -ENOMEM;
    *copy = *mapping;
    if (tsearch(copy, &space->tree, compare_mappings) != NULL)
        return 0;
    free(copy);
    return -ENOMEM;
}

/* Removes those parts of old mappings that a new mapping overlaps. The parts of an old mapping below and above the new
 * mapping are kept. */
static int cut_overlaps(struct perf_space *space, const struct perf_mapping *mapping)
{
    struct perf_mapping **found;
    int error = 0;

    while (error == 0 && (found = tfind(mapping, &space->tree, compare_mappings)) != NULL) {
        struct perf_mapping *old = *found, below = *old, above = *old;
        tdelete(old, &space->tree, compare_mappings);
        free(old);
        below.end = mapping->start;
        above.start = mapping->end;
        above.offset += mapping->end - below.start;
        if (below.start < below.end)
            error = insert_mapping(space, &below);
        if (error == 0 && above.start < above.end)
            error = insert_mapping(space, &above);
    }
    return error;
}

int perf_space_add(struct perf_space *space, const struct perf_mapping *mapping)
{
    int error = cut_overlaps(space, mapping);
    return error == 0 ? insert_mapping(space, mapping) : error;
}

void perf_space_clear(struct perf_space *space)
{
    tdestroy(space->tree, free);
    space->tree = NULL;
}

struct copying {
    struct perf_space *to;
    uint64_t *room;
    int error;
};

static void copy_mapping(const void *node, VISIT visit, void *closure)
{
    struct copying *copying = closure;

    if ((visit != postorder && visit != leaf) || copying->error != 0)
        return;
    if (*copying->room == 0) {
        copying->error = PPROFIL_ERROR_DAMAGED;
        return;
    }
    --*copying->room;
    copying->error = insert_mapping(copying->to, *(struct perf_mapping *const *)node);
}

int perf_space_copy(struct perf_space *to, const struct perf_space *from, uint64_t *room)
{
    struct copying copying = {.to = to, .room = room};

    twalk_r(from->tree, copy_mapping, &copying);
    return copying.error;
}

/* --- processes ------------------------------------------------------------------------- */

int perf_find_space(struct perf_replay *replay, uint32_t pid, struct perf_space **space)
{
    struct memo_entry *known;
    int error = memo_find(&replay->space_index, 0, pid, 0, &known);

    if (error != 0)
        return error;
    if (!known->used) {
        error = array_grow(&replay->spaces, replay->space_count, sizeof *replay->spaces);
        if (error != 0)
            return error;
        replay->spaces[replay->space_count] = (struct perf_space){0};
        memo_set(known, replay->space_count++);
    }
    *space = &replay->spaces[known->index];
    return 0;
}

int perf_feed_task(struct perf_replay *replay, enum wire_type type, uint32_t pid, uint32_t tid, uint64_t time)
{
    struct wire_task event = {.header = {type, sizeof event}, .time = time, .pid = pid, .tid = tid};
    return profile_feed(replay->profile, &event.header);
}
