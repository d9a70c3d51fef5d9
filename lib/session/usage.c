/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps what each process of a session has used, as the supervisor reports it. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "session/session.h"

_Static_assert(PPROFIL_UNKNOWN == WIRE_UNKNOWN, "figures are copied as they are");

/* Takes the name from the profile if the supervisor could not read it. */
static void usage_name(const struct pprofil_session *session, struct pprofil_usage *usage)
{
    const struct profile *profile = session->profile->profile;
    uint32_t process;

    if (usage->comm[0] == '\0' && profile_find_process(profile, usage->pid, &process))
        snprintf(usage->comm, sizeof usage->comm, "%.15s", profile->strings[profile->processes[process].comm]);
}

int session_note_usage(struct pprofil_session *session, const struct wire_usage *event)
{
    int error = array_grow(&session->usages, session->usage_count, sizeof *session->usages);

    if (error != 0)
        return error;
    struct pprofil_usage *usage = &session->usages[session->usage_count++];
    *usage = (struct pprofil_usage){
        .pid = event->pid,
        .ppid = event->ppid,
        .status = event->status,
        .threads = event->threads,
        .cpu_ns = event->cpu_ns,
        .user_ns = event->user_ns,
        .system_ns = event->system_ns,
        .run_delay_ns = event->run_delay_ns,
        .voluntary_switches = event->voluntary_switches,
        .involuntary_switches = event->involuntary_switches,
        .minor_faults = event->minor_faults,
        .major_faults = event->major_faults,
        .max_rss = event->max_rss,
        .read_calls = event->read_calls,
        .write_calls = event->write_calls,
        .read_bytes = event->read_bytes,
        .written_bytes = event->written_bytes,
        .storage_read_bytes = event->storage_read_bytes,
        .storage_written_bytes = event->storage_written_bytes,
    };
    memcpy(usage->comm, event->comm, sizeof usage->comm);
    usage_name(session, usage);
    return 0;
}

int pprofil_session_usage(const pprofil_session *session, struct pprofil_usage **usages, uint32_t *count)
{
    size_t size = session->usage_count * sizeof **usages;

    *count = 0;
    *usages = malloc(size > 0 ? size : 1);
    if (*usages == NULL)
        return -ENOMEM;
    if (size > 0)
        memcpy(*usages, session->usages, size);
    *count = session->usage_count;
    return 0;
}
