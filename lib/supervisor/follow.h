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
    pid_t tid;      /* if attach_process fails: the first thread that could not be seized, or pid */
    unsigned count; /* if attach_process succeeds: number of threads that could not be seized */
};
/* Called without the lock, by the tracer's own thread. Seizes the threads of process pid that may be traced, and
 * follows the process. Answers other stops meanwhile. launched: the client has just forked the process, and nothing
 * counts before its exec. Returns 0 if a thread was seized, or if the process is followed already. Otherwise returns
 * -errno: the error of the first thread that could not be seized, -ESRCH, -ENOMEM, or -EBUSY if an exec in the process
 * does not end. Always sets *refusal. */
int attach_process(struct tracer *tracer, pid_t pid, bool launched, struct attach_refusal *refusal);
/* Called without the lock. Tries again to seize the threads that could not be seized, unless supervisor->retry_at is
 * still to come. */
void attach_retry_refused(struct tracer *tracer);
/* Called without the lock, by the tracer's own thread. Seizes the threads of process pid that are not tracees yet. The
 * process must be in the table; it may have no tracees. If it has none afterwards, reports its end and removes it. */
void attach_rest(struct tracer *tracer, pid_t pid);
/* Called without the lock. Seizes one thread. Returns 0 or -errno; -EAGAIN: an exec under way prevented the seizure. */
int attach_seize(struct tracer *tracer, pid_t tid);

/* --- new-tasks.c --- */

/* Answers the first stop of a tracee whose process is known. kind: INTERRUPT or GROUP. */
void new_task_start(struct tracer *tracer, struct tracee *tracee, enum stop_kind kind);
/* Answers the stop of a tracee that has made a thread or a process. kind: FORK or CLONE. */
void new_task_answer_parent(struct tracer *tracer, struct tracee *parent, enum stop_kind kind);
/* Answers the stop of a task that is not a tracee. If this is its first stop, makes it an UNKNOWN tracee, which stays
 * stopped until its process is known. Otherwise, or if memory is short, resumes the task. Ignores the end of a task. */
void new_task_hold(struct tracer *tracer, pid_t tid, const struct stop *stop);
/* Adds a process that was made by a parent without a tracer, so that the process has no tracer either. parent_tid: the
 * thread that made the process. Returns false if children of the parent are not followed, or if memory is short. */
bool new_task_add_child(struct tracer *tracer, const struct process *parent, pid_t parent_tid, pid_t pid);
/* Takes one of the held (UNKNOWN) tasks, finds its process in /proc, and follows it: its parent may have died before it
 * could report the task. To be called again while unknown_count > 0. */
void new_task_resolve(struct tracer *tracer);

/* --- exec.c --- */

/* Answers the stop of an exec, which has ended every thread of the process but its caller. If options.follow is false,
 * reports the end of the process to the client, and detaches and frees the leader. The process is freed with its last
 * tracee. */
void exec_answer(struct tracer *tracer, struct tracee *leader);
/* Makes a tracee for the leader at the stop of an exec, if the former leader belonged to another tracer, or to none.
 * tid: thread id of the leader. Returns NULL if the caller of the exec is not known, or if memory is short. */
struct tracee *exec_new_leader(struct tracer *tracer, pid_t tid);
/* Follows an exec that the tracee made while it had no tracer. The tracee is the leader of its process. */
void exec_missed(struct tracer *tracer, struct tracee *tracee);

/* --- handover.c --- */

/* Cancels the decision to hand the tracee over, if there is one. */
void handover_withdraw(struct tracee *tracee);
/* Called without the lock, at a stop of our interrupt. Detaches the tracee, and sends it to the chosen tracer. Returns
 * false if the tracee has to stay. */
bool handover_release(struct tracer *tracer, struct tracee *tracee);
/* Returns true if this tracee is the leader of its process, and an untraced thread has taken the number of the leader
 * by an exec that no tracer saw. Reads /proc; returns false unless a thread of the process was handed over. */
bool handover_leader_is_replaced(const struct tracee *tracee);
/* Called by the tracee's tracer. If handover_leader_is_replaced, takes the tracee out of the table, makes it RELEASED,
 * and puts it into the same tracer's inbox. When the tracer reads its inbox, it seizes the thread that has the number
 * now. */
void handover_regain(struct tracee *tracee);

/* --- handover-take.c --- */

/* Called without the lock. Seizes a tracee that another tracer has detached for this one, and the tasks that the tracee
 * made meanwhile. */
void handover_take(struct tracer *tracer, struct tracee *tracee);
/* Called without the lock, by the tracer's own thread. Searches again for tasks that tracees made while they had no
 * tracer, once those tracees have stopped. Returns true if it has searched. */
bool handover_search_again(struct tracer *tracer);

/* --- handover-choice.c --- */

/* At a tick: chooses at most one running tracee that another tracer should trace. running: the `count` tracees that the
 * tick found running. Chooses none if options.follow is false. The reason: a tracee that is handed over may exec while
 * it has no tracer. Its new program could then be detached only at an interrupt, which may break a call. */
void handover_choose(struct tracer *tracer, struct tracee *const running[], unsigned count);

/* --- tracee-end.c --- */

/* time after the making or the handover of a task in which its end may be missed, ns */
#define UNREPORTED_ENDS_NS 10000000000u
/* Detaches a stopped tracee for good, and forgets it. */
void tracee_detach(struct tracer *tracer, struct tracee *tracee);
/* Frees the tracee. If it is the last one of its process, frees the process, too. Before that, reports the end of the
 * process unless it was reported before. */
void tracee_forget(struct tracer *tracer, struct tracee *tracee);
/* Forgets a tracee at once if it belongs to `tracer`, else has its own tracer do so. */
void tracee_drop(struct tracer *tracer, struct tracee *tracee);
/* Reports the end of a tracee, and forgets it. cpu_ns: if the process ends with the tracee, CPU time of the process,
 * ns. status: of wait(2); -1: not known. */
void tracee_answer_end(struct tracer *tracer, struct tracee *tracee, uint64_t cpu_ns, int status);
/* Reports the end of the process to the client, which may be waiting for it. Later calls do nothing. cpu_ns: CPU time
 * that the process used while it was sampled, ns. status: of wait(2); -1: not known. */
void process_report_end(struct supervisor *supervisor, struct process *process, uint64_t cpu_ns, int status);
/* Reads the last CPU time of a tracee that has ended. If the process ends with it, returns the CPU time of the process,
 * ns; otherwise 0. tracee may be NULL. To be called before the tracee is reaped. */
uint64_t tracee_last_cpu(const struct supervisor *supervisor, struct tracee *tracee);
/* Reports the end of the process to the client, unlists the process, and frees its tracees. Tracees of other tracers
 * are dropped, and freed by those tracers. The process is freed with its last tracee. */
void process_forget(struct tracer *tracer, struct process *process);
/* To be called when a task was made or handed over. For UNREPORTED_ENDS_NS the end of this task may be missed, so
 * housekeeping.c looks for ended processes every 0.5 s. */
void process_expect_unreported_ends(struct supervisor *supervisor);

#endif
