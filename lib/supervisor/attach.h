/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* attach: getting hold of a process. */
#ifndef PPROFIL_ATTACH_H
#define PPROFIL_ATTACH_H

#include <stdbool.h>
#include <sys/types.h>

struct process;
struct supervisor;
struct tracer;

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

#endif
