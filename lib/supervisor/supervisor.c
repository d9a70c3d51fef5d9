/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What tracers share: the lock, the search through the tracees of all tracers, the inboxes, and the list of tracers.
 *
 * Every file of the supervisor may call these functions, because no stop is ever answered inside them.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "supervisor/debug-log.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/schedule.h"
#include "supervisor/python/python.h"
#include "supervisor/supervisor.h"
#include "supervisor/target-memory.h"
#include "supervisor/wakeup.h"

#define LOCK_TRIES_MAX 400u /* number of tries to take the lock before a thread sleeps; they take about 10 us */
#define THREAD_STACK_SIZE (256u << 10)
#define START_PAUSE_NS 1000000000u

/* --- the lock ---------------------------------------------------------------------------------- */

void supervisor_init_lock(struct supervisor *supervisor)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&supervisor->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

bool supervisor_try_lock(struct supervisor *supervisor)
{
    return pthread_mutex_trylock(&supervisor->lock) == 0;
}

/* Tries for about 10 us to take the lock before it sleeps. The lock is never held for long, and a sleep and a wake-up
 * cost more than the tries. */
void supervisor_lock(struct supervisor *supervisor)
{
    for (unsigned i = 0; supervisor->cpus.may_poll && i < LOCK_TRIES_MAX; i++)
        if (supervisor_try_lock(supervisor))
            return;
    pthread_mutex_lock(&supervisor->lock);
}

void supervisor_unlock(struct supervisor *supervisor)
{
    pthread_mutex_unlock(&supervisor->lock);
}

/* --- tracees of all tracers ---------------------------------------------------------------------- */

struct tracee *supervisor_find(const struct supervisor *supervisor, pid_t tid)
{
    struct tracee *tracee = NULL;

    for (unsigned i = 0; i < supervisor->tracer_count && tracee == NULL; i++)
        tracee = tracee_find(&supervisor->tracers[i]->tracees, tid);
    return tracee;
}

bool supervisor_traces(const struct supervisor *supervisor, pid_t tid)
{
    long by = procfs_status_number(tid, "TracerPid:");

    for (unsigned i = 0; i < supervisor->tracer_count; i++)
        if (by > 0 && supervisor->tracers[i]->wakeup.tid == (pid_t)by)
            return true;
    return false;
}

void tracer_post(struct tracee *tracee)
{
    struct tracer *tracer = tracee->tracer;

    if (!tracee->inbox.queued) {
        tracee->inbox.queued = true;
        tracee->inbox.next = tracer->tracees.inbox;
        tracer->tracees.inbox = tracee;
    }
    wakeup_send(&tracer->wakeup);
}

/* --- the list of tracers ------------------------------------------------------------------------- */

/* Frees a tracer that has no thread. Also frees the tracer's tracees, stack and log. */
static void tracer_free(struct tracer *tracer)
{
    if (tracer->tracees.buckets != NULL)
        tracees_free(&tracer->tracees);
    procfs_task_close(&tracer->files);
    free(tracer->stack.bytes);
    python_reader_free(tracer->python.reader);
    free(tracer->python.spare);
    free(tracer->debug_log);
    free(tracer);
}

static struct tracer *tracer_new(struct supervisor *supervisor)
{
    struct tracer *tracer = calloc(1, sizeof *tracer);
    uint64_t seed = supervisor->options.seed;

    if (tracer == NULL)
        return NULL;
    tracer->supervisor = supervisor;
    tracer->number = supervisor->tracer_count;
    tracer->preempt.cpu = tracer->preempt.next = tracer->affinity.bound_cpu = tracer->affinity.home_cpu = -1;
    tracer->affinity.avoided_cpu = -1;
    procfs_task_init(&tracer->files, 0, 0);
    if (supervisor->options.debug_fd >= 0)
        tracer->debug_log = debug_log_new(supervisor->options.debug_fd);
    schedule_init(&tracer->schedule, seed != 0 ? seed + tracer->number * 0x9e3779b9u : 0);
    if (stack_init(&tracer->stack, supervisor->options.stack_size) != 0 ||
        tracees_init(&tracer->tracees, tracer, &supervisor->processes) != 0) {
        tracer_free(tracer);
        return NULL;
    }
    return tracer;
}

int tracers_init(struct supervisor *supervisor, void *(*run)(void *tracer))
{
    struct tracer *tracer = tracer_new(supervisor);

    supervisor->run_tracer = run;
    if (tracer == NULL)
        return -ENOMEM;
    supervisor->tracers[supervisor->tracer_count++] = tracer;
    tracer->ready = true;
    return wakeup_init(&tracer->wakeup);
}

struct tracer *tracer_start(struct supervisor *supervisor)
{
    uint64_t now = time_now();
    pthread_attr_t attributes;
    pthread_t thread;

    if (supervisor->tracer_count == TRACERS_MAX || now < supervisor->start_again_at)
        return NULL;
    struct tracer *tracer = tracer_new(supervisor);
    if (tracer == NULL)
        return NULL;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, THREAD_STACK_SIZE);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = pthread_create(&thread, &attributes, supervisor->run_tracer, tracer);
    pthread_attr_destroy(&attributes);
    if (error != 0) {
        /* the thread could not be created, because of pids.max or RLIMIT_NPROC */
        supervisor->start_again_at = now + START_PAUSE_NS;
        tracer_free(tracer);
        return NULL;
    }
    supervisor->starting++;
    supervisor->tracers[supervisor->tracer_count++] = tracer;
    return tracer;
}
