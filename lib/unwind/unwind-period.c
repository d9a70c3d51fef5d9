/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Follows a profile into a new period: files that the unwinder has opened keep their rules. */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "script/script.h"
#include "unwind/unwind-internal.h"
#include "unwind/unwind-jit.h"
#include "unwind/unwind-kernel.h"

static int period_move_objects(struct unwinder *unwinder, const struct profile_moves *moves)
{
    struct unwind_object **objects = NULL;
    uint32_t count = 0;
    int error = array_extend(&objects, &count, moves->object_count, sizeof *objects);

    if (error != 0)
        return error;
    /* elements that have no entry in the ended profile's table are empty */
    for (uint32_t i = 0; i < unwinder->count && i < moves->object_count; i++)
        if (moves->objects[i] != 0)
            objects[moves->objects[i] - 1] = unwinder->objects[i];
        else
            unwind_object_close(unwinder->objects[i]);
    free(unwinder->objects);
    unwinder->objects = objects;
    unwinder->count = count;
    return 0;
}

static int period_move_runtimes(struct unwinder *unwinder, const struct profile_moves *moves)
{
    struct unwind_runtimes *runtimes = NULL;
    uint32_t count = 0;
    int error = array_extend(&runtimes, &count, moves->object_count, sizeof *runtimes);

    if (error != 0)
        return error;
    for (uint32_t i = 0; i < unwinder->runtimes_count && i < moves->object_count; i++)
        if (moves->objects[i] != 0)
            runtimes[moves->objects[i] - 1] = unwinder->runtimes[i];
    free(unwinder->runtimes);
    unwinder->runtimes = runtimes;
    unwinder->runtimes_count = count;
    return 0;
}

int unwinder_end_period(struct unwinder *unwinder, const struct profile *ended, const struct profile_moves *moves)
{
    int error = period_move_objects(unwinder, moves);

    if (error == 0)
        error = period_move_runtimes(unwinder, moves);
    if (error == 0)
        error = unwind_move_jit(unwinder, moves);
    if (error == 0)
        unwind_move_kernel(unwinder, moves);
    return error == 0 && unwinder->codes != NULL ? script_codes_end_period(unwinder->codes, ended) : error;
}
