/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A process runs a new image: what was known of the old one is forgotten, but for its CPU time. */
#include "config.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

#include "supervisor/supervisor.h"

/* Only the caller survives an exec, under the leader's number: execve(2), "Effect on
 * process attributes"; ptrace(2), "execve(2) under ptrace". */
static void drop_other_threads(struct supervisor *supervisor, const struct tracee *leader)
{
    struct tracee *next;

    for (struct tracee *tracee = leader->process->tracees; tracee != NULL; tracee = next) {
        next = tracee->process_next;
        if (tracee != leader)
            tracee_remove(&supervisor->tracees, tracee);
    }
}

/* The caller's clock runs on, and an interrupt that met it in the call has its stop here. */
static void become_leader(struct tracee *leader, const struct tracee *caller)
{
    leader->cpu_ns = caller->cpu_ns;
    leader->cpu_base = caller->cpu_base;
    leader->attributed_ns = caller->attributed_ns;
    leader->samples = caller->samples;
    leader->interrupted_at = caller->interrupted_at;
    leader->hindered_at = caller->hindered_at;
    leader->pending_ns = caller->pending_ns;
    leader->overdue_ns = caller->overdue_ns;
    leader->wait_ns = caller->wait_ns;
    leader->run_ns = caller->run_ns;
}

static void forget_image(struct tracee *leader)
{
    struct process *process = leader->process;

    maps_close(&process->maps);
    procfs_task_close(&leader->files);
    leader->files.coarse = leader->files.accompanied = false;
    leader->comm[0] = '\0';
    process->memory_tid = process->pid;
    process->scan = NULL;
}

struct tracee *exec_new_leader(struct supervisor *supervisor, pid_t tid)
{
    unsigned long former = 0;

    ptrace(PTRACE_GETEVENTMSG, tid, NULL, &former);
    const struct tracee *caller = tracee_find(&supervisor->tracees, (pid_t)former);
    if (caller == NULL || caller->process == NULL || caller->process->pid != tid)
        return NULL;
    struct tracee *leader = tracee_add(&supervisor->tracees, caller->process, tid);
    if (leader != NULL)
        leader->state = TRACEE_RUNNING;
    return leader;
}

void exec_answer(struct supervisor *supervisor, struct tracee *leader)
{
    struct process *process = leader->process;
    unsigned long former = 0;

    /* before that it obeys nobody: looks_like_a_spurious_pid in kernel/ptrace.c */
    waitpid(leader->tid, NULL, __WALL | WNOHANG);
    ptrace(PTRACE_GETEVENTMSG, leader->tid, NULL, &former);
    const struct tracee *caller = tracee_find(&supervisor->tracees, (pid_t)former);
    if (caller != NULL && caller != leader && caller->process == process)
        become_leader(leader, caller);
    drop_other_threads(supervisor, leader);
    untraced_clear(&supervisor->tracees, process);
    forget_image(leader);
    if (process->launching) {
        process->launching = false;
        attach_baseline(supervisor, process);
        if (supervisor->sampling)
            supervisor->started_at = time_now();
    } else if (!supervisor->options.follow) {
        uint64_t cpu = process_cpu_counted(process, supervisor->sampling);
        supervisor->ended_cpu_ns += cpu;
        emit_exit(supervisor, process->pid, process->pid, cpu, -1);
        emit_wake(supervisor);
        wait_detach(supervisor, leader);
        return;
    }
    emit_task(supervisor, WIRE_EXEC, process->pid, (pid_t)former);
    at_stop_answer(supervisor, leader, 0, STOP_IS_ITS_OWN);
    uint64_t now = time_now();
    leader->wall_at = now;
    tracee_deactivate(&supervisor->tracees, leader);
    tracee_activate(&supervisor->tracees, leader, now);
    emit_comm(supervisor, leader);
    tick_arm(supervisor);
}
