/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Waits for stops and ends of tracees (news), and answers them.
 *
 * Every stop is answered according to its kind as soon as it is seen, even if the tracer was waiting for a different
 * stop. When an interrupt is sent, the thread may already have stopped for another reason, and we do not know it yet.
 * Then the thread stops once more for the interrupt. If the thread stops for another reason just after an interrupt was
 * sent, there is no stop for the interrupt: ptrace_stop in kernel/signal.c clears the pending trap. So a stop of any
 * kind may yield the sample that an interrupt asked for. If an interrupt makes a stop after its sample was taken, the
 * tracee is only resumed.
 *
 *     stop        answer
 *     INTERRUPT   a sample, and a resume. If this is a tracee's first stop, the tracee is followed from now on
 *     SIGNAL      the signal is delivered
 *     GROUP       PTRACE_LISTEN: the tracee stays stopped until SIGCONT. Then it stops once more, and is resumed
 *     CALL        see repair.h
 *     FORK CLONE  see new-tasks.c
 *     EXEC        see exec.c
 *     ENDED       the tracee is forgotten; so is its process if this was its last tracee
 *
 * INTERRUPT, SIGNAL, GROUP and CALL stops of a tracee whose process is known are answered without the lock, because the
 * answer concerns only the tracee. All other kinds of stops are answered with the lock. So are the first stop of a
 * thread, and all stops of a program that profiles itself.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "supervisor/calls/calls.h"
#include "supervisor/debug-log.h"
#include "supervisor/follow.h"
#include "supervisor/repair.h"
#include "supervisor/schedule.h"
#include "supervisor/stop.h"
#include "supervisor/supervisor.h"
#include "supervisor/tick.h"
#include "supervisor/tracer-cpus.h"
#include "supervisor/usage.h"

#define WAIT_WITHOUT_REAPING (WEXITED | WSTOPPED | WNOWAIT | __WALL | __WNOTHREAD)
/* if news comes without a pause for WAIT_TURN_NS, the tracer asks its tracees one by one, for at most WAIT_TURN_NS */
#define WAIT_TURN_NS 500000u
#define WAIT_TURN_TRACEES_MAX 256
#define WAIT_TURN_PIECE 16 /* how many tracees are asked between two reads of the clock */
#define WAIT_DRAIN_MAX_NS 2000000u /* how long wait_drain may take, ns; short, so that ticks and commands can go on */

/* The longest time for which the tracer polls for a stop, ns. Polling for this time costs as much as a sleep and a
 * wake-up. */
#define POLL_NS 50000u
#define STOP_CREDIT_MAX 8

/* --- answers ------------------------------------------------------------------------------ */

static void wait_answer_group(struct tracee *tracee)
{
    tracee->state = TRACEE_LISTENING;
    tracee->interrupt.pending_ns = tracee->interrupt.overdue_ns = 0;
    tracee->interrupt.skipped_ns = tracee->interrupt.late_ns = 0;
    stray_sigpipe_restore_mask(tracee);
    debug_log(tracee->tracer, "listen %d", tracee->tid);
    ptrace(PTRACE_LISTEN, tracee->tid, NULL, 0L);
}

static void wait_answer_interrupt(struct tracer *tracer, struct tracee *tracee)
{
    tracee->after_sigcont = false;
    if (tracee->state == TRACEE_LISTENING) {
        /* the call is not repaired, because SIGCONT breaks system calls of untraced threads, too */
        at_stop_resume(tracer, tracee, 0, false);
        tracee->after_sigcont = true;
        return;
    }
    if (tracee->handover.to != NULL && handover_release(tracer, tracee))
        return;
    /* The cause of this stop may also be a SIGCONT, which stops every seized thread, even a running one
     * (prepare_signal) */
    if (tracee->state != TRACEE_INTERRUPTED)
        tracee->interrupt.at = time_now();
    at_stop_answer(tracer, tracee, 0, STOP_BY_US);
}

/* Answers a stop for a signal. If the program ignores the signal, the signal wakes the thread only because the thread
 * is traced. So if the signal breaks a system call, we are the reason. But SIGSTOP, and the SIGCONT after it, also
 * break the system calls of untraced threads. */
static void wait_answer_signal(struct tracer *tracer, struct tracee *tracee, int signal)
{
    bool breaks = signal == SIGSTOP || (signal == SIGCONT && tracee->after_sigcont);

    tracee->after_sigcont = false;
    if (stray_sigpipe_take(tracee, signal)) {
        at_stop_resume(tracer, tracee, 0, tracee->repair.billed);
        return;
    }
    at_stop_answer(tracer, tracee, signal, breaks ? STOP_BY_TRACEE : STOP_BY_SIGNAL);
}

static enum repair_event wait_repair_event(enum stop_kind kind)
{
    return kind == STOP_CALL        ? REPAIR_CALL
           : kind == STOP_INTERRUPT ? REPAIR_INTERRUPT
           : kind == STOP_SIGNAL    ? REPAIR_SIGNAL
                                    : REPAIR_OTHER;
}

/* If the tracee's system call is being continued, lets repair_meets_stop answer the stop. Returns true if it has done
 * so. */
static bool wait_answer_for_call(struct tracer *tracer, struct tracee *tracee, const struct stop *stop)
{
    if (stop->kind == STOP_SIGNAL && held_signal_restore(&tracee->repair.held, tracee->tid, stop->signal))
        debug_log(tracer, "siginfo %d %d", tracee->tid, stop->signal);
    if (tracee->state != TRACEE_CONTINUING || stop->kind == STOP_ENDED)
        return false;
    if (stop->kind == STOP_EXEC) /* another thread has executed a program, so the system call no longer exists */
        tracee->state = TRACEE_RUNNING;
    return tracee->state == TRACEE_CONTINUING &&
           repair_meets_stop(tracer, tracee, wait_repair_event(stop->kind), stop->signal);
}

/* Answers the stop at the beginning or at the end of a system call during which ticks leave the thread alone (backoff
 * of calls.h). FORK and CLONE stops come within the call. At any other stop, wait_answer makes ticks interrupt the
 * thread again. */
static void wait_follow_call(struct tracer *tracer, struct tracee *tracee)
{
    struct repair *repair = &tracee->repair;
    int signal = held_signal_take(&repair->held);
    bool interrupted = tracee->state == TRACEE_INTERRUPTED;

    if (!backoff_meets_call(&repair->backoff, interrupted, time_now())) {
        at_stop_resume(tracer, tracee, signal, true);
        return;
    }
    tracee->interrupt.at = interrupted ? tracee->interrupt.at : time_now();
    /* a tick may have found the tracee asleep in this call; but the sample represents the CPU time of the whole call */
    tracee->judgement.asleep_before = false;
    repair->billed = repair->at_call_end = true;
    /* Takes a sample, which represents the CPU time used in the system call. If a signal has broken the call, a further
     * stop will come for this signal */
    at_stop_answer(tracer, tracee, signal, interrupted ? STOP_BY_US : STOP_BY_TRACEE);
    repair->at_call_end = false;
}

/* Returns true if the stop can be answered without the lock, because the answer concerns only the tracee. */
static bool wait_is_of_tracee_alone(const struct tracer *tracer, const struct tracee *tracee, const struct stop *stop)
{
    return tracee != NULL && tracee->process != NULL && !tracee->dropped && tracee->state != TRACEE_STARTING &&
           !tracer->supervisor->options.serve &&
           (stop->kind == STOP_INTERRUPT || stop->kind == STOP_SIGNAL || stop->kind == STOP_CALL ||
            stop->kind == STOP_GROUP);
}

static void wait_answer(struct tracer *tracer, struct tracee *tracee, const struct stop *stop, uint64_t cpu_ns)
{
    if (wait_answer_for_call(tracer, tracee, stop))
        return;
    if (stop->kind != STOP_CALL && stop->kind != STOP_FORK && stop->kind != STOP_CLONE)
        backoff_end(&tracee->repair.backoff);
    switch (stop->kind) {
    case STOP_ENDED:
        tracee_answer_end(tracer, tracee, cpu_ns, stop->status);
        break;
    case STOP_SIGNAL:
        wait_answer_signal(tracer, tracee, stop->signal);
        break;
    case STOP_GROUP:
        wait_answer_group(tracee);
        break;
    case STOP_INTERRUPT:
        wait_answer_interrupt(tracer, tracee);
        break;
    case STOP_EXEC:
        exec_answer(tracer, tracee);
        break;
    case STOP_FORK:
    case STOP_CLONE:
        new_task_answer_parent(tracer, tracee, stop->kind);
        break;
    case STOP_CALL:
        if (backoff_follows(&tracee->repair.backoff))
            wait_follow_call(tracer, tracee);
        else
            at_stop_resume(tracer, tracee, held_signal_take(&tracee->repair.held), false);
        break;
    case STOP_OTHER:
        at_stop_resume(tracer, tracee, 0, false);
        break;
    }
}

/* Answers a stop whose answer needs the lock. The caller holds the lock. */
static void wait_answer_locked(struct tracer *tracer, pid_t tid, const struct stop *stop, uint64_t cpu_ns)
{
    struct tracee *tracee = tracee_find(&tracer->tracees, tid);

    if (tracee != NULL && tracee->dropped) { /* the number of this tracee belongs to another task now */
        tracee_forget(tracer, tracee);
        tracee = NULL;
    }
    if (tracee == NULL && stop->kind == STOP_EXEC)
        tracee = exec_new_leader(tracer, tid);
    if (tracee == NULL) {
        new_task_hold(tracer, tid, stop);
        return;
    }
    if (tracee->process == NULL && stop->kind != STOP_ENDED)
        return;
    if (tracee->state == TRACEE_STARTING && (stop->kind == STOP_INTERRUPT || stop->kind == STOP_GROUP))
        new_task_start(tracer, tracee, stop->kind);
    else
        wait_answer(tracer, tracee, stop, cpu_ns);
}

static void wait_handle(struct tracer *tracer, pid_t tid, int status, uint64_t cpu_ns)
{
    struct tracee *tracee = tracee_find(&tracer->tracees, tid);
    const struct stop stop = stop_decode(status);

    usage_note_stop(tracee, stop.kind);
    debug_log(tracer, "stop %d %x %s %s", tid, (unsigned)status, stop_kind_name(stop.kind),
              tracee != NULL ? tracee_state_name(tracee->state) : "none");
    if (wait_is_of_tracee_alone(tracer, tracee, &stop)) {
        wait_answer(tracer, tracee, &stop, 0);
        return;
    }
    bool billing = tracer->billing.active && tracer->billing.up_to_ns != 0;
    uint64_t began = billing ? clock_read(CLOCK_THREAD_CPUTIME_ID) : 0;
    supervisor_lock(tracer->supervisor);
    wait_answer_locked(tracer, tid, &stop, cpu_ns);
    supervisor_unlock(tracer->supervisor);
    /* the time since `began` must not count as a cost of samples: sampling does not cause the stops of new tasks, ends
     * and execs */
    if (billing)
        tracer->billing.up_to_ns += clock_read(CLOCK_THREAD_CPUTIME_ID) - began;
}

/* Returns true if the stop must be left unreaped (WNOWAIT). If we are killed before we answer an unreaped stop, the
 * kernel still delivers the signal of that stop (exit_code in do_wait and ptrace_stop). */
static bool wait_stays_unreaped(const siginfo_t *news, const struct tracee *tracee)
{
    bool stopped = news->si_code == CLD_TRAPPED || news->si_code == CLD_STOPPED;

    return stopped && tracee != NULL && tracee->process != NULL;
}

static void wait_take(struct tracer *tracer, const siginfo_t *news)
{
    struct supervisor *supervisor = tracer->supervisor;
    uint64_t cpu_ns = 0;
    int status;

    if (news->si_code != CLD_TRAPPED && news->si_code != CLD_STOPPED) {
        supervisor_lock(supervisor);
        struct tracee *tracee = tracee_find(&tracer->tracees, news->si_pid);
        cpu_ns = tracee_last_cpu(supervisor, tracee);
        usage_read_end(supervisor, tracee);
        supervisor_unlock(supervisor);
    }
    /* WUNTRACED: without it, the stop of an opener, which another process may have stopped, would not be reaped. Then
     * waitid would report that stop again and again */
    pid_t tid = waitpid(news->si_pid, &status, __WALL | __WNOTHREAD | WNOHANG | WUNTRACED);
    if (tid > 0)
        wait_handle(tracer, tid, status, cpu_ns);
}

static void wait_answer_one(struct tracer *tracer, const siginfo_t *news)
{
    if (wait_stays_unreaped(news, tracee_find(&tracer->tracees, news->si_pid)))
        wait_handle(tracer, news->si_pid, stop_status(news), 0);
    else
        wait_take(tracer, news);
}

/* Asks some tracees for news (a stop or an end), one by one. The next call continues with the next tracees. This is
 * needed if some tracees stop again as fast as their stops are answered: waitid(2) with P_ALL might report only these,
 * and never the others. The reason: waitid first reports the tracee that was seized last, because __ptrace_link() puts
 * a new tracee at the head of the list that do_wait() searches. Before Linux 5.13 ("do_wait: make PIDTYPE_PID case O(1)
 * instead of O(n)") the kernel searches all tracees to find one, so the time for asking is limited. */
static void wait_take_turns(struct tracer *tracer)
{
    pid_t tids[WAIT_TURN_PIECE];
    uint64_t end = time_now() + WAIT_TURN_NS;
    size_t left = WAIT_TURN_TRACEES_MAX;

    if (tracer->tracees.count < left)
        left = tracer->tracees.count;
    while (left > 0 && time_now() < end) {
        size_t count = tracees_in_turn(&tracer->tracees, tids, left < WAIT_TURN_PIECE ? left : WAIT_TURN_PIECE);
        for (size_t i = 0; i < count; i++) {
            siginfo_t news = {0};
            if (waitid(P_PID, (id_t)tids[i], &news, WAIT_WITHOUT_REAPING | WNOHANG) == 0 && news.si_pid != 0)
                wait_answer_one(tracer, &news);
        }
        left -= count > 0 ? count : left;
    }
    tracer->news.caught_up_at = time_now();
}

void wait_answer_news(struct tracer *tracer, const siginfo_t *news)
{
    wait_answer_one(tracer, news);
    if (time_now() - tracer->news.caught_up_at > WAIT_TURN_NS)
        wait_take_turns(tracer);
}

bool wait_drain(struct tracer *tracer)
{
    uint64_t now = time_now(), deadline = now + WAIT_DRAIN_MAX_NS;

    for (bool any = false;; any = true) {
        siginfo_t news = {0};

        if (waitid(P_ALL, 0, &news, WAIT_WITHOUT_REAPING | WNOHANG) < 0 || news.si_pid == 0) {
            tracer->news.caught_up_at = now;
            return any;
        }
        if (any && (now = time_now()) >= deadline)
            return true;
        wait_answer_news(tracer, &news);
    }
}

static bool wait_poll(struct tracer *tracer, struct tracee *tracee)
{
    siginfo_t news = {0};
    pid_t tid = tracee->tid;
    int which = WSTOPPED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD;

    /* without WEXITED: wait_drain handles ends */
    if (waitid(P_PID, (id_t)tid, &news, which) < 0 || news.si_pid == 0)
        return false;
    wait_handle(tracer, tid, stop_status(&news), 0);
    return true;
}

/* --- awaiting the stops of a tick ------------------------------------------------------------ */

/* If a CPU is idle, the tracer polls for the stops of a tick, because a sleep and a wake-up would cost more. */

/* Asks once, for each stop of this tick that has not come yet, whether it has come. */
static void wait_poll_awaited(struct tracer *tracer)
{
    struct tick *tick = &tracer->tick;

    for (unsigned i = 0; i < tick->awaited_count; i++) {
        struct tracee *tracee = tracee_find(&tracer->tracees, tick->awaited[i]);
        bool open = tracee != NULL && tick_stops_soon(tracee);
        if (open && tracee->stop_credit < STOP_CREDIT_MAX)
            /* Incremented before the poll, because the answer to a stop may free the tracee. Decremented again if the
             * tracee has not stopped yet */
            tracee->stop_credit++;
        if (open && !wait_poll(tracer, tracee)) {
            tracee->stop_credit--;
            continue;
        }
        tick->awaited[i--] = tick->awaited[--tick->awaited_count];
    }
}

static bool wait_is_worth_polling(struct tracer *tracer)
{
    const struct tick *tick = &tracer->tick;

    for (unsigned i = 0; i < tick->awaited_count; i++) {
        const struct tracee *tracee = tracee_find(&tracer->tracees, tick->awaited[i]);
        if (tracee != NULL && tracee->stop_credit > 0)
            return true;
    }
    return schedule_random(&tracer->schedule, STOP_CREDIT_MAX) == 0;
}

void wait_for_tick_stops(struct tracer *tracer)
{
    struct tick *tick = &tracer->tick;
    uint64_t deadline = time_now() + POLL_NS;

    if (!tracer->supervisor->cpus.may_poll || tracer->supervisor->cpus.full || tick->awaited_count == 0)
        return;
    if (wait_is_worth_polling(tracer)) {
        do
            wait_poll_awaited(tracer);
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
