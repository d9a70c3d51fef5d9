/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "supervisor/deadline.h"
#include "supervisor/repair-continue.h"
#include "supervisor/repair.h"
#include "supervisor/supervisor.h"

/* Has the call that is continued now the deadline that it had when it was begun anew? */
static bool deadline_is_waited_for(const struct deadlines *deadlines, pid_t tid, uint64_t deadline)
{
    for (unsigned i = 0; i < deadlines->count; i++)
        if (deadlines->waiting[i].tid == tid && deadlines->waiting[i].time == deadline)
            return true;
    return false;
}

void deadline_set(struct tracer *tracer, struct tracee *tracee, uint64_t deadline)
{
    struct deadlines *deadlines = &tracer->deadlines;

    tracee->repair.deadline = deadline;
    if (deadline == 0 || deadline_is_waited_for(deadlines, tracee->tid, deadline) || deadlines->count == DEADLINES_MAX)
        return; /* too many at once: this one waits for a little longer */
    deadlines->waiting[deadlines->count].tid = tracee->tid;
    deadlines->waiting[deadlines->count++].time = deadline;
}

uint64_t deadline_check(struct tracer *tracer)
{
    struct deadlines *deadlines = &tracer->deadlines;
    uint64_t now = deadlines->count > 0 ? time_now() : 0, next = 0;

    for (unsigned i = 0; i < deadlines->count; i++) {
        uint64_t time = deadlines->waiting[i].time;
        struct tracee *tracee = tracee_find(&tracer->tracees, deadlines->waiting[i].tid);
        bool waits = tracee != NULL && tracee->state == TRACEE_CONTINUING &&
                     tracee->repair.deadline == time;
        if (waits && now < time) {
            next = next == 0 || time < next ? time : next;
            continue;
        }
        if (waits)
            repair_give_up(tracee);
        deadlines->waiting[i--] = deadlines->waiting[--deadlines->count];
    }
    return next;
}
