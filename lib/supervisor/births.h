/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* births: what tracees make. */
#ifndef PPROFIL_BIRTHS_H
#define PPROFIL_BIRTHS_H

#include <sys/types.h>

#include "supervisor/stop.h"

struct process;
struct tracee;
struct tracer;

/* A tracee's first stop, once it is known whose it is. kind: INTERRUPT or GROUP. */
void births_start(struct tracer *tracer, struct tracee *tracee, enum stop_kind kind);
/* A tracee stopped to tell that it has made a thread or a process. */
void births_answer(struct tracer *tracer, struct tracee *parent, enum stop_kind kind);
/* A task that is no tracee has stopped. If that is its first stop, it is held (UNKNOWN) until its parent tells of it;
 * else, or without memory, it runs on. An end is ignored. */
void births_hold(struct tracer *tracer, pid_t tid, const struct stop *stop);
/* Tells the client that the process has ended, unlists it, and frees its tracees: the tracer's own at once, the
 * others are dropped and freed by their tracers. The process is freed with the last. */
void births_forget_process(struct tracer *tracer, struct process *process);
/* A tracee has ended, or is forgotten, before its parent told of it. What the parent tells is no birth then. */
void births_note_early_end(struct tracer *tracer, pid_t tid);
/* Finds out by /proc whose one of the held tasks is, and follows it: its parent may have died before it could tell.
 * To be called again while unknown_count > 0. */
void births_resolve(struct tracer *tracer);
/* Seizes what the tracee has made while it had no tracer, as far as the kernel's newest process number says
 * that there may be such. Without the lock. */
void births_look(struct tracer *tracer, struct tracee *tracee);

#endif
