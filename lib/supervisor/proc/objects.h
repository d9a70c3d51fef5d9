/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* objects: reports the mappings of processes to the client, and requests the mapped files for it. The caller of each
 * function holds the supervisor's lock. */
#ifndef PPROFIL_OBJECTS_H
#define PPROFIL_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/proc/maps.h"
#include "supervisor/proc/procfs-lists.h"

struct process;
struct supervisor;
struct tracee;

/* Opens the list of the process's mappings, and keeps it open if there are enough descriptors. While a task execs,
 * opening the list waits, but reading the open list does not (system.c). So this is called while a tracee that may soon
 * exec is stopped. */
void objects_open_mappings(struct supervisor *supervisor, const struct tracee *tracee);
/* Returns true if the mappings can only be read as a text: struct maps, listed. Then only objects_emit_executable
 * notices that another file has replaced a known mapping. */
bool objects_are_listed(const struct process *process);
/* Emits the mapping that contains pc if the client does not know it. */
void objects_emit_mapping(struct supervisor *supervisor, const struct tracee *tracee, uint64_t pc);
/* Emits all executable mappings that the client does not know, because the callers on a stack may be in any of them.
 * Reads the mappings at intervals, and sooner after a sample in a new mapping. This may take some hundred microseconds,
 * so a stopped tracee must be resumed before the call. Emits nothing if the tracee may soon exec and the list is not
 * open. */
void objects_emit_executable(struct supervisor *supervisor, const struct tracee *tracee);

#endif
