/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads recordings of the supervisor's events. The events are processed as if the supervisor sent them now, and so
 * become a profile.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "format/format.h"
#include "unwind/unwind.h"
#include "wire/wire.h"

static bool events_matches(const unsigned char *head, size_t size, uint64_t all)
{
    (void)all;
    return size >= 8 && memcmp(head, "pprofil", 8) == 0;
}

/* Returns true if the times of this event can be added to the totals without an overflow. */
static bool adds_up(const struct profile_totals *totals, const struct wire_header *event)
{
    const struct wire_sample *sample = (const void *)event;

    return event->type != WIRE_SAMPLE || (sample->cpu_ns <= INT64_MAX - totals->cpu_ns &&
                                          sample->wall_ns <= INT64_MAX - totals->wall_ns);
}

/* Feeds an event to the unwinder. In a WIRE_MAP event, the field `object` is the id of a descriptor that the supervisor
 * sends later. A recording has no descriptors, so `object` is set to 0, which means that no descriptor follows. */
static int replay(struct unwinder *unwinder, struct profile *profile, const struct wire_header *event)
{
    _Alignas(8) unsigned char copy[WIRE_EVENT_MAX];

    if (!adds_up(&profile->totals, event))
        return PPROFIL_ERROR_DAMAGED;
    if (event->type != WIRE_MAP)
        return unwind_feed(unwinder, profile, event);
    struct wire_map *map = memcpy(copy, event, event->size);
    map->object = 0;
    return unwind_feed(unwinder, profile, &map->header);
}

static int read_events(const char *path, struct profile *profile)
{
    struct wire_recording *recording = NULL;
    struct unwinder *unwinder = unwinder_new();
    const struct wire_header *event;
    int damage = 0;
    int error = wire_replay_open(path, &recording);

    if (error == 0 && unwinder == NULL)
        error = -ENOMEM;
    while (error == 0 && (event = wire_replay_next(recording, &damage)) != NULL)
        error = replay(unwinder, profile, event);
    if (error == -EPROTO)
        error = PPROFIL_ERROR_DAMAGED;
    unwinder_free(unwinder);
    wire_replay_close(recording);
    if (error == 0 && damage != 0)
        error = PPROFIL_ERROR_DAMAGED;
    return error;
}

const struct format format_events = {
    .name = "events",
    .extensions = ".events",
    .summary = "the supervisor's events, as recorded by --events",
    .keeps = "everything",
    .loses = "nothing",
    .binary = true,
    .matches = events_matches,
    .read = read_events,
};
