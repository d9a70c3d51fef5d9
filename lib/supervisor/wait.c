/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stops: one function turns a wait status into a named stop, one acts on it.
 *
 * The rule that everything rests on: every stop is answered as soon as it is seen, for what
 * it is, whatever we were waiting for. An interrupt sent to a thread that already sits in
 * another, unreported stop makes it stop once more later; one sent just before another stop
 * is swallowed by it (ptrace_stop in kernel/signal.c clears the pending trap). So a stop of
 * any kind serves as the sample that was wanted, and an interrupt's stop that nobody waits
 * for any more is simply resumed.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "supervisor/supervisor.h"

#define NEWBORN_ACTIVE_NS 5000000u /* most threads of a pool fall asleep at once */
#define CALL_STOP_SIGNAL (SIGTRAP | 0x80) /* with PTRACE_O_TRACESYSGOOD: ptrace(2) */
#define MOST_DRAIN_NS 2000000u  /* of news without end: ticks and commands have their turn, too */

enum stop_kind {
    STOP_ENDED,     /* exited or killed; it is reaped */
    STOP_SIGNAL,    /* a signal is about to be delivered */
    STOP_GROUP,     /* the whole process is being stopped by a signal */
    STOP_INTERRUPT, /* ours; or a new tracee's first; or SIGCONT after a group stop */
    STOP_CALL, /* a call is entered, or has returned: repair.c asks for that */
    STOP_EXEC,
    STOP_FORK,   /* fork or vfork: the child is a process */
    STOP_CLONE,  /* the child may be a thread */
    STOP_OTHER,
};

struct stop {
    enum stop_kind kind;
    int signal; /* SIGNAL: to be delivered */
    int status; /* ENDED: as wait(2) gives it */
};

static bool is_group_stop_signal(int signal)
{
    return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

static struct stop decode(int status)
{
    struct stop stop = {.kind = STOP_OTHER, .status = status};

    if (!WIFSTOPPED(status)) {
        stop.kind = STOP_ENDED;
        return stop;
    }
    switch (status >> 16) {
    case 0:
        stop.kind = WSTOPSIG(status) == CALL_STOP_SIGNAL ? STOP_CALL : STOP_SIGNAL;
        stop.signal = stop.kind == STOP_SIGNAL ? WSTOPSIG(status) : 0;
        break;
    case PTRACE_EVENT_STOP:
        stop.kind = is_group_stop_signal(WSTOPSIG(status)) ? STOP_GROUP : STOP_INTERRUPT;
        break;
    case PTRACE_EVENT_EXEC:
        stop.kind = STOP_EXEC;
        break;
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
        stop.kind = STOP_FORK;
        break;
    case PTRACE_EVENT_CLONE:
        stop.kind = STOP_CLONE;
        break;
    }
    return stop;
}

void wait_resume(struct tracee *tracee, int signal)
{
    bool continuing = tracee->state == TRACEE_CONTINUING;

    if (!continuing)
        tracee->state = TRACEE_RUNNING;
    /* ESRCH: killed while stopped; its end will be reported */
    ptrace(continuing ? PTRACE_SYSCALL : PTRACE_CONT, tracee->tid, NULL, (long)signal);
}

void wait_detach(struct supervisor *supervisor, struct tracee *tracee)
{
    ptrace(PTRACE_DETACH, tracee->tid, NULL, 0L);
    tracee_remove(&supervisor->tracees, tracee);
}

static bool is_followed(const struct supervisor *supervisor, const struct process *process)
{
    return supervisor->options.serve ? process->count != NULL : supervisor->options.inherit;
}

static void handle_group_stop(struct tracee *tracee)
{
    tracee->state = TRACEE_LISTENING;
    tracee->pending_ns = tracee->overdue_ns = 0;
    ptrace(PTRACE_LISTEN, tracee->tid, NULL, 0L);
}

/* A tracee's first stop, once it is known whose it is: its process may be stopped meanwhile. */
static void start_tracee(struct supervisor *supervisor, struct tracee *tracee, enum stop_kind kind)
{
    if (tracee->tid == tracee->process->pid && !is_followed(supervisor, tracee->process)) {
        emit_exit(supervisor, tracee->tid, tracee->tid, 0, -1);
        wait_detach(supervisor, tracee);
        return;
    }
    if (kind == STOP_GROUP)
        handle_group_stop(tracee);
    else
        at_stop_resume(supervisor, tracee);
    uint64_t now = time_now();
    tracee->wall_at = now;
    tracee_activate(&supervisor->tracees, tracee, now);
    tracee->active_until = now + NEWBORN_ACTIVE_NS;
    tick_arm(supervisor);
}

/* Books a tracee that its parent, or /proc, told of. */
static void announce(struct supervisor *supervisor, struct process *process, pid_t parent,
                     pid_t tid)
{
    struct tracees *tracees = &supervisor->tracees;
    struct tracee *tracee = tracee_find(tracees, tid);
    bool new_process = process->pid == tid;

    if (tracee != NULL && tracee->state != TRACEE_UNKNOWN) {
        tracee_remove(tracees, tracee); /* an earlier bearer of this number */
        tracee = NULL;
    }
    bool stopped = tracee != NULL;
    if (stopped) {
        supervisor->unknown_count--;
        tracee_adopt(tracee, process);
    } else {
        tracee = tracee_add(tracees, process, tid);
    }
    if (new_process)
        emit_fork(supervisor, tid, parent);
    else
        emit_task(supervisor, WIRE_THREAD, process->pid, tid);
    if (stopped)
        start_tracee(supervisor, tracee, tracee->born_stopped ? STOP_GROUP : STOP_INTERRUPT);
}

/* Was this child met, and made known by what /proc says, before its parent told of it? Once only:
 * the number may come back. */
static bool is_known_early(const struct tracees *tracees, pid_t tid)
{
    struct tracee *tracee = tracee_find(tracees, tid);
    bool early = tracee != NULL && tracee->early;

    if (early)
        tracee->early = false;
    return early;
}

static void handle_birth(struct supervisor *supervisor, struct tracee *parent,
                         enum stop_kind kind)
{
    unsigned long message = 0;
    pid_t parent_pid = parent->process->pid;

    ptrace(PTRACE_GETEVENTMSG, parent->tid, NULL, &message);
    struct process *from = parent->process, *process = from;
    bool clone = kind == STOP_CLONE;
    pid_t tid = (pid_t)message;
    if (tid > 0 && is_known_early(&supervisor->tracees, tid)) {
        at_stop_answer(supervisor, parent, 0, STOP_IS_ITS_OWN);
        return;
    }
    /* a sample that this stop serves as comes after the fork */
    struct dialect_count *inherited = count_inherited(from);
    at_stop_answer(supervisor, parent, 0, STOP_IS_ITS_OWN);
    if (tid > 0 && (!clone || !procfs_is_thread(parent_pid, tid))) {
        process = process_find(&supervisor->tracees, tid);
        if (process != NULL)
            process_remove(&supervisor->tracees, process);
        process = process_add(&supervisor->tracees, tid);
        if (process != NULL) {
            process->count = inherited;
            inherited = NULL;
        }
    }
    free(inherited);
    if (tid > 0 && process != NULL)
        announce(supervisor, process, parent_pid, tid);
}

static void handle_interrupt(struct supervisor *supervisor, struct tracee *tracee)
{
    tracee->after_sigcont = false; /* first: a tracee that is not followed is gone afterwards */
    switch (tracee->state) {
    case TRACEE_STARTING:
        start_tracee(supervisor, tracee, STOP_INTERRUPT);
        break;
    case TRACEE_LISTENING:
        wait_resume(tracee, 0); /* SIGCONT: what calls do now is not our doing */
        tracee->after_sigcont = true;
        break;
    default:
        /* SIGCONT stops every thread that was seized, one that runs, too: prepare_signal() */
        if (tracee->state != TRACEE_INTERRUPTED)
            tracee->interrupted_at = time_now();
        at_stop_answer(supervisor, tracee, 0, STOP_IS_OURS);
    }
}

/* A signal that is ignored wakes nobody, but a traced thread: then it breaks a call that it would
 * not have broken, unless its process has just been stopped and continued, which breaks it too. */
static void handle_signal(struct supervisor *supervisor, struct tracee *tracee, int signal)
{
    bool breaks = is_group_stop_signal(signal) || (signal == SIGCONT && tracee->after_sigcont);

    tracee->after_sigcont = false;
    if (repair_drops_signal(tracee, signal)) {
        at_stop_resume(supervisor, tracee);
        return;
    }
    at_stop_answer(supervisor, tracee, signal, breaks ? STOP_IS_ITS_OWN : STOP_IS_A_SIGNAL);
}

/* Does its process end with it, as far as can be seen? A leader that could not be seized does not
 * tell of its end. */
static bool ends_process(const struct tracee *tracee)
{
    const struct process *process = tracee->process;

    return process->pid == tracee->tid ||
           (process->root && !process->led && process->tracee_count == 1);
}

static void handle_end(struct supervisor *supervisor, struct tracee *tracee, uint64_t cpu_ns,
                       int status)
{
    struct process *process = tracee->process;

    if (process == NULL) {
        supervisor->unknown_count--;
    } else {
        bool whole = ends_process(tracee);
        if (whole && process->pid != tracee->tid && !procfs_has_ended(process->pid, process->pid))
            status = -1; /* the leader goes on without us */
        emit_exit(supervisor, process->pid, whole ? process->pid : tracee->tid, cpu_ns, status);
        supervisor->ended_cpu_ns += whole ? cpu_ns : 0;
        if (whole && process->root)
            emit_wake(supervisor);
    }
    tracee_remove(&supervisor->tracees, tracee);
}

static void handle_unknown(struct supervisor *supervisor, pid_t tid, const struct stop *stop)
{
    if (stop->kind == STOP_ENDED)
        return; /* a thread that an exec took along */
    struct tracee *tracee = tracee_add(&supervisor->tracees, NULL, tid);
    if (tracee == NULL) {
        ptrace(PTRACE_CONT, tid, NULL, 0L);
        return;
    }
    tracee->born_stopped = stop->kind == STOP_GROUP;
    supervisor->unknown_count++;
}

/* What a task has used can be asked for only until it is reaped. */
static uint64_t last_cpu(const struct supervisor *supervisor, struct tracee *tracee)
{
    struct procfs_cpu cpu;

    if (tracee == NULL || tracee->process == NULL)
        return 0;
    if (ends_process(tracee))
        return process_cpu_counted(tracee->process, supervisor->sampling);
    if (tracee->files.schedstat_fd >= 0)
        tracee_read_cpu(tracee, &cpu);
    return 0;
}

static enum repair_event repair_event(enum stop_kind kind)
{
    return kind == STOP_CALL        ? REPAIR_CALL
           : kind == STOP_INTERRUPT ? REPAIR_INTERRUPT
           : kind == STOP_SIGNAL    ? REPAIR_SIGNAL
                                    : REPAIR_OTHER;
}

static void handle(struct supervisor *supervisor, pid_t tid, int status, uint64_t cpu_ns)
{
    struct tracee *tracee = tracee_find(&supervisor->tracees, tid);
    struct stop stop = decode(status);

    if (tracee == NULL && stop.kind == STOP_EXEC)
        tracee = exec_new_leader(supervisor, tid);
    if (tracee == NULL) {
        handle_unknown(supervisor, tid, &stop);
        return;
    }
    if (tracee->process == NULL && stop.kind != STOP_ENDED)
        return;
    if (stop.kind == STOP_SIGNAL)
        held_signal_restore(&tracee->repair.held, tracee->tid, stop.signal);
    if (tracee->state == TRACEE_CONTINUING && stop.kind == STOP_EXEC) {
        tracee->state = TRACEE_RUNNING; /* another thread's exec: of the call nothing is left */
        held_signal_send(&tracee->repair.held, tracee->process->pid, tracee->tid);
    }
    if (tracee->state == TRACEE_CONTINUING && stop.kind != STOP_ENDED &&
        repair_meets_stop(supervisor, tracee, repair_event(stop.kind), stop.signal))
        return;
    switch (stop.kind) {
    case STOP_ENDED:
        handle_end(supervisor, tracee, cpu_ns, stop.status);
        break;
    case STOP_SIGNAL:
        handle_signal(supervisor, tracee, stop.signal);
        break;
    case STOP_GROUP:
        if (tracee->state == TRACEE_STARTING)
            start_tracee(supervisor, tracee, STOP_GROUP);
        else
            handle_group_stop(tracee);
        break;
    case STOP_INTERRUPT:
        handle_interrupt(supervisor, tracee);
        break;
    case STOP_EXEC:
        exec_answer(supervisor, tracee);
        break;
    case STOP_FORK:
    case STOP_CLONE:
        handle_birth(supervisor, tracee, stop.kind);
        break;
    case STOP_CALL:
    case STOP_OTHER:
        wait_resume(tracee, 0);
        break;
    }
}

/* As waitpid gives it, which has above its low byte what waitid gives. */
static int stop_status(const siginfo_t *news)
{
    return (news->si_status << 8) | 0x7f;
}

/* A stop is not waited for but looked at: if we are killed before it is answered, the kernel then
 * still delivers the signal that it tells of (do_wait and ptrace_stop, by way of exit_code). */
bool wait_drain(struct supervisor *supervisor)
{
    uint64_t deadline = time_now() + MOST_DRAIN_NS;

    for (bool any = false;; any = true) {
        siginfo_t news = {0};
        int status;
        int which = WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL;

        if (waitid(P_ALL, 0, &news, which) < 0 || news.si_pid == 0)
            return any;
        if (any && time_now() >= deadline) {
            supervisor->news = true;
            return true;
        }
        struct tracee *tracee = tracee_find(&supervisor->tracees, news.si_pid);
        bool ended = news.si_code != CLD_TRAPPED && news.si_code != CLD_STOPPED;
        if (!ended && tracee != NULL && tracee->process != NULL) {
            handle(supervisor, tracee->tid, stop_status(&news), 0);
            continue;
        }
        uint64_t cpu_ns = ended ? last_cpu(supervisor, tracee) : 0;
        pid_t tid = waitpid(news.si_pid, &status, __WALL | WNOHANG);
        if (tid > 0)
            handle(supervisor, tid, status, cpu_ns);
    }
}

bool wait_poll(struct supervisor *supervisor, struct tracee *tracee)
{
    siginfo_t news = {0};
    pid_t tid = tracee->tid;
    int which = WSTOPPED | WNOHANG | WNOWAIT | __WALL;

    /* ends are left to wait_drain */
    if (waitid(P_PID, (id_t)tid, &news, which) < 0 || news.si_pid == 0)
        return false;
    handle(supervisor, tid, stop_status(&news), 0);
    return true;
}

static void resolve(struct supervisor *supervisor, struct tracee *tracee, pid_t pid)
{
    struct tracees *tracees = &supervisor->tracees;
    pid_t parent = (pid_t)procfs_status_number(tracee->tid, "PPid:");
    struct process *process = process_find(tracees, pid);
    const struct process *from = parent > 0 ? process_find(tracees, parent) : NULL;

    tracee->early = true; /* its parent may only be slow to tell */
    if (process == NULL) {
        process = process_add(tracees, pid);
        if (process != NULL && from != NULL)
            process->count = count_inherited(from);
    }
    if (process != NULL)
        announce(supervisor, process, parent > 0 ? parent : 0, tracee->tid);
}

void wait_resolve_unknown(struct supervisor *supervisor)
{
    struct tracees *tracees = &supervisor->tracees;

    for (size_t i = 0; supervisor->unknown_count > 0 && i < tracees->bucket_count; i++)
        for (struct tracee *tracee = tracees->buckets[i]; tracee != NULL;
             tracee = tracee->hash_next) {
            if (tracee->state != TRACEE_UNKNOWN)
                continue;
            pid_t pid = (pid_t)procfs_status_number(tracee->tid, "Tgid:");
            if (pid <= 0)
                continue;
            resolve(supervisor, tracee, pid);
            return; /* the tables may have changed: the next round takes the next one */
        }
}
