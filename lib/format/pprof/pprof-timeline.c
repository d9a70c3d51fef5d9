/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time line as comments: each has some slots in a row, in microseconds, and where they begin.
 * Text for other tools to show must not be endless, hence several.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/pprof/pprof.h"

#define SLOTS_OF_A_LINE 256u
#define SILENCE 16u /* slots with nothing in them that end a line */

static bool is_silent(const struct profile_timeline *line, uint32_t slot)
{
    for (uint32_t i = slot; i < line->count && i < slot + SILENCE; i++)
        if (line->cpu_ns[i] >= 1000)
            return false;
    return true;
}

char *pprof_say_timeline(const struct profile *profile, uint32_t *slot)
{
    const struct profile_timeline *line = &profile->timeline;
    uint32_t first = *slot;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    if (stream == NULL)
        return NULL;
    while (first + 1 < line->count && line->cpu_ns[first] < 1000)
        first++;
    fprintf(stream, "%s start=%llu slot_ns=%llu at=%u cpu_us=", PPROF_TIMELINE_WORDS,
            (unsigned long long)line->start, (unsigned long long)line->slot_ns, first);
    uint32_t i = first;
    do
        fprintf(stream, "%s%llu", i > first ? "," : "",
                (unsigned long long)(line->cpu_ns[i] / 1000));
    while (++i < line->count && i < first + SLOTS_OF_A_LINE && !is_silent(line, i));
    *slot = i < line->count && is_silent(line, i) ? i + SILENCE : i;
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

int pprof_hear_timeline(const char *text, struct profile *profile)
{
    uint64_t start = pprof_number(text, "start"), slot_ns = pprof_number(text, "slot_ns");
    uint64_t slot = pprof_number(text, "at");
    const char *at = strstr(text, " cpu_us=");
    int error = 0;

    if (at == NULL)
        return 0;
    at += strlen(" cpu_us=");
    while (error == 0 && *at >= '0' && *at <= '9') {
        char *end;
        uint64_t us = strtoull(at, &end, 10);
        error = timeline_restore(&profile->timeline, start, slot_ns, slot++,
                                 us > UINT64_MAX / 1000 ? UINT64_MAX : us * 1000);
        at = *end == ',' ? end + 1 : end;
    }
    return error == -ENOMEM ? error : 0;
}
