/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * follow: which threads are traced, and by whom: how they are seized, what they make, what they execute, which of our
 * tracers has them, and how that ends.
 */
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
    pid_t tid;      /* of a failure: who refused */
    unsigned count; /* of a success: threads that refused */
};
/* Without the lock, by the tracer's own thread. Seizes the threads of process pid that may be traced, and follows it;
 * answers other stops meanwhile. launched: it is our own child, and nothing counts before its exec. 0 if a thread was
 * seized, or if the process is followed already; else -errno: the error of the first thread that refused, -ESRCH,
 * -ENOMEM, or -EBUSY where an exec in the process does not come to an end. *refusal is always set: tid is who refused
 * first, or pid; count is how many threads refused. */
int attach_process(struct tracer *tracer, pid_t pid, bool launched, struct attach_refusal *refusal);
/* Without the lock. Asks those that refused once more, where it is time for that. */
void attach_retry_refused(struct tracer *tracer);
/* Without the lock, by the tracer's own thread. Seizes those threads of process pid that are not tracees yet. The
 * process has to be in the table; it may have no tracees. If it has none afterwards, its end is told and it is
 * removed. */
void attach_rest(struct tracer *tracer, pid_t pid);
/* Without the lock. Seizes one thread. 0 or -errno; -EAGAIN: an exec under way has kept it from us. */
int attach_seize(struct tracer *tracer, pid_t tid);
/* Returns true if any of our threads traces it. */
bool attach_is_ours(const struct supervisor *supervisor, pid_t tid);

/* --- births.c --- */

/* A tracee's first stop, once it is known whose it is. kind: INTERRUPT or GROUP. */
void new_task_start(struct tracer *tracer, struct tracee *tracee, enum stop_kind kind);
/* A tracee stopped to tell that it has made a thread or a process. */
void new_task_answer_parent(struct tracer *tracer, struct tracee *parent, enum stop_kind kind);
/* A task that is no tracee has stopped. If that is its first stop, it is held (UNKNOWN) until its parent tells of it;
 * else, or without memory, it runs on. An end is ignored. */
void new_task_hold(struct tracer *tracer, pid_t tid, const struct stop *stop);
/* A tracee has ended, or is forgotten, before its parent told of it. What the parent tells is no birth then. */
void new_task_note_early_end(struct tracer *tracer, pid_t tid);
/* Finds out by /proc whose one of the held tasks is, and follows it: its parent may have died before it could tell.
 * To be called again while unknown_count > 0. */
void new_task_resolve(struct tracer *tracer);
/* Seizes what the tracee has made while it had no tracer, as far as the kernel's newest process number says
 * that there may be such. Without the lock. */
void new_task_find_missed(struct tracer *tracer, struct tracee *tracee);

/* --- exec.c --- */

/* Answers the stop of an exec, which has ended every thread but its caller. If options.follow is false, the client is
 * told that the process has ended, and the leader is detached and freed, and the process with its last tracee. */
void exec_answer(struct tracer *tracer, struct tracee *leader);
/* Makes the leader's record where the former leader was another tracer's, or nobody's. tid: the leader's. NULL: the
 * caller of the exec is not known, or there is no memory. */
struct tracee *exec_new_leader(struct tracer *tracer, pid_t tid);
/* A tracee has executed something while it had no tracer. */
void exec_missed(struct tracer *tracer, struct tracee *tracee);

/* --- handover.c --- */

/* The tracee is to stay. */
void handover_withdraw(struct tracee *tracee);
/* Without the lock. At a stop of our interrupt: lets the tracee go to the tracer that was chosen. Returns
 * false if it has to stay. */
bool handover_release(struct tracer *tracer, struct tracee *tracee);
/* Without the lock. Seizes a tracee that another tracer has let go for this one. */
void handover_take(struct tracer *tracer, struct tracee *tracee);
/* Returns true if an untraced thread has taken the number of this tracee, the leader of its process, by an exec that
 * no tracer saw. Reads /proc; false unless a thread of the process was handed over. */
bool handover_leader_is_replaced(const struct tracee *tracee);
/* By the tracee's tracer. If that is so, the tracee leaves the table, becomes RELEASED, and
 * is put into the same tracer's inbox: the thread that has its number now is seized there. */
void handover_regain(struct tracee *tracee);

/* --- handover-choice.c --- */

/* At a tick: chooses a running tracee that another tracer had better have. running: those that the tick
 * found, count of them. None is chosen if options.follow is false: a program that is executed while its process has
 * no tracer could be let go only at an interrupt, which may break a call. */
void handover_choose(struct tracer *tracer, struct tracee *const running[], unsigned count);

/* --- tracee-end.c --- */

/* For so long after a birth or a handover ends may go untold. */
#define UNREPORTED_ENDS_NS 10000000000u
/* Lets a stopped tracee go for good, and forgets it. */
void tracee_detach(struct tracer *tracer, struct tracee *tracee);
/* Frees the tracee. If it is the last of its process, the end is told (if it was not yet) and the process is freed. */
void tracee_forget(struct tracer *tracer, struct tracee *tracee);
/* A tracee has ended. cpu_ns: of its process, if that ends with it. */
void tracee_answer_end(struct tracer *tracer, struct tracee *tracee, uint64_t cpu_ns, int status);
/* Tells the client, once, that the process has ended: it would wait for ever otherwise. Later calls do nothing.
 * cpu_ns: CPU time while it was sampled, ns. status: of wait(2); -1: not known. */
void process_report_end(struct supervisor *supervisor, struct process *process, uint64_t cpu_ns, int status);
/* Returns the CPU time of the tracee's process, ns, if that ends with it; else 0. tracee may be NULL. To be asked
 * before the tracee is reaped. */
uint64_t tracee_last_cpu(const struct supervisor *supervisor, struct tracee *tracee);
/* Tells the client that the process has ended, unlists it, and frees its tracees: the tracer's own at once, the
 * others are dropped and freed by their tracers. The process is freed with the last. */
void process_forget(struct tracer *tracer, struct process *process);
/* With the lock. A task was made or handed over: for 10 s the end of a task may be told to nobody, and is looked for
 * every 0.5 s. */
void process_expect_unreported_ends(struct supervisor *supervisor);

#endif
