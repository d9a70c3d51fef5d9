/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* handover: a tracee gets another tracer. */
#ifndef PPROFIL_HANDOVER_H
#define PPROFIL_HANDOVER_H

#include <stdbool.h>

struct tracee;
struct tracer;

/* At a tick: chooses a running tracee that another tracer had better have. running: those that the tick
 * found, count of them. */
void handover_choose(struct tracer *tracer, struct tracee *const running[], unsigned count);
/* The tracee is to stay. */
void handover_withdraw(struct tracee *tracee);
/* Without the lock. At a stop of our interrupt: lets the tracee go to the tracer that was chosen. Returns
 * false if it has to stay. */
bool handover_release(struct tracer *tracer, struct tracee *tracee);
/* Without the lock. Seizes a tracee that another tracer has let go for this one. */
void handover_take(struct tracer *tracer, struct tracee *tracee);
/* Does somebody without a tracer have the number of this tracee, a leader, now? */
bool handover_leader_is_replaced(const struct tracee *tracee);
/* The same; who has it is then to be seized in the tracee's place: the tracee leaves the table, and is in its tracer's
 * inbox, RELEASED. To be called by its tracer. */
void handover_regain(struct tracee *tracee);

#endif
