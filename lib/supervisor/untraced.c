/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads of a followed process that refused to be seized: they have another tracer, or rights
 * that we have not. Nothing is sampled of them, but the clock of their process counts them too:
 * what they use is read, so that the other threads are neither searched for it nor credited
 * with it.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "supervisor/tracee.h"
#include "supervisor/untraced.h"

struct untraced {
    pid_t tid;
    uint64_t cpu_ns; /* of its life, as last read */
    struct procfs_task files;
    struct untraced *next;
};

static struct untraced **untraced_find(struct process *process, pid_t tid)
{
    struct untraced **link = &process->untraced;

    while (*link != NULL && (*link)->tid != tid)
        link = &(*link)->next;
    return link;
}

bool untraced_knows(struct process *process, pid_t tid)
{
    return *untraced_find(process, tid) != NULL;
}

int untraced_add(struct processes *processes, struct process *process, pid_t tid, uint64_t known_ns)
{
    struct untraced *task = calloc(1, sizeof *task);

    if (task == NULL)
        return -ENOMEM;
    task->tid = tid;
    task->cpu_ns = known_ns;
    procfs_task_init(&task->files, process->pid, tid);
    task->next = process->untraced;
    process->untraced = task;
    process_note_company(process);
    processes->untraced_count++;
    return 0;
}

static void untraced_drop(struct processes *processes, struct untraced **link)
{
    struct untraced *task = *link;

    *link = task->next;
    procfs_task_close(&task->files);
    free(task);
    processes->untraced_count--;
}

void untraced_remove(struct processes *processes, struct process *process, pid_t tid)
{
    struct untraced **link = untraced_find(process, tid);

    if (*link != NULL)
        untraced_drop(processes, link);
}

void untraced_clear(struct processes *processes, struct process *process)
{
    while (process->untraced != NULL)
        untraced_drop(processes, &process->untraced);
}

void untraced_read(struct processes *processes, struct process *process)
{
    for (struct untraced **link = &process->untraced; *link != NULL;) {
        struct untraced *task = *link;
        struct procfs_cpu cpu = {0};
        if (procfs_read_cpu(&task->files, &cpu) != 0 &&
            !procfs_is_thread(process->pid, task->tid)) {
            untraced_drop(processes, link);
            continue;
        }
        if (cpu.run_ns > task->cpu_ns) {
            process->untraced_ns += cpu.run_ns - task->cpu_ns;
            task->cpu_ns = cpu.run_ns;
        }
        link = &task->next;
    }
}
