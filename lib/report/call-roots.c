/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trees that begin with a function. Downwards a node joins those of the same name below what its
 * parent became. Upwards it goes level by level: what is carried is at which call of the
 * top-down tree each path has arrived, and paths that have come to the same call go on as one,
 * so that no level is larger than the tree it is made of.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "report/call-tree.h"

/* Upwards: some seconds. Without other bounds a deep stack takes the square of its depth. */
#define STEPS_MAX (UINT64_C(1) << 22)

static void call_roots_add(struct call_total *total, const struct call_total *more)
{
    total->samples += more->samples;
    total->ns += more->ns;
}

/* --- roots ------------------------------------------------------------------------------- */

static void find_root(const struct call_tree *tree, const bool *wanted, struct call_roots *roots,
                      uint32_t *inner, uint32_t at)
{
    const struct call_node *node = &tree->nodes[at];
    uint32_t root = roots->root[node->parent];

    inner[at] = inner[node->parent];
    if (root == 0 && wanted[node->unit]) {
        root = at;
    } else if (root != 0 && wanted[node->unit] && inner[at] == 0) {
        inner[at] = at;
        call_roots_add(&roots->again, &node->total);
    }
    roots->root[at] = root;
    if (root != 0 && node->unit == tree->nodes[root].unit)
        call_roots_add(&roots->own[root], &node->self);
}

int call_roots_find(const struct call_tree *tree, const bool *wanted, struct call_roots *roots)
{
    uint32_t *inner = calloc(tree->count, sizeof *inner); /* the second wanted one above */

    *roots = (struct call_roots){0};
    roots->root = calloc(tree->count, sizeof *roots->root);
    roots->own = calloc(tree->count, sizeof *roots->own);
    if (inner == NULL || roots->root == NULL || roots->own == NULL) {
        free(inner);
        call_roots_clear(roots);
        return -ENOMEM;
    }
    for (uint32_t i = 1; i < tree->count; i++)
        find_root(tree, wanted, roots, inner, i);
    free(inner);
    return 0;
}

void call_roots_clear(struct call_roots *roots)
{
    free(roots->root);
    free(roots->own);
    *roots = (struct call_roots){0};
}

/* --- downwards --------------------------------------------------------------------------- */

int call_tree_callees(const struct call_tree *from, const struct call_roots *roots,
                      struct call_tree *tree)
{
    uint32_t *places = calloc(from->count, sizeof *places);
    int error = call_tree_begin(tree, 0);

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
        call_roots_add(&made->self, &node->self);
    }
    if (error == 0)
        call_tree_sum(tree);
    free(places);
    return error;
}

/* --- upwards ----------------------------------------------------------------------------- */

struct path {
    uint32_t call; /* of the top-down tree, where it has arrived */
    uint32_t node; /* of the tree that is made */
    struct call_total self, total;
};

struct level {
    struct path *paths; /* owned */
    uint32_t count;
    struct sums known; /* {node, call}: the path's index + 1 as its location */
};

static void clear_level(struct level *level)
{
    free(level->paths);
    sums_clear(&level->known);
    *level = (struct level){0};
}

/* Another path to this call, below this node of the tree. */
static int join(struct level *level, const struct path *path)
{
    struct sum *known = sums_need(&level->known, (const uint64_t[]){path->node, path->call});
    if (known == NULL)
        return -ENOMEM;
    if (known->location != 0) {
        call_roots_add(&level->paths[known->location - 1].self, &path->self);
        call_roots_add(&level->paths[known->location - 1].total, &path->total);
        return 0;
    }
    int error = array_grow(&level->paths, level->count, sizeof *level->paths);
    if (error != 0)
        return error;
    level->paths[level->count++] = *path;
    known->location = level->count;
    return 0;
}

static int call_roots_begin(const struct call_tree *from, const struct call_roots *roots,
                            struct call_tree *tree, struct level *level)
{
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < from->count; i++) {
        const struct call_node *call = &from->nodes[i];
        struct path path = {.call = i, .self = call->self, .total = call->self};
        if (roots != NULL ? roots->root[i] != i : (call->self.samples | call->self.ns) == 0)
            continue;
        if (roots != NULL) {
            path.self = roots->own[i];
            path.total = call->total;
        }
        error = call_tree_descend(tree, 0, call->unit, &path.node);
        if (error != 0)
            break;
        tree->nodes[path.node].inlined |= call->inlined;
        error = join(level, &path);
    }
    return error;
}

/* All that arrive at a node are known before it is asked whether to go on from there. */
static void sum_level(struct call_tree *tree, const struct level *level)
{
    for (uint32_t i = 0; i < level->count; i++) {
        call_roots_add(&tree->nodes[level->paths[i].node].self, &level->paths[i].self);
        call_roots_add(&tree->nodes[level->paths[i].node].total, &level->paths[i].total);
    }
}

static int climb(const struct call_tree *from, const struct path *path, struct call_tree *tree,
                 struct level *above)
{
    const struct call_node *call = &from->nodes[path->call];
    struct path next = *path;

    if (call->parent == 0)
        return 0;
    next.call = call->parent;
    int error = call_tree_descend(tree, path->node, from->nodes[next.call].unit, &next.node);
    if (error != 0)
        return error;
    tree->nodes[next.node].inlined |= from->nodes[next.call].inlined;
    return join(above, &next);
}

static int climb_all(const struct call_tree *from, const struct level *level, bool stop,
                     uint64_t least_ns, struct call_tree *tree, struct level *above)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < level->count; i++) {
        const struct path *path = &level->paths[i];
        struct call_node *node = &tree->nodes[path->node];
        if (stop || node->total.ns < least_ns)
            node->closed |= from->nodes[path->call].parent != 0;
        else
            error = climb(from, path, tree, above);
    }
    return error;
}

int call_tree_callers(const struct call_tree *from, const struct call_roots *roots,
                      const struct call_bounds *bounds, struct call_tree *tree)
{
    struct level level = {0};
    uint64_t steps = 0;
    int error = call_tree_begin(tree, 0);

    if (error == 0)
        error = call_roots_begin(from, roots, tree, &level);
    for (uint32_t depth = 1; error == 0 && level.count > 0; depth++) {
        struct level above = {0};
        sum_level(tree, &level);
        steps += level.count;
        bool stop = depth == bounds->depth || steps > STEPS_MAX;
        error = climb_all(from, &level, stop, bounds->least_ns, tree, &above);
        clear_level(&level);
        level = above;
    }
    clear_level(&level);
    for (uint32_t i = tree->nodes[0].child; error == 0 && i != 0; i = tree->nodes[i].sibling)
        call_roots_add(&tree->nodes[0].total, &tree->nodes[i].total);
    return error;
}
