/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What outlives a walk: the objects that walks went through, each opened once. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/unwind-internal.h"

#define OBJECTS_MAX (1u << 24)

struct unwinder {
    struct unwind_object **objects; /* owned; by the caller's number; NULL: not opened yet */
    uint32_t count;
};

struct unwinder *unwinder_new(void)
{
    return calloc(1, sizeof(struct unwinder));
}

void unwinder_free(struct unwinder *unwinder)
{
    if (unwinder == NULL)
        return;
    for (uint32_t i = 0; i < unwinder->count; i++)
        unwind_object_close(unwinder->objects[i]);
    free(unwinder->objects);
    free(unwinder);
}

static int unwinder_make_room(struct unwinder *unwinder, uint32_t number)
{
    uint32_t count = unwinder->count == 0 ? 16 : unwinder->count;

    if (number < unwinder->count)
        return 0;
    while (count <= number)
        count *= 2;
    struct unwind_object **objects = realloc(unwinder->objects, count * sizeof *objects);
    if (objects == NULL)
        return -ENOMEM;
    memset(objects + unwinder->count, 0, (count - unwinder->count) * sizeof(void *));
    unwinder->objects = objects;
    unwinder->count = count;
    return 0;
}

int unwinder_object(struct unwinder *unwinder, const struct unwind_world *world, uint32_t number,
                    struct unwind_object **object)
{
    *object = NULL;
    if (number >= OBJECTS_MAX)
        return 0;
    if (number >= unwinder->count || unwinder->objects[number] == NULL) {
        int fd = world->open(world->context, number);
        if (fd == -EAGAIN)
            return 0;
        if (unwinder_make_room(unwinder, number) != 0)
            return -ENOMEM;
        unwinder->objects[number] = unwind_object_open(fd);
    }
    *object = unwinder->objects[number];
    return *object == NULL ? -ENOMEM : 0;
}
