/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How complete stacks are. A stack whose outermost frames are not known has a mark in their
 * place. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/row.h"

bool report_has_stacks(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (profile->nodes[profile->samples[i].node].parent != PROFILE_NONE)
            return true;
    return false;
}

/* A wait for a CPU is a mark, too, but no frames are missing there. */
static bool is_mark(const struct profile *profile, uint32_t location)
{
    const struct profile_object *object = &profile->objects[profile->locations[location].object];

    return location != PROFILE_NONE && object->kind == PROFILE_OBJECT_MARK &&
           strcmp(profile->strings[object->path], PROFILE_WAITING_PLACE) != 0;
}

/* Returns by node the location of the mark on its stack, or PROFILE_NONE. The caller frees it. */
static uint32_t *find_marks(const struct profile *profile)
{
    uint32_t *marks = calloc(profile->node_count, sizeof *marks);

    for (uint32_t i = 1; marks != NULL && i < profile->node_count; i++) {
        const struct profile_node *node = &profile->nodes[i];
        marks[i] = marks[node->parent];
        if (is_mark(profile, node->location))
            marks[i] = node->location;
    }
    return marks;
}

static int stacks_add(const struct profile *profile, const uint32_t *marks, struct sums *sums,
                      struct report_stacks *stacks)
{
    static const struct report_options all;

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        uint32_t mark = marks[sample->node];
        if (!row_counts(profile, &all, sample))
            continue;
        const struct amount amount = {sample->count, report_ns(profile, sample)};
        stacks->ns += amount.ns;
        if (mark == PROFILE_NONE)
            continue;
        struct sum *sum = sums_need(sums, (const uint64_t[]){mark, 0});
        if (sum == NULL)
            return -ENOMEM;
        sum->location = mark;
        amount_add(&sum->self, &amount);
        stacks->incomplete_ns += amount.ns;
    }
    return 0;
}

static int stacks_compare(const void *left, const void *right)
{
    const struct report_mark *a = left, *b = right;

    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return row_compare_text(a->why, b->why);
}

static int stacks_list(const struct profile *profile, const struct sums *sums,
                       struct report_stacks *stacks)
{
    stacks->marks = calloc(sums->count + 1u, sizeof *stacks->marks);
    if (stacks->marks == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < sums->count; i++) {
        uint32_t object = profile->locations[sums->all[i].location].object;
        stacks->marks[stacks->mark_count++] =
            (struct report_mark){.why = profile->strings[profile->objects[object].path],
                                 .samples = sums->all[i].self.samples,
                                 .ns = sums->all[i].self.ns};
    }
    if (sums->count > 1)
        qsort(stacks->marks, stacks->mark_count, sizeof *stacks->marks, stacks_compare);
    return 0;
}

int report_stacks(const struct profile *profile, struct report_stacks *stacks)
{
    uint32_t *marks = find_marks(profile);
    struct sums sums = {0};

    *stacks = (struct report_stacks){.any = report_has_stacks(profile)};
    int error = marks == NULL ? -ENOMEM : stacks_add(profile, marks, &sums, stacks);
    if (error == 0)
        error = stacks_list(profile, &sums, stacks);
    sums_clear(&sums);
    free(marks);
    return error;
}

void report_stacks_clear(struct report_stacks *stacks)
{
    free(stacks->marks);
    *stacks = (struct report_stacks){0};
}
