/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the threads of a session are doing, from /proc: two small files a thread, of which the one
 * with the system call is left out for threads that run. A task may end at any time; it is not
 * listed then.
 */
#include "config.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc.h"
#include "session-internal.h"

struct list {
    const struct profile *profile;
    struct pprofil_task *tasks; /* owned */
    uint32_t count;
};

/* Which process is looked at. */
struct place {
    int directory;    /* its tasks' */
    uint32_t process; /* in the profile */
    bool compat;
};

/* Its program's class tells which calls the numbers mean. */
static bool is_compat(uint32_t pid)
{
    char path[64], head[EI_NIDENT + 1] = "";

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/exe", pid);
    return proc_read(AT_FDCWD, path, head, sizeof head) > EI_CLASS &&
           head[EI_CLASS] == ELFCLASS32;
}

/* "running", "-1 sp pc" where it sleeps in no call, or "nr a0 ... pc": fs/proc/base.c. */
static int32_t read_syscall(int directory, const char *tid)
{
    char path[64], text[256], *next;

    snprintf(path, sizeof path, "%s/syscall", tid);
    if (proc_read(directory, path, text, sizeof text) <= 0)
        return -1;
    long number = strtol(text, &next, 10);
    return next != text && number >= 0 ? (int32_t)number : -1;
}

static const char *name_syscall(int32_t number, bool compat)
{
    if (number < 0)
        return "";
    const char *name = profile_syscall_name(number, compat);
    return name != NULL ? name : "unknown";
}

/* What a report calls it. */
static void identify(const struct profile *profile, uint32_t process, struct pprofil_task *task)
{
    uint32_t thread;

    task->name = "";
    if (!profile_find_thread(profile, process, task->tid, &thread))
        return;
    task->id = report_task_id(thread);
    task->name = profile->strings[profile->threads[thread].comm];
}

static int add_task(struct list *list, const struct place *place, const char *tid)
{
    struct pprofil_task task = {.pid = list->profile->processes[place->process].pid,
                                .tid = (uint32_t)strtoul(tid, NULL, 10),
                                .syscall = -1};
    struct proc_stat stat;
    char path[64], text[512];

    snprintf(path, sizeof path, "%s/stat", tid);
    if (proc_read(place->directory, path, text, sizeof text) <= 0 ||
        proc_parse_stat(text, &stat) != 0)
        return 0;
    int error = profile_grow(&list->tasks, list->count, sizeof *list->tasks);
    if (error != 0)
        return error;
    memcpy(task.comm, stat.comm, sizeof task.comm);
    task.state = stat.state;
    task.cpu_ns = stat.cpu_ns;
    if (stat.state == 'S' || stat.state == 'D')
        task.syscall = read_syscall(place->directory, tid);
    task.syscall_name = name_syscall(task.syscall, place->compat);
    identify(list->profile, place->process, &task);
    list->tasks[list->count++] = task;
    return 0;
}

static int add_process(struct list *list, uint32_t process)
{
    uint32_t pid = list->profile->processes[process].pid;
    struct place place = {.process = process, .compat = is_compat(pid)};
    char path[64];
    int error = 0;

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/task", pid);
    DIR *directory = opendir(path);
    if (directory == NULL)
        return errno == ENOMEM ? -ENOMEM : 0;
    place.directory = dirfd(directory);
    for (const struct dirent *entry; error == 0 && (entry = readdir(directory)) != NULL;)
        if (entry->d_name[0] != '.')
            error = add_task(list, &place, entry->d_name);
    closedir(directory);
    return error;
}

static int compare(const void *left, const void *right)
{
    const struct pprofil_task *a = left, *b = right;

    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return a->tid < b->tid ? -1 : a->tid > b->tid;
}

int pprofil_session_tasks(const pprofil_session *session, struct pprofil_task **tasks,
                          uint32_t *count)
{
    const struct profile *profile = session->profile->profile;
    struct list list = {.profile = profile};
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < profile->process_count; i++)
        if (profile_runs(profile, i))
            error = add_process(&list, i);
    if (error != 0) {
        free(list.tasks);
        return error;
    }
    if (list.count > 0)
        qsort(list.tasks, list.count, sizeof *list.tasks, compare);
    *tasks = list.tasks;
    *count = list.count;
    return 0;
}

int pprofil_profile_process(const pprofil_profile *profile, uint32_t i,
                            struct pprofil_process *process, size_t size)
{
    const struct profile *data = profile->profile;
    if (i >= data->process_count)
        return -ENOENT;

    const struct profile_process *from = &data->processes[i];
    struct pprofil_process all = {.pid = from->pid,
                                  .ppid = from->ppid,
                                  .image = from->generation,
                                  .alive = profile_runs(data, i),
                                  .status = from->status,
                                  .comm = data->strings[from->comm],
                                  .id = report_task_id(i)};
    if (all.alive)
        proc_command(all.pid, all.command, sizeof all.command);
    memcpy(process, &all, size < sizeof all ? size : sizeof all);
    return 0;
}
