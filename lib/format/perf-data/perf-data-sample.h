/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-data-sample: a sample of a perf.data file is counted. */
#ifndef PPROFIL_PERF_DATA_SAMPLE_H
#define PPROFIL_PERF_DATA_SAMPLE_H

#include "format/bytes.h"
#include "format/perf-data/perf-data-replay.h"

/* Takes what is behind the head of a record, whose misc is. 0, -ENOMEM, -EOVERFLOW or PPROFIL_ERROR_DAMAGED. */
int perf_take_sample(struct perf_replay *replay, unsigned misc, struct bytes *bytes);

void perf_stacks_clear(struct perf_stacks *stacks);

#endif
