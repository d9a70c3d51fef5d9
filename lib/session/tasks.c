/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists the threads of a session, and what they are doing, from /proc. Each thread has a file "stat", with its state,
 * and a file "syscall", with its system call. The file "syscall" is read only for threads that sleep. A thread that
 * ends while the list is made is not listed.
 *
 * Reading a file of /proc takes five microseconds, and programs may have thousands of threads. So if there are more
 * than TASKS_FEW threads, some entries are copied from the previous list: those of threads that probably still sleep.
 * They slept in the previous list, and no sample has found them awake since then. Of these threads, only one in
 * TASKS_TURNS is read again for each list. So a system call in the list is at most TASKS_TURNS lists old.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "report/report.h"
#include "session/proc.h"
#include "session/session.h"

/* if the previous list has at most this many threads, the files of all threads are read for the next list */
#define TASKS_FEW 64
#define TASKS_TURNS 8u

/* A thread, and what its files said when they were last read. */
struct known_task {
    struct pprofil_task task;
    uint64_t samples; /* how many samples had found the thread awake when its files were read */
};

struct tasks {
    struct known_task *known; /* owned; sorted by pid and tid */
    uint32_t count;
    uint32_t turn; /* number of lists that were made so far */
};

/* The list of threads, while it is being made. */
struct task_list {
    const struct profile *profile;
    const struct tasks *before; /* the previous list */
    const uint64_t *samples; /* indexed like profile->threads: how many samples found the thread awake */
    struct known_task *known; /* owned */
    uint32_t count;
};

/* The process whose threads are being read. */
struct task_process {
    int directory;    /* descriptor of the open directory /proc/PID/task */
    uint32_t process; /* index in profile->processes */
    bool compat;      /* the process runs a 32-bit program */
};

/* Returns true if a process runs a 32-bit program. Such a program numbers its system calls in another way. The first 8
 * bytes of the process's auxiliary vector show what kind of program it is. In a 64-bit program these 8 bytes are the
 * first key, and keys are less than 2^32, so the upper half is 0. In a 32-bit program the upper half is the value of
 * the first key, which is not 0. The program's file shows this too, but opening that file may hang. */
static bool is_compat(uint32_t pid)
{
    char path[64], key[sizeof(uint64_t) + 1];
    uint32_t upper;

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/auxv", pid);
    if (proc_read(AT_FDCWD, path, key, sizeof key) != (ssize_t)sizeof(uint64_t))
        return false;
    memcpy(&upper, key + sizeof upper, sizeof upper);
    return upper != 0;
}

/* Returns the number of the system call in which a thread sleeps, or -1 if there is none. The file "syscall" contains
 * "running", or "-1 sp pc" (the thread sleeps outside of system calls), or "nr a0 ... pc": proc_pid_syscall() in
 * fs/proc/base.c. */
static int32_t read_syscall(int directory, const char *tid)
{
    char path[64], text[256], *next;

    snprintf(path, sizeof path, "%.32s/syscall", tid);
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

/* Stores the id and the name that a thread's row has in a report by thread, and how many samples found the thread
 * awake. If the thread is not in the profile, the id stays 0. */
static void find_row(const struct task_list *list, uint32_t process, struct known_task *known)
{
    const struct profile *profile = list->profile;
    uint32_t thread;

    known->task.name = "";
    if (!profile_find_thread(profile, process, known->task.tid, &thread))
        return;
    known->task.id = report_task_id(thread);
    known->task.name = profile->strings[profile->threads[thread].comm];
    known->samples = list->samples[thread];
}

static int tasks_compare(const void *left, const void *right)
{
    const struct pprofil_task *a = &((const struct known_task *)left)->task;
    const struct pprofil_task *b = &((const struct known_task *)right)->task;

    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* Returns the thread's entry in the previous list, if the thread seems to have slept since that list was made. Returns
 * NULL if the thread's files must be read again. */
static const struct known_task *still_asleep(const struct task_list *list, const struct task_process *of,
                                             const struct known_task *known, const char *tid)
{
    const struct tasks *before = list->before;

    if (before->count <= TASKS_FEW || known->task.id == 0)
        return NULL;
    const struct known_task *found = bsearch(known, before->known, before->count, sizeof *known, tasks_compare);
    if (found == NULL || found->task.id != known->task.id || found->task.state != 'S' ||
        found->samples != known->samples)
        return NULL;
    if ((known->task.tid + before->turn) % TASKS_TURNS == 0 &&
        (found->task.syscall < 0 || read_syscall(of->directory, tid) != found->task.syscall))
        return NULL;
    return found;
}

/* Reads the files of a thread. Returns false if this fails, because the thread has ended. */
static bool read_task(const struct task_process *of, const char *tid, struct pprofil_task *task)
{
    struct proc_stat stat;
    char path[64], text[512];

    snprintf(path, sizeof path, "%.32s/stat", tid);
    if (proc_read(of->directory, path, text, sizeof text) <= 0 || proc_parse_stat(text, &stat) != 0)
        return false;
    memcpy(task->comm, stat.comm, sizeof task->comm);
    task->state = stat.state;
    task->cpu_ns = stat.cpu_ns;
    task->syscall = -1;
    if (stat.state == 'S' || stat.state == 'D')
        task->syscall = read_syscall(of->directory, tid);
    task->syscall_name = name_syscall(task->syscall, of->compat);
    return true;
}

static int add_task(struct task_list *list, const struct task_process *of, const char *tid)
{
    struct known_task known = {.task = {.pid = list->profile->processes[of->process].pid,
                                   .tid = (uint32_t)strtoul(tid, NULL, 10)}};

    find_row(list, of->process, &known);
    const struct known_task *same = still_asleep(list, of, &known, tid);
    if (same != NULL)
        known = *same;
    else if (!read_task(of, tid, &known.task))
        return 0;
    int error = array_grow(&list->known, list->count, sizeof *list->known);
    if (error == 0)
        list->known[list->count++] = known;
    return error;
}

static int add_process(struct task_list *list, uint32_t process)
{
    uint32_t pid = list->profile->processes[process].pid;
    struct task_process of = {.process = process, .compat = is_compat(pid)};
    char path[64];
    int error = 0;

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/task", pid);
    DIR *directory = opendir(path);
    if (directory == NULL)
        return errno == ENOMEM ? -ENOMEM : 0;
    of.directory = dirfd(directory);
    for (const struct dirent *entry; error == 0 && (entry = readdir(directory)) != NULL;)
        if (entry->d_name[0] != '.')
            error = add_task(list, &of, entry->d_name);
    closedir(directory);
    return error;
}

/* Counts, for each thread, the samples that found it awake. The caller frees the array. Returns NULL if there is no
 * memory. */
static uint64_t *count_awake_samples(const struct profile *profile)
{
    uint64_t *samples = calloc(profile->thread_count + 1u, sizeof *samples);

    for (uint32_t i = 0; samples != NULL && i < profile->sample_count; i++)
        if (profile->samples[i].state < PROFILE_ASLEEP)
            samples[profile->samples[i].thread] += profile->samples[i].count;
    return samples;
}

static int list_tasks(const struct profile *profile, struct tasks *tasks)
{
    uint64_t *samples = count_awake_samples(profile);
    struct task_list list = {.profile = profile, .before = tasks, .samples = samples};
    int error = samples == NULL ? -ENOMEM : 0;

    for (uint32_t i = 0; error == 0 && i < profile->process_count; i++)
        if (profile_runs(profile, i))
            error = add_process(&list, i);
    free(samples);
    if (error != 0) {
        free(list.known);
        return error;
    }
    if (list.count > 0)
        qsort(list.known, list.count, sizeof *list.known, tasks_compare);
    free(tasks->known);
    *tasks = (struct tasks){.known = list.known, .count = list.count, .turn = tasks->turn + 1};
    return 0;
}

int pprofil_session_tasks(pprofil_session *session, struct pprofil_task **tasks, uint32_t *count)
{
    if (session->tasks == NULL && (session->tasks = calloc(1, sizeof *session->tasks)) == NULL)
        return -ENOMEM;
    int error = list_tasks(session->profile->profile, session->tasks);
    if (error != 0)
        return error;
    const struct tasks *now = session->tasks;
    struct pprofil_task *copy = calloc(now->count + 1u, sizeof *copy);
    if (copy == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < now->count; i++)
        copy[i] = now->known[i].task;
    *tasks = copy;
    *count = now->count;
    return 0;
}

void tasks_free(struct tasks *tasks)
{
    if (tasks != NULL)
        free(tasks->known);
    free(tasks);
}

int pprofil_profile_process(const pprofil_profile *profile, uint32_t i, struct pprofil_process *process, size_t size)
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
                                  .id = report_task_id(i),
                                  .host = data->strings[from->host],
                                  .job = data->strings[from->job],
                                  .rank = data->strings[from->rank]};
    if (all.alive && size > offsetof(struct pprofil_process, command))
        proc_command(all.pid, all.command, sizeof all.command);
    memcpy(process, &all, size < sizeof all ? size : sizeof all);
    return 0;
}
