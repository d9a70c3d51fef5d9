/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A tracee that stands still: it is looked at, a call that the stop broke is mended, and it runs
 * on; and what that took from it is booked.
 *
 * Meanwhile nothing is done but reading registers and copying the stack; everything else waits
 * until the thread runs again. Only what is written into a target's own memory is written
 * before: a thread that runs may end or exec at any time, and then it would be no memory, or
 * another program's. Nothing here allocates.
 */
#include "config.h"

#include "supervisor/regs.h"
#include "supervisor/supervisor.h"

#define MOST_UNSEEN_NS 14000u

/* What a stop takes from a thread: what it would have run while it stands still, and about 14 us
 * (measured) for the kernel's way into the stop and out of it, and cold caches. */
static uint64_t cost_of(const struct tracee *tracee, uint64_t stopped)
{
    uint64_t unseen = stopped < MOST_UNSEEN_NS ? stopped : MOST_UNSEEN_NS;
    double wanted = (double)(tracee->ran_ns + tracee->waited_ns);
    double share = wanted > 0 ? (double)tracee->ran_ns / wanted : 1;

    return (uint64_t)((double)stopped * share) + unseen;
}

/* Lets a stopped tracee run on, and counts what the stop took from it. */
static void resume(struct supervisor *supervisor, struct tracee *tracee, int signal, bool sampled)
{
    /* taken before the resume: the tracee may preempt us in it, and is not stopped then */
    uint64_t now = time_now(), since = supervisor->stops_since;
    if (tracee->interrupted_at > since)
        since = tracee->interrupted_at;
    if (tracee->resumed_at > since)
        since = tracee->resumed_at;
    uint64_t stopped = now - since;

    tracee->resumed_at = now;
    wait_resume(tracee, signal);
    supervisor->stats.stopped_ns += stopped;
    if (sampled)
        supervisor->sampling_cost_ns += cost_of(tracee, stopped);
    else
        supervisor->events_cost_ns += cost_of(tracee, stopped);
}

void at_stop_resume(struct supervisor *supervisor, struct tracee *tracee)
{
    resume(supervisor, tracee, 0, false);
}

void at_stop_deliver(struct supervisor *supervisor, struct tracee *tracee, int signal)
{
    resume(supervisor, tracee, signal, false);
}

void at_stop_answer(struct supervisor *supervisor, struct tracee *tracee, int signal,
                    enum stop_maker maker)
{
    bool wanted = tracee->pending_ns + tracee->overdue_ns > 0 && supervisor->sampling && !tracee->process->launching;
    bool known = false, serve = supervisor->options.serve, ours = maker == STOP_IS_OURS;
    struct regs regs;

    if (wanted || maker != STOP_IS_ITS_OWN)
        known = regs_read(tracee->tid, &regs) == 0;
    if (known && regs.syscall < 0 && (tracee->repair.leaving || tracee->state == TRACEE_CONTINUING))
        regs.syscall = tracee->repair.call.number;
    if (wanted && known && serve)
        attribution_sample(supervisor, tracee, &regs);
    if (wanted && known)
        stack_take(&supervisor->stack, tracee->tid, &regs);
    if (known)
        repair_stop(supervisor, tracee, &regs, signal, maker);
    resume(supervisor, tracee, signal, wanted);
    if (wanted && known && ours && supervisor->may_spin && !supervisor->crowded)
        seat_judge(tracee, regs.entered);
    if (wanted && known && !serve)
        attribution_sample(supervisor, tracee, &regs);
    tracee->pending_ns = tracee->overdue_ns = 0;
    tracee->asleep_before = false;
}
