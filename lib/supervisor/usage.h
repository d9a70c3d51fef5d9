/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * usage: reads what each process has used, for clients that ask for it (options.usage). The figures are read when a
 * task has ended and before it is reaped: they are final, and no stop is needed to read them. The caller holds the
 * supervisor's lock.
 */
#ifndef PPROFIL_USAGE_H
#define PPROFIL_USAGE_H

#include "supervisor/stop.h"

struct process;
struct process_usage;
struct supervisor;
struct tracee;

/* Initializes the usage of a process that has used nothing yet. */
void usage_init(struct process_usage *usage);
/* Frees what the usage owns. */
void usage_free(struct process_usage *usage);
/* To be called when a process is new: it has been forked by a process that is followed. */
void usage_begin_child(const struct supervisor *supervisor, struct process *process);
/* To be called when we begin to follow a process that lives already, and when a launched process has executed its
 * program: what it has used until now does not count. */
void usage_begin(const struct supervisor *supervisor, struct process *process);
/* To be called when a thread of the process was found, or made. */
void usage_note_thread(struct process *process);
/* To be called at each stop of a tracee; needs no lock. A group stop does not count, because untraced threads have it,
 * too. `tracee` may be NULL. */
void usage_note_stop(struct tracee *tracee, enum stop_kind kind);
/* To be called when the tracee has ended, before it is reaped. If it is the leader, the figures of its process are
 * final. `tracee` may be NULL. */
void usage_read_end(const struct supervisor *supervisor, struct tracee *tracee);
/* To be called for a process that lives, and is not followed any longer. */
void usage_read_alive(const struct supervisor *supervisor, struct process *process);
/* The thread that has called execve takes over the leader's number. Nobody can read the counts of the former leader. */
void usage_become_leader(struct tracee *leader, const struct tracee *caller);
/* To be called when a tracee is forgotten. Notes that its process lacks counts if they were not read. */
void usage_forget(struct tracee *tracee);
/* Sends the figures of a process to the client. status: as in wire_exit. */
void usage_report(struct supervisor *supervisor, struct process *process, int status);

#endif
