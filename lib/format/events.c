/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recordings of the supervisor's events: replayed into a profile as if they came just now. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "format/format.h"

static bool matches(const unsigned char *head, size_t size, uint64_t all)
{
    (void)all;
    return size >= 8 && memcmp(head, "pprofil", 8) == 0;
}

static int read_events(const char *path, struct profile *profile)
{
    struct wire_recording *recording;
    const struct wire_header *event;
    int damage = 0;
    int error = wire_replay_open(path, &recording);

    if (error != 0)
        return error == -EPROTO ? -EBADMSG : error;
    while (error == 0 && (event = wire_replay_next(recording, &damage)) != NULL)
        error = profile_feed(profile, event);
    wire_replay_close(recording);
    if (error == 0 && damage != 0)
        error = -EBADMSG;
    return error;
}

const struct format format_events = {
    .name = "events",
    .extensions = ".events",
    .summary = "what the supervisor said, as --events recorded it",
    .matches = matches,
    .read = read_events,
};
