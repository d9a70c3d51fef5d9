/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables of tracees and processes: a hash by thread id, a list of threads in each process,
 * a list of the active. A process lives exactly as long as it has tracees.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "supervisor/tracee.h"

#define FIRST_BUCKETS 256
#define ACTIVE_SPAN_FIRST 200000000u   /* ns */
#define ACTIVE_SPAN_MAX 6400000000u /* ns */
#define FIRST_SPIN_CREDIT 4

int tracees_init(struct tracees *tracees)
{
    *tracees = (struct tracees){.bucket_count = FIRST_BUCKETS};
    tracees->buckets = calloc(FIRST_BUCKETS, sizeof *tracees->buckets);
    return tracees->buckets == NULL ? -ENOMEM : 0;
}

void tracees_free(struct tracees *tracees)
{
    while (tracees->processes != NULL)
        process_remove(tracees, tracees->processes);
    for (size_t i = 0; i < tracees->bucket_count; i++)
        while (tracees->buckets[i] != NULL)
            tracee_remove(tracees, tracees->buckets[i]);
    free(tracees->buckets);
}

static struct tracee **bucket_of(const struct tracees *tracees, pid_t tid)
{
    return &tracees->buckets[(size_t)tid & (tracees->bucket_count - 1)];
}

static void grow(struct tracees *tracees)
{
    size_t old_count = tracees->bucket_count;
    struct tracee **old = tracees->buckets;
    struct tracee **buckets = calloc(old_count * 2, sizeof *buckets);

    if (buckets == NULL)
        return; /* longer chains, no harm */
    tracees->buckets = buckets;
    tracees->bucket_count = old_count * 2;
    for (size_t i = 0; i < old_count; i++)
        for (struct tracee *tracee = old[i], *next; tracee != NULL; tracee = next) {
            next = tracee->hash_next;
            struct tracee **bucket = bucket_of(tracees, tracee->tid);
            tracee->hash_next = *bucket;
            *bucket = tracee;
        }
    free(old);
}

struct tracee *tracee_find(const struct tracees *tracees, pid_t tid)
{
    struct tracee *tracee = *bucket_of(tracees, tid);

    while (tracee != NULL && tracee->tid != tid)
        tracee = tracee->hash_next;
    return tracee;
}

struct tracee *tracee_add(struct tracees *tracees, struct process *process, pid_t tid)
{
    struct tracee *tracee = calloc(1, sizeof *tracee);
    if (tracee == NULL)
        return NULL;

    if (tracees->count >= tracees->bucket_count)
        grow(tracees);
    tracee->tid = tid;
    tracee->active_span = ACTIVE_SPAN_FIRST;
    tracee->spin_credit = FIRST_SPIN_CREDIT;
    tracee->comm_check = 1;
    procfs_task_init(&tracee->files, tid, tid);
    tracee->files.wary = tracees->wary;
    struct tracee **bucket = bucket_of(tracees, tid);
    tracee->hash_next = *bucket;
    *bucket = tracee;
    tracees->count++;
    if (process != NULL)
        tracee_adopt(tracee, process);
    return tracee;
}

void tracee_adopt(struct tracee *tracee, struct process *process)
{
    tracee->process = process;
    tracee->state = TRACEE_STARTING;
    tracee->files.pid = process->pid;
    tracee->process_next = process->tracees;
    if (process->tracees != NULL)
        process->tracees->process_prev = tracee;
    process->tracees = tracee;
    process->tracee_count++;
    process->led = process->led || tracee->tid == process->pid;
    process_note_company(process);
}

/* New ones are first in the list: those behind one that knows know it too. */
void process_note_company(struct process *process)
{
    if (process->tracee_count < 2 && process->untraced == NULL)
        return;
    for (struct tracee *tracee = process->tracees; tracee != NULL && !tracee->files.accompanied;
         tracee = tracee->process_next)
        tracee->files.accompanied = true;
}

static void leave_process(struct tracee *tracee)
{
    struct process *process = tracee->process;

    if (process->scan == tracee)
        process->scan = tracee->process_next;
    if (tracee->process_prev != NULL)
        tracee->process_prev->process_next = tracee->process_next;
    else
        process->tracees = tracee->process_next;
    if (tracee->process_next != NULL)
        tracee->process_next->process_prev = tracee->process_prev;
    process->tracee_count--;
}

static void leave_hash(struct tracees *tracees, const struct tracee *tracee)
{
    struct tracee **link = bucket_of(tracees, tracee->tid);

    while (*link != tracee)
        link = &(*link)->hash_next;
    *link = tracee->hash_next;
    tracees->count--;
}

static void process_free(struct tracees *tracees, struct process *process)
{
    if (process->prev != NULL)
        process->prev->next = process->next;
    else
        tracees->processes = process->next;
    if (process->next != NULL)
        process->next->prev = process->prev;
    tracees->process_count--;
    untraced_clear(tracees, process);
    maps_close(&process->maps);
    free(process->count);
    free(process);
}

void tracee_remove(struct tracees *tracees, struct tracee *tracee)
{
    struct process *process = tracee->process;

    tracee_deactivate(tracees, tracee);
    leave_hash(tracees, tracee);
    if (process != NULL) {
        leave_process(tracee);
        if (process->tracees == NULL)
            process_free(tracees, process);
    }
    procfs_task_close(&tracee->files);
    free(tracee);
}

struct process *process_find(const struct tracees *tracees, pid_t pid)
{
    const struct tracee *leader = tracee_find(tracees, pid);
    if (leader != NULL && leader->process != NULL && leader->process->pid == pid)
        return leader->process;

    struct process *process = tracees->processes; /* its leader has gone before it */
    while (process != NULL && process->pid != pid)
        process = process->next;
    return process;
}

struct process *process_add(struct tracees *tracees, pid_t pid)
{
    struct process *process = calloc(1, sizeof *process);
    if (process == NULL)
        return NULL;

    process->pid = process->memory_tid = pid;
    process->clock_valid = clock_getcpuclockid(pid, &process->clock) == 0;
    maps_init(&process->maps);
    process->next = tracees->processes;
    if (tracees->processes != NULL)
        tracees->processes->prev = process;
    tracees->processes = process;
    tracees->process_count++;
    return process;
}

void process_remove(struct tracees *tracees, struct process *process)
{
    while (process->tracee_count > 1)
        tracee_remove(tracees, process->tracees);
    if (process->tracees != NULL)
        tracee_remove(tracees, process->tracees);
    else
        process_free(tracees, process);
}

uint64_t process_cpu(const struct process *process)
{
    struct timespec time;

    if (!process->clock_valid || clock_gettime(process->clock, &time) < 0)
        return 0;
    uint64_t cpu = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    return cpu > process->clock_base ? cpu - process->clock_base : 0;
}

uint64_t process_cpu_traced(const struct process *process)
{
    uint64_t cpu = process_cpu(process);

    return cpu > process->untraced_ns ? cpu - process->untraced_ns : 0;
}

uint64_t process_cpu_counted(const struct process *process, bool sampling)
{
    if (process->launching)
        return 0;
    return process->paused_cpu_ns + (sampling ? process_cpu(process) : 0);
}

void tracee_activate(struct tracees *tracees, struct tracee *tracee, uint64_t now)
{
    bool again = tracee->active_until != 0;

    tracee->active_until = now + tracee->active_span;
    if (tracee->active)
        return;
    tracee->active = true;
    tracee->active_prev = NULL;
    tracee->active_next = tracees->active;
    if (tracees->active != NULL)
        tracees->active->active_prev = tracee;
    tracees->active = tracee;
    tracees->active_count++;
    /* one that grows cold between bursts shall stay active for longer the next time */
    if (again && tracee->active_span < ACTIVE_SPAN_MAX)
        tracee->active_span *= 2;
}

void tracee_deactivate(struct tracees *tracees, struct tracee *tracee)
{
    if (!tracee->active)
        return;
    tracee->active = false;
    if (tracee->active_prev != NULL)
        tracee->active_prev->active_next = tracee->active_next;
    else
        tracees->active = tracee->active_next;
    if (tracee->active_next != NULL)
        tracee->active_next->active_prev = tracee->active_prev;
    tracees->active_count--;
}

bool tracee_read_cpu(struct tracee *tracee, struct procfs_cpu *cpu)
{
    if (procfs_read_cpu(&tracee->files, cpu) != 0 || cpu->run_ns < tracee->cpu_ns)
        return false;
    if (tracee->process != NULL)
        tracee->process->explained_ns += cpu->run_ns - tracee->cpu_ns;
    tracee->cpu_ns = cpu->run_ns;
    return true;
}
