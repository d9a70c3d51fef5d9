/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* count-sample: into a target's own memory. */
#ifndef PPROFIL_COUNT_SAMPLE_H
#define PPROFIL_COUNT_SAMPLE_H

#include "wire/wire.h"

struct dialect_count;
struct process;
struct tracee;

/* Counts a sample of the tracee by what its process has asked for. */
void count_sample(struct tracee *tracee, const struct wire_sample *sample);
/* Returns what a child that is forked now starts to count with; the caller owns it and frees it with free(). NULL: it
 * counts nothing, or there is no memory. */
struct dialect_count *count_inherited(const struct process *parent);
#endif
