/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The profile's nodes, which are parents first, are gone through once: each becomes one node of
 * the tree for each of its frames, under the node that its parent became. Samples then only add
 * to the node of their leaf, and totals go up from the last node to the first. Nothing here
 * recurses, however deep a stack is.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "report/call-tree.h"
#include "report/flat.h"

#define FIRST_SIZE 1024
#define NO_PLACE UINT32_MAX

/* --- the tree ---------------------------------------------------------------------------- */

int call_tree_begin(struct call_tree *tree, uint32_t expected)
{
    *tree = (struct call_tree){.count = 1, .size = FIRST_SIZE};
    while (tree->size / 2 < expected && tree->size < CALL_TREE_NODES_MAX)
        tree->size *= 2;
    tree->nodes = calloc(1, sizeof *tree->nodes);
    tree->slots = calloc(tree->size, sizeof *tree->slots);
    return tree->nodes == NULL || tree->slots == NULL ? -ENOMEM : 0;
}

void call_tree_clear(struct call_tree *tree)
{
    free(tree->nodes);
    free(tree->slots);
    *tree = (struct call_tree){0};
}

static uint32_t *find_slot(const struct call_tree *tree, uint32_t parent, uint32_t unit)
{
    uint32_t mask = tree->size - 1;
    uint32_t slot = (uint32_t)sums_hash((const uint64_t[]){parent, unit}) & mask;

    for (; tree->slots[slot] != 0; slot = (slot + 1) & mask) {
        const struct call_node *node = &tree->nodes[tree->slots[slot]];
        if (node->parent == parent && node->unit == unit)
            break;
    }
    return &tree->slots[slot];
}

static int call_tree_make_room(struct call_tree *tree)
{
    if (tree->count >= CALL_TREE_NODES_MAX)
        return -EOVERFLOW;
    int error = array_grow(&tree->nodes, tree->count, sizeof *tree->nodes);
    if (error != 0 || tree->count < tree->size / 2)
        return error;
    struct call_tree larger = *tree;
    larger.size = tree->size * 2;
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (larger.slots == NULL)
        return -ENOMEM;
    for (uint32_t i = 1; i < tree->count; i++)
        *find_slot(&larger, tree->nodes[i].parent, tree->nodes[i].unit) = i;
    free(tree->slots);
    *tree = larger;
    return 0;
}

int call_tree_descend(struct call_tree *tree, uint32_t parent, uint32_t unit, uint32_t *node)
{
    *node = *find_slot(tree, parent, unit);
    if (*node != 0)
        return 0;
    int error = call_tree_make_room(tree);
    if (error != 0)
        return error;
    *node = tree->count++;
    *find_slot(tree, parent, unit) = *node;
    tree->nodes[*node] =
        (struct call_node){.parent = parent, .unit = unit, .sibling = tree->nodes[parent].child};
    tree->nodes[parent].child = *node;
    return 0;
}

void call_tree_sum(struct call_tree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++)
        tree->nodes[i].total = tree->nodes[i].self;
    for (uint32_t i = tree->count - 1; i > 0; i--) {
        struct call_total *above = &tree->nodes[tree->nodes[i].parent].total;
        above->samples += tree->nodes[i].total.samples;
        above->ns += tree->nodes[i].total.ns;
    }
}

/* --- of a profile ------------------------------------------------------------------------ */

struct builder {
    const struct profile *profile;
    const struct report_options *options;
    struct sums *units;
    struct call_tree *tree;
    uint32_t *units_of; /* owned: index of a location's first unit, by location; NO_PLACE */
    uint32_t *frames;   /* owned: units of locations, innermost first */
    uint32_t frame_count;
    uint32_t *places; /* owned: the tree's node of each of the profile's; NO_PLACE: not counted */
};

int call_tree_look_up(struct symbolizer *symbolizer, const struct report_options *options)
{
    bool lines = options->by == PPROFIL_BY_LINE || !options->no_inlines;

    if (symbolizer == NULL || options->by == PPROFIL_BY_OBJECT)
        return 0;
    return symbolizer_look_up_all(symbolizer, lines ? PROFILE_LOOKED_LINE : PROFILE_LOOKED_NAME);
}

static int add_unit(struct builder *builder, uint32_t location, uint32_t frame)
{
    uint64_t key[2];

    flat_frame_key(builder->profile, &builder->profile->locations[location], frame,
                   builder->options->by, key);
    struct sum *unit = sums_need(builder->units, key);
    if (unit == NULL)
        return -ENOMEM;
    flat_show_by(builder->profile, unit, location, frame);
    int error = array_grow(&builder->frames, builder->frame_count, sizeof *builder->frames);
    if (error == 0)
        builder->frames[builder->frame_count++] = (uint32_t)(unit - builder->units->all);
    return error;
}

static int need_units(struct builder *builder, uint32_t location)
{
    uint32_t first, end;
    int error = 0;

    if (builder->units_of[location] != NO_PLACE)
        return 0;
    builder->units_of[location] = builder->frame_count;
    flat_frames(&builder->profile->locations[location], builder->options, &first, &end);
    for (uint32_t frame = first; error == 0 && frame < end; frame++)
        error = add_unit(builder, location, frame);
    return error;
}

static int descend(struct builder *builder, uint32_t unit, bool inlined, uint32_t *at)
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

/* A node of the profile, whose parent has its place. */
static int place_node(struct builder *builder, uint32_t index)
{
    const struct profile_node *node = &builder->profile->nodes[index];
    uint32_t at = builder->places[node->parent], first, end;
    int error = need_units(builder, node->location);

    flat_frames(&builder->profile->locations[node->location], builder->options, &first, &end);
    uint32_t count = end - first, base = builder->units_of[node->location];
    for (uint32_t i = count; error == 0 && i > 0; i--)
        error = descend(builder, builder->frames[base + i - 1], i < count, &at);
    builder->places[index] = at;
    return error;
}

/* Nodes that no sample needs stay without a place. */
static void mark_needed(struct builder *builder)
{
    const struct profile *profile = builder->profile;

    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (flat_counts(profile, builder->options, &profile->samples[i]))
            builder->places[profile->samples[i].node] = 0;
    for (uint32_t i = profile->node_count - 1; i > 0; i--)
        if (builder->places[i] != NO_PLACE)
            builder->places[profile->nodes[i].parent] = 0;
    builder->places[0] = 0;
}

static void call_tree_add(struct call_total *total, const struct profile *profile,
                          const struct profile_sample *sample)
{
    total->samples += sample->count;
    total->ns += report_ns(profile, sample);
}

static void add_samples(struct builder *builder)
{
    const struct profile *profile = builder->profile;
    struct call_node *nodes = builder->tree->nodes;

    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (flat_counts(profile, builder->options, &profile->samples[i]))
            call_tree_add(&nodes[builder->places[profile->samples[i].node]].self, profile,
                          &profile->samples[i]);
    for (uint32_t i = 1; i < builder->tree->count; i++) {
        struct sum *unit = &builder->units->all[nodes[i].unit];
        unit->samples += nodes[i].self.samples;
        unit->ns += nodes[i].self.ns;
    }
}

int call_tree_build(const struct profile *profile, const struct report_options *options,
                    struct sums *units, struct call_tree *tree)
{
    struct builder builder = {
        .profile = profile,
        .options = options,
        .units = units,
        .tree = tree,
        .units_of = malloc(profile->location_count * sizeof *builder.units_of),
        .places = malloc(profile->node_count * sizeof *builder.places),
    };
    int error = call_tree_begin(tree, profile->node_count);

    if (builder.units_of == NULL || builder.places == NULL)
        error = -ENOMEM;
    for (uint32_t i = 0; error == 0 && i < profile->location_count; i++)
        builder.units_of[i] = NO_PLACE;
    for (uint32_t i = 0; error == 0 && i < profile->node_count; i++)
        builder.places[i] = NO_PLACE;
    if (error == 0)
        mark_needed(&builder);
    for (uint32_t i = 1; error == 0 && i < profile->node_count; i++)
        if (builder.places[i] != NO_PLACE)
            error = place_node(&builder, i);
    if (error == 0) {
        add_samples(&builder);
        call_tree_sum(tree);
    }
    free(builder.units_of);
    free(builder.frames);
    free(builder.places);
    return error;
}

/* --- totals ------------------------------------------------------------------------------ */

/* Goes through the tree, knowing how often each unit is on the way down to here: where it is
 * there for the first time, all that comes through here is its time. */
int call_tree_totals(const struct call_tree *tree, uint32_t unit_count, struct call_total *totals)
{
    uint32_t *above = calloc(unit_count + 1u, sizeof *above);
    const struct call_node *nodes = tree->nodes;
    if (above == NULL)
        return -ENOMEM;

    for (uint32_t at = nodes[0].child; at != 0;) {
        const struct call_node *node = &nodes[at];
        if (above[node->unit]++ == 0) {
            totals[node->unit].samples += node->total.samples;
            totals[node->unit].ns += node->total.ns;
        }
        if (node->child != 0) {
            at = node->child;
            continue;
        }
        while (at != 0 && nodes[at].sibling == 0) {
            above[nodes[at].unit]--;
            at = nodes[at].parent;
        }
        if (at != 0) {
            above[nodes[at].unit]--;
            at = nodes[at].sibling;
        }
    }
    free(above);
    return 0;
}
