/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* objects: what is mapped, and what the client knows of it. With the lock. */
#ifndef PPROFIL_OBJECTS_H
#define PPROFIL_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/proc/maps.h"
#include "supervisor/proc/procfs-lists.h"

struct process;
struct supervisor;
struct tracee;

/* Opens the list of the process's mappings, and keeps it open if there are enough descriptors. To open it waits for an
 * exec (system.c), but to read it does not. So this is called while a tracee that may soon exec stands still. */
void objects_open_mappings(struct supervisor *supervisor, const struct tracee *tracee);
/* Returns true if the kernel can only print the mappings (no PROCMAP_QUERY). Then only objects_emit_executable notices
 * that another file was mapped where one was known. */
bool objects_are_listed(const struct process *process);
/* Emits the mapping around pc if the client does not know it. */
void objects_emit_mapping(struct supervisor *supervisor, const struct tracee *tracee, uint64_t pc);
/* Emits all executable mappings that the client does not know, for callers may be in any of them. The kernel is asked
 * now and then, and soon where a sample was in a new mapping. Takes up to some hundred microseconds, so a tracee whose
 * stop is being answered is resumed before this is called. Emits none if the tracee may soon exec and the list is not
 * open. */
void objects_emit_executable(struct supervisor *supervisor, const struct tracee *tracee);

#endif
