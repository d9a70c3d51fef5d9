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

/* Finds out whether a process may be traced. Returns 0 if it may, or the error that PTRACE_SEIZE would return, or
 * -ENOENT if the process has ended. */
static int check_permission(pid_t pid, const struct proc_status *status)
{
    char path[64];

    if (status->kernel_thread || status->tracer != 0 || status->state == 'Z')
        return -EPERM;
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ESRCH ? -ENOENT : -errno;
    close(fd);
    return 0;
}

/* Returns true for this process and for supervisors. Users do not want to attach to these processes. */
static bool is_own(pid_t pid, const struct proc_status *status)
{
    return pid == getpid() || strncmp(status->name, SPAWN_SUPERVISOR, COMM_LENGTH) == 0;
}

static int add_candidate(struct candidate_list *list, pid_t pid)
{
    struct pprofil_candidate candidate = {.pid = (uint32_t)pid};
    struct proc_status status = proc_read_status(pid);
    struct proc_stat stat;
    char path[64], text[512];

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    if (status.state == 0 || is_own(pid, &status) ||
        proc_read(AT_FDCWD, path, text, sizeof text) <= 0 || proc_parse_stat(text, &stat) != 0)
        return 0;
    int refused = check_permission(pid, &status);
    if (refused == -ENOENT)
        return 0;
    if (refused != 0)
        ptrace_denied_explain(pid, refused, candidate.refused, sizeof candidate.refused);
    int error = array_grow(&list->candidates, list->count, sizeof *list->candidates);
    if (error != 0)
        return error;
    candidate.ppid = stat.ppid;
    candidate.threads = stat.threads;
    candidate.cpu_ns = stat.cpu_ns;
    candidate.uid = (uint32_t)status.uid;
    memcpy(candidate.comm, stat.comm, sizeof candidate.comm);
    name_user(list, &candidate);
    proc_command(candidate.pid, candidate.command, sizeof candidate.command);
    list->candidates[list->count++] = candidate;
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
