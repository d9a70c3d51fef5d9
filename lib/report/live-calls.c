/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes the largest rows of the call tree of a growing profile: see live-calls.h.
 *
 * Frames form a group if they have the same function, and the same functions above them in the tree. In each step the
 * largest group becomes a row, and the frames below it form new groups. The steps end when there are enough rows.
 * Frames below a group that did not become a row are never visited.
 *
 * A node of the profile has several frames if functions were inlined there. In a tree of callers, the caller of a frame
 * is below the frame, and each frame has the time of the call from which the tree starts: the outermost call of the
 * chosen function.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "report/live-calls.h"
#include "report/row.h"

struct member {
    uint32_t node, frame;
    uint32_t weight; /* node whose time is the member's time; in a tree of callers: node from which the tree starts */
    uint32_t next;   /* 1 + index of the next member of the same group; 0: none */
};

struct group {
    uint64_t key[2];
    struct amount self, total;
    uint32_t first;           /* 1 + index of the group's first member */
    uint32_t parent;          /* index of a row, or PPROFIL_TREE_TOP */
    uint32_t location, frame; /* location and frame of one member; the row takes its name from them */
};

struct finder {
    const struct profile *profile;
    const struct report_options *options;
    bool upwards;
    const struct live_nodes *nodes;
    struct member *members; /* owned */
    struct group *groups;   /* owned */
    uint32_t *heap;         /* owned; the groups that are not rows yet, as a heap with the largest group on top */
    uint32_t member_count, group_count, heap_count;
    struct live_calls *calls;
};

/* --- the nodes ------------------------------------------------------------------------- */

static void live_nodes_add(struct live_nodes *nodes, const struct profile *profile, uint32_t leaf,
                           const struct amount *more)
{
    amount_add(&nodes->all[leaf].self, more);
    for (uint32_t node = leaf; node != PROFILE_NONE; node = profile->nodes[node].parent) {
        uint32_t parent = profile->nodes[node].parent;
        if (nodes->all[node].total.samples == 0) {
            nodes->all[node].sibling = nodes->all[parent].child;
            nodes->all[parent].child = node;
        }
        amount_add(&nodes->all[node].total, more);
    }
    amount_add(&nodes->all[PROFILE_NONE].total, more);
}

int live_nodes_update(struct live_nodes *nodes, const struct profile *profile, const struct report_options *options)
{
    struct amount more;

    if (added_is_other(&nodes->added, profile, &options->filter)) {
        live_nodes_clear(nodes);
        added_begin(&nodes->added, profile, &options->filter);
    }
    int error = added_grow(&nodes->added, profile);
    if (error == 0)
        error = array_extend(&nodes->all, &nodes->count, profile->node_count, sizeof *nodes->all);
    if (error != 0) {
        live_nodes_clear(nodes);
        return error;
    }
    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (added_more(&nodes->added, profile, options, i, &more)) {
            amount_add(&nodes->added.amounts[i], &more);
            live_nodes_add(nodes, profile, profile->samples[i].node, &more);
        }
    return 0;
}

void live_nodes_clear(struct live_nodes *nodes)
{
    free(nodes->all);
    added_clear(&nodes->added);
    *nodes = (struct live_nodes){0};
}

/* --- the heap of groups ------------------------------------------------------------------ */

static bool heap_is_larger(const struct finder *finder, uint32_t a, uint32_t b)
{
    const struct group *x = &finder->groups[finder->heap[a]], *y = &finder->groups[finder->heap[b]];

    if (x->total.ns != y->total.ns)
        return x->total.ns > y->total.ns;
    return finder->heap[a] < finder->heap[b];
}

static void heap_swap(struct finder *finder, uint32_t a, uint32_t b)
{
    uint32_t was = finder->heap[a];

    finder->heap[a] = finder->heap[b];
    finder->heap[b] = was;
}

static int heap_push(struct finder *finder, uint32_t group)
{
    int error = array_grow(&finder->heap, finder->heap_count, sizeof *finder->heap);
    uint32_t at = finder->heap_count;

    if (error != 0)
        return error;
    finder->heap[finder->heap_count++] = group;
    for (; at > 0 && heap_is_larger(finder, at, (at - 1) / 2); at = (at - 1) / 2)
        heap_swap(finder, at, (at - 1) / 2);
    return 0;
}

static uint32_t heap_pop(struct finder *finder)
{
    uint32_t top = finder->heap[0], at = 0;

    finder->heap[0] = finder->heap[--finder->heap_count];
    for (;;) {
        uint32_t best = at, left = 2 * at + 1;
        for (uint32_t child = left; child < left + 2 && child < finder->heap_count; child++)
            if (heap_is_larger(finder, child, best))
                best = child;
        if (best == at)
            return top;
        heap_swap(finder, at, best);
        at = best;
    }
}

/* --- the groups below a row -------------------------------------------------------------- */

/* The groups that are being made for the children of one row. */
struct batch {
    struct sums keys; /* keys of the groups, in the same order as the groups */
    uint32_t first, parent;
};

static const struct profile_location *location_of(const struct finder *finder, uint32_t node)
{
    return &finder->profile->locations[finder->profile->nodes[node].location];
}

/* first_frame returns the innermost frame of a node, and last_frame returns the outermost frame. */
static uint32_t first_frame(const struct finder *finder, uint32_t node)
{
    uint32_t first, end;

    row_frames(location_of(finder, node), finder->options, &first, &end);
    return first;
}

static uint32_t last_frame(const struct finder *finder, uint32_t node)
{
    uint32_t first, end;

    row_frames(location_of(finder, node), finder->options, &first, &end);
    return end - 1;
}

static int live_calls_add_group(struct finder *finder, const struct group *group)
{
    int error = array_grow(&finder->groups, finder->group_count, sizeof *finder->groups);

    if (error == 0)
        finder->groups[finder->group_count++] = *group;
    return error;
}

static void live_calls_add_time(struct finder *finder, struct group *group, const struct member *member)
{
    amount_add(&group->total, &finder->nodes->all[member->weight].total);
    if (!finder->upwards && member->frame == first_frame(finder, member->node))
        amount_add(&group->self, &finder->nodes->all[member->node].self);
}

static int add_member(struct finder *finder, struct batch *batch, struct member member)
{
    uint64_t key[2];
    uint32_t location = finder->profile->nodes[member.node].location, known = batch->keys.count;
    int error = array_grow(&finder->members, finder->member_count, sizeof *finder->members);

    row_frame_key(finder->profile, location, member.frame, finder->options, key);
    struct sum *sum = error == 0 ? sums_need(&batch->keys, key) : NULL;
    if (sum == NULL)
        return -ENOMEM;
    uint32_t index = batch->first + (uint32_t)(sum - batch->keys.all);
    if (batch->keys.count > known)
        error = live_calls_add_group(finder, &(struct group){.key = {key[0], key[1]},
                                                             .parent = batch->parent,
                                                             .location = location,
                                                             .frame = member.frame});
    if (error != 0)
        return error;
    struct group *group = &finder->groups[index];
    member.next = group->first;
    finder->members[finder->member_count++] = member;
    group->first = finder->member_count;
    live_calls_add_time(finder, group, &member);
    return 0;
}

static int heap_push_batch(struct finder *finder, struct batch *batch)
{
    int error = 0;

    for (uint32_t i = batch->first; error == 0 && i < finder->group_count; i++)
        error = heap_push(finder, i);
    sums_clear(&batch->keys);
    return error;
}

static int open_caller(struct finder *finder, struct batch *batch, struct member member)
{
    if (member.frame < last_frame(finder, member.node)) {
        member.frame++;
        return add_member(finder, batch, member);
    }
    member.node = finder->profile->nodes[member.node].parent;
    if (member.node == PROFILE_NONE)
        return 0;
    member.frame = first_frame(finder, member.node);
    return add_member(finder, batch, member);
}

static int open_children(struct finder *finder, struct batch *batch, uint32_t parent)
{
    const struct live_nodes *nodes = finder->nodes;
    int error = 0;

    for (uint32_t node = nodes->all[parent].child; error == 0 && node != 0; node = nodes->all[node].sibling)
        error = add_member(finder, batch,
                           (struct member){.node = node, .frame = last_frame(finder, node), .weight = node});
    return error;
}

static int open_member(struct finder *finder, struct batch *batch, struct member member)
{
    if (finder->upwards)
        return open_caller(finder, batch, member);
    if (member.frame == first_frame(finder, member.node))
        return open_children(finder, batch, member.node);
    member.frame--;
    return add_member(finder, batch, member);
}

static int live_calls_open_row(struct finder *finder, uint32_t group, uint32_t row)
{
    struct batch batch = {.first = finder->group_count, .parent = row};
    int error = 0;

    for (uint32_t at = finder->groups[group].first; error == 0 && at != 0;) {
        struct member member = finder->members[at - 1]; /* a copy, because open_member may move the array `members` */
        error = open_member(finder, &batch, member);
        at = member.next;
    }
    finder->calls->rows[row].below = finder->group_count - batch.first;
    return error == 0 ? heap_push_batch(finder, &batch) : (sums_clear(&batch.keys), error);
}

/* --- rows -------------------------------------------------------------------------------- */

static void live_calls_make_row(struct finder *finder, const struct group *group, struct pprofil_live_call *call)
{
    const struct live_calls *calls = finder->calls;
    uint64_t id = row_id(group->key, PPROFIL_BY_FUNCTION);
    uint64_t above = group->parent == PPROFIL_TREE_TOP ? 0 : calls->rows[group->parent].id;
    struct sum sum = {.location = group->location, .frame = group->frame};
    struct pprofil_row row = ROW_EMPTY;

    row_name_code(finder->profile, &sum, PPROFIL_BY_FUNCTION, &row);
    *call = (struct pprofil_live_call){.name = row.name,
                                       .object = row.object,
                                       .id = row_id_below(above, id),
                                       .function = row_is_pending(group->key) ? 0 : id,
                                       .parent = group->parent,
                                       .samples = group->self.samples,
                                       .ns = group->self.ns,
                                       .total_samples = group->total.samples,
                                       .total_ns = group->total.ns,
                                       .pending = row_is_pending(group->key)};
}

static int live_calls_make_rows(struct finder *finder, uint32_t limit)
{
    struct live_calls *calls = finder->calls;
    int error = 0;

    while (error == 0 && finder->heap_count > 0 && calls->count < limit) {
        uint32_t group = heap_pop(finder);
        error = array_grow(&calls->rows, calls->count, sizeof *calls->rows);
        if (error != 0)
            break;
        live_calls_make_row(finder, &finder->groups[group], &calls->rows[calls->count]);
        error = live_calls_open_row(finder, group, calls->count++);
    }
    return error;
}

/* --- the first groups -------------------------------------------------------------------- */

/* Returns 1 + index of the outermost frame of a function at a location. Returns 0 if the function has no frame
 * there. */
static uint32_t frame_of_function(const struct finder *finder, uint32_t location, uint64_t function)
{
    uint32_t first, end;
    uint64_t key[2];

    row_frames(&finder->profile->locations[location], finder->options, &first, &end);
    for (uint32_t frame = end; frame > first; frame--) {
        row_frame_key(finder->profile, location, frame - 1, finder->options, key);
        if (!row_is_pending(key) && row_id(key, PPROFIL_BY_FUNCTION) == function)
            return frame;
    }
    return 0;
}

/* Makes the first groups of frames: the outermost calls of a function. Calls of the function inside these calls are
 * left out, because their time would count twice. */
static int begin_with_function(struct finder *finder, struct batch *batch, uint64_t function)
{
    const struct profile *profile = finder->profile;
    bool *inside = calloc(profile->node_count, sizeof *inside);
    uint32_t *wanted = calloc(profile->location_count, sizeof *wanted);
    int error = inside == NULL || wanted == NULL ? -ENOMEM : 0;

    for (uint32_t i = 1; error == 0 && i < profile->location_count; i++)
        wanted[i] = frame_of_function(finder, i, function);
    for (uint32_t i = 1; error == 0 && i < profile->node_count; i++) {
        uint32_t frame = wanted[profile->nodes[i].location];
        bool above = inside[profile->nodes[i].parent];
        inside[i] = frame != 0 || above;
        if (frame != 0 && !above && finder->nodes->all[i].total.samples > 0) {
            error = add_member(finder, batch, (struct member){.node = i, .frame = frame - 1, .weight = i});
            finder->calls->root_ns += finder->nodes->all[i].total.ns;
        }
    }
    free(inside);
    free(wanted);
    return error;
}

static int live_calls_begin(struct finder *finder, enum pprofil_tree_kind kind, uint64_t function)
{
    struct batch batch = {.parent = PPROFIL_TREE_TOP};
    int error = 0;

    finder->calls->ns = finder->nodes->all[0].total.ns;
    if (kind == PPROFIL_TREE_CALLERS || kind == PPROFIL_TREE_CALLEES) {
        error = begin_with_function(finder, &batch, function);
    } else {
        finder->calls->root_ns = finder->calls->ns;
        error = open_children(finder, &batch, PROFILE_NONE);
    }
    return error == 0 ? heap_push_batch(finder, &batch) : (sums_clear(&batch.keys), error);
}

int live_calls_find(const struct profile *profile, const struct report_options *options, enum pprofil_tree_kind kind,
                    uint64_t function, struct live_nodes *nodes, struct live_calls *calls)
{
    struct finder finder = {.profile = profile,
                            .options = options,
                            .upwards = kind == PPROFIL_TREE_CALLERS,
                            .nodes = nodes,
                            .calls = calls};

    *calls = (struct live_calls){0};
    int error = live_nodes_update(nodes, profile, options);
    if (error == 0)
        error = live_calls_begin(&finder, kind, function);
    if (error == 0)
        error = live_calls_make_rows(&finder, options->limit);
    free(finder.members);
    free(finder.groups);
    free(finder.heap);
    return error;
}

void live_calls_clear(struct live_calls *calls)
{
    free(calls->rows);
    *calls = (struct live_calls){0};
}
