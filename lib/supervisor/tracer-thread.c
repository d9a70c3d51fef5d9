/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The life of a tracer: its thread, and how it leaves its tracees at the end. */
#include "config.h"

#include <sched.h>

#include "base/clock.h"
#include "supervisor/debug-log.h"
#include "supervisor/repair.h"
#include "supervisor/stop.h"
#include "supervisor/supervisor.h"
#include "supervisor/tracer-cpus.h"
#include "supervisor/wakeup.h"

/* tracer_leave waits twice, each time for at most CALLS_LEAVE_NS. */
#define CALLS_LEAVE_NS 300000000u
#define LEAVE_PERIOD_NS 20000000u

void *tracer_run(void *context)
{
    struct tracer *tracer = context;
    struct supervisor *supervisor = tracer->supervisor;

    /* the thread has inherited its priority and its CPUs from the tracer that started it, which may be bound to one
     * CPU */
    sched_setaffinity(0, sizeof supervisor->cpus.set, &supervisor->cpus.set);
    priority_ask(tracer);
    int error = wakeup_init(&tracer->wakeup);
    supervisor_lock(supervisor);
    supervisor->starting--;
    if (error != 0)
        /* no further tracer can be started, because the limit of timers is reached */
        supervisor->start_again_at = UINT64_MAX;
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

/* Answers stops until the function `is` returns false for all tracees, or CALLS_LEAVE_NS have passed. */
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

/* When a tracer ends, the kernel detaches its tracees without stopping them. But an interrupt that was sent may already
 * have broken a system call, which can be repaired only at the stop for that interrupt. So the tracer first waits for
 * such stops, and for the end of calls that are being repaired. If a call takes longer, we end it, and it returns what
 * it has done so far. If it can return a right result without us, it is left alone (repair_needs_us). */
void tracer_leave(struct tracer *tracer)
{
    tracer_await_none(tracer, tracer_is_under_way);
    tracer_give_up_calls(tracer);
    tracer_await_none(tracer, tracer_needs_us);
    wait_drain(tracer); /* answers the stops of ignored signals, which may have broken system calls a moment ago */
    debug_log_flush(tracer);
    tracer->has_left = true;
}
