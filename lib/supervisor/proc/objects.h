/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* objects: reports the mappings of processes to the client, and requests the mapped files for it. With the lock. */
#ifndef PPROFIL_OBJECTS_H
#define PPROFIL_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/proc/maps.h"
#include "supervisor/proc/procfs-lists.h"

struct process;
struct supervisor;
struct tracee;

/* Opens the list of the process's mappings, and keeps it open if there are enough descriptors. The opening waits for an
 * exec (system.c), but reading does not. So this is called while a tracee that may soon exec stands still. */
void objects_open_mappings(struct supervisor *supervisor, const struct tracee *tracee);
/* Returns true if the kernel can only print the mappings (no PROCMAP_QUERY). Then only objects_emit_executable notices
 * that a known mapping was replaced by another file. */
bool objects_are_listed(const struct process *process);
/* Emits the mapping that contains pc if the client does not know it. */
void objects_emit_mapping(struct supervisor *supervisor, const struct tracee *tracee, uint64_t pc);
/* Emits all executable mappings that the client does not know, because callers may be in any of them. Asks the kernel
 * now and then, and sooner after a sample in a new mapping. Takes up to some hundred microseconds, so at a stop the
 * tracee is resumed before this is called. Emits none if the tracee may soon exec and the list is not open. */
void objects_emit_executable(struct supervisor *supervisor, const struct tracee *tracee);

#endif
