/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A few passes over arrays, without a hash: parents come before their children, so that totals
 * go up from the last node to the first. And the totals of functions, from the same.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "report/flat.h"
#include "report/live-calls.h"
#include "report/live-nodes.h"

#define NO_UNIT UINT32_MAX

static void add(struct call_total *to, const struct call_total *more)
{
    to->samples += more->samples;
    to->ns += more->ns;
}

static void add_samples(const struct profile *profile, const struct report_options *options,
                        struct live_nodes *nodes)
{
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        if (flat_counts(profile, options, sample))
            add(&nodes->self[sample->node],
                &(struct call_total){sample->count, report_ns(profile, sample)});
    }
}

static void sum_up(const struct profile *profile, struct live_nodes *nodes)
{
    for (uint32_t i = profile->node_count - 1; i > 0; i--) {
        uint32_t parent = profile->nodes[i].parent;
        add(&nodes->total[i], &nodes->self[i]);
        if (nodes->total[i].samples == 0)
            continue;
        add(&nodes->total[parent], &nodes->total[i]);
        nodes->sibling[i] = nodes->child[parent];
        nodes->child[parent] = i;
    }
}

int live_nodes_find(const struct profile *profile, const struct report_options *options,
                    struct live_nodes *nodes)
{
    size_t count = profile->node_count;

    *nodes = (struct live_nodes){.self = calloc(count, sizeof *nodes->self),
                                 .total = calloc(count, sizeof *nodes->total),
                                 .child = calloc(count, sizeof *nodes->child),
                                 .sibling = calloc(count, sizeof *nodes->sibling)};
    if (nodes->self == NULL || nodes->total == NULL || nodes->child == NULL ||
        nodes->sibling == NULL)
        return -ENOMEM;
    add_samples(profile, options, nodes);
    sum_up(profile, nodes);
    return 0;
}

void live_nodes_clear(struct live_nodes *nodes)
{
    free(nodes->self);
    free(nodes->total);
    free(nodes->child);
    free(nodes->sibling);
    *nodes = (struct live_nodes){0};
}

/* --- totals ------------------------------------------------------------------------------ */

struct totaller {
    const struct profile *profile;
    struct live_nodes nodes;
    uint32_t *units; /* owned: index of a location's sum; NO_UNIT: not known yet */
    uint32_t *above; /* owned, by sum: how often it is on the way down to here */
    struct call_total *totals; /* owned */
};

static int find_units(struct totaller *totaller, const struct report_options *options,
                      struct sums *sums)
{
    const struct profile *profile = totaller->profile;
    uint64_t key[2];

    for (uint32_t i = 0; i < profile->location_count; i++)
        totaller->units[i] = NO_UNIT;
    for (uint32_t i = 1; i < profile->node_count; i++) {
        uint32_t location = profile->nodes[i].location;
        if (totaller->nodes.total[i].samples == 0 || totaller->units[location] != NO_UNIT)
            continue;
        flat_location_key(profile, location, options, key);
        struct sum *sum = sums_need(sums, key);
        if (sum == NULL)
            return -ENOMEM;
        if (sum->location == PROFILE_NONE) {
            sum->location = location;
            sum->frame = flat_frame(&profile->locations[location], options->by);
        }
        totaller->units[location] = (uint32_t)(sum - sums->all);
    }
    return 0;
}

static uint32_t *above(const struct totaller *totaller, uint32_t node)
{
    return &totaller->above[totaller->units[totaller->profile->nodes[node].location]];
}

/* A unit counts where it is on the way down for the first time. */
static void walk(const struct totaller *totaller)
{
    const struct live_nodes *nodes = &totaller->nodes;

    for (uint32_t at = nodes->child[0]; at != 0;) {
        uint32_t *here = above(totaller, at);
        if ((*here)++ == 0)
            add(&totaller->totals[here - totaller->above], &nodes->total[at]);
        if (nodes->child[at] != 0) {
            at = nodes->child[at];
            continue;
        }
        while (at != 0 && nodes->sibling[at] == 0) {
            --*above(totaller, at);
            at = totaller->profile->nodes[at].parent;
        }
        if (at != 0) {
            --*above(totaller, at);
            at = nodes->sibling[at];
        }
    }
}

static void add_own(const struct totaller *totaller, struct sums *sums)
{
    for (uint32_t i = 1; i < totaller->profile->node_count; i++) {
        const struct call_total *self = &totaller->nodes.self[i];
        if (self->samples == 0)
            continue;
        struct sum *sum = &sums->all[totaller->units[totaller->profile->nodes[i].location]];
        sum->samples += self->samples;
        sum->ns += self->ns;
    }
}

int live_calls_totals(const struct profile *profile, const struct report_options *options,
                      struct sums *sums, struct call_total **totals, struct call_total *all)
{
    struct totaller totaller = {.profile = profile};
    int error = live_nodes_find(profile, options, &totaller.nodes);

    totaller.units = malloc(profile->location_count * sizeof *totaller.units);
    if (error == 0)
        error = totaller.units == NULL ? -ENOMEM : find_units(&totaller, options, sums);
    totaller.above = calloc(sums->count + 1u, sizeof *totaller.above);
    totaller.totals = calloc(sums->count + 1u, sizeof *totaller.totals);
    if (error == 0 && (totaller.above == NULL || totaller.totals == NULL))
        error = -ENOMEM;
    if (error == 0) {
        add_own(&totaller, sums);
        walk(&totaller);
        *all = totaller.nodes.total[0];
        *totals = totaller.totals;
        totaller.totals = NULL;
    }
    live_nodes_clear(&totaller.nodes);
    free(totaller.units);
    free(totaller.above);
    free(totaller.totals);
    return error;
}
