/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of processes as a tree: each process stands below its parent. */
#include "config.h"

#include "make-snapshot.h"

static void add_pid(struct snapshot_rows *rows, uint64_t id, uint32_t pid, uint64_t ms)
{
    struct pprofil_row *row = add_row(rows, id, ms);
    row->pid = row->tid = pid;
}

static void expect_tree(const struct table *table, const char *names, const char *depths)
{
    expect_order(table, names);
    for (uint32_t i = 0; i < table->count; i++)
        cr_assert_eq(table->rows[i].depth, (unsigned)(depths[i] - '0'), "depth of %s is %u",
                     table->rows[i].total.name, table->rows[i].depth);
}

/* Process 10 (row a) is the parent of 11 (row b) and 12 (no row). 11 is the parent of 13 (row d) and 14
 * (row e). 12 is the parent of 15 (row f). 20 (row c) is a tree of its own. */
Test(tree, children_are_below_their_parents_the_larger_first)
{
    struct table table = {0};
    struct snapshot snapshot = {0};
    struct snapshot_rows rows = {0};

    add_pid(&rows, 3, 20, 50);
    add_pid(&rows, 6, 15, 30);
    add_pid(&rows, 5, 14, 20);
    add_pid(&rows, 4, 13, 15);
    add_pid(&rows, 2, 11, 5);
    add_pid(&rows, 1, 10, 1);
    for (uint32_t i = 0; i < 6; i++)
        add_process(&snapshot, (uint32_t[]){10, 11, 12, 13, 14, 15}[i], (uint32_t[]){1, 10, 10, 11, 11, 12}[i]);
    add_process(&snapshot, 20, 1);
    cr_assert_eq(table_take(&table, &rows, 0), 0);
    table_sort_tree(&table, &snapshot);
    expect_tree(&table, "abedfc", "012210");
    table_sort(&table, TABLE_BY_TOTAL);
    expect_tree(&table, "cfedba", "000000");
    free(rows.rows);
    snapshot_free(&snapshot);
    table_free(&table);
}

Test(tree, rings_of_parents_and_images_of_one_process)
{
    struct table table = {0};
    struct snapshot snapshot = {0}, empty = {0};
    struct snapshot_rows rows = {0};

    add_pid(&rows, 1, 10, 40);
    add_pid(&rows, 2, 11, 30);
    add_pid(&rows, 3, 12, 20); /* the process is its own parent */
    add_pid(&rows, 4, 13, 10);
    add_pid(&rows, 5, 13, 5); /* the same process after an exec */
    add_process(&snapshot, 10, 11);
    add_process(&snapshot, 11, 10);
    add_process(&snapshot, 12, 12);
    add_process(&snapshot, 13, 12);
    add_process(&snapshot, 13, 12);
    cr_assert_eq(table_take(&table, &rows, 0), 0);
    table_sort_tree(&table, &snapshot);
    expect_tree(&table, "abcde", "01011");
    table_sort_tree(&table, &empty);
    expect_tree(&table, "abcde", "00000");
    free(rows.rows);
    snapshot_free(&snapshot);
    table_free(&table);
}

Test(tree, a_chain_of_a_thousand)
{
    struct table table = {0};
    struct snapshot snapshot = {0};
    struct snapshot_rows rows = {0};

    for (uint32_t i = 1; i <= 1000; i++) {
        add_pid(&rows, i, i, 1);
        add_process(&snapshot, i, i - 1);
    }
    cr_assert_eq(table_take(&table, &rows, 0), 0);
    table_sort_tree(&table, &snapshot);
    cr_assert_eq(table.count, 1000);
    for (uint32_t i = 1; i <= 1000; i++)
        cr_assert_lt(table.rows[table_find(&table, i)].depth, 64);
    free(rows.rows);
    snapshot_free(&snapshot);
    table_free(&table);
}
