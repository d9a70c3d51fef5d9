/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out on which host processes run, and which ranks of which jobs they are. */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/job-rank.h"
#include "launch/file-opener.h"
#include "session/session.h"

int session_set_host(struct pprofil_session *session)
{
    char host[HOST_NAME_MAX + 1] = "";

    if (gethostname(host, sizeof host - 1) != 0)
        return 0;
    return profile_set_host(session->profile->profile, host);
}

/* Returns true if the environment of the process may have a rank that its parent has not. Most processes have inherited
 * all that they have, and it would take too long to read the environment of each process that a build makes. A launcher
 * may itself be a rank of another launcher, so its children may inherit a rank that is not theirs. */
static bool session_rank_may_be_new(const struct profile *profile, uint32_t process)
{
    const struct profile_process *entry = &profile->processes[process];
    uint32_t parent;

    if (entry->ppid == 0 || !profile_find_process(profile, entry->ppid, &parent))
        return entry->rank == 0;
    return job_is_launcher(profile->strings[profile->processes[parent].comm]);
}

/* Reads the rank of a process, which may hang in execve(2). A process that we have started has our own environment. */
static struct job_rank session_read_rank(const struct profile_process *process)
{
    char path[64];

    if (process->ppid == (uint32_t)getpid())
        return job_rank_of_process(getpid());
    snprintf(path, sizeof path, "/proc/%u/environ", process->pid);
    int fd = file_opener_open(path, 0);
    const struct job_rank found = job_rank_read(fd);
    if (fd >= 0)
        close(fd);
    return found;
}

int session_note_name(struct pprofil_session *session, const struct wire_comm *event)
{
    struct profile *profile = session->profile->profile;
    uint32_t process;

    if (event->tid != event->pid || !profile_find_process(profile, event->pid, &process) ||
        !session_rank_may_be_new(profile, process))
        return 0;
    const struct job_rank found = session_read_rank(&profile->processes[process]);
    if (found.rank < 0 && found.job[0] == '\0') /* or the process has ended, so it keeps what it has inherited */
        return 0;
    return profile_set_rank(profile, event->pid, found.job, found.rank);
}
