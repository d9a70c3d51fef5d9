/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* handover: a tracee gets another tracer. */
#ifndef PPROFIL_HANDOVER_H
#define PPROFIL_HANDOVER_H

#include <stdbool.h>

struct tracee;
struct tracer;

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

#endif
