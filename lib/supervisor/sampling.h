/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sampling: it starts, pauses, and goes on in another way. */
#ifndef PPROFIL_SAMPLING_H
#define PPROFIL_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

struct supervisor;

void sampling_start(struct supervisor *supervisor);
void sampling_pause(struct supervisor *supervisor);
/* Sleeping threads too, or no more. */
void sampling_set_wall(struct supervisor *supervisor, bool wall);
/* All totals begin anew. */
void sampling_clear(struct supervisor *supervisor);
/* Returns under which condition samples are taken, as budget.h has it. full: no CPU is idle */
unsigned sampling_condition(const struct supervisor *supervisor, bool full);
/* Sets the rate that the budget allows now. */
void sampling_adjust_rate(struct supervisor *supervisor, uint64_t now);
/* Another rate. */
void sampling_set_rate(struct supervisor *supervisor, double hz);

#endif
