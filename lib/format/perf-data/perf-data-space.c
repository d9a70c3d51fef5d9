/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "format/perf-data/perf-data-space.h"
#include "pprofil/error.h"

static int perf_data_space_compare(const void *left, const void *right)
{
    const struct mapping *a = left, *b = right;

    if (a->end <= b->start)
        return -1;
    return a->start >= b->end;
}

const struct mapping *space_find(const struct perf_space *space, uint64_t address)
{
    const struct mapping one = {.start = address, .end = address + 1};
    struct mapping **found = address == UINT64_MAX ? NULL : tfind(&one, &space->tree, perf_data_space_compare);

    return found == NULL ? NULL : *found;
}

static int insert(struct perf_space *space, const struct mapping *mapping)
{
    struct mapping *copy = malloc(sizeof *copy);

    if (copy == NULL)
        return -ENOMEM;
    *copy = *mapping;
    if (tsearch(copy, &space->tree, perf_data_space_compare) != NULL)
        return 0;
    free(copy);
    return -ENOMEM;
}

/* Takes away what a new mapping lies over, but for what stands out below it and above. */
static int perf_data_space_make_room(struct perf_space *space, const struct mapping *mapping)
{
    struct mapping **found;
    int error = 0;

    while (error == 0 && (found = tfind(mapping, &space->tree, perf_data_space_compare)) != NULL) {
        struct mapping *old = *found, below = *old, above = *old;
        tdelete(old, &space->tree, perf_data_space_compare);
        free(old);
        below.end = mapping->start;
        above.start = mapping->end;
        above.offset += mapping->end - below.start;
        if (below.start < below.end)
            error = insert(space, &below);
        if (error == 0 && above.start < above.end)
            error = insert(space, &above);
    }
    return error;
}

int space_add(struct perf_space *space, const struct mapping *mapping)
{
    int error = perf_data_space_make_room(space, mapping);
    return error == 0 ? insert(space, mapping) : error;
}

void space_clear(struct perf_space *space)
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
    copying->error = insert(copying->to, *(struct mapping *const *)node);
}

int space_copy(struct perf_space *to, const struct perf_space *from, uint64_t *room)
{
    struct copying copying = {.to = to, .room = room};

    twalk_r(from->tree, copy_mapping, &copying);
    return copying.error;
}
