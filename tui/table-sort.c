/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sorts the rows of a table. Rows that are equal otherwise are sorted by id, so that no row moves
 * without a reason. Shares are compared in hundredths of a percent.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

#define DEEPEST 64 /* greatest number of levels of a tree, because reused pids can make a ring of parents */
#define NO_PARENT UINT32_MAX

typedef int comparison(const void *, const void *);

static int order_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int order_by_total(const void *left, const void *right)
{
    const struct table_row *a = left, *b = right;
    int order = order_numbers(b->total.ns, a->total.ns);

    if (order == 0)
        order = strcmp(a->total.name, b->total.name);
    return order != 0 ? order : order_numbers(a->total.id, b->total.id);
}

static int order_by_window(const void *left, const void *right)
{
    const struct table_row *a = left, *b = right;

    if (a->smooth_share == b->smooth_share) /* a shortcut, because often most rows have the share 0 */
        return order_by_total(a, b);
    long one = lround(a->smooth_share * 1e4), other = lround(b->smooth_share * 1e4);
    return one != other ? (one < other) - (one > other) : order_by_total(a, b);
}

static int order_by_inclusive(const void *left, const void *right)
{
    const struct table_row *a = left, *b = right;
    long one = lround(a->smooth_inclusive * 1e4), other = lround(b->smooth_inclusive * 1e4);

    if (one != other)
        return (one < other) - (one > other);
    int order = order_numbers(b->total.total_ns, a->total.total_ns);
    return order != 0 ? order : order_by_window(a, b);
}

static int order_by_name(const void *left, const void *right)
{
    const struct table_row *a = left, *b = right;
    int order = strcmp(a->total.name, b->total.name);

    return order != 0 ? order : order_by_window(a, b);
}

static int order_by_object(const void *left, const void *right)
{
    const struct table_row *a = left, *b = right;
    int order = strcmp(a->total.object, b->total.object);

    return order != 0 ? order : order_by_window(a, b);
}

static int order_by_pid(const void *left, const void *right)
{
    const struct table_row *a = left, *b = right;
    int order = order_numbers(a->total.pid, b->total.pid);

    if (order == 0)
        order = order_numbers(a->total.tid, b->total.tid);
    return order != 0 ? order : order_by_window(a, b);
}

/* The rows of a diff are sorted, and each row points into the array of these. */
static int order_by_change(const void *left, const void *right)
{
    const struct table_row *a = left, *b = right;

    if (a->change == NULL || b->change == NULL)
        return order_by_total(a, b);
    return (a->change > b->change) - (a->change < b->change);
}

static int order_by_total_change(const void *left, const void *right)
{
    const struct table_row *a = left, *b = right;
    double one = a->change != NULL ? fabs(a->change->total.change) : 0;
    double other = b->change != NULL ? fabs(b->change->total.change) : 0;

    return one != other ? (one < other) - (one > other) : order_by_change(a, b);
}

static int order_by_old(const void *left, const void *right)
{
    const struct table_row *a = left, *b = right;
    double one = a->change != NULL ? a->change->self.share[0] : 0;
    double other = b->change != NULL ? b->change->self.share[0] : 0;

    return one != other ? (one < other) - (one > other) : order_by_change(a, b);
}

static comparison *const comparisons[TABLE_SORTS] = {
    [TABLE_BY_WINDOW] = order_by_window,
    [TABLE_BY_TOTAL] = order_by_total,
    [TABLE_BY_NAME] = order_by_name,
    [TABLE_BY_OBJECT] = order_by_object,
    [TABLE_BY_INCLUSIVE] = order_by_inclusive,
    [TABLE_BY_PID] = order_by_pid,
    [TABLE_BY_CHANGE] = order_by_change,
    [TABLE_BY_TOTAL_CHANGE] = order_by_total_change,
    [TABLE_BY_OLD] = order_by_old,
};

void table_sort(struct table *table, enum table_sort sort)
{
    for (uint32_t i = 0; i < table->count; i++)
        table->rows[i].depth = 0;
    if (table->count > 1)
        qsort(table->rows, table->count, sizeof *table->rows, comparisons[sort]);
}

/* --- the tree of processes ---------------------------------------------------------------- */

struct pid_entry {
    uint32_t pid;
    /* in tree.parents: the pid of the parent; in tree.rows: the index of the row */
    uint32_t value;
    /* if several entries have the same pid, only the one with the largest `rank` is used */
    uint64_t rank;
};

struct node {
    uint32_t row, parent;
    double share; /* sum of smooth_share over the process and all processes below it */
    uint64_t ns;  /* sum of total.ns over the process and all processes below it */
};

struct tree {
    struct table *table;
    struct pid_entry *parents, *rows; /* owned: sorted by pid and rank */
    uint32_t parent_count;
    /* owned: one node for each row, at first in the order of the rows, later sorted by parent; the children of a
     * parent are sorted by size */
    struct node *nodes;
    /* owned: for each row, the index in `nodes` of the row's first child. The index of the first
     * row without a parent is in first[count], where `count` is the number of rows. */
    uint32_t *first;
    struct table_row *ordered; /* owned until the table takes the array: the rows in their new order */
    uint32_t placed;
};

static int tree_compare_pids(const void *left, const void *right)
{
    const struct pid_entry *a = left, *b = right;
    int order = order_numbers(a->pid, b->pid);

    return order != 0 ? order : order_numbers(a->rank, b->rank);
}

/* Several entries may have the same pid. Returns the one with this pid that has the largest rank,
 * or NULL if no entry has this pid. */
static const struct pid_entry *tree_find_pid(const struct pid_entry *entries, uint32_t count, uint32_t pid)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (entries[middle].pid <= pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && entries[low - 1].pid == pid ? &entries[low - 1] : NULL;
}

static bool tree_new(struct tree *tree, struct table *table, const struct snapshot *snapshot)
{
    size_t count = (size_t)table->count + 1;

    *tree = (struct tree){.table = table, .parent_count = snapshot->process_count};
    tree->parents = calloc((size_t)tree->parent_count + 1, sizeof *tree->parents);
    tree->rows = calloc(count, sizeof *tree->rows);
    tree->nodes = calloc(count, sizeof *tree->nodes);
    tree->first = calloc(count + 1, sizeof *tree->first);
    tree->ordered = calloc(count, sizeof *tree->ordered);
    if (tree->parents == NULL || tree->rows == NULL || tree->nodes == NULL || tree->first == NULL ||
        tree->ordered == NULL)
        return false;
    for (uint32_t i = 0; i < tree->parent_count; i++)
        tree->parents[i] = (struct pid_entry){snapshot->processes[i].pid, snapshot->processes[i].ppid, i};
    for (uint32_t i = 0; i < table->count; i++)
        tree->rows[i] = (struct pid_entry){table->rows[i].total.pid, i, table->rows[i].total.id};
    qsort(tree->parents, tree->parent_count, sizeof *tree->parents, tree_compare_pids);
    qsort(tree->rows, table->count, sizeof *tree->rows, tree_compare_pids);
    return true;
}

static void tree_free(struct tree *tree)
{
    free(tree->parents);
    free(tree->rows);
    free(tree->nodes);
    free(tree->first);
    free(tree->ordered);
}

/* Returns the index of the row of the nearest ancestor that has a row, or NO_PARENT. A process that
 * ended without a sample has no row. */
static uint32_t tree_find_parent(const struct tree *tree, uint32_t pid)
{
    for (unsigned level = 0; level < DEEPEST; level++) {
        const struct pid_entry *up = tree_find_pid(tree->parents, tree->parent_count, pid);
        if (up == NULL || up->value == pid)
            break;
        pid = up->value;
        const struct pid_entry *row = tree_find_pid(tree->rows, tree->table->count, pid);
        if (row != NULL)
            return row->value;
    }
    return NO_PARENT;
}

static bool tree_reaches_root(const struct tree *tree, uint32_t row)
{
    for (unsigned level = 0; level < DEEPEST; level++) {
        if (row == NO_PARENT)
            return true;
        row = tree->nodes[row].parent;
    }
    return false;
}

static void tree_link_nodes(struct tree *tree)
{
    uint32_t count = tree->table->count;

    for (uint32_t i = 0; i < count; i++)
        tree->nodes[i] = (struct node){.row = i, .parent = tree_find_parent(tree, tree->table->rows[i].total.pid)};
    for (uint32_t i = 0; i < count; i++)
        if (!tree_reaches_root(tree, i))
            tree->nodes[i].parent = NO_PARENT;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t up = i; up != NO_PARENT; up = tree->nodes[up].parent) {
            tree->nodes[up].share += tree->table->rows[i].smooth_share;
            tree->nodes[up].ns += tree->table->rows[i].total.ns;
        }
}

static int tree_compare_nodes(const void *left, const void *right)
{
    const struct node *a = left, *b = right;
    int order = order_numbers(a->parent, b->parent);
    long one = lround(a->share * 1e4), other = lround(b->share * 1e4);

    if (order == 0)
        order = (one < other) - (one > other);
    if (order == 0)
        order = order_numbers(b->ns, a->ns);
    return order != 0 ? order : order_numbers(a->row, b->row);
}

/* Finds the first child of each row. Nodes are sorted by parent, so the children of a row follow each other. */
static void tree_find_children(struct tree *tree)
{
    uint32_t count = tree->table->count, at = 0;

    for (uint32_t parent = 0; parent < count; parent++) {
        tree->first[parent] = at;
        while (at < count && tree->nodes[at].parent == parent)
            at++;
    }
    tree->first[count] = at;
    tree->first[count + 1] = count;
}

static void tree_place_children(struct tree *tree, uint32_t parent, unsigned depth)
{
    for (uint32_t i = tree->first[parent]; i < tree->first[parent + 1]; i++) {
        uint32_t row = tree->nodes[i].row;
        tree->ordered[tree->placed] = tree->table->rows[row];
        tree->ordered[tree->placed++].depth = depth;
        tree_place_children(tree, row, depth + 1);
    }
}

void table_sort_tree(struct table *table, const struct snapshot *snapshot)
{
    struct tree tree;

    table_sort(table, TABLE_BY_WINDOW);
    if (table->count == 0)
        return;
    if (tree_new(&tree, table, snapshot)) {
        tree_link_nodes(&tree);
        qsort(tree.nodes, table->count, sizeof *tree.nodes, tree_compare_nodes);
        tree_find_children(&tree);
        tree_place_children(&tree, table->count, 0);
        free(table->rows);
        table->rows = tree.ordered;
        tree.ordered = NULL;
    }
    tree_free(&tree);
}
