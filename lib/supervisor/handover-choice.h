/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* handover-choice: which tracee is to get another tracer. */
#ifndef PPROFIL_HANDOVER_CHOICE_H
#define PPROFIL_HANDOVER_CHOICE_H

struct tracee;
struct tracer;

/* At a tick: chooses a running tracee that another tracer had better have. running: those that the tick
 * found, count of them. None is chosen if options.follow is false: a program that is executed while its process has
 * no tracer could be let go only at an interrupt, which may break a call. */
void handover_choose(struct tracer *tracer, struct tracee *const running[], unsigned count);

#endif
