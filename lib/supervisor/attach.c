/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Seizes the threads of a process: calls PTRACE_SEIZE for every thread, which does not stop the thread. If a seized
 * thread makes threads, the kernel seizes them, too, for the same tracer. So all threads are seized as soon as a pass
 * over /proc/PID/task finds no new thread.
 *
 * Some threads of a process may be impossible to seize: threads with another tracer, or with other credentials (the raw
 * system call setresuid changes the credentials of one thread only). In this file, such threads are said to refuse. The
 * other threads are followed nevertheless. Later we try again, at intervals, to seize the threads that refused, because
 * another tracer may have detached them. These attempts also find the tasks that such threads have made: the kernel
 * does not seize those tasks for us.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/cpu-time.h"
#include "supervisor/debug-log.h"
#include "supervisor/emit.h"
#include "supervisor/follow.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/stop.h"
#include "supervisor/supervisor.h"
#include "supervisor/tick.h"
#include "supervisor/usage.h"
#include "supervisor/wakeup.h"
#include "wire/wire.h"

/* In one pass, we give up at most this many seizures because of an exec under way. Before each of them is given up,
 * wakeup_seize has waited for 10 ms */
#define EXEC_SEIZURES_MAX 100
#define EXEC_WAITS 20
#define EXEC_WAIT_US 1000
#define ANSWER_PERIOD_NS 1000000u /* period in which stops of tracees are answered while threads are seized, ns */
/* Threads that refuse are tried again in rounds. The pause between two rounds is RETRY_NS plus RETRY_PAUSE_FACTOR times
 * the length of the last round. A round tries the threads of at most RETRY_PROCESSES_MAX processes. */
#define RETRY_NS 1000000000u
#define RETRY_PAUSE_FACTOR 50u
#define RETRY_PROCESSES_MAX 256u
/* PTRACE_O_EXITKILL is not among these options: when we end, in any way, the target must run on untraced. */
#define SEIZE_OPTIONS                                                                             \
    (PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |          \
     PTRACE_O_TRACESYSGOOD)

struct attach_pass {
    struct tracer *tracer;
    pid_t pid;
    bool joins;             /* we followed the process already before this pass */
    bool interrupted;       /* an exec came during the pass: tracees and processes may be gone */
    uint64_t answered_at;   /* time at which stops were last answered */
    unsigned exec_seizures; /* how many seizures were given up because of an exec */
    unsigned found;
    unsigned untraced; /* how many threads refused for the first time */
    int error;         /* error of the first thread that could not be seized */
    pid_t culprit;
};

/* Returns the process of this pass; NULL: the process is gone. Must be called again after the lock was given up:
 * meanwhile the process may have ended, and another process may have got its number. */
static struct process *attach_process_of(const struct attach_pass *pass)
{
    return process_find(&pass->tracer->supervisor->processes, pass->pid);
}

static void attach_announce(struct tracer *tracer, struct tracee *tracee)
{
    pid_t pid = tracee->process->pid;
    uint64_t now = time_now();
    struct procfs_state state;

    if (tracee->tid != pid)
        emit_task(tracer->supervisor, WIRE_THREAD, pid, tracee->tid);
    tracee_begin_wall(tracee, now);
    procfs_look(&tracee->files, &state);
    if (state.doing == PROCFS_RUNNING)
        tracee_activate(&tracer->tracees, tracee, now);
    else
        procfs_task_close_if_scarce(&tracee->files);
}

/* Returns true if this tracer has seized the thread. This is possible even after a seizure was given up: it may have
 * succeeded at the last moment. */
static bool attach_is_mine(const struct tracer *tracer, pid_t tid)
{
    return procfs_status_number(tid, "TracerPid:") == (long)tracer->wakeup.tid;
}

int attach_seize(struct tracer *tracer, pid_t tid)
{
    int error = wakeup_seize(&tracer->wakeup, tid, SEIZE_OPTIONS);

    return error == -EAGAIN && attach_is_mine(tracer, tid) ? 0 : error;
}

/* Notes that the thread refuses, that is, could not be seized. But if PTRACE_SEIZE returns EPERM, the thread does not
 * always refuse: it may have ended, or may be a new thread that we trace already because a tracee has made it. Returns
 * 0 or -errno. */
static int attach_note_refusal(struct attach_pass *pass, pid_t tid, int error)
{
    struct supervisor *supervisor = pass->tracer->supervisor;
    struct process *process = attach_process_of(pass);

    if (process == NULL)
        return -ESRCH;
    bool known = untraced_knows(process, tid);
    if (!known && supervisor_traces(supervisor, tid))
        return 0;
    if (pass->error == 0) {
        pass->error = error;
        pass->culprit = tid;
    }
    if (known || procfs_has_ended(process->pid, tid))
        return 0;
    pass->untraced++;
    process->usage.incomplete = true;
    return untraced_add(&supervisor->processes, process, tid, 0);
}

/* Makes a tracee of a thread that was seized. early: another tracee may have made the thread, and a later stop of that
 * tracee may report the thread. Returns 0 or -errno. */
static int attach_add(struct attach_pass *pass, pid_t tid, bool early)
{
    struct tracer *tracer = pass->tracer;
    struct process *process = attach_process_of(pass);

    if (process == NULL)
        return -ESRCH;
    untraced_remove(&tracer->supervisor->processes, process, tid);
    struct tracee *tracee = tracee_add(&tracer->tracees, process, tid);
    if (tracee == NULL)
        return -ENOMEM;
    usage_note_thread(process);
    tracee->state = TRACEE_RUNNING;
    tracee->seen_before_parent = early;
    pass->found++;
    debug_log(tracer, "seize %d %d", tid, process->pid);
    if (pass->joins && tid == process->pid) { /* perhaps a child that was forked a moment ago: handover-take.c */
        tracee->files.may_exec = true;
        tracee->born_at = time_now();
    }
    if (pass->joins) {
        baseline_take_of(tracee);
        attach_announce(tracer, tracee);
    }
    return 0;
}

/* Answers stops of tracees, at most once in ANSWER_PERIOD_NS. The stopped tracees must not wait until all threads of
 * the process are seized: there may be thousands, and threads that are seized already make new threads meanwhile. */
static void attach_answer_stops(struct attach_pass *pass)
{
    uint64_t now = time_now();

    if (now - pass->answered_at < ANSWER_PERIOD_NS)
        return;
    wait_drain(pass->tracer);
    pass->answered_at = now;
}

static int attach_thread(void *context, pid_t tid)
{
    struct attach_pass *pass = context;
    struct supervisor *supervisor = pass->tracer->supervisor;

    attach_answer_stops(pass);
    supervisor_lock(supervisor);
    struct process *process = attach_process_of(pass);
    bool known = supervisor_find(supervisor, tid) != NULL || (process != NULL && process_has_released(process, tid));
    if (known && process != NULL)
        /* an earlier thread with this number may have refused, and may still be in the list of such threads */
        untraced_remove(&supervisor->processes, process, tid);
    supervisor_unlock(supervisor);
    if (known)
        return 0;
    int refused = wakeup_seize(&pass->tracer->wakeup, tid, SEIZE_OPTIONS);
    bool mine = refused == -EAGAIN && attach_is_mine(pass->tracer, tid);
    if (mine)
        refused = 0;
    if (refused == -ESRCH)
        return 0;
    if (refused == -EAGAIN && pass->exec_seizures++ < EXEC_SEIZURES_MAX)
        return -EAGAIN;
    /* The exec has waited too long for another thread to end. Perhaps that thread has a tracer that does not reap it */
    bool busy = refused == -EAGAIN;
    if (busy)
        refused = -EBUSY;
    supervisor_lock(supervisor);
    int error = refused != 0 ? attach_note_refusal(pass, tid, refused) : attach_add(pass, tid, mine);
    supervisor_unlock(supervisor);
    /* a result other than 0 ends the pass: the exec will end the other threads */
    return error == 0 && busy ? -EBUSY : error;
}

static int attach_add_root(struct supervisor *supervisor, pid_t pid, bool launched)
{
    supervisor_lock(supervisor);
    struct process *process = process_add(&supervisor->processes, pid);
    if (process != NULL) {
        process->launching = launched;
        process->root = true;
    }
    supervisor_unlock(supervisor);
    return process == NULL ? -ENOMEM : 0;
}

static bool attach_has_process(const struct attach_pass *pass)
{
    struct supervisor *supervisor = pass->tracer->supervisor;

    supervisor_lock(supervisor);
    bool has = attach_process_of(pass) != NULL;
    supervisor_unlock(supervisor);
    return has;
}

static unsigned attach_count(const struct attach_pass *pass)
{
    struct supervisor *supervisor = pass->tracer->supervisor;

    supervisor_lock(supervisor);
    const struct process *process = attach_process_of(pass);
    unsigned count = process != NULL ? process->tracee_count : 0;
    supervisor_unlock(supervisor);
    return count;
}

/* Answers stops so that an exec under way can end. The exec may end all threads that we have seized. Returns 0 or
 * -errno. */
static int attach_let_exec(struct attach_pass *pass)
{
    wait_drain(pass->tracer);
    pass->interrupted = true;
    if (attach_has_process(pass))
        return 0;
    return pass->joins ? -ESRCH : attach_add_root(pass->tracer->supervisor, pass->pid, false);
}

static int attach_all(struct attach_pass *pass)
{
    bool again;

    do {
        pass->found = 0;
        int error = procfs_each_thread(pass->pid, attach_thread, pass);
        again = error == -EAGAIN;
        if (again)
            error = attach_let_exec(pass);
        if (error != 0)
            return error;
    } while (again || pass->found > 0);
    return 0;
}

/* Returns true if an exec under way may be the reason why no thread could be seized. When a thread other than the
 * leader execs, the leader dies before the thread takes the leader's number. In between, PTRACE_SEIZE fails with EPERM,
 * as if we had no permission. If the thread takes the number during a PTRACE_SEIZE, that one fails with ESRCH. */
static bool attach_may_be_amid_exec(const struct attach_pass *pass)
{
    bool nobody = pass->error == -EPERM || pass->error == 0;

    return attach_has_process(pass) && attach_count(pass) == 0 && nobody &&
           (kill(pass->pid, 0) == 0 || errno != ESRCH) && procfs_status_number(pass->pid, "TracerPid:") <= 0;
}

/* Begins to follow a process whose threads were seized. Returns how many of its threads could not be seized. */
static unsigned attach_begin(struct attach_pass *pass)
{
    struct supervisor *supervisor = pass->tracer->supervisor;
    struct process *process = attach_process_of(pass);

    baseline_take(supervisor, process);
    usage_begin(supervisor, process);
    emit_fork(supervisor, process->pid, 0);
    emit_process_comm(supervisor, process->pid);
    /* only our own tracees: others may already have been handed over to another tracer */
    for (struct tracee *tracee = process->tracees; tracee != NULL; tracee = tracee->process_next)
        if (tracee->tracer == pass->tracer)
            attach_announce(pass->tracer, tracee);
    tick_arm(pass->tracer);
    unsigned untraced = process->untraced != NULL ? pass->untraced : 0;
    supervisor->stats.untraced += untraced;
    return untraced;
}

/* Gives up a process: none of its threads could be seized, or all have ended. Returns the error for the client,
 * -errno. */
static int attach_give_up(struct attach_pass *pass, int error, struct attach_refusal *refusal)
{
    struct process *process = attach_process_of(pass);

    if (pass->error != 0) {
        error = pass->error;
        refusal->tid = pass->culprit;
    }
    if (process != NULL)
        process_remove(&pass->tracer->supervisor->processes, process);
    return error == 0 ? -ESRCH : error;
}

int attach_process(struct tracer *tracer, pid_t pid, bool launched, struct attach_refusal *refusal)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct attach_pass pass = {.tracer = tracer, .pid = pid, .answered_at = time_now()};

    *refusal = (struct attach_refusal){.tid = pid};
    if (attach_has_process(&pass))
        return 0;
    int error = attach_add_root(supervisor, pid, launched);
    if (error != 0)
        return error;
    error = attach_all(&pass);
    for (int i = 0; i < EXEC_WAITS && attach_may_be_amid_exec(&pass); i++) {
        usleep(EXEC_WAIT_US);
        pass.error = 0;
        error = attach_all(&pass);
    }
    supervisor_lock(supervisor);
    const struct process *process = attach_process_of(&pass);
    if (process != NULL && process->tracee_count > 0) {
        refusal->count = attach_begin(&pass);
        error = 0;
    } else if (process != NULL) {
        error = attach_give_up(&pass, error, refusal);
    }
    supervisor_unlock(supervisor);
    return error;
}

void attach_rest(struct tracer *tracer, pid_t pid)
{
    struct attach_pass pass = {.tracer = tracer, .pid = pid, .joins = true, .answered_at = time_now()};
    struct supervisor *supervisor = tracer->supervisor;

    attach_all(&pass);
    supervisor_lock(supervisor);
    supervisor->stats.untraced += pass.untraced;
    struct process *process = attach_process_of(&pass);
    if (process != NULL && process->tracee_count == 0) {
        process_report_end(supervisor, process, 0, -1);
        process_remove(&supervisor->processes, process);
    }
    tick_arm(tracer);
    supervisor_unlock(supervisor);
}

void attach_retry_refused(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    uint64_t began = time_now();
    pid_t pids[RETRY_PROCESSES_MAX];
    unsigned count = 0;

    if (supervisor->processes.untraced_count == 0 || began < supervisor->retry_at)
        return;
    supervisor_lock(supervisor);
    for (const struct process *process = supervisor->processes.first;
         process != NULL && count < RETRY_PROCESSES_MAX; process = process->next)
        if (process->untraced != NULL)
            pids[count++] = process->pid;
    supervisor_unlock(supervisor);
    for (unsigned i = 0; i < count; i++)
        attach_rest(tracer, pids[i]);
    uint64_t now = time_now();
    supervisor->retry_at = now + RETRY_NS + RETRY_PAUSE_FACTOR * (now - began);
}
