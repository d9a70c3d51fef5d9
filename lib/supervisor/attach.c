/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Getting hold of a process: PTRACE_SEIZE on every thread, which stops none of them. Threads
 * born of seized ones come to us by themselves, so a pass over /proc/PID/task that finds
 * nothing new has them all.
 */
#include "config.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "supervisor/supervisor.h"

/* No PTRACE_O_EXITKILL: when we end, however we end, the target goes on untraced. */
#define EXEC_WAITS 20
#define EXEC_WAIT_US 1000
#define SEIZE_OPTIONS                                                                             \
    (PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC)

struct pass {
    struct supervisor *supervisor;
    struct process *process;
    unsigned found;
    int error;
    pid_t culprit;
};

static int seize(void *context, pid_t tid)
{
    struct pass *pass = context;
    struct tracees *tracees = &pass->supervisor->tracees;

    if (tracee_find(tracees, tid) != NULL || tid == pass->culprit)
        return 0;
    if (ptrace(PTRACE_SEIZE, tid, NULL, (long)SEIZE_OPTIONS) < 0) {
        if (errno != ESRCH) {
            pass->error = -errno;
            pass->culprit = tid;
        }
        return 0;
    }
    struct tracee *tracee = tracee_add(tracees, pass->process, tid);
    if (tracee == NULL)
        return -ENOMEM;
    tracee->state = TRACEE_RUNNING;
    pass->found++;
    return 0;
}

void attach_baseline(struct process *process)
{
    struct procfs_cpu cpu;

    process->clock_base = 0;
    process->clock_base = process_cpu(process);
    for (struct tracee *tracee = process->tracees; tracee != NULL;
         tracee = tracee->process_next) {
        tracee_read_cpu(tracee, &cpu);
        tracee->cpu_base = tracee->cpu_ns;
        tracee->attributed_ns = 0;
        tracee->pending_ns = 0;
    }
    process->explained_ns = 0;
    process->unexplained_ns = 0;
    process->scan = NULL;
}

static void introduce(struct supervisor *supervisor, struct process *process)
{
    uint64_t now = time_now();

    tell_fork(supervisor, process->pid, 0);
    for (struct tracee *tracee = process->tracees; tracee != NULL;
         tracee = tracee->process_next) {
        struct procfs_state state;
        if (tracee->tid != process->pid)
            tell_task(supervisor, WIRE_THREAD, process->pid, tracee->tid);
        else
            tell_comm(supervisor, tracee);
        tracee->wall_at = now;
        procfs_look(&tracee->files, &state);
        if (state.doing == PROCFS_RUNNING)
            tracee_heat(&supervisor->tracees, tracee, now);
    }
}

static int seize_all(struct pass *pass, pid_t pid)
{
    int error;

    do {
        pass->found = 0;
        error = procfs_each_thread(pid, seize, pass);
    } while (error == 0 && pass->found > 0);
    return error;
}

/* While a thread that does not lead its process execs there is nobody to seize: the leader is
 * dead already, and the thread has not taken its place yet. It looks like a refusal. */
static bool may_be_amid_exec(const struct pass *pass, pid_t pid)
{
    return pass->process->tracee_count == 0 && pass->error == -EPERM &&
           procfs_status_number(pid, "TracerPid:") == 0;
}

int attach_process(struct supervisor *supervisor, pid_t pid, bool launched, pid_t *culprit)
{
    struct pass pass = {.supervisor = supervisor};
    int error;

    *culprit = pid;
    if (process_find(&supervisor->tracees, pid) != NULL)
        return 0;
    pass.process = process_add(&supervisor->tracees, pid);
    if (pass.process == NULL)
        return -ENOMEM;
    pass.process->launching = launched;
    pass.process->root = true;
    error = seize_all(&pass, pid);
    for (int i = 0; i < EXEC_WAITS && may_be_amid_exec(&pass, pid); i++) {
        usleep(EXEC_WAIT_US);
        pass.culprit = 0;
        error = seize_all(&pass, pid);
    }
    if (pass.process->tracee_count == 0) {
        if (pass.error != 0) {
            error = pass.error;
            *culprit = pass.culprit;
        }
        process_remove(&supervisor->tracees, pass.process);
        return error == 0 ? -ESRCH : error;
    }
    attach_baseline(pass.process);
    introduce(supervisor, pass.process);
    sampler_arm(supervisor);
    return 0;
}
