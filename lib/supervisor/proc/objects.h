/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* objects: reports the mappings of processes to the client, and requests the mapped files for the client from an opener
 * (opener.h). The caller of each function holds the supervisor's lock. */
#ifndef PPROFIL_OBJECTS_H
#define PPROFIL_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/proc/maps.h"
#include "supervisor/proc/procfs-lists.h"

struct process;
struct supervisor;
struct tracee;
struct wire_message;

/* Opens /proc/PID/maps of the process, and keeps it open if there are enough descriptors. While a task execs, we would
 * have to wait to open this file, but not to read it (system.c). So this function is called while a tracee that may
 * soon exec is stopped. */
void objects_open_mappings(struct supervisor *supervisor, const struct tracee *tracee);
/* Returns true if the mappings are read as text (maps.listed). Then objects_emit_mapping does not notice if another
 * file was mapped in place of a known mapping; only objects_emit_executable notices this. */
bool objects_are_listed(const struct process *process);
/* If the client does not know the mapping that contains `pc`, sends this mapping to the client. */
void objects_emit_mapping(struct supervisor *supervisor, const struct tracee *tracee, uint64_t pc);
/* Sends to the client all executable mappings that the client does not know, because the callers on a stack may be in
 * any of them. Does this only at intervals, and sooner after a sample in a mapping that the client did not know. It may
 * take some hundred microseconds, so a stopped tracee must be resumed first. Does nothing if the tracee may soon exec
 * and /proc/PID/maps is not open. */
void objects_emit_executable(struct supervisor *supervisor, const struct tracee *tracee);
/* Obeys WIRE_OP_GO: notes that a process has mapped a file with Go code, and that later processes with this file have
 * it, too. */
void objects_note_go(struct supervisor *supervisor, const struct wire_message *message);
/* Obeys WIRE_OP_PYTHON: notes the interpreter of a process, and where it is in processes that map the file later. */
void objects_note_python(struct supervisor *supervisor, const struct wire_message *message);

#endif
