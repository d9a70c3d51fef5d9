/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds new samples, and walks over the nodes of their stacks: see changed.h. */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "report/changed.h"
#include "report/row.h"

/* --- samples ----------------------------------------------------------------------------- */

static bool is_same_filter(const struct report_filter *a, const struct report_filter *b)
{
    return a->pid == b->pid && a->tid == b->tid && a->process == b->process && a->thread == b->thread &&
           a->object == b->object && a->syscall == b->syscall && a->state == b->state && a->wait == b->wait &&
           a->from_ns == b->from_ns && a->to_ns == b->to_ns;
}

bool added_is_other(const struct added_samples *added, const struct profile *profile,
                    const struct report_filter *filter)
{
    return added->wall != profile->totals.wall || added->clears != profile->clears ||
           !is_same_filter(&added->filter, filter);
}

void added_begin(struct added_samples *added, const struct profile *profile, const struct report_filter *filter)
{
    added_clear(added);
    added->filter = *filter;
    added->wall = profile->totals.wall;
    added->clears = profile->clears;
}

int added_grow(struct added_samples *added, const struct profile *profile)
{
    return array_extend(&added->amounts, &added->count, profile->sample_count, sizeof *added->amounts);
}

/* The amounts are compared before row_counts checks the filter, because this is faster: in a large profile most samples
 * have no new time, and need no check. */
bool added_more(const struct added_samples *added, const struct profile *profile,
                const struct report_options *options, uint32_t sample, struct amount *more)
{
    const struct profile_sample *now = report_sample(profile, &options->filter, sample);
    const struct amount *before = &added->amounts[sample];

    *more = (struct amount){now->count - before->samples, report_ns(profile, now) - before->ns};
    return (more->samples != 0 || more->ns != 0) && row_counts(profile, options, now);
}

void added_clear(struct added_samples *added)
{
    free(added->amounts);
    *added = (struct added_samples){0};
}

/* --- nodes ------------------------------------------------------------------------------- */

/* A node of the profile that is on the stack of new samples. parent, child and sibling are indexes in
 * changed_nodes.nodes. */
struct changed_node {
    uint32_t node; /* index in the profile */
    uint32_t parent;
    uint32_t child; /* first child that the walk has not entered yet; 0: none */
    uint32_t sibling;
    struct amount self, below; /* below: sum of the totals of those children from which the walk has returned */
};

static int changed_enter(struct changed_nodes *changed, uint32_t node)
{
    int error = array_grow(&changed->nodes, changed->count, sizeof *changed->nodes);

    if (error == 0) {
        changed->places[node] = changed->count;
        changed->nodes[changed->count++] = (struct changed_node){.node = node};
    }
    return error;
}

/* Adds a node, and all callers of the node that are not in *changed yet, and links each added node to its caller. */
static int changed_enter_stack(struct changed_nodes *changed, const struct profile *profile, uint32_t node)
{
    uint32_t below = 0;

    for (uint32_t at = node;; at = profile->nodes[at].parent) {
        bool is_known = at == PROFILE_NONE || changed->places[at] != 0;
        int error = is_known ? 0 : changed_enter(changed, at);
        if (error != 0)
            return error;
        if (below != 0) {
            struct changed_node *above = &changed->nodes[changed->places[at]];
            changed->nodes[below].parent = changed->places[at];
            changed->nodes[below].sibling = above->child;
            above->child = below;
        }
        if (is_known)
            return 0;
        below = changed->places[at];
    }
}

int changed_add(struct changed_nodes *changed, const struct profile *profile, uint32_t node, const struct amount *more)
{
    int error = array_extend(&changed->places, &changed->place_count, profile->node_count, sizeof *changed->places);

    if (error == 0 && changed->count == 0)
        error = changed_enter(changed, PROFILE_NONE);
    if (error == 0)
        error = changed_enter_stack(changed, profile, node);
    if (error == 0)
        amount_add(&changed->nodes[changed->places[node]].self, more);
    return error;
}

static void changed_leave(struct changed_nodes *changed, const struct changed_node *node,
                          const struct changed_visitor *visitor, void *context)
{
    struct amount total = node->self;

    amount_add(&total, &node->below);
    visitor->leave(context, node->node, &node->self, &total);
    amount_add(&changed->nodes[node->parent].below, &total);
}

int changed_walk(struct changed_nodes *changed, const struct changed_visitor *visitor,
                 void *context, struct amount *all)
{
    uint32_t at = 0;
    int error = 0;

    if (changed->count == 0)
        return 0;
    while (error == 0 && (at != 0 || changed->nodes[0].child != 0)) {
        struct changed_node *node = &changed->nodes[at];
        if (node->child != 0) {
            at = node->child;
            node->child = changed->nodes[at].sibling;
            error = visitor->enter(context, changed->nodes[at].node);
        } else {
            changed_leave(changed, node, visitor, context);
            at = node->parent;
        }
    }
    amount_add(all, &changed->nodes[0].self);
    amount_add(all, &changed->nodes[0].below);
    for (uint32_t i = 0; i < changed->count; i++)
        changed->places[changed->nodes[i].node] = 0;
    free(changed->nodes); /* the array may be as large as the profile, but later walks have few nodes */
    changed->nodes = NULL;
    changed->count = 0;
    return error;
}

void changed_clear(struct changed_nodes *changed)
{
    free(changed->nodes);
    free(changed->places);
    *changed = (struct changed_nodes){0};
}
