/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns the stacks of a profile into lists and trees of frames.
 *
 * A node of a profile stands for a location that was called from the location of the node's parent. In the tree of
 * frames, nodes with the same callers and the same function become one node. In the profile and in the tree, parents
 * come before their children, so one pass over the nodes is enough.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "format/frames.h"
#include "format/memo.h"

/* --- frames -------------------------------------------------------------------------- */

uint32_t frame_ids(const struct profile *profile)
{
    return profile->function_count + profile->location_count;
}

uint32_t frame_count(const struct profile *profile, uint32_t location)
{
    uint32_t lines = profile->locations[location].line_count;
    return lines > 0 ? lines : 1;
}

struct frame frame_at(const struct profile *profile, uint32_t location, uint32_t i)
{
    const struct profile_location *place = &profile->locations[location];
    struct frame frame = {.id = profile->function_count + location, .location = location};

    if (place->line_count == 0)
        return frame;
    frame.function = place->lines[i].function;
    frame.file = place->lines[i].file;
    frame.line = place->lines[i].line;
    frame.inlined = i + 1 < place->line_count;
    if (frame.function != PROFILE_NONE)
        frame.id = frame.function;
    return frame;
}

const char *frame_name(const struct profile *profile, const struct frame *frame, char buffer[FRAME_NAME])
{
    const struct profile_location *place = &profile->locations[frame->location];
    const struct profile_function *function = &profile->functions[frame->function];
    const char *path = profile->strings[profile->objects[place->object].path];

    if (frame->function != PROFILE_NONE && profile->strings[function->name][0] != '\0')
        return profile->strings[function->name];
    snprintf(buffer, FRAME_NAME, "%.400s+0x%llx", path_base_name(path), (unsigned long long)place->address);
    return buffer;
}

bool frame_is_mark(const struct profile *profile, const struct frame *frame)
{
    uint32_t object = profile->locations[frame->location].object;
    return profile->objects[object].kind == PROFILE_OBJECT_MARK;
}

const char *frame_comm(const struct profile *profile, uint32_t thread)
{
    const struct profile_thread *who = &profile->threads[thread];
    const char *own = profile->strings[who->comm];
    const char *process = profile->strings[profile->processes[who->process].comm];

    return own[0] != '\0' ? own : process[0] != '\0' ? process : "[unknown]";
}

/* --- the tree ------------------------------------------------------------------------ */

static int find_node(struct frame_tree *tree, struct memo *memo, uint32_t parent,
                     const struct frame *frame, uint32_t *node)
{
    struct memo_entry *known;
    int error = memo_find(memo, 0, parent, frame->id, &known);

    if (error != 0)
        return error;
    if (!known->used) {
        error = array_grow(&tree->nodes, tree->node_count, sizeof *tree->nodes);
        if (error != 0)
            return error;
        tree->nodes[tree->node_count] = (struct frame_node){.parent = parent, .frame = *frame};
        memo_set(known, tree->node_count++);
    }
    *node = known->index;
    return 0;
}

/* Makes the nodes of the tree. For each node i of the profile, sets where[i] to the tree's node for the innermost frame
 * of node i. */
static int make_tree(struct frame_tree *tree, const struct profile *profile, uint32_t *where)
{
    struct memo memo = {0};
    int error = array_grow(&tree->nodes, 0, sizeof *tree->nodes);

    if (error == 0)
        tree->nodes[tree->node_count++] = (struct frame_node){0};
    where[PROFILE_NONE] = 0;
    for (uint32_t i = 1; error == 0 && i < profile->node_count; i++) {
        uint32_t location = profile->nodes[i].location, node = where[profile->nodes[i].parent];
        for (uint32_t line = frame_count(profile, location); error == 0 && line > 0; line--) {
            struct frame frame = frame_at(profile, location, line - 1);
            error = find_node(tree, &memo, node, &frame, &node);
        }
        where[i] = node;
    }
    memo_free(&memo);
    return error;
}

/* Numbers the nodes in the order of a depth-first walk. A node and all nodes below it have consecutive numbers, and its
 * next sibling has the number after these. */
static int put_in_order(struct frame_tree *tree)
{
    uint32_t *size = calloc(tree->node_count, sizeof *size);
    uint32_t *next = calloc(tree->node_count, sizeof *next);

    if (size == NULL || next == NULL) {
        free(size);
        free(next);
        return -ENOMEM;
    }
    for (uint32_t i = tree->node_count - 1; i > 0; i--)
        size[tree->nodes[i].parent] += ++size[i];
    next[0] = 1;
    for (uint32_t i = 1; i < tree->node_count; i++) {
        uint32_t parent = tree->nodes[i].parent;
        tree->nodes[i].order = next[parent];
        next[i] = next[parent] + 1;
        next[parent] += size[i];
    }
    free(size);
    free(next);
    return 0;
}

/* --- weights ------------------------------------------------------------------------- */

static int compare_weights(const void *left, const void *right, void *context)
{
    const struct frame_weight *a = left, *b = right;
    const struct frame_node *nodes = context;
    uint32_t first = nodes[a->node].order, second = nodes[b->node].order;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return first < second ? -1 : first > second;
}

static int make_weights(struct frame_tree *tree, const struct profile *profile, const uint32_t *group,
                        const uint32_t *where)
{
    struct frame_weight *weights = calloc(profile->sample_count + 1u, sizeof *weights);
    uint32_t count = 0, kept = 0;

    if (weights == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        if (!profile_counts_sample(profile, sample))
            continue;
        weights[count++] =
            (struct frame_weight){.group = group[sample->thread],
                                  .node = where[sample->node],
                                  .count = sample->count,
                                  .ns = profile->totals.wall ? sample->wall_ns : sample->cpu_ns};
    }
    qsort_r(weights, count, sizeof *weights, compare_weights, tree->nodes);
    for (uint32_t i = 0; i < count; i++) {
        struct frame_weight *last = &weights[kept > 0 ? kept - 1 : 0];
        if (kept > 0 && last->group == weights[i].group && last->node == weights[i].node) {
            last->count += weights[i].count;
            last->ns += weights[i].ns;
        } else {
            weights[kept++] = weights[i];
        }
    }
    tree->weights = weights;
    tree->weight_count = kept;
    return 0;
}

int frame_tree_make(struct frame_tree *tree, const struct profile *profile, const uint32_t *group)
{
    *tree = (struct frame_tree){.stacks = calloc(profile->node_count + 1u, sizeof *tree->stacks)};
    int error = tree->stacks == NULL ? -ENOMEM : make_tree(tree, profile, tree->stacks);
    if (error == 0)
        error = put_in_order(tree);
    if (error == 0)
        error = make_weights(tree, profile, group, tree->stacks);
    return error;
}

void frame_tree_clear(struct frame_tree *tree)
{
    free(tree->nodes);
    free(tree->weights);
    free(tree->stacks);
    *tree = (struct frame_tree){0};
}

/* --- stacks -------------------------------------------------------------------------- */

int frame_tree_stack(const struct frame_tree *tree, uint32_t node, struct frame_list *list)
{
    uint32_t count = 0;

    for (uint32_t at = node; at != 0; at = tree->nodes[at].parent)
        count++;
    list->count = 0;
    int error = array_extend(&list->all, &list->count, count, sizeof *list->all);
    for (uint32_t at = node; error == 0 && at != 0; at = tree->nodes[at].parent)
        list->all[--count] = tree->nodes[at].frame;
    return error;
}

int frame_list_of(const struct profile *profile, uint32_t leaf, struct frame_list *list)
{
    const struct profile_node *nodes = profile->nodes;
    uint32_t count = 0;

    for (uint32_t node = leaf; node != PROFILE_NONE; node = nodes[node].parent)
        count += frame_count(profile, nodes[node].location);
    list->count = 0;
    int error = array_extend(&list->all, &list->count, count, sizeof *list->all);
    for (uint32_t node = leaf; error == 0 && node != PROFILE_NONE; node = nodes[node].parent)
        for (uint32_t i = 0; i < frame_count(profile, nodes[node].location); i++)
            list->all[--count] = frame_at(profile, nodes[node].location, i);
    return error;
}
