/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of tracees and processes, and the lists of threads that could not be seized. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "supervisor/proc/maps.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/python/python.h"
#include "supervisor/serve/serve.h"
#include "supervisor/tracee.h"
#include "supervisor/usage.h"

#define BUCKETS_FIRST 64
#define ACTIVE_SPAN_FIRST 200000000u /* ns */
#define ACTIVE_SPAN_MAX 6400000000u  /* ns */
#define STOP_CREDIT_FIRST 4

const char *tracee_state_name(enum tracee_state state)
{
    static const char *const names[TRACEE_STATES] = {
        [TRACEE_UNKNOWN] = "UNKNOWN", [TRACEE_STARTING] = "STARTING", [TRACEE_RUNNING] = "RUNNING",
        [TRACEE_INTERRUPTED] = "INTERRUPTED", [TRACEE_CONTINUING] = "CONTINUING",
        [TRACEE_LISTENING] = "LISTENING", [TRACEE_RELEASED] = "RELEASED",
    };

    return names[state];
}

int tracees_init(struct tracees *tracees, struct tracer *tracer, struct processes *processes)
{
    *tracees = (struct tracees){.tracer = tracer, .processes = processes, .bucket_count = BUCKETS_FIRST};
    tracees->buckets = calloc(BUCKETS_FIRST, sizeof *tracees->buckets);
    return tracees->buckets == NULL ? -ENOMEM : 0;
}

void tracees_free(struct tracees *tracees)
{
    for (size_t i = 0; i < tracees->bucket_count; i++)
        while (tracees->buckets[i] != NULL)
            tracee_remove(tracees, tracees->buckets[i]);
    free(tracees->buckets);
    tracees->buckets = NULL;
    tracees->bucket_count = 0;
}

static struct tracee **tracees_bucket(const struct tracees *tracees, pid_t tid)
{
    return &tracees->buckets[(size_t)tid & (tracees->bucket_count - 1)];
}

static void tracees_grow(struct tracees *tracees)
{
    size_t old_count = tracees->bucket_count;
    struct tracee **old = tracees->buckets;
    struct tracee **buckets = calloc(old_count * 2, sizeof *buckets);

    if (buckets == NULL)
        return; /* this does no harm, except that the chains of the old table become longer */
    tracees->buckets = buckets;
    tracees->bucket_count = old_count * 2;
    for (size_t i = 0; i < old_count; i++)
        for (struct tracee *tracee = old[i], *next; tracee != NULL; tracee = next) {
            next = tracee->hash_next;
            struct tracee **bucket = tracees_bucket(tracees, tracee->tid);
            tracee->hash_next = *bucket;
            *bucket = tracee;
        }
    free(old);
}

struct tracee *tracee_find(const struct tracees *tracees, pid_t tid)
{
    struct tracee *tracee = *tracees_bucket(tracees, tid);

    while (tracee != NULL && tracee->tid != tid)
        tracee = tracee->hash_next;
    return tracee;
}

size_t tracees_in_turn(struct tracees *tracees, pid_t tids[], size_t room)
{
    size_t count = 0;

    for (size_t i = 0; i < tracees->bucket_count && count < room; i++) {
        const struct tracee *tracee = tracees->buckets[tracees->turn++ & (tracees->bucket_count - 1)];
        for (; tracee != NULL && count < room; tracee = tracee->hash_next)
            tids[count++] = tracee->tid;
    }
    return count;
}

void tracee_put_in(struct tracees *tracees, struct tracee *tracee)
{
    if (tracees->count >= tracees->bucket_count)
        tracees_grow(tracees);
    struct tracee **bucket = tracees_bucket(tracees, tracee->tid);
    tracee->tracer = tracees->tracer;
    tracee->hash_next = *bucket;
    *bucket = tracee;
    tracees->count++;
}

/* If the tracee is in its tracer's inbox (tracer_post), takes it out. */
static void tracee_leave_inbox(struct tracees *tracees, struct tracee *tracee)
{
    struct tracee *before = tracees->inbox;

    if (!tracee->inbox.queued)
        return;
    if (before == tracee) {
        tracees->inbox = tracee->inbox.next;
    } else {
        while (before->inbox.next != tracee)
            before = before->inbox.next;
        before->inbox.next = tracee->inbox.next;
    }
    tracee->inbox.queued = false;
}

void tracee_take_out(struct tracees *tracees, struct tracee *tracee)
{
    struct tracee **link = tracees_bucket(tracees, tracee->tid);

    tracee_deactivate(tracees, tracee);
    tracee_leave_inbox(tracees, tracee);
    while (*link != tracee)
        link = &(*link)->hash_next;
    *link = tracee->hash_next;
    tracees->count--;
}

struct tracee *tracee_add(struct tracees *tracees, struct process *process, pid_t tid)
{
    struct tracee *tracee = calloc(1, sizeof *tracee);
    if (tracee == NULL)
        return NULL;

    tracee->tid = tid;
    tracee->activity.span = ACTIVE_SPAN_FIRST;
    tracee->stop_credit = STOP_CREDIT_FIRST;
    tracee->comm.check_at = 1;
    tracee->look.cpu = -1;
    tracee->judgement.presence = PREEMPT_PRESENCE_FIRST;
    procfs_task_init(&tracee->files, tid, tid);
    tracee->files.wary = tracees->processes->wary;
    tracee_put_in(tracees, tracee);
    tracees->processes->tracee_count++;
    if (process != NULL)
        tracee_adopt(tracee, process);
    return tracee;
}

/* If the process has more than one thread, sets files.multithreaded of its tracees. The walk ends at the first tracee
 * whose flag is set already: new tracees come first in the list, so the flag is set in all the tracees that follow. */
static void process_note_multithreaded(struct process *process)
{
    if (process->tracee_count < 2 && process->untraced == NULL)
        return;
    for (struct tracee *tracee = process->tracees; tracee != NULL && !tracee->files.multithreaded;
         tracee = tracee->process_next)
        tracee->files.multithreaded = true;
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
    process_note_multithreaded(process);
}

static void tracee_leave_process(struct tracee *tracee)
{
    struct process *process = tracee->process;

    if (process->search.next == tracee)
        process->search.next = tracee->process_next;
    if (tracee->process_prev != NULL)
        tracee->process_prev->process_next = tracee->process_next;
    else
        process->tracees = tracee->process_next;
    if (tracee->process_next != NULL)
        tracee->process_next->process_prev = tracee->process_prev;
    process->tracee_count--;
    counts_forget_thread(process, tracee->tid);
}

static struct process **process_bucket(struct processes *processes, pid_t pid)
{
    return &processes->buckets[(size_t)pid % PROCESS_BUCKETS];
}

bool process_has_released(const struct process *process, pid_t tid)
{
    const struct tracee *tracee = process->released_count > 0 ? process->tracees : NULL;

    while (tracee != NULL && (tracee->tid != tid || tracee->state != TRACEE_RELEASED))
        tracee = tracee->process_next;
    return tracee != NULL;
}

void process_unlist(struct processes *processes, struct process *process)
{
    struct process **link = process_bucket(processes, process->pid);

    if (!process->listed)
        return;
    while (*link != process)
        link = &(*link)->hash_next;
    *link = process->hash_next;
    process->listed = false;
}

void process_remove(struct processes *processes, struct process *process)
{
    process_unlist(processes, process);
    if (process->prev != NULL)
        process->prev->next = process->next;
    else
        processes->first = process->next;
    if (process->next != NULL)
        process->next->prev = process->prev;
    if (processes->searched == process)
        processes->searched = process->next;
    processes->count--;
    untraced_clear(processes, process);
    maps_close(&process->maps);
    counts_clear(process);
    python_forget_process(process);
    usage_free(&process->usage);
    free(process);
}

void tracee_remove(struct tracees *tracees, struct tracee *tracee)
{
    struct process *process = tracee->process;

    tracee_take_out(tracees, tracee);
    tracees->processes->tracee_count--;
    if (process != NULL) {
        tracee_leave_process(tracee);
        if (process->tracees == NULL)
            process_remove(tracees->processes, process);
    }
    procfs_task_close(&tracee->files);
    free(tracee->python);
    free(tracee);
}

struct process *process_find(const struct processes *processes, pid_t pid)
{
    struct process *process = processes->buckets[(size_t)pid % PROCESS_BUCKETS];

    while (process != NULL && process->pid != pid)
        process = process->hash_next;
    return process;
}

struct process *process_add(struct processes *processes, pid_t pid)
{
    struct process *process = calloc(1, sizeof *process);
    struct process **bucket = process_bucket(processes, pid);

    if (process == NULL)
        return NULL;
    process->pid = process->memory_tid = pid;
    process->program_at = time_now();
    process->clock.valid = clock_getcpuclockid(pid, &process->clock.id) == 0;
    maps_init(&process->maps);
    usage_init(&process->usage);
    process->next = processes->first;
    if (processes->first != NULL)
        processes->first->prev = process;
    processes->first = process;
    process->hash_next = *bucket;
    *bucket = process;
    process->listed = true;
    processes->count++;
    return process;
}

void tracee_activate(struct tracees *tracees, struct tracee *tracee, uint64_t now)
{
    bool again = tracee->activity.until != 0;

    tracee->activity.until = now + tracee->activity.span;
    if (tracee->activity.active)
        return;
    tracee->activity.active = true;
    tracee->activity.previous = NULL;
    tracee->activity.next = tracees->active;
    if (tracees->active != NULL)
        tracees->active->activity.previous = tracee;
    tracees->active = tracee;
    tracees->active_count++;
    /* if a tracee becomes active again, it works in bursts, so it must stay active for longer */
    if (again && tracee->activity.span < ACTIVE_SPAN_MAX)
        tracee->activity.span *= 2;
}

void tracee_deactivate(struct tracees *tracees, struct tracee *tracee)
{
    if (!tracee->activity.active)
        return;
    tracee->activity.active = false;
    if (tracee->activity.previous != NULL)
        tracee->activity.previous->activity.next = tracee->activity.next;
    else
        tracees->active = tracee->activity.next;
    if (tracee->activity.next != NULL)
        tracee->activity.next->activity.previous = tracee->activity.previous;
    tracees->active_count--;
    procfs_task_close_if_scarce(&tracee->files);
}

/* --- threads that could not be seized -------------------------------------------------------- */

/* Some threads of a followed process cannot be seized: they have another tracer, or credentials that forbid us to trace
 * them. They are not sampled, but the clock of their process includes their CPU time. So their CPU time is read and
 * subtracted. Otherwise it would be credited to the other threads, and would cause searches of the other threads. */

struct untraced {
    pid_t tid;
    uint64_t cpu_ns; /* total CPU time of the thread, as last read */
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
    process_note_multithreaded(process);
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
        if (procfs_read_cpu(&task->files, &cpu) != 0 && !procfs_is_thread(process->pid, task->tid)) {
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
