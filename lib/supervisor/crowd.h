/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* crowd: is any CPU idle? */
#ifndef PPROFIL_CROWD_H
#define PPROFIL_CROWD_H

struct tracer;

/* At a tick: are all CPUs in use? By targets, or by others, who are in the load as well as we. */
void crowd_look(struct tracer *tracer);

#endif
