/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Getting hold of a process: PTRACE_SEIZE on every thread, which stops none of them. Threads
 * born of seized ones come to us by themselves, so a pass over /proc/PID/task that finds
 * nothing new has them all.
 *
 * Some threads of a process may refuse: those that another traces, or that have other rights
 * (the raw setresuid changes one thread's). The others are followed all the same. Those that
 * refused are asked again now and then, for their tracer may have left them, and what they give
 * birth to does not come to us.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <unistd.h>

#include "supervisor/supervisor.h"

#define PATIENCE_US 10000
#define EXEC_WAITS 20
#define EXEC_WAIT_US 1000
#define LOOK_AGAIN_NS 1000000000u
#define LOOK_AGAIN_PAUSE_FACTOR 50u /* the pause after a look is so many times as long as the look */
/* No PTRACE_O_EXITKILL: when we end, however we end, the target goes on untraced. */
#define SEIZE_OPTIONS                                                                             \
    (PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |          \
     PTRACE_O_TRACESYSGOOD)

struct pass {
    struct supervisor *supervisor;
    struct process *process;
    bool late;        /* the process was followed before */
    bool interrupted; /* by an exec: tracees and processes may have gone */
    unsigned found;
    unsigned untraced; /* threads that were not known to refuse */
    int error;         /* of the first that refused */
    pid_t culprit;
};

static sigjmp_buf out_of_patience;

static void give_up(int signal)
{
    (void)signal;
    siglongjmp(out_of_patience, 1);
}

void attach_prepare(void)
{
    struct sigaction action = {.sa_handler = give_up};

    sigaction(SIGALRM, &action, NULL);
}

/* PTRACE_SEIZE waits while another thread of the process execs, and that waits for us to take the
 * ends of those seized already; a signal only makes it begin to wait anew. 0 or -errno; -EAGAIN:
 * it would have waited for long. */
static int seize_soon(pid_t tid)
{
    const struct itimerval patience = {.it_value.tv_usec = PATIENCE_US,
                                       .it_interval.tv_usec = PATIENCE_US};
    const struct itimerval none = {0};
    volatile int error = -EAGAIN;
    sigset_t alarm;

    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    if (sigsetjmp(out_of_patience, 1) == 0) {
        setitimer(ITIMER_REAL, &patience, NULL);
        sigprocmask(SIG_UNBLOCK, &alarm, NULL);
        error = ptrace(PTRACE_SEIZE, tid, NULL, (long)SEIZE_OPTIONS) < 0 ? -errno : 0;
        sigprocmask(SIG_BLOCK, &alarm, NULL);
    }
    setitimer(ITIMER_REAL, &none, NULL);
    return error;
}

static void baseline(struct tracee *tracee)
{
    struct procfs_cpu cpu;

    if (procfs_read_cpu(&tracee->files, &cpu) == 0)
        tracee->cpu_ns = cpu.run_ns;
    tracee->cpu_base = tracee->cpu_ns;
    tracee->attributed_ns = 0;
    tracee->pending_ns = tracee->overdue_ns = 0;
}

void attach_baseline(struct supervisor *supervisor, struct process *process)
{
    process->clock_base = 0;
    process->clock_base = process_cpu(process);
    for (struct tracee *tracee = process->tracees; tracee != NULL; tracee = tracee->process_next)
        baseline(tracee);
    untraced_read(&supervisor->tracees, process);
    process->untraced_ns = 0;
    process->attributed_ns = 0;
    process->explained_ns = 0;
    process->unexplained_ns = 0;
    process->scan = NULL;
}

static void attach_announce(struct supervisor *supervisor, struct tracee *tracee)
{
    pid_t pid = tracee->process->pid;
    uint64_t now = time_now();
    struct procfs_state state;

    if (tracee->tid != pid)
        emit_task(supervisor, WIRE_THREAD, pid, tracee->tid);
    tracee->wall_at = now;
    procfs_look(&tracee->files, &state);
    if (state.doing == PROCFS_RUNNING)
        tracee_activate(&supervisor->tracees, tracee, now);
}

static bool is_traced_by_us(pid_t tid)
{
    return procfs_status_number(tid, "TracerPid:") == (long)getpid();
}

/* A thread that one of ours has just made is ours already, and says EPERM too; so does one that
 * has ended. */
static int note_refusal(struct pass *pass, pid_t tid, int error)
{
    struct tracees *tracees = &pass->supervisor->tracees;
    struct process *process = pass->process;
    bool known = untraced_knows(process, tid);

    if (!known && is_traced_by_us(tid))
        return 0;
    if (pass->error == 0) {
        pass->error = error;
        pass->culprit = tid;
    }
    if (known || procfs_has_ended(process->pid, tid))
        return 0;
    pass->untraced++;
    return untraced_add(tracees, process, tid);
}

static int seize(void *context, pid_t tid)
{
    struct pass *pass = context;
    struct tracees *tracees = &pass->supervisor->tracees;

    if (tracee_find(tracees, tid) != NULL) {
        untraced_remove(tracees, pass->process, tid); /* an earlier bearer of this number */
        return 0;
    }
    int refused = seize_soon(tid);
    /* PTRACE_SEIZE may have succeeded just before the alarm; or a tracee of ours made the thread */
    bool late_alarm = refused == -EAGAIN && is_traced_by_us(tid);
    if (late_alarm)
        refused = 0;
    if (refused == -EAGAIN || refused == -ESRCH)
        return refused == -EAGAIN ? -EAGAIN : 0;
    if (refused != 0)
        return note_refusal(pass, tid, refused);
    untraced_remove(tracees, pass->process, tid);
    struct tracee *tracee = tracee_add(tracees, pass->process, tid);
    if (tracee == NULL)
        return -ENOMEM;
    tracee->state = TRACEE_RUNNING;
    tracee->early = late_alarm;
    pass->found++;
    if (pass->late) {
        baseline(tracee);
        attach_announce(pass->supervisor, tracee);
    }
    return 0;
}

static struct process *add_root(struct supervisor *supervisor, pid_t pid, bool launched)
{
    struct process *process = process_add(&supervisor->tracees, pid);

    if (process == NULL)
        return NULL;
    process->launching = launched;
    process->root = true;
    return process;
}

/* Lets an exec under way come to its end, which may leave none of those that we had. */
static int let_exec(struct pass *pass, pid_t pid)
{
    wait_drain(pass->supervisor);
    pass->interrupted = true;
    pass->process = process_find(&pass->supervisor->tracees, pid);
    if (pass->process == NULL && pass->late)
        return -ESRCH;
    if (pass->process == NULL)
        pass->process = add_root(pass->supervisor, pid, false);
    return pass->process == NULL ? -ENOMEM : 0;
}

static int seize_all(struct pass *pass, pid_t pid)
{
    bool again;

    do {
        pass->found = 0;
        int error = procfs_each_thread(pid, seize, pass);
        again = error == -EAGAIN;
        if (again)
            error = let_exec(pass, pid);
        if (error != 0)
            return error;
    } while (again || pass->found > 0);
    return 0;
}

/* While a thread that does not lead its process execs there is nobody to seize: the leader is
 * dead already, and the thread has not taken its place yet. It looks like a refusal, or, where the
 * thread takes that place while its number is looked up, as if there were no such process. */
static bool may_be_amid_exec(const struct pass *pass, pid_t pid)
{
    bool nobody = pass->error == -EPERM || pass->error == 0;

    return pass->process != NULL && pass->process->tracee_count == 0 && nobody &&
           (kill(pid, 0) == 0 || errno != ESRCH) && procfs_status_number(pid, "TracerPid:") <= 0;
}

/* Follows what was seized. Returns how many threads were not. */
static unsigned begin(struct pass *pass)
{
    struct supervisor *supervisor = pass->supervisor;
    struct process *process = pass->process;

    attach_baseline(supervisor, process);
    emit_fork(supervisor, process->pid, 0);
    emit_process_comm(supervisor, process->pid);
    for (struct tracee *tracee = process->tracees; tracee != NULL; tracee = tracee->process_next)
        attach_announce(supervisor, tracee);
    tick_arm(supervisor);
    unsigned untraced = process->untraced != NULL ? pass->untraced : 0;
    supervisor->stats.untraced += untraced;
    return untraced;
}

int attach_process(struct supervisor *supervisor, pid_t pid, bool launched,
                   struct attach_refusal *refusal)
{
    struct pass pass = {.supervisor = supervisor};
    int error;

    *refusal = (struct attach_refusal){.tid = pid};
    if (process_find(&supervisor->tracees, pid) != NULL)
        return 0;
    pass.process = add_root(supervisor, pid, launched);
    if (pass.process == NULL)
        return -ENOMEM;
    error = seize_all(&pass, pid);
    for (int i = 0; i < EXEC_WAITS && may_be_amid_exec(&pass, pid); i++) {
        usleep(EXEC_WAIT_US);
        pass.error = 0;
        error = seize_all(&pass, pid);
    }
    if (pass.process == NULL)
        return error;
    if (pass.process->tracee_count == 0) {
        if (pass.error != 0) {
            error = pass.error;
            refusal->tid = pass.culprit;
        }
        process_remove(&supervisor->tracees, pass.process);
        return error == 0 ? -ESRCH : error;
    }
    refusal->count = begin(&pass);
    return 0;
}

void attach_look_again(struct supervisor *supervisor)
{
    uint64_t began = time_now();

    if (supervisor->tracees.untraced_count == 0 || began < supervisor->look_again_at)
        return;
    for (struct process *process = supervisor->tracees.processes; process != NULL;
         process = process->next) {
        struct pass pass = {.supervisor = supervisor, .process = process, .late = true};
        if (process->untraced == NULL)
            continue;
        seize_all(&pass, process->pid);
        supervisor->stats.untraced += pass.untraced;
        if (pass.interrupted)
            break; /* the process may be gone */
    }
    tick_arm(supervisor);
    uint64_t now = time_now();
    supervisor->look_again_at = now + LOOK_AGAIN_NS + LOOK_AGAIN_PAUSE_FACTOR * (now - began);
}
