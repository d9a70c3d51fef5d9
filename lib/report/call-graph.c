/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Adds the time of callees to their callers, as gprof does (call_graph in style-internal.h). A row is for one function.
 * An arc is for all calls of one function by one other function.
 *
 * Functions that call each other in a circle are a strongly connected component of the graph. Tarjan's algorithm
 * numbers the components, callees before callers. The search does not recurse, because a hostile file could exhaust the
 * stack. Then the time of each component is added to its callers, in the order of the numbers.
 *
 * Sums of floating-point numbers depend on the order in which their terms are added. This file uses gprof's order: of
 * all arcs of a caller, the arc that is last in the file comes first.
 */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/style-internal.h"

#define NONE SIZE_MAX

struct arc {
    size_t from, to; /* indexes of the caller's row and the callee's row */
    uint64_t count;
    /* index of this arc in the file; if the file has several arcs from this caller to this callee: index of the first
     * of them */
    size_t order;
};

struct node {
    size_t arcs, arc_end; /* the arcs of the function: [arcs, arc_end) in graph.arcs */
    /* index of the first arc of the function that the search has not followed yet */
    size_t next;
    /* position of the node in the order in which the search finds nodes: 1 for the first; 0: not found yet */
    size_t number;
    /* lowest `number` among the nodes that can be reached from this node and do not belong to a component yet */
    size_t lowest;
    size_t component; /* index of the node's component; NONE: not known yet */
};

/* A strongly connected component: functions that call each other in a circle, or a single function. The time of the
 * whole component is divided among its callers outside of the component. */
struct component {
    size_t size;
    double ticks, below;
    uint64_t calls; /* calls from other components */
};

struct graph {
    struct ticks_table *table;
    double *below;
    struct arc *arcs;
    size_t arc_count;
    struct node *nodes;           /* indexed by row */
    struct component *components; /* callees first */
    size_t component_count;
    size_t *stack; /* nodes that were found and do not belong to a component yet */
    size_t *path;  /* nodes on the way from the start of the search to its present node */
    size_t *order; /* indexes of rows, sorted by component */
    size_t stacked, found;
};

/* --- arcs -------------------------------------------------------------------------------- */

static int graph_by_ends(const void *left, const void *right)
{
    const struct arc *a = left, *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int graph_last_first(const void *left, const void *right)
{
    const struct arc *a = left, *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->order > b->order ? -1 : a->order < b->order;
}

/* Finds the row that counts the calls of the code at the address `pc`. If this code belongs to a label, the row is that
 * of the last function before the label. */
static const struct ticks_row *graph_find_called(const struct ticks_table *table, uint64_t pc)
{
    const struct ticks_row *row = ticks_find(table, pc);

    while (row != NULL && row->symbol->type != STT_FUNC)
        row = row > table->rows ? row - 1 : NULL;
    return row;
}

/* Replaces all arcs from one caller to one callee by a single arc with the sum of their counts. Removes the arcs from a
 * function to itself. Also sums the calls of each row. */
static void graph_merge_arcs(struct graph *graph)
{
    size_t kept = 0;

    qsort(graph->arcs, graph->arc_count, sizeof *graph->arcs, graph_by_ends);
    for (size_t i = 0; i < graph->arc_count; i++) {
        const struct arc *arc = &graph->arcs[i];
        if (arc->from == arc->to)
            continue;
        graph->table->rows[arc->to].calls += arc->count;
        if (kept > 0 && graph->arcs[kept - 1].from == arc->from && graph->arcs[kept - 1].to == arc->to)
            graph->arcs[kept - 1].count += arc->count;
        else
            graph->arcs[kept++] = *arc;
    }
    graph->arc_count = kept;
    qsort(graph->arcs, graph->arc_count, sizeof *graph->arcs, graph_last_first);
}

static void graph_take_arcs(struct graph *graph, const struct histogram_file *file)
{
    for (size_t i = 0; i < file->arc_count; i++) {
        const struct histogram_arc *arc = &file->arcs[i];
        const struct ticks_row *from = ticks_find(graph->table, arc->from);
        const struct ticks_row *to = graph_find_called(graph->table, arc->self);
        if (from != NULL && to != NULL)
            graph->arcs[graph->arc_count++] = (struct arc){(size_t)(from - graph->table->rows),
                                                           (size_t)(to - graph->table->rows), arc->count, i};
    }
    graph_merge_arcs(graph);
    for (size_t i = 0, next; i < graph->arc_count; i = next) {
        struct node *node = &graph->nodes[graph->arcs[i].from];
        for (next = i + 1; next < graph->arc_count; next++)
            if (graph->arcs[next].from != graph->arcs[i].from)
                break;
        node->arcs = node->next = i;
        node->arc_end = next;
    }
}

/* --- components -------------------------------------------------------------------------- */

static void graph_find_node(struct graph *graph, size_t at)
{
    struct node *node = &graph->nodes[at];

    node->number = node->lowest = ++graph->found;
    graph->stack[graph->stacked++] = at;
}

/* Makes a component. Its members are the node `at`, and all nodes that were found after it and do not belong to another
 * component. */
static void graph_close_component(struct graph *graph, size_t at)
{
    struct component *component = &graph->components[graph->component_count];
    size_t member;

    do {
        member = graph->stack[--graph->stacked];
        graph->nodes[member].component = graph->component_count;
        component->size++;
    } while (member != at);
    graph->component_count++;
}

static void graph_visit(struct graph *graph, size_t root)
{
    size_t depth = 0;

    graph->path[depth++] = root;
    graph_find_node(graph, root);
    while (depth > 0) {
        size_t at = graph->path[depth - 1];
        struct node *node = &graph->nodes[at];
        if (node->next < node->arc_end) {
            size_t to = graph->arcs[node->next++].to;
            const struct node *called = &graph->nodes[to];
            if (called->number == 0) {
                graph_find_node(graph, to);
                graph->path[depth++] = to;
            } else if (called->component == NONE && called->number < node->lowest) {
                node->lowest = called->number;
            }
            continue;
        }
        if (node->lowest == node->number)
            graph_close_component(graph, at);
        depth--;
        if (depth > 0 && node->lowest < graph->nodes[graph->path[depth - 1]].lowest)
            graph->nodes[graph->path[depth - 1]].lowest = node->lowest;
    }
}

/* Sorts rows by component, and within a component by address, with a counting sort. Uses the memory of graph->stack,
 * which is no longer needed. */
static void graph_sort_rows(struct graph *graph)
{
    size_t *next = graph->stack, begin = 0;

    for (size_t i = 0; i < graph->component_count; i++) {
        next[i] = begin;
        begin += graph->components[i].size;
    }
    for (size_t i = 0; i < graph->table->count; i++)
        graph->order[next[graph->nodes[i].component]++] = i;
}

static void graph_find_components(struct graph *graph)
{
    for (size_t i = 0; i < graph->table->count; i++)
        graph->nodes[i].component = NONE;
    for (size_t i = 0; i < graph->table->count; i++)
        if (graph->nodes[i].number == 0)
            graph_visit(graph, i);
    graph_sort_rows(graph);
    for (size_t i = 0; i < graph->table->count; i++)
        graph->components[graph->nodes[i].component].ticks += graph->table->rows[i].ticks;
    for (size_t i = 0; i < graph->arc_count; i++) {
        size_t from = graph->nodes[graph->arcs[i].from].component;
        size_t to = graph->nodes[graph->arcs[i].to].component;
        if (from != to)
            graph->components[to].calls += graph->arcs[i].count;
    }
}

/* --- time -------------------------------------------------------------------------------- */

static void graph_take_share(struct graph *graph, size_t row)
{
    const struct node *node = &graph->nodes[row];
    struct component *own = &graph->components[node->component];

    if (graph->table->rows[row].hidden)
        return;
    for (size_t i = node->arcs; i < node->arc_end; i++) {
        const struct arc *arc = &graph->arcs[i];
        const struct component *called = &graph->components[graph->nodes[arc->to].component];
        if (called == own || called->calls == 0 || arc->count == 0 || graph->table->rows[arc->to].hidden)
            continue;
        double part = (double)arc->count / (double)called->calls;
        double share = called->ticks * part + called->below * part;
        graph->below[row] += share;
        own->below += share;
    }
}

static void graph_clear(struct graph *graph)
{
    free(graph->arcs);
    free(graph->nodes);
    free(graph->components);
    free(graph->stack);
    free(graph->path);
    free(graph->order);
}

int call_graph(const struct histogram_file *file, struct ticks_table *table, double *below)
{
    size_t rows = table->count + 1;
    struct graph graph = {
        .table = table,
        .below = below,
        .arcs = calloc(file->arc_count + 1, sizeof *graph.arcs),
        .nodes = calloc(rows, sizeof *graph.nodes),
        .components = calloc(rows, sizeof *graph.components),
        .stack = calloc(rows, sizeof *graph.stack),
        .path = calloc(rows, sizeof *graph.path),
        .order = calloc(rows, sizeof *graph.order),
    };
    int error = -ENOMEM;

    if (graph.arcs != NULL && graph.nodes != NULL && graph.components != NULL &&
        graph.stack != NULL && graph.path != NULL && graph.order != NULL) {
        graph_take_arcs(&graph, file);
        graph_find_components(&graph);
        for (size_t i = 0; i < table->count; i++)
            graph_take_share(&graph, graph.order[i]);
        error = 0;
    }
    graph_clear(&graph);
    return error;
}
