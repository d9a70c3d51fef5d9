/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers execs: follows the new program, and forgets the old one, except its CPU time. */
#include "config.h"

#include <stdatomic.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "supervisor/accounting.h"
#include "supervisor/cpu-time.h"
#include "supervisor/debug-log.h"
#include "supervisor/emit.h"
#include "supervisor/follow.h"
#include "supervisor/proc/maps.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/python/python.h"
#include "supervisor/repair.h"
#include "supervisor/stop.h"
#include "supervisor/supervisor.h"
#include "supervisor/tick.h"
#include "supervisor/usage.h"
#include "wire/wire.h"

/* Drops all tracees of the process except the leader. At an exec, the kernel ends all threads except the one that
 * called execve, and gives this thread the number of the leader: execve(2), "Effect on process attributes"; ptrace(2),
 * "execve(2) under ptrace". */
static void exec_drop_others(struct tracer *tracer, const struct tracee *leader)
{
    struct tracee *next;

    for (struct tracee *tracee = leader->process->tracees; tracee != NULL; tracee = next) {
        next = tracee->process_next;
        if (tracee != leader)
            tracee_drop(tracer, tracee);
    }
}

/* Copies the figures of the thread that called execve (CPU time, samples, waits) to the leader's tracee. The caller
 * lives on with the leader's number, and its CPU time continues. If the caller was interrupted during the exec, the
 * stop of the exec counts as the stop of that interrupt. */
static void exec_become_leader(struct tracee *leader, const struct tracee *caller)
{
    leader->time.used_ns = caller->time.used_ns;
    leader->time.base_ns = caller->time.base_ns;
    leader->time.attributed_ns = caller->time.attributed_ns;
    leader->time.samples = caller->time.samples;
    leader->interrupt = caller->interrupt;
    usage_become_leader(leader, caller);
    leader->sleep.wall.wait_ns = caller->sleep.wall.wait_ns;
}

static void exec_forget_image(struct tracee *leader)
{
    struct process *process = leader->process;

    leader->handover.away_since = 0;
    maps_close(&process->maps);
    python_forget_image(process);
    atomic_store(&process->has_go, false);
    process->program_at = time_now();
    procfs_task_close(&leader->files);
    leader->files.coarse = leader->files.multithreaded = leader->files.may_exec = false;
    leader->comm.text[0] = '\0';
    leader->sleep.turns = leader->sleep.kernel_stack.turns = leader->sleep.wait.turns = 0;
    leader->sleep.stack_turns = leader->library_stack_end = 0;
    leader->sleep.long_epoll = 0;
    held_signal_send(leader, process->pid);
    /* Forgets all repairs except `held`, which is still needed if we held a signal and have sent it again: that signal
     * must get its original siginfo_t */
    leader->repair = (struct repair){.held = leader->repair.held};
    process->memory_tid = process->pid;
    process->search.next = NULL;
}

struct tracee *exec_new_leader(struct tracer *tracer, pid_t tid)
{
    unsigned long former = 0;

    ptrace(PTRACE_GETEVENTMSG, tid, NULL, &former);
    const struct tracee *caller = tracee_find(&tracer->tracees, (pid_t)former);
    if (caller == NULL || caller->process == NULL || caller->process->pid != tid)
        return NULL;
    struct tracee *leader = tracee_add(&tracer->tracees, caller->process, tid);
    if (leader == NULL)
        return NULL;
    leader->state = TRACEE_RUNNING;
    debug_log(tracer, "leader %d %d", tid, caller->tid);
    return leader;
}

/* Stops following the process, because options.follow excludes its new program. We may detach the leader at this stop,
 * because our stops do not break the call in which it is, execve(2). */
static void exec_let_go(struct tracer *tracer, struct tracee *leader)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct process *process = leader->process;

    usage_read_alive(supervisor, process);
    process_report_end(supervisor, process, process_cpu_counted(process, supervisor->sampling), -1);
    emit_wake(supervisor);
    tracee_detach(tracer, leader);
}

/* Begins to sample the new program. */
static void exec_begin(struct tracer *tracer, struct tracee *leader)
{
    uint64_t now = time_now();

    tracee_begin_wall(leader, now);
    tracee_deactivate(&tracer->tracees, leader);
    tracee_activate(&tracer->tracees, leader, now);
    emit_comm(tracer->supervisor, leader);
    tick_arm(tracer);
}

void exec_answer(struct tracer *tracer, struct tracee *leader)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct process *process = leader->process;
    unsigned long former = 0;

    /* PTRACE calls for the leader fail until the stop of the exec has been reaped: looks_like_a_spurious_pid in
     * kernel/ptrace.c */
    waitpid(leader->tid, NULL, __WALL | __WNOTHREAD | WNOHANG);
    ptrace(PTRACE_GETEVENTMSG, leader->tid, NULL, &former);
    const struct tracee *caller = tracee_find(&tracer->tracees, (pid_t)former);
    if (caller != NULL && caller != leader && caller->process == process)
        exec_become_leader(leader, caller);
    exec_drop_others(tracer, leader);
    untraced_clear(&supervisor->processes, process);
    exec_forget_image(leader);
    handover_withdraw(leader); /* a handover that was decided for the former program does not take place */
    if (process->launching) {
        process->launching = false;
        baseline_take(supervisor, process);
        usage_begin(supervisor, process);
        if (supervisor->sampling)
            supervisor->started_at = time_now();
    } else if (!supervisor->options.follow) {
        exec_let_go(tracer, leader);
        return;
    }
    emit_task(supervisor, WIRE_EXEC, process->pid, (pid_t)former);
    at_stop_answer(tracer, leader, 0, STOP_BY_TRACEE);
    exec_begin(tracer, leader);
}

/* The thread that called execve has taken over the tracee's number. If the tracee's figures (CPU time, waits, samples)
 * belong to the thread that had this number before, sets them to 0. This is so if handover_regain has set
 * handover.exec_id to 0, or if the times that the kernel reports are lower than the tracee's. */
static void exec_forget_figures(struct tracee *tracee)
{
    struct procfs_cpu cpu;

    if (procfs_read_cpu(&tracee->files, &cpu) != 0)
        return;
    if (tracee->handover.exec_id != 0 && cpu.run_ns >= tracee->time.used_ns &&
        cpu.wait_ns >= tracee->sleep.wall.wait_ns)
        return;
    tracee->time.used_ns = tracee->time.base_ns = tracee->time.attributed_ns = 0;
    tracee->interrupt.wait_ns = tracee->sleep.wall.wait_ns = tracee->interrupt.run_ns = 0;
    tracee->look.ran_ns = tracee->look.waited_ns = 0;
    tracee->time.samples = tracee->comm.samples = tracee->comm.check_at = 0;
}

/* Reports only the exec (WIRE_EXEC) to the client: it implies that the other threads have ended. */
void exec_missed(struct tracer *tracer, struct tracee *tracee)
{
    struct process *process = tracee->process;

    exec_drop_others(tracer, tracee);
    untraced_clear(&tracer->supervisor->processes, process);
    process->usage.incomplete = true;
    exec_forget_image(tracee);
    exec_forget_figures(tracee);
    emit_task(tracer->supervisor, WIRE_EXEC, process->pid, process->pid);
    exec_begin(tracer, tracee);
}
