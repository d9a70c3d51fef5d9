/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums the time of stacks with missing frames. In place of missing outermost frames, a stack has a mark, which is a
 * location in an object of kind PROFILE_OBJECT_MARK. */
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

/* Returns true if a location is a mark for missing frames. A thread that waited for a CPU has a mark, too, and so has
 * CPU time that was not sampled. But these marks stand for no frames, so they do not count. */
static bool is_mark(const struct profile *profile, uint32_t location)
{
    uint32_t object = profile->locations[location].object;

    return location != PROFILE_NONE && profile->objects[object].kind == PROFILE_OBJECT_MARK &&
           !profile_is_mark(profile, object, PROFILE_WAITING_PLACE) &&
           !profile_is_mark(profile, object, PROFILE_UNSAMPLED_PLACE);
}

/* Returns an array that is indexed by node: location of the mark on the node's stack, or PROFILE_NONE. The caller frees
 * the array. Returns NULL if there is no memory. */
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

static int stacks_compare(const void *left, const void *right)
{
    const struct report_mark *a = left, *b = right;

    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return row_compare_text(a->why, b->why);
}

/* Sums the samples of each mark (a location in place of missing frames) in an array that is indexed by location. Then
 * moves the marks that have samples or time to the front of the array. */
int report_stacks(const struct profile *profile, struct report_stacks *stacks)
{
    static const struct report_options all;
    uint32_t *marks = find_marks(profile);

    *stacks = (struct report_stacks){
        .any = report_has_stacks(profile),
        .marks = calloc(profile->location_count, sizeof *stacks->marks),
    };
    for (uint32_t i = 0; marks != NULL && stacks->marks != NULL && i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        struct report_mark *mark = &stacks->marks[marks[sample->node]];
        if (!row_counts(profile, &all, sample))
            continue;
        mark->samples += sample->count;
        mark->ns += report_ns(profile, sample);
        stacks->ns += report_ns(profile, sample);
    }
    for (uint32_t i = 1; stacks->marks != NULL && i < profile->location_count; i++) {
        if ((stacks->marks[i].samples | stacks->marks[i].ns) == 0)
            continue;
        const struct profile_object *object = &profile->objects[profile->locations[i].object];
        stacks->marks[i].why = profile->strings[object->path];
        stacks->incomplete_ns += stacks->marks[i].ns;
        stacks->marks[stacks->mark_count++] = stacks->marks[i];
    }
    if (stacks->mark_count > 1)
        qsort(stacks->marks, stacks->mark_count, sizeof *stacks->marks, stacks_compare);
    bool failed = marks == NULL || stacks->marks == NULL;
    free(marks);
    return failed ? -ENOMEM : 0;
}

void report_stacks_clear(struct report_stacks *stacks)
{
    free(stacks->marks);
    *stacks = (struct report_stacks){0};
}
