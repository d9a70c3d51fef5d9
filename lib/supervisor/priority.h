/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* priority: how soon the scheduler runs a tracer that wakes up. */
#ifndef PPROFIL_PRIORITY_H
#define PPROFIL_PRIORITY_H

struct tracer;

/* Needs no lock; by the tracer's own thread. Asks for the priority that suits the CPUs as they are: real-time where
 * one is idle, else a short slice. The kernel may refuse both. */
void priority_ask(struct tracer *tracer);
/* Asks anew if the CPUs have filled up, or one of them has become idle. */
void priority_follow_cpus(struct tracer *tracer);

#endif
