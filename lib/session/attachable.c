/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists the processes of this machine, and finds out to which of them a session may attach. To find this out, it opens
 * /proc/PID/mem. Opening this file needs the same permission as PTRACE_SEIZE, including the permission of security
 * modules: proc_mem_open() in fs/proc/base.c. Opening the file does not affect the process.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "launch/spawn.h"
#include "pprofil.h"
#include "profile/profile.h"
#include "session/proc.h"
#include "session/session.h"

#define COMM_LENGTH 15 /* bytes; the kernel cuts off the rest of a thread's name */

struct candidate_list {
    struct pprofil_candidate *candidates; /* owned */
    uint32_t count;
};

/* Stores the name of a candidate's user. Looks up each user only once, because a look-up may have to wait for a
 * server. */
static void name_user(const struct candidate_list *list, struct pprofil_candidate *candidate)
{
    char buffer[1024];
    struct passwd entry, *found = NULL;

    for (uint32_t i = list->count; i > 0; i--)
        if (list->candidates[i - 1].uid == candidate->uid) {
            memcpy(candidate->user, list->candidates[i - 1].user, sizeof candidate->user);
            return;
        }
    if (getpwuid_r(candidate->uid, &entry, buffer, sizeof buffer, &found) == 0 && found != NULL)
        snprintf(candidate->user, sizeof candidate->user, "%s", entry.pw_name);
    else
        snprintf(candidate->user, sizeof candidate->user, "%" PRIu32, candidate->uid);
}

int attachable_access(pid_t pid)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ESRCH ? -ENOENT : -errno;
    close(fd);
    return 0;
}

/* Finds out whether a process may be traced. Returns 0 if it may, or the error that PTRACE_SEIZE would return, or
 * -ENOENT if the process has ended. */
static int check_permission(pid_t pid, const struct proc_status *status)
{
    return status->kernel_thread || status->tracer != 0 || status->state == 'Z' ? -EPERM : attachable_access(pid);
}

/* Returns true for this process and for supervisors. Users do not want to attach to these processes. */
static bool is_own(pid_t pid, const struct proc_status *status)
{
    return pid == getpid() || strncmp(status->name, SPAWN_SUPERVISOR, COMM_LENGTH) == 0;
}

/* Fills in all fields but the user's name. Returns 0, or -ENOENT if there is no such process. */
static int read_candidate(pid_t pid, const struct proc_status *status, struct pprofil_candidate *candidate)
{
    struct proc_stat stat;
    char path[64], text[512];

    *candidate = (struct pprofil_candidate){.pid = (uint32_t)pid};
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    if (status->state == 0 || proc_read(AT_FDCWD, path, text, sizeof text) <= 0 || proc_parse_stat(text, &stat) != 0)
        return -ENOENT;
    int refused = check_permission(pid, status);
    if (refused == -ENOENT)
        return refused;
    if (refused != 0)
        ptrace_denied_explain(pid, refused, false, candidate->refused, sizeof candidate->refused);
    candidate->ppid = stat.ppid;
    candidate->threads = stat.threads;
    candidate->cpu_ns = stat.cpu_ns;
    candidate->uid = (uint32_t)status->uid;
    memcpy(candidate->comm, stat.comm, sizeof candidate->comm);
    proc_command(candidate->pid, candidate->command, sizeof candidate->command);
    return 0;
}

static int add_candidate(struct candidate_list *list, pid_t pid)
{
    struct pprofil_candidate candidate;
    struct proc_status status = proc_read_status(pid);

    if (is_own(pid, &status) || read_candidate(pid, &status, &candidate) != 0)
        return 0;
    int error = array_grow(&list->candidates, list->count, sizeof *list->candidates);
    if (error != 0)
        return error;
    name_user(list, &candidate);
    list->candidates[list->count++] = candidate;
    return 0;
}

int pprofil_candidate_of(pid_t pid, struct pprofil_candidate *candidate, size_t size)
{
    const struct candidate_list none = {0};
    struct proc_status status = proc_read_status(pid);
    struct pprofil_candidate found;

    if (read_candidate(pid, &status, &found) != 0)
        return -ESRCH;
    name_user(&none, &found);
    memcpy(candidate, &found, size < sizeof found ? size : sizeof found);
    return 0;
}

static int candidates_compare(const void *left, const void *right)
{
    const struct pprofil_candidate *a = left, *b = right;
    return a->pid < b->pid ? -1 : a->pid > b->pid;
}

int pprofil_candidates(struct pprofil_candidate **candidates, uint32_t *count)
{
    DIR *directory = opendir("/proc");
    struct candidate_list list = {0};
    int error = 0;

    if (directory == NULL)
        return -errno;
    for (const struct dirent *entry; error == 0 && (entry = readdir(directory)) != NULL;) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 0)
            error = add_candidate(&list, pid);
    }
    closedir(directory);
    if (error != 0) {
        free(list.candidates);
        return error;
    }
    if (list.count > 0)
        qsort(list.candidates, list.count, sizeof *list.candidates, candidates_compare);
    *candidates = list.candidates;
    *count = list.count;
    return 0;
}
