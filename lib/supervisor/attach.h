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
/* Without the lock. Seizes those threads of a process that may be traced. 0, or -errno where there are
 * none. */
int attach_process(struct tracer *tracer, pid_t pid, bool launched, struct attach_refusal *refusal);
/* Without the lock. Asks those that refused once more, where it is time for that. */
void attach_look_again(struct tracer *tracer);
/* Without the lock. Seizes the threads of a process that has tracees, or is new and has none, but that are
 * none yet. */
void attach_rest(struct tracer *tracer, pid_t pid);
/* Without the lock. Seizes one thread. 0 or -errno; -EAGAIN: an exec under way has kept it from us. */
int attach_seize(struct tracer *tracer, pid_t tid);
/* Returns true if any of our threads traces it. */
bool attach_is_ours(const struct supervisor *supervisor, pid_t tid);
/* CPU time used up to now does not count. */
void attach_baseline(struct supervisor *supervisor, struct process *process);

#endif
