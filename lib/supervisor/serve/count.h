/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* count: into a target's own memory. */
#ifndef PPROFIL_COUNT_H
#define PPROFIL_COUNT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/wire.h"

struct dialect_count;
struct process;
struct tracee;

/* Counts a sample of the tracee by what its process has asked for. */
void count_sample(struct tracee *tracee, const struct wire_sample *sample);
/* What a child starts with that is forked now, to be freed with free; NULL: nothing. */
struct dialect_count *count_inherited(const struct process *parent);
/* Copies from a target's memory. 0 or -errno. Needs no lock. */
int count_read(pid_t tid, uint64_t address, void *to, size_t size);
/* Copies into a target's memory. 0 or -errno. Needs no lock. */
int count_write(pid_t tid, uint64_t address, const void *from, size_t size);

#endif
