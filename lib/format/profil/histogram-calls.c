/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cells of system calls as a profile: each call is a function of the kernel, and its number is kept. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "format/named.h"
#include "format/profil/histogram-calls.h"

const char *histogram_call_name(uint64_t cell, char text[HISTOGRAM_CALL_NAME])
{
    int32_t number = (int32_t)(cell - DIALECT_CELL_SPECIALS);
    const char *name = profile_syscall_name(number, false);

    if (name != NULL)
        return name;
    snprintf(text, HISTOGRAM_CALL_NAME, "syscall_%d", number);
    return text;
}

static int calls_add(struct named *named, uint32_t object, const struct histogram *histogram, uint64_t cell,
                     const struct profile_sample *like, double tick_ns)
{
    char text[HISTOGRAM_CALL_NAME];
    struct profile_sample sample = *like;
    struct profile_line line = {0};
    uint32_t location;

    const char *name = histogram_call_name(cell, text);
    sample.count = histogram->counters[cell];
    sample.cpu_ns = (uint64_t)((double)sample.count * tick_ns);
    int error = profile_syscall(named->profile, name, (int32_t)(cell - DIALECT_CELL_SPECIALS), 0, &sample.syscall);
    if (error == 0)
        error = named_function(named, object, name, "", 0, &line.function);
    if (error == 0)
        error = named_location(named, object, &line, 1, &location);
    if (error == 0)
        error = profile_node(named->profile, PROFILE_NONE, location, &sample.node);
    return error == 0 ? named_count(named->profile, &sample) : error;
}

int histogram_calls_to_profile(const struct histogram_file *file, struct profile *profile,
                               const struct profile_sample *like, double tick_ns)
{
    struct named named = {.profile = profile};
    uint32_t object;
    int error = named_object(&named, "[kernel]", &object);

    for (size_t i = 0; error == 0 && i < file->histogram_count; i++)
        for (uint64_t cell = DIALECT_CELL_SPECIALS; error == 0 && cell < file->histograms[i].count; cell++)
            if (file->histograms[i].counters[cell] > 0)
                error = calls_add(&named, object, &file->histograms[i], cell, like, tick_ns);
    memo_free(&named.memo);
    return error;
}
