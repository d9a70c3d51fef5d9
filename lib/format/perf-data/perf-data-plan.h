/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-data-plan: what a perf.data file of a profile is to tell, and in which order. */
#ifndef PPROFIL_PERF_DATA_PLAN_H
#define PPROFIL_PERF_DATA_PLAN_H

#include "format/timestamps.h"
#include "format/address-layout.h"

/* What happens beside samples. At one time, in this order. */
enum step_kind { STEP_PROCESS, STEP_THREAD, STEP_MAP, STEP_END };

struct step {
    uint64_t time;
    enum step_kind kind;
    uint32_t process;
    uint32_t index; /* THREAD: thread; MAP: object */
};

struct perf_plan {
    struct timestamps timestamps; /* the samples */
    struct mapped_object *mapped;     /* owned; by object */
    struct step *steps;       /* owned; by time */
    uint32_t step_count;
};

/* 0, -ENOMEM, or PPROFIL_ERROR_ADDRESSES: the objects do not fit into 64 bits. To be freed in any case. */
int perf_plan_make(struct perf_plan *plan, const struct profile *profile);
void perf_plan_free(struct perf_plan *plan);

#endif
