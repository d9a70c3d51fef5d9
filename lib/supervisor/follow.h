/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* follow: which threads are traced, and by which of our tracers: how threads are seized, what they make, what they
 * execute, and how that ends. Functions need the supervisor's lock unless they say "without the lock". */
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
    pid_t tid;      /* where attach_process fails: the thread that refused */
    unsigned count; /* where it succeeds: number of threads that refused */
};
/* Without the lock, by the tracer's own thread. Seizes the threads of process pid that may be traced, and follows the
 * process; answers other stops meanwhile. launched: it is our own child, and nothing counts before its exec. Returns 0
 * if a thread was seized, or if the process is followed already. Else returns -errno: the error of the first thread
 * that refused, -ESRCH, -ENOMEM, or -EBUSY where an exec in the process does not end. *refusal is always set: tid is
 * the thread that refused first, or pid; count is how many threads refused. */
int attach_process(struct tracer *tracer, pid_t pid, bool launched, struct attach_refusal *refusal);
/* Without the lock. Tries once more to seize the threads that refused, where it is time for that. */
void attach_retry_refused(struct tracer *tracer);
/* Without the lock, by the tracer's own thread. Seizes the threads of process pid that are not tracees yet. The process
 * must be in the table; it may have no tracees. If it has none afterwards, its end is reported and it is removed. */
void attach_rest(struct tracer *tracer, pid_t pid);
/* Without the lock. Seizes one thread. Returns 0 or -errno; -EAGAIN: an exec under way has prevented that. */
int attach_seize(struct tracer *tracer, pid_t tid);
/* Returns true if one of our tracers traces the thread. */
bool attach_is_ours(const struct supervisor *supervisor, pid_t tid);

/* --- new-tasks.c --- */

/* Answers a tracee's first stop, once it is known to which process the tracee belongs. kind: INTERRUPT or GROUP. */
void new_task_start(struct tracer *tracer, struct tracee *tracee, enum stop_kind kind);
/* Answers the stop of a tracee that has made a thread or a process. kind: FORK or CLONE. */
void new_task_answer_parent(struct tracer *tracer, struct tracee *parent, enum stop_kind kind);
/* Answers the stop of a task that is no tracee. If that is its first stop, the task is held (UNKNOWN) until its parent
 * tells of it; else, or without memory, it is resumed. An end is ignored. */
void new_task_hold(struct tracer *tracer, pid_t tid, const struct stop *stop);
/* Notes that a tracee has ended, or is forgotten, before its parent told of it. What the parent tells later is then no
 * new task. */
void new_task_note_early_end(struct tracer *tracer, pid_t tid);
/* Finds out from /proc to which process one of the held tasks belongs, and follows it: its parent may have died before
 * it could tell. To be called again while unknown_count > 0. */
void new_task_resolve(struct tracer *tracer);
/* Without the lock. Seizes the tasks that the tracee made while it had no tracer, if the kernel's newest process number
 * says that there may be any. */
void new_task_find_missed(struct tracer *tracer, struct tracee *tracee);

/* --- exec.c --- */

/* Answers the stop of an exec, which has ended every thread but its caller. If options.follow is false, the client is
 * told that the process has ended, the leader is detached and freed, and so is the process with its last tracee. */
void exec_answer(struct tracer *tracer, struct tracee *leader);
/* Makes a tracee for the leader where the former leader was another tracer's, or nobody's. tid: the leader's. NULL: the
 * caller of the exec is not known, or there is no memory. */
struct tracee *exec_new_leader(struct tracer *tracer, pid_t tid);
/* Notes that the tracee has executed a program while it had no tracer. */
void exec_missed(struct tracer *tracer, struct tracee *tracee);

/* --- handover.c --- */

/* Takes back the decision to hand the tracee over. */
void handover_withdraw(struct tracee *tracee);
/* Without the lock, at a stop of our interrupt. Detaches the tracee for the tracer that was chosen. Returns false if
 * the tracee has to stay. */
bool handover_release(struct tracer *tracer, struct tracee *tracee);
/* Without the lock. Seizes a tracee that another tracer has detached for this one. */
void handover_take(struct tracer *tracer, struct tracee *tracee);
/* Returns true if an untraced thread has taken the number of this tracee, the leader of its process, by an exec that no
 * tracer saw. Reads /proc; returns false unless a thread of the process was handed over. */
bool handover_leader_is_replaced(const struct tracee *tracee);
/* By the tracee's tracer. If handover_leader_is_replaced, takes the tracee out of the table, makes it RELEASED, and
 * puts it into the same tracer's inbox: the thread that has its number now is seized there. */
void handover_regain(struct tracee *tracee);

/* --- handover-choice.c --- */

/* At a tick: chooses a running tracee that is better traced by another tracer. running: the count tracees that the tick
 * found. None is chosen if options.follow is false: a program that is executed while its process has no tracer could be
 * detached only at an interrupt, which may break a call. */
void handover_choose(struct tracer *tracer, struct tracee *const running[], unsigned count);

/* --- tracee-end.c --- */

/* For this long after a task was made or handed over, its end may go unreported. */
#define UNREPORTED_ENDS_NS 10000000000u
/* Detaches a stopped tracee for good, and forgets it. */
void tracee_detach(struct tracer *tracer, struct tracee *tracee);
/* Frees the tracee. If it is the last of its process, the end of the process is reported (if it was not yet), and the
 * process is freed. */
void tracee_forget(struct tracer *tracer, struct tracee *tracee);
/* Forgets a tracee at once if it is the tracer's own, or has the tracer that it belongs to do so. */
void tracee_drop(struct tracer *tracer, struct tracee *tracee);
/* Reports the end of a tracee, and forgets it. cpu_ns: CPU time of its process, ns, if that ends with it. status: of
 * wait(2); -1: not known. */
void tracee_answer_end(struct tracer *tracer, struct tracee *tracee, uint64_t cpu_ns, int status);
/* Tells the client, once, that the process has ended: it would wait for ever otherwise. Later calls do nothing. cpu_ns:
 * CPU time while it was sampled, ns. status: of wait(2); -1: not known. */
void process_report_end(struct supervisor *supervisor, struct process *process, uint64_t cpu_ns, int status);
/* Returns the CPU time of the tracee's process, ns, if that process ends with it; else 0. tracee may be NULL. To be
 * called before the tracee is reaped. */
uint64_t tracee_last_cpu(const struct supervisor *supervisor, struct tracee *tracee);
/* Tells the client that the process has ended, unlists it, and frees its tracees: the tracer's own at once; the others
 * are dropped, and freed by their tracers. The process is freed with its last tracee. */
void process_forget(struct tracer *tracer, struct process *process);
/* To be called when a task was made or handed over. For UNREPORTED_ENDS_NS its end may go unreported, and
 * housekeeping.c looks for such ends every 0.5 s. */
void process_expect_unreported_ends(struct supervisor *supervisor);

#endif
