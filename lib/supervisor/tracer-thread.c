/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts the threads that trace, and makes them leave their tracees at the end. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "supervisor/debug-log.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/repair.h"
#include "supervisor/schedule.h"
#include "supervisor/stop.h"
#include "supervisor/supervisor.h"
#include "supervisor/target-memory.h"
#include "supervisor/tracer-cpus.h"
#include "supervisor/wakeup.h"

/* When a tracer leaves: longest wait for interrupts and calls, and longest wait after calls were given up, ns. */
#define CALLS_LEAVE_NS 300000000u
#define LEAVE_PERIOD_NS 20000000u
#define THREAD_STACK_SIZE (256u << 10)
#define START_PAUSE_NS 1000000000u

/* Frees a tracer that has no thread, with its tracees, stack and log. */
static void tracer_free(struct tracer *tracer)
{
    if (tracer->tracees.buckets != NULL)
        tracees_free(&tracer->tracees);
    procfs_task_close(&tracer->files);
    free(tracer->stack.bytes);
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

int tracer_init_first(struct supervisor *supervisor)
{
    struct tracer *tracer = tracer_new(supervisor);

    if (tracer == NULL)
        return -ENOMEM;
    supervisor->tracers[supervisor->tracer_count++] = tracer;
    tracer->ready = true;
    return wakeup_init(&tracer->wakeup);
}

static void *tracer_run(void *context)
{
    struct tracer *tracer = context;
    struct supervisor *supervisor = tracer->supervisor;

    /* the tracer that started this thread may have bound itself to a CPU: this thread has inherited the binding, and
     * the priority */
    sched_setaffinity(0, sizeof supervisor->cpus.set, &supervisor->cpus.set);
    priority_ask(tracer);
    int error = wakeup_init(&tracer->wakeup);
    supervisor_lock(supervisor);
    supervisor->starting--;
    if (error != 0)
        supervisor->start_again_at = UINT64_MAX; /* the number of timers has reached its limit */
    tracer->ready = error == 0;
    supervisor_unlock(supervisor);
    if (error != 0)
        return NULL;
    while (!supervisor->leaving)
        tracer_step(tracer, 0);
    tracer_leave(tracer);
    wakeup_end(&tracer->wakeup);
    tracer->ready = false;
    return NULL;
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
    int error = pthread_create(&thread, &attributes, tracer_run, tracer);
    pthread_attr_destroy(&attributes);
    if (error != 0) {
        /* no thread can be created: pids.max or RLIMIT_NPROC is reached */
        supervisor->start_again_at = now + START_PAUSE_NS;
        tracer_free(tracer);
        return NULL;
    }
    supervisor->starting++;
    supervisor->tracers[supervisor->tracer_count++] = tracer;
    return tracer;
}

/* --- leaving ----------------------------------------------------------------------------------- */

static bool tracer_any(const struct tracer *tracer, bool (*is)(const struct tracee *tracee))
{
    const struct tracees *tracees = &tracer->tracees;

    for (size_t i = 0; i < tracees->bucket_count; i++)
        for (const struct tracee *tracee = tracees->buckets[i]; tracee != NULL; tracee = tracee->hash_next)
            if (is(tracee))
                return true;
    return false;
}

static bool tracer_needs_us(const struct tracee *tracee)
{
    bool takes_signal = tracee->repair.sigpipe.is_pending || held_signal_waits(&tracee->repair.held);

    return tracee->state == TRACEE_INTERRUPTED || repair_needs_us(tracee) ||
           (tracee->state == TRACEE_RUNNING && takes_signal);
}

static bool tracer_is_under_way(const struct tracee *tracee)
{
    return tracee->state == TRACEE_CONTINUING || tracer_needs_us(tracee);
}

/* Answers stops until is() is false for all tracees, at most for CALLS_LEAVE_NS. */
static void tracer_await_none(struct tracer *tracer, bool (*is)(const struct tracee *tracee))
{
    uint64_t deadline = time_now() + CALLS_LEAVE_NS;

    while (tracer_any(tracer, is) && time_now() < deadline)
        tracer_step(tracer, time_now() + LEAVE_PERIOD_NS);
}

static void tracer_give_up_calls(struct tracer *tracer)
{
    const struct tracees *tracees = &tracer->tracees;

    for (size_t i = 0; i < tracees->bucket_count; i++)
        for (struct tracee *tracee = tracees->buckets[i]; tracee != NULL; tracee = tracee->hash_next)
            if (repair_needs_us(tracee)) {
                tracee->repair.leaving = true;
                repair_give_up(tracee);
            }
}

/* The kernel detaches all tracees when their tracer ends, without a stop. But an interrupt that has not led to a stop
 * yet may have broken a system call, which can be repaired only at that stop. So the tracer waits for these stops, and
 * for calls that are being repaired. Calls that take longer return what they have done, or are left alone:
 * repair_needs_us. */
void tracer_leave(struct tracer *tracer)
{
    tracer_await_none(tracer, tracer_is_under_way);
    tracer_give_up_calls(tracer);
    tracer_await_none(tracer, tracer_needs_us);
    wait_drain(tracer); /* for calls that an ignored signal may just have broken */
    debug_log_flush(tracer);
    tracer->has_left = true;
}
