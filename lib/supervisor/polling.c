/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Awaiting the stops of a tick without sleeping, where a CPU is idle: to sleep and be woken up costs more.
 */
#include "config.h"

#include <errno.h>

#include "supervisor/affinity.h"
#include "supervisor/polling.h"
#include "supervisor/schedule.h"
#include "supervisor/supervisor.h"
#include "supervisor/wait.h"

/* The longest poll for a stop: a sleep and a wake cost as much. */
#define POLL_NS 50000u
#define STOP_CREDIT_MAX 8

/* A call that goes on stops at its entry before it waits. */
static bool polling_is_about_to_stop(const struct tracee *tracee)
{
    return tracee->state == TRACEE_INTERRUPTED ||
           (tracee->state == TRACEE_CONTINUING && !tracee->repair.piece_entered);
}

/* Polls once for each stop of this tick that is still to come. */
static void polling_look(struct tracer *tracer)
{
    struct tick *tick = &tracer->tick;

    for (unsigned i = 0; i < tick->awaited_count; i++) {
        struct tracee *tracee = tracee_find(&tracer->tracees, tick->awaited[i]);
        bool open = tracee != NULL && polling_is_about_to_stop(tracee);
        if (open && tracee->stop_credit < STOP_CREDIT_MAX)
            tracee->stop_credit++; /* taken back if it has not stopped; it may be freed if it has */
        if (open && !wait_poll(tracer, tracee)) {
            tracee->stop_credit--;
            continue;
        }
        tick->awaited[i--] = tick->awaited[--tick->awaited_count];
    }
}

static bool polling_is_worth_it(struct tracer *tracer)
{
    const struct tick *tick = &tracer->tick;

    for (unsigned i = 0; i < tick->awaited_count; i++) {
        const struct tracee *tracee = tracee_find(&tracer->tracees, tick->awaited[i]);
        if (tracee != NULL && tracee->stop_credit > 0)
            return true;
    }
    return schedule_random(&tracer->schedule, STOP_CREDIT_MAX) == 0;
}

void polling_await(struct tracer *tracer)
{
    struct tick *tick = &tracer->tick;
    uint64_t deadline = time_now() + POLL_NS;

    if (!tracer->supervisor->may_poll || tracer->supervisor->cpus_full || tick->awaited_count == 0)
        return;
    if (polling_is_worth_it(tracer)) {
        do
            polling_look(tracer);
        while (tick->awaited_count > 0 && time_now() < deadline);
    }
    if (tick->awaited_count > 0)
        affinity_move_away(tracer);
    for (unsigned i = 0; i < tick->awaited_count; i++) {
        struct tracee *tracee = tracee_find(&tracer->tracees, tick->awaited[i]);
        if (tracee != NULL && tracee->stop_credit > 0)
            tracee->stop_credit--;
    }
}
