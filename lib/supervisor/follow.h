/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* follow: seizes threads, follows the tasks that they make and the programs that they execute, hands them over between
 * our tracers, and forgets them. Functions need the supervisor's lock unless their comments say "without the lock". */
#ifndef PPROFIL_FOLLOW_H
#define PPROFIL_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/stop.h"

struct process;
struct supervisor;
struct tracee;
struct tracer;

/* --- attach.c --- */

struct attach_refusal {
    pid_t tid;      /* if attach_process fails: the first thread that could not be seized; if none is known, pid */
    unsigned count; /* if attach_process succeeds: how many threads could not be seized */
};
/* Called without the lock, by the tracer's own thread. Seizes those threads of process `pid` that we may trace, and
 * follows the process. Meanwhile answers stops of other tracees. launched: the client has forked the process to launch
 * a program; the process is not sampled until it executes that program. Returns 0 if a thread was seized, or if the
 * process is followed already. Otherwise returns -errno: the error of the first thread that could not be seized,
 * -ESRCH, -ENOMEM, or -EBUSY if an exec in the process does not end. Always sets *refusal. */
int attach_process(struct tracer *tracer, pid_t pid, bool launched, struct attach_refusal *refusal);
/* Called without the lock. Tries again to seize threads that could not be seized before. Does nothing until
 * supervisor->retry_at. */
void attach_retry_refused(struct tracer *tracer);
/* Called without the lock, by the tracer's own thread. Seizes those threads of process `pid` that are not tracees yet.
 * The process must be in the table, but need not have tracees. If it has no tracee afterwards, reports its end and
 * removes it. */
void attach_rest(struct tracer *tracer, pid_t pid);
/* Called without the lock. Seizes one thread. Returns 0 or -errno; -EAGAIN: the thread could not be seized because of
 * an exec under way. */
int attach_seize(struct tracer *tracer, pid_t tid);

/* --- new-tasks.c --- */

/* Answers the first stop of a tracee whose process is known. kind: kind of the stop, INTERRUPT or GROUP. */
void new_task_start(struct tracer *tracer, struct tracee *tracee, enum stop_kind kind);
/* Answers the stop by which a tracee reports that it has made a thread or a process. kind: kind of the stop, FORK or
 * CLONE. */
void new_task_answer_parent(struct tracer *tracer, struct tracee *parent, enum stop_kind kind);
/* Answers the stop of a task that is not a tracee. If this is the first stop of the task, makes the task an UNKNOWN
 * tracee, which stays stopped until its process is known. If it is a later stop, or if memory is short, resumes the
 * task. Ignores the end of a task. */
void new_task_hold(struct tracer *tracer, pid_t tid, const struct stop *stop);
/* Adds a process that has no tracer, because its parent had no tracer when it made the process. parent_tid: the
 * parent's thread that made the process. Returns false if children of the parent are not followed, or if memory is
 * short. */
bool new_task_add_child(struct tracer *tracer, const struct process *parent, pid_t parent_tid, pid_t pid);
/* Takes one of the UNKNOWN tracees, finds its process in /proc, and follows it. This is needed because the parent of
 * that tracee may have died before it could report the tracee. To be called again while unknown_count > 0. */
void new_task_resolve(struct tracer *tracer);

/* --- exec.c --- */

/* Answers the stop of an exec. The exec has ended all threads of the process except the one that called execve, which
 * is the leader now. If options.follow is false, reports the end of the process to the client, and detaches and frees
 * the leader. The process is freed with its last tracee. */
void exec_answer(struct tracer *tracer, struct tracee *leader);
/* To be called at the stop of an exec if we have no tracee with the number of the leader, because the former leader
 * belonged to another tracer, or to none. Makes a tracee for the leader. tid: thread id of the leader. Returns NULL if
 * we do not know the thread that called execve, or if memory is short. */
struct tracee *exec_new_leader(struct tracer *tracer, pid_t tid);
/* Follows an exec that no tracer saw, because the tracee made it while it had no tracer. The tracee is the leader of
 * its process. */
void exec_missed(struct tracer *tracer, struct tracee *tracee);

/* --- handover.c --- */

/* Cancels a decision to hand the tracee over. */
void handover_withdraw(struct tracee *tracee);
/* Called without the lock, when the tracee has stopped for our interrupt. Detaches the tracee, and sends it to the
 * tracer that was chosen for it. Returns false if the tracee has to stay. */
bool handover_release(struct tracer *tracer, struct tracee *tracee);
/* Returns true if this tracee is the leader of its process, and another thread has taken its number by an exec that no
 * tracer saw. Reads /proc, but only if a thread of the process was handed over before. */
bool handover_leader_is_replaced(const struct tracee *tracee);
/* Called by the tracee's tracer. Does nothing unless handover_leader_is_replaced returns true. Takes the tracee out of
 * the table, makes it RELEASED, and puts it into the inbox of the same tracer. When the tracer reads its inbox, it
 * seizes the thread that now has the tracee's number. */
void handover_regain(struct tracee *tracee);

/* --- handover-take.c --- */

/* Called without the lock. Seizes a tracee that another tracer has detached and handed over to `tracer`. Also seizes
 * the tasks that the tracee has made while it had no tracer. */
void handover_take(struct tracer *tracer, struct tracee *tracee);
/* Called without the lock, by the tracer's own thread. Tracees may have made tasks while they had no tracer. When such
 * a tracee has stopped once, searches again for these tasks. Returns true if it has searched. */
bool handover_search_again(struct tracer *tracer);

/* --- handover-choice.c --- */

/* At a tick: chooses at most one running tracee that another tracer should trace. running: the `count` tracees that the
 * tick found running. Chooses none if options.follow is false: a tracee may exec during its handover, while it has no
 * tracer. Then we would have to detach the new program. For this we would have to interrupt it, which may break a
 * system call. Chooses none if options.usage is true: nobody can read what a thread has used that ends without a
 * tracer. */
void handover_choose(struct tracer *tracer, struct tracee *const running[], unsigned count);

/* --- tracee-end.c --- */

/* After a task was made or handed over, we may miss its end for this time, ns */
#define UNREPORTED_ENDS_NS 10000000000u
/* Detaches a stopped tracee, which will not be traced again, and forgets it. */
void tracee_detach(struct tracer *tracer, struct tracee *tracee);
/* Frees the tracee. If it is the last tracee of its process, also frees the process. Before that, reports the end of
 * the process to the client, unless this was done before. */
void tracee_forget(struct tracer *tracer, struct tracee *tracee);
/* If the tracee belongs to `tracer`, forgets it. Otherwise makes the tracee's own tracer forget it, a little later. */
void tracee_drop(struct tracer *tracer, struct tracee *tracee);
/* Reports the end of a tracee to the client, and forgets the tracee. If the process ends with it, reports the end of
 * the process. cpu_ns: what tracee_last_cpu returned. status: what wait(2) returned as the status; -1: not known. */
void tracee_answer_end(struct tracer *tracer, struct tracee *tracee, uint64_t cpu_ns, int status);
/* Reports the end of the process to the client, which may be waiting for it. Does nothing if the end was reported
 * before. cpu_ns: CPU time that the process used while it was sampled, ns. status: what wait(2) returned as the status;
 * -1: not known. */
void process_report_end(struct supervisor *supervisor, struct process *process, uint64_t cpu_ns, int status);
/* To be called when a tracee has ended, before it is reaped. Reads its CPU time for the last time. If the process ends
 * with the tracee, returns the CPU time that the process used while it was sampled, ns; otherwise 0. `tracee` may be
 * NULL. */
uint64_t tracee_last_cpu(const struct supervisor *supervisor, struct tracee *tracee);
/* Reports the end of the process to the client, takes the process out of the table, and frees its tracees. Tracees of
 * other tracers are only marked as dropped, and those tracers free them. The process is freed with its last tracee. */
void process_forget(struct tracer *tracer, struct process *process);
/* To be called when a task was made or handed over. If it ends within UNREPORTED_ENDS_NS, we may see no stop of it. So
 * for this time, housekeeping.c searches every 0.5 s for processes that have ended. */
void process_expect_unreported_ends(struct supervisor *supervisor);

#endif
