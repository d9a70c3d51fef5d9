/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans what is written to a perf.data: which records of processes, threads and mappings, and in which order. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "format/memo.h"
#include "format/perf-data/perf-data-write.h"

static int add_step(struct perf_plan *plan, uint64_t time, enum step_kind kind, uint32_t process, uint32_t index)
{
    int error = array_grow(&plan->steps, plan->step_count, sizeof *plan->steps);

    if (error == 0)
        plan->steps[plan->step_count++] = (struct step){time, kind, process, index};
    return error;
}

/* Sets execed[i] to true if profile->processes[i] ended with an exec. Such a process did not exit: it lived on as
 * another entry with the same pid. */
static int mark_execed(const struct profile *profile, bool *execed)
{
    struct memo memo = {0};
    struct memo_entry *last;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < profile->process_count; i++) {
        error = memo_find(&memo, 0, profile->processes[i].pid, 0, &last);
        if (error != 0)
            break;
        if (last->used && profile->processes[i].generation > 0)
            execed[last->index] = true;
        if (!last->used)
            memo_set(last, i);
        last->index = i;
    }
    memo_free(&memo);
    return error;
}

static int add_processes(struct perf_plan *plan, const struct profile *profile)
{
    bool *execed = calloc(profile->process_count + 1u, sizeof *execed);
    int error = execed == NULL ? -ENOMEM : mark_execed(profile, execed);

    for (uint32_t i = 0; error == 0 && i < profile->process_count; i++) {
        const struct lifetime *life = &plan->timestamps.lifetimes[i];
        error = add_step(plan, life->begin, STEP_PROCESS, i, 0);
        if (error == 0 && profile->processes[i].end != 0 && !execed[i])
            error = add_step(plan, life->end, STEP_END, i, 0);
    }
    free(execed);
    for (uint32_t i = 0; error == 0 && i < profile->thread_count; i++) {
        uint32_t process = profile->threads[i].process;
        error = add_step(plan, plan->timestamps.lifetimes[process].begin, STEP_THREAD, process, i);
    }
    return error;
}

/* Adds a step (records to be written) for each object of a sample's stack. The step maps the object in the process of
 * the sample. */
static int add_maps_of(struct perf_plan *plan, const struct profile *profile,
                       const struct profile_sample *sample, struct memo *known)
{
    uint32_t process = profile->threads[sample->thread].process;
    struct memo_entry *seen;
    int error = 0;

    for (uint32_t node = sample->node; error == 0 && node != PROFILE_NONE; node = profile->nodes[node].parent) {
        error = memo_find(known, 1, process, node, &seen);
        if (error != 0 || seen->used)
            return error; /* this node and its callers have been added before */
        memo_set(seen, 0);
        uint32_t object = profile->locations[profile->nodes[node].location].object;
        error = memo_find(known, 0, process, object, &seen);
        if (error != 0 || seen->used || plan->mapped[object].size == 0)
            continue;
        memo_set(seen, 0);
        error = add_step(plan, plan->timestamps.lifetimes[process].begin, STEP_MAP, process, object);
    }
    return error;
}

static int add_maps(struct perf_plan *plan, const struct profile *profile)
{
    struct memo known = {0};
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        error = add_maps_of(plan, profile, &profile->samples[i], &known);
    memo_free(&known);
    return error;
}

static int compare_steps(const void *left, const void *right)
{
    const struct step *a = left, *b = right;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

int perf_plan_make(struct perf_plan *plan, const struct profile *profile)
{
    int error = layout_make(profile, &plan->mapped);

    if (error == 0)
        error = timestamps_make(&plan->timestamps, profile);
    if (error == 0)
        error = add_processes(plan, profile);
    if (error == 0)
        error = add_maps(plan, profile);
    if (error == 0 && plan->step_count > 0)
        qsort(plan->steps, plan->step_count, sizeof *plan->steps, compare_steps);
    return error;
}

void perf_plan_free(struct perf_plan *plan)
{
    timestamps_free(&plan->timestamps);
    free(plan->mapped);
    free(plan->steps);
}
