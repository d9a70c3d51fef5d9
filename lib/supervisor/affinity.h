/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* affinity: on which CPU a tracer is. */
#ifndef PPROFIL_AFFINITY_H
#define PPROFIL_AFFINITY_H

struct tracee;
struct tracer;

/* Where CPUs are full the tracer goes to the CPU of a tracee that it is about to interrupt (NULL: of none). The
 * two then take turns there: to wake each other up across CPUs takes twice as long. It looks for that CPU now
 * and then; before each interrupt if the tracee enters the kernel often. */
void affinity_follow(struct tracer *tracer, struct tracee *tracee);
/* The scheduler may wake us on the CPU of a running tracee though another is idle (where CPUs share no cache it
 * does not even look), and leave us there for long. */
void affinity_move_away(struct tracer *tracer);

#endif
