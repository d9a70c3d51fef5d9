/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes call trees: see call-tree.h.
 *
 * The nodes of the profile are visited once, parents before children. A node of the profile has several frames if
 * functions were inlined there. For each frame, a node is added to the tree, below the node of the frame that called
 * it. Then each sample is added to the tree node of its innermost frame, and totals are summed from the last node to
 * the first.
 *
 * The other trees are made from this top-down tree. For a tree of callees, all calls of a chosen function become one
 * node, and the nodes below these calls are merged. For a tree of callers, paths go up from these calls, one level at a
 * time. No function recurses, because stacks may be very deep.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "report/call-tree.h"
#include "report/row.h"

#define NOWHERE UINT32_MAX
/* How many steps upwards all paths of a tree of callers may take in total. STEPS_MAX steps take some seconds. Without
 * this limit, the number of steps for one stack would grow with the square of the stack's depth. */
#define STEPS_MAX (UINT64_C(1) << 22)

/* --- the tree ---------------------------------------------------------------------------- */

int call_tree_begin(struct call_tree *tree)
{
    *tree = (struct call_tree){.count = 1};
    tree->nodes = calloc(1, sizeof *tree->nodes);
    return tree->nodes == NULL ? -ENOMEM : 0;
}

void call_tree_clear(struct call_tree *tree)
{
    free(tree->nodes);
    hash_free(&tree->index);
    *tree = (struct call_tree){0};
}

int call_tree_descend(struct call_tree *tree, uint32_t parent, uint32_t unit, uint32_t *node)
{
    uint32_t hash = hash_pair(parent, unit), at = hash;

    while ((*node = hash_next(&tree->index, hash, &at)) != HASH_NONE)
        if (tree->nodes[*node].parent == parent && tree->nodes[*node].unit == unit)
            return 0;
    if (tree->count >= CALL_TREE_NODES_MAX)
        return -EOVERFLOW;
    int error = array_grow(&tree->nodes, tree->count, sizeof *tree->nodes);
    if (error == 0)
        error = hash_add(&tree->index, hash, tree->count);
    if (error != 0)
        return error;
    *node = tree->count++;
    tree->nodes[*node] = (struct call_node){.parent = parent, .unit = unit, .sibling = tree->nodes[parent].child};
    tree->nodes[parent].child = *node;
    return 0;
}

void call_tree_sum(struct call_tree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++)
        tree->nodes[i].total = tree->nodes[i].self;
    for (uint32_t i = tree->count - 1; i > 0; i--)
        amount_add(&tree->nodes[tree->nodes[i].parent].total, &tree->nodes[i].total);
}

/* --- of a profile ------------------------------------------------------------------------ */

struct builder {
    const struct profile *profile;
    const struct report_options *options;
    struct sums *units;
    struct call_tree *tree;
    /* owned; indexed by location: index in `frames` of the location's first unit; NOWHERE: its units are not in
     * `frames` yet */
    uint32_t *frames_of;
    uint32_t *frames;    /* owned; the units of each location, innermost first */
    uint32_t frame_count;
    /* owned; indexed by node of the profile: index of the tree node for its innermost frame; NOWHERE: no sample needs
     * the node */
    uint32_t *became;
};

static int call_tree_need_units(struct builder *builder, uint32_t location)
{
    uint32_t first, end;
    uint64_t key[2];
    int error = 0;

    if (builder->frames_of[location] != NOWHERE)
        return 0;
    builder->frames_of[location] = builder->frame_count;
    row_frames(&builder->profile->locations[location], builder->options, &first, &end);
    for (uint32_t frame = first; error == 0 && frame < end; frame++) {
        row_frame_key(builder->profile, location, frame, builder->options, key);
        struct sum *unit = sums_need(builder->units, key);
        error = array_grow(&builder->frames, builder->frame_count, sizeof *builder->frames);
        if (unit == NULL || error != 0)
            return -ENOMEM;
        row_name_by(builder->profile, unit, location, frame);
        builder->frames[builder->frame_count++] = (uint32_t)(unit - builder->units->all);
    }
    return error;
}

static int call_tree_add_frame(struct builder *builder, uint32_t unit, bool inlined, uint32_t *at)
{
    struct call_tree *tree = builder->tree;
    bool fold = builder->options->fold || builder->options->by == PPROFIL_BY_OBJECT;
    uint32_t parent = *at;

    if (fold && parent != 0 && tree->nodes[parent].unit == unit)
        return 0;
    int error = call_tree_descend(tree, parent, unit, at);
    if (error == 0 && inlined)
        tree->nodes[*at].inlined = true;
    return error;
}

/* Adds the frames of a node of the profile to the tree. The frames of the node's parent must be in the tree already. */
static int call_tree_add_node(struct builder *builder, uint32_t index)
{
    const struct profile_node *node = &builder->profile->nodes[index];
    uint32_t at = builder->became[node->parent], first, end;
    int error = call_tree_need_units(builder, node->location);

    row_frames(&builder->profile->locations[node->location], builder->options, &first, &end);
    uint32_t count = end - first, base = builder->frames_of[node->location];
    for (uint32_t i = count; error == 0 && i > 0; i--)
        error = call_tree_add_frame(builder, builder->frames[base + i - 1], i < count, &at);
    builder->became[index] = at;
    return error;
}

static void call_tree_mark_needed(struct builder *builder)
{
    const struct profile *profile = builder->profile;

    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (row_counts(profile, builder->options, &profile->samples[i]))
            builder->became[profile->samples[i].node] = 0;
    for (uint32_t i = profile->node_count - 1; i > 0; i--)
        if (builder->became[i] != NOWHERE)
            builder->became[profile->nodes[i].parent] = 0;
    builder->became[0] = 0;
}

static void call_tree_add_samples(struct builder *builder)
{
    const struct profile *profile = builder->profile;

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        const struct amount amount = {sample->count, report_ns(profile, sample)};
        if (row_counts(profile, builder->options, sample))
            amount_add(&builder->tree->nodes[builder->became[sample->node]].self, &amount);
    }
    call_tree_sum(builder->tree);
}

int call_tree_build(const struct profile *profile, const struct report_options *options,
                    struct sums *units, struct call_tree *tree)
{
    struct builder builder = {
        .profile = profile,
        .options = options,
        .units = units,
        .tree = tree,
        .frames_of = malloc(profile->location_count * sizeof *builder.frames_of),
        .became = malloc(profile->node_count * sizeof *builder.became),
    };
    int error = call_tree_begin(tree);

    if (builder.frames_of == NULL || builder.became == NULL)
        error = -ENOMEM;
    for (uint32_t i = 0; error == 0 && i < profile->location_count; i++)
        builder.frames_of[i] = NOWHERE;
    for (uint32_t i = 0; error == 0 && i < profile->node_count; i++)
        builder.became[i] = NOWHERE;
    if (error == 0)
        call_tree_mark_needed(&builder);
    for (uint32_t i = 1; error == 0 && i < profile->node_count; i++)
        if (builder.became[i] != NOWHERE)
            error = call_tree_add_node(&builder, i);
    if (error == 0)
        call_tree_add_samples(&builder);
    free(builder.frames_of);
    free(builder.frames);
    free(builder.became);
    return error;
}

/* --- roots ------------------------------------------------------------------------------- */

static void call_roots_find_one(const struct call_tree *tree, const bool *wanted,
                                struct call_roots *roots, uint32_t *inner, uint32_t at)
{
    const struct call_node *node = &tree->nodes[at];
    uint32_t root = roots->root[node->parent];

    inner[at] = inner[node->parent];
    if (root == 0 && wanted[node->unit]) {
        root = at;
    } else if (root != 0 && wanted[node->unit] && inner[at] == 0) {
        inner[at] = at;
        amount_add(&roots->again, &node->total);
    }
    roots->root[at] = root;
    if (root != 0 && node->unit == tree->nodes[root].unit)
        amount_add(&roots->own[root], &node->self);
}

int call_roots_find(const struct call_tree *tree, const bool *wanted, struct call_roots *roots)
{
    uint32_t *inner =
        /* indexed by node: the second node with a wanted unit on the way from the root down to this node; 0: there is
         * no second */
        calloc(tree->count, sizeof *inner);

    *roots = (struct call_roots){0};
    roots->root = calloc(tree->count, sizeof *roots->root);
    roots->own = calloc(tree->count, sizeof *roots->own);
    if (inner == NULL || roots->root == NULL || roots->own == NULL) {
        free(inner);
        call_roots_clear(roots);
        return -ENOMEM;
    }
    for (uint32_t i = 1; i < tree->count; i++)
        call_roots_find_one(tree, wanted, roots, inner, i);
    free(inner);
    return 0;
}

void call_roots_clear(struct call_roots *roots)
{
    free(roots->root);
    free(roots->own);
    *roots = (struct call_roots){0};
}

/* --- callees --------------------------------------------------------------------------- */

int call_tree_callees(const struct call_tree *from, const struct call_roots *roots, struct call_tree *tree)
{
    uint32_t *places = calloc(from->count, sizeof *places);
    int error = call_tree_begin(tree);

    if (places == NULL)
        error = -ENOMEM;
    for (uint32_t i = 1; error == 0 && i < from->count; i++) {
        const struct call_node *node = &from->nodes[i];
        if (roots->root[i] == 0)
            continue;
        uint32_t parent = roots->root[i] == i ? 0 : places[node->parent];
        error = call_tree_descend(tree, parent, node->unit, &places[i]);
        if (error != 0)
            break;
        struct call_node *made = &tree->nodes[places[i]];
        made->inlined |= node->inlined && parent != 0;
        amount_add(&made->self, &node->self);
    }
    if (error == 0)
        call_tree_sum(tree);
    free(places);
    return error;
}

/* --- callers ----------------------------------------------------------------------------- */

/* A path that goes up through the top-down tree, from a call to its caller, to the caller's caller, and so on. If two
 * paths meet in a node, they come from different children of this node. All children of a node have different units, so
 * the two paths are at different nodes of the tree of callers. */
struct path {
    uint32_t call; /* the node of the top-down tree to which the path has come */
    uint32_t node; /* the node of the tree of callers that stands for `call` */
    struct amount self, total;
};

struct climb {
    const struct call_tree *from;
    struct call_tree *tree;
    struct path *paths; /* owned; paths that have not ended yet */
    uint32_t count;
};

/* The path has reached path->call: adds this call to the tree of callers, as a child of the node `below`. */
static int climb_arrive(struct climb *climb, struct path *path, uint32_t below)
{
    const struct call_node *call = &climb->from->nodes[path->call];
    int error = call_tree_descend(climb->tree, below, call->unit, &path->node);

    if (error != 0)
        return error;
    struct call_node *node = &climb->tree->nodes[path->node];
    node->inlined |= call->inlined;
    amount_add(&node->self, &path->self);
    amount_add(&node->total, &path->total);
    return 0;
}

static int climb_begin(struct climb *climb, const struct call_roots *roots)
{
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < climb->from->count; i++) {
        const struct call_node *call = &climb->from->nodes[i];
        struct path path = {.call = i, .self = call->self, .total = call->self};
        if (roots != NULL ? roots->root[i] != i : (call->self.samples | call->self.ns) == 0)
            continue;
        if (roots != NULL) {
            path.self = roots->own[i];
            path.total = call->total;
        }
        error = array_grow(&climb->paths, climb->count, sizeof *climb->paths);
        if (error == 0)
            error = climb_arrive(climb, &path, 0);
        if (error == 0)
            climb->paths[climb->count++] = path;
    }
    return error;
}

/* Moves all paths one level up, to the callers. All calls of the present level are already in the tree of callers, so
 * the totals of their nodes are known. If the total of a path's node is less than `least_ns`, the callers of this node
 * are left out: the path ends, and the node is marked as closed. If `stop` is true, this happens to every path. */
static int climb_on(struct climb *climb, bool stop, uint64_t least_ns)
{
    uint32_t count = climb->count;
    int error = 0;

    climb->count = 0;
    for (uint32_t i = 0; error == 0 && i < count; i++) {
        struct path path = climb->paths[i];
        struct call_node *node = &climb->tree->nodes[path.node];
        path.call = climb->from->nodes[path.call].parent;
        if (path.call == 0)
            continue;
        if (stop || node->total.ns < least_ns) {
            node->closed = true;
            continue;
        }
        error = climb_arrive(climb, &path, path.node);
        climb->paths[climb->count++] = path;
    }
    return error;
}

int call_tree_callers(const struct call_tree *from, const struct call_roots *roots,
                      const struct call_bounds *bounds, struct call_tree *tree)
{
    struct climb climb = {.from = from, .tree = tree};
    uint64_t steps = 0;
    int error = call_tree_begin(tree);

    if (error == 0)
        error = climb_begin(&climb, roots);
    for (uint32_t depth = 1; error == 0 && climb.count > 0; depth++) {
        steps += climb.count;
        error = climb_on(&climb, depth == bounds->depth || steps > STEPS_MAX, bounds->least_ns);
    }
    free(climb.paths);
    if (error != 0)
        return error;
    for (uint32_t i = tree->nodes[0].child; i != 0; i = tree->nodes[i].sibling)
        amount_add(&tree->nodes[0].total, &tree->nodes[i].total);
    return 0;
}
