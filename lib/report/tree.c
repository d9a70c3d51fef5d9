/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes the rows of a call tree, in the order in which they are printed. Rows that are not made yet wait in an array,
 * which is used as a stack. So no function recurses.
 *
 * If there is a limit, the rows with the largest totals are shown. No row has a larger total than its parent, so the
 * parent of each shown row is shown too.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "report/call-tree.h"
#include "report/name-search.h"
#include "report/report.h"
#include "report/row.h"

/* A row that has not been made yet. The row is for one node, or for those children of a node that are cut off, which
 * means that they get no rows of their own. */
struct waiting {
    /* node of the row; if the row is for children that are cut off: the parent of those children */
    uint32_t node;
    uint32_t parent, depth, indent;
    uint32_t cut;       /* number of children that are cut off; 0: the row is for one node */
    struct amount rest; /* total of the children that are cut off */
    bool last;
};

struct maker {
    const struct profile *profile;
    const struct report_tree_options *options;
    const struct sums *units;
    const struct call_tree *calls;
    struct pprofil_tree *tree;
    struct waiting *stack; /* owned */
    uint32_t waiting;
    /* owned; the children of one node, in the order in which their rows are printed */
    uint32_t *below;
    uint64_t least_ns; /* a node with a smaller total (ns) gets no row, because of the option `least` */
    uint64_t floor_ns; /* a node with a smaller total (ns) gets no row, because of the option `limit` */
    uint64_t places;   /* how many nodes with a total of exactly floor_ns may still get rows */
};

/* --- what is shown ----------------------------------------------------------------------- */

static int largest_first(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a > b ? -1 : a < b;
}

/* Sets maker->floor_ns and maker->places, so that there are not more rows than the option `limit` allows. */
static int find_floor(struct maker *maker)
{
    const struct call_tree *calls = maker->calls;
    uint32_t limit = maker->options->of.limit, count = 0;
    uint32_t *depths = calloc(calls->count, sizeof *depths);
    uint64_t *sizes = calloc(calls->count, sizeof *sizes);

    maker->places = UINT64_MAX;
    for (uint32_t i = 1; depths != NULL && sizes != NULL && i < calls->count; i++) {
        depths[i] = depths[calls->nodes[i].parent] + 1;
        if (calls->nodes[i].total.ns >= maker->least_ns &&
            (maker->options->depth == 0 || depths[i] <= maker->options->depth))
            sizes[count++] = calls->nodes[i].total.ns;
    }
    int error = depths == NULL || sizes == NULL ? -ENOMEM : 0;
    if (error == 0 && limit != 0 && count > limit) {
        qsort(sizes, count, sizeof *sizes, largest_first);
        maker->floor_ns = sizes[limit - 1];
        maker->places = 1;
        for (uint32_t i = limit - 1; i > 0 && sizes[i - 1] == maker->floor_ns; i--)
            maker->places++;
    }
    free(depths);
    free(sizes);
    return error;
}

static bool gets_row(struct maker *maker, const struct call_node *node)
{
    if (node->total.ns < maker->least_ns || node->total.ns < maker->floor_ns)
        return false;
    if (node->total.ns > maker->floor_ns)
        return true;
    if (maker->places == 0)
        return false;
    maker->places--;
    return true;
}

/* --- rows -------------------------------------------------------------------------------- */

static void name_unit(const struct maker *maker, uint32_t unit, struct pprofil_row *row)
{
    *row = ROW_EMPTY;
    row_name_code(maker->profile, &maker->units->all[unit], maker->options->of.by, row);
}

static int tree_add_row(struct maker *maker, const struct waiting *from)
{
    static const struct amount none;
    struct pprofil_tree *tree = maker->tree;
    const struct amount whole = {tree->totals.samples, tree->totals.ns};
    const struct call_node *node = &maker->calls->nodes[from->node];
    const struct sum *unit = &maker->units->all[node->unit];
    uint64_t above = from->parent == PPROFIL_TREE_TOP ? 0 : tree->rows[from->parent].row.id;
    struct pprofil_tree_row row = {.parent = from->parent,
                                   .depth = from->depth,
                                   .indent = from->indent,
                                   .cut = from->cut,
                                   .last = from->last};
    int error = array_grow(&tree->rows, tree->count, sizeof *tree->rows);

    if (error != 0)
        return error;
    if (from->cut > 0) {
        row.row = ROW_EMPTY;
        row_set_amounts(&row.row, &none, &from->rest, &whole);
        row.row.id = row_id_below(above, 0);
    } else {
        row.inlined = node->inlined;
        name_unit(maker, node->unit, &row.row);
        row_set_amounts(&row.row, &node->self, &node->total, &whole);
        row.row.id = row_id_below(above, row_id(unit->key, maker->options->of.by));
    }
    tree->rows[tree->count++] = row;
    return 0;
}

static int tree_push(struct maker *maker, const struct waiting *entry)
{
    int error = array_grow(&maker->stack, maker->waiting, sizeof *maker->stack);

    if (error == 0)
        maker->stack[maker->waiting++] = *entry;
    return error;
}

static int tree_compare_nodes(const void *left, const void *right, void *context)
{
    const struct maker *maker = context;
    const struct call_node *a = &maker->calls->nodes[*(const uint32_t *)left];
    const struct call_node *b = &maker->calls->nodes[*(const uint32_t *)right];
    struct pprofil_row x, y;
    int order;

    if (a->total.ns != b->total.ns)
        return a->total.ns > b->total.ns ? -1 : 1;
    name_unit(maker, a->unit, &x);
    name_unit(maker, b->unit, &y);
    if ((order = row_compare_text(x.name, y.name)) != 0 || (order = row_compare_text(x.object, y.object)) != 0)
        return order;
    if (x.line != y.line)
        return x.line < y.line ? -1 : 1;
    return a->unit < b->unit ? -1 : a->unit > b->unit;
}

/* Writes the children of a node to maker->below, in the order in which their rows are printed. */
static int sort_below(struct maker *maker, const struct call_node *node, uint32_t *count)
{
    const struct call_node *nodes = maker->calls->nodes;

    *count = 0;
    for (uint32_t i = node->child; i != 0; i = nodes[i].sibling) {
        int error = array_grow(&maker->below, *count, sizeof *maker->below);
        if (error != 0)
            return error;
        maker->below[(*count)++] = i;
    }
    if (*count > 1)
        qsort_r(maker->below, *count, sizeof *maker->below, tree_compare_nodes, maker);
    return 0;
}

/* Puts the rows of a node's children on the stack of waiting rows, the largest on top. Children that are cut off share
 * one row, at the bottom. If their total is too small, they get no row at all. `parent` is the index of the node's own
 * row, or PPROFIL_TREE_TOP. */
static int open_node(struct maker *maker, uint32_t index, uint32_t parent)
{
    const struct call_node *nodes = maker->calls->nodes;
    const struct pprofil_tree_row *row = parent == PPROFIL_TREE_TOP ? NULL : &maker->tree->rows[parent];
    struct waiting entry = {.node = index, .parent = parent, .last = true};
    uint32_t depth = row != NULL ? row->depth + 1 : 0, all, shown = 0;
    int error = sort_below(maker, &nodes[index], &all);

    if (row != NULL)
        maker->tree->rows[parent].below = all + nodes[index].closed;
    if (error != 0 || (maker->options->depth != 0 && depth >= maker->options->depth))
        return error;
    while (shown < all && gets_row(maker, &nodes[maker->below[shown]]))
        shown++;
    for (uint32_t i = shown; i < all; i++)
        amount_add(&entry.rest, &nodes[maker->below[i]].total);
    bool has_rest = entry.rest.ns > 0 && entry.rest.ns >= maker->least_ns && entry.rest.ns >= maker->floor_ns;
    bool only = shown + has_rest == 1;
    entry.depth = depth;
    entry.indent = row == NULL ? 0 : row->indent + !only;
    entry.cut = all - shown;
    error = has_rest ? tree_push(maker, &entry) : 0;
    entry.cut = 0;
    for (uint32_t i = shown; error == 0 && i > 0; i--) {
        entry.node = maker->below[i - 1];
        entry.last = i == shown && !has_rest;
        error = tree_push(maker, &entry);
    }
    return error;
}

static int tree_make_rows(struct maker *maker)
{
    int error = find_floor(maker);

    if (error == 0)
        error = open_node(maker, 0, PPROFIL_TREE_TOP);
    while (error == 0 && maker->waiting > 0) {
        struct waiting next = maker->stack[--maker->waiting];
        error = tree_add_row(maker, &next);
        if (error == 0 && next.cut == 0)
            error = open_node(maker, next.node, maker->tree->count - 1);
    }
    free(maker->stack);
    free(maker->below);
    return error;
}

/* --- the whole --------------------------------------------------------------------------- */

static bool is_bottom_up(const struct report_tree_options *options)
{
    return options->kind == PPROFIL_TREE_INVERTED || options->kind == PPROFIL_TREE_CALLERS;
}

static void sum_rest(const struct maker *maker)
{
    struct pprofil_tree *tree = maker->tree;

    tree->totals.all = maker->calls->count - 1;
    tree->totals.rest_ns = tree->totals.root_ns;
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct pprofil_tree_row *row = &tree->rows[i];
        if (row->cut > 0)
            continue;
        if (!is_bottom_up(maker->options))
            tree->totals.rest_ns -= row->row.ns;
        else if (row->depth == 0)
            tree->totals.rest_ns -= row->row.total_ns;
    }
}

/* Marks the units whose names match the pattern in the option `function`. */
static int find_wanted(const struct maker *maker, bool *wanted, char *problem, size_t size)
{
    uint32_t count = maker->units->count, found = 0;
    const char *pattern = maker->options->function;
    const char **names = calloc(count + 1u, sizeof *names);
    char why[128];
    if (names == NULL)
        return -ENOMEM;

    for (uint32_t i = 0; i < count; i++) {
        struct pprofil_row row;
        name_unit(maker, i, &row);
        names[i] = row.name;
    }
    int error = name_search(pattern, names, count, wanted, &found, why, sizeof why);
    if (error == -EINVAL)
        snprintf(problem, size, "'%s' is no name that is there, nor a regular expression: %s", pattern, why);
    if (error == 0 && found == 0) {
        name_search_complain("function", pattern, names, count, problem, size);
        error = -ENOENT;
    }
    free(names);
    return error;
}

static int tree_from_function(struct maker *maker, const struct call_tree *from,
                              struct call_tree *made, char *problem, size_t size)
{
    struct call_bounds bounds = {.least_ns = maker->least_ns, .depth = maker->options->depth};
    struct call_roots roots = {0};
    bool *wanted = calloc(maker->units->count + 1u, sizeof *wanted);
    int error = wanted == NULL ? -ENOMEM : find_wanted(maker, wanted, problem, size);

    if (error == 0)
        error = call_roots_find(from, wanted, &roots);
    if (error == 0 && maker->options->kind == PPROFIL_TREE_CALLEES)
        error = call_tree_callees(from, &roots, made);
    else if (error == 0)
        error = call_tree_callers(from, &roots, &bounds, made);
    maker->tree->totals.again_ns = roots.again.ns;
    call_roots_clear(&roots);
    free(wanted);
    return error;
}

/* Sets maker->calls to the tree from which the rows are made: the top-down tree *from, or a tree that this function
 * makes in *made. */
static int choose_tree(struct maker *maker, const struct call_tree *from, struct call_tree *made,
                       char *problem, size_t size)
{
    struct call_bounds bounds = {.least_ns = maker->least_ns, .depth = maker->options->depth};

    maker->calls = made;
    switch (maker->options->kind) {
    case PPROFIL_TREE_CALLS:
        maker->calls = from;
        return 0;
    case PPROFIL_TREE_INVERTED:
        return call_tree_callers(from, NULL, &bounds, made);
    default:
        return tree_from_function(maker, from, made, problem, size);
    }
}

int report_tree(struct profile *profile, struct symbolizer *symbolizer, const struct report_tree_options *options,
                struct pprofil_tree **result, char *problem, size_t size)
{
    struct sums units = {0};
    struct call_tree from = {0}, made = {0};
    struct maker maker = {.profile = profile, .options = options, .units = &units};
    int error = row_look_up(symbolizer, &options->of);

    maker.tree = calloc(1, sizeof *maker.tree);
    if (maker.tree == NULL)
        error = -ENOMEM;
    if (error == 0)
        error = call_tree_build(profile, &options->of, &units, &from);
    if (error == 0) {
        maker.tree->totals.samples = from.nodes[0].total.samples;
        maker.tree->totals.ns = from.nodes[0].total.ns;
        maker.least_ns = (uint64_t)ceil(options->least * (double)maker.tree->totals.ns);
        error = choose_tree(&maker, &from, &made, problem, size);
    }
    if (error == 0) {
        maker.tree->totals.root_samples = maker.calls->nodes[0].total.samples;
        maker.tree->totals.root_ns = maker.calls->nodes[0].total.ns;
        error = tree_make_rows(&maker);
    }
    if (error == 0)
        sum_rest(&maker);
    call_tree_clear(&from);
    call_tree_clear(&made);
    sums_clear(&units);
    if (error != 0) {
        pprofil_tree_free(maker.tree);
        return error;
    }
    *result = maker.tree;
    return 0;
}

void pprofil_tree_free(struct pprofil_tree *tree)
{
    if (tree == NULL)
        return;
    free(tree->rows);
    free(tree);
}
