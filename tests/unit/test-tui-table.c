/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "make-snapshot.h"

/* Takes a report. `pairs` contains the id of each row and its CPU time in ms. An id of 0 ends the list. */
static void take(struct table *table, double seconds, const uint64_t *pairs)
{
    struct snapshot_rows rows = {.taken = true};

    for (; pairs[0] != 0; pairs += 2)
        add_row(&rows, pairs[0], pairs[1]);
    cr_assert_eq(table_take(table, &rows, seconds), 0);
    free(rows.rows);
}

#define TAKE(table, seconds, ...) take(table, seconds, (const uint64_t[]){__VA_ARGS__, 0})

static const struct table_row *get(const struct table *table, uint64_t id)
{
    int at = table_find(table, id);
    cr_assert_geq(at, 0, "row %d is gone", (int)id);
    return &table->rows[at];
}

Test(table, windows_are_what_a_report_has_more)
{
    struct table table = {0};

    TAKE(&table, 0, 1, 100, 2, 50);
    cr_assert_eq(table.windows, 0);
    cr_assert(table.taken);
    cr_assert_eq(table.total_ns, 150 * MS);
    cr_assert_eq(get(&table, 1)->window_ns, 0);
    TAKE(&table, 2, 1, 110, 2, 80);
    cr_assert_eq(table.windows, 1);
    cr_assert_float_eq(table.window_seconds, 2, 1e-9);
    cr_assert_eq(table.window_ns, 40 * MS);
    cr_assert_eq(table.window_samples, 40);
    cr_assert_eq(get(&table, 1)->window_ns, 10 * MS);
    cr_assert_float_eq(get(&table, 1)->window_share, 0.25, 1e-9);
    cr_assert_float_eq(get(&table, 1)->smooth_share, 0.25, 1e-9);
    cr_assert_float_eq(get(&table, 2)->window_share, 0.75, 1e-9);
    cr_assert_gt(get(&table, 1)->window_error95, 0.05);
    cr_assert_lt(get(&table, 1)->window_error95, 0.2);
    table_free(&table);
}

Test(table, the_first_can_be_a_window_since_the_start)
{
    struct table table = {0};

    TAKE(&table, 2, 1, 30, 2, 10);
    cr_assert_eq(table.windows, 1);
    cr_assert_float_eq(table.window_seconds, 2, 1e-9);
    cr_assert_float_eq(get(&table, 1)->window_share, 0.75, 1e-9);
    cr_assert_float_eq(get(&table, 1)->smooth_share, 0.75, 1e-9);
    TAKE(&table, 1, 1, 30, 2, 20);
    cr_assert_float_eq(get(&table, 2)->window_share, 1, 1e-9);
    table_free(&table);
}

Test(table, rows_come_and_go)
{
    struct table table = {0};

    TAKE(&table, 0, 1, 100);
    TAKE(&table, 1, 1, 150, 2, 50);
    cr_assert_float_eq(get(&table, 2)->window_share, 0.5, 1e-9);
    cr_assert_float_eq(get(&table, 2)->history[TABLE_WINDOWS - 1], 0.5, 1e-6);
    TAKE(&table, 1, 2, 60, 3, 30);
    cr_assert_eq(table_find(&table, 1), -1);
    cr_assert_eq(table.count, 2);
    cr_assert_eq(table.window_ns, 40 * MS);
    cr_assert_float_eq(get(&table, 3)->window_share, 0.75, 1e-9);
    cr_assert_float_eq(get(&table, 2)->history[TABLE_WINDOWS - 2], 0.5, 1e-6);
    cr_assert_float_eq(get(&table, 2)->history[TABLE_WINDOWS - 1], 0.25, 1e-6);
    table_free(&table);
}

/* When the name of an address is found, the counts of the address move to the row of the function with this name. */
Test(table, a_shrinking_row_makes_no_share_above_one)
{
    struct table table = {0};

    TAKE(&table, 0, 1, 100, 2, 10);
    TAKE(&table, 1, 1, 20, 2, 140);
    cr_assert_eq(get(&table, 1)->window_ns, 0);
    cr_assert_float_eq(get(&table, 2)->window_share, 1, 1e-9);
    cr_assert_eq(table.window_ns, 130 * MS);
    table_free(&table);
}

Test(table, ids_may_swap_their_order)
{
    struct table table = {0};

    TAKE(&table, 0, 1, 100, 2, 90);
    TAKE(&table, 1, 2, 200, 1, 101);
    cr_assert_eq(get(&table, 2)->window_ns, 110 * MS);
    cr_assert_eq(get(&table, 1)->window_ns, 1 * MS);
    table_sort(&table, TABLE_BY_WINDOW);
    expect_order(&table, "ba");
    table_free(&table);
}

Test(table, ten_thousand_rows_are_joined)
{
    struct table table = {0};
    struct snapshot_rows rows = {.taken = true, .count = 10000};
    const uint64_t strides[] = {1, 64, UINT64_C(1) << 32, UINT64_C(0x9e3779b97f4a7c15)};

    rows.rows = calloc(rows.count, sizeof *rows.rows);
    for (unsigned s = 0; s < 4; s++) {
        for (uint64_t pass = 0; pass < 3; pass++) {
            for (uint32_t i = 0; i < rows.count; i++) {
                uint32_t at = pass == 1 ? rows.count - 1 - i : i;
                rows.rows[at] = make_row((i + 1) * strides[s], 1000 + pass * (i % 7));
            }
            cr_assert_eq(table_take(&table, &rows, 1), 0);
        }
        for (uint32_t i = 0; i < rows.count; i++)
            cr_assert_eq(table.rows[i].window_samples, i % 7);
        table_sort(&table, TABLE_BY_WINDOW);
        table_clear(&table);
        cr_assert_eq(table.count, 0);
        cr_assert_not(table.taken);
    }
    free(rows.rows);
}

/* If all work moves from one function to another, the other function becomes the top row within two
 * windows. It does not matter at which point of a window the work moves, and how many windows there
 * were before. */
Test(table, the_order_follows_a_switch_within_two_windows)
{
    for (uint64_t part = 0; part <= 100; part += 5)
        for (unsigned before = 1; before <= 40; before += 13) {
            struct table table = {0};
            uint64_t a = 1000, b = 1;
            TAKE(&table, 0, 1, a, 2, b);
            for (unsigned i = 0; i < before; i++) {
                a += 100;
                TAKE(&table, 1, 1, a, 2, b);
            }
            a += part; /* in this window the work moves from row 1 to row 2; two whole windows follow */
            b += 100 - part;
            TAKE(&table, 1, 1, a, 2, b);
            b += 100;
            TAKE(&table, 1, 1, a, 2, b);
            table_sort(&table, TABLE_BY_WINDOW);
            expect_order(&table, "ba");
            b += 100;
            TAKE(&table, 1, 1, a, 2, b);
            table_sort(&table, TABLE_BY_WINDOW);
            expect_order(&table, "ba");
            cr_assert_gt(get(&table, 2)->smooth_share, 0.8);
            table_free(&table);
        }
}

Test(table, one_odd_window_does_not_turn_the_order)
{
    struct table table = {0};
    uint64_t a = 1000, b = 1000;

    for (unsigned i = 0; i < 10; i++)
        TAKE(&table, 1, 1, a += 70, 2, b += 30);
    TAKE(&table, 1, 1, a += 45, 2, b += 55);
    table_sort(&table, TABLE_BY_WINDOW);
    expect_order(&table, "ab");
    table_free(&table);
}

Test(table, a_window_without_time_is_left_for_the_next)
{
    struct table table = {0};
    const double nothing[] = {0, -1, NAN};

    TAKE(&table, 0, 1, 100);
    for (unsigned i = 0; i < 3; i++)
        TAKE(&table, nothing[i], 1, 150);
    cr_assert_eq(table.windows, 0);
    TAKE(&table, 1, 1, 160);
    cr_assert_eq(table.windows, 1);
    cr_assert_eq(get(&table, 1)->window_ns, 60 * MS);
    table_free(&table);
}

Test(table, windows_in_which_nothing_ran)
{
    struct table table = {0};

    TAKE(&table, 0, 1, 100, 2, 200);
    TAKE(&table, 1, 1, 190, 2, 210);
    for (unsigned i = 0; i < 40; i++) {
        TAKE(&table, 1, 1, 190, 2, 210);
        cr_assert_eq(get(&table, 1)->window_share, 0);
        cr_assert(isnan(get(&table, 1)->window_error95));
        cr_assert_float_eq(get(&table, 1)->smooth_share, 0.9, 1e-9, "what was known stays");
        cr_assert(table.empty);
    }
    cr_assert_eq(table.windows, 41);
    cr_assert_eq(table.filled, 1);
    for (unsigned i = 0; i < TABLE_WINDOWS; i++)
        cr_assert_eq(get(&table, 1)->history[i], 0);
    table_sort(&table, TABLE_BY_WINDOW);
    expect_order(&table, "ab");
    TAKE(&table, 1, 1, 290, 2, 310); /* smoothing goes on from the last known shares */
    cr_assert_not(table.empty);
    cr_assert_float_eq(get(&table, 1)->smooth_share, 0.66, 1e-9);
    table_free(&table);
}

/* Function 1 has all time of a short window, and a third of the time of a longer window. It uses one
 * CPU in both windows. */
Test(table, time_a_second_is_no_share_of_another_windows_time)
{
    struct table table = {0};

    TAKE(&table, 0, 1, 0, 2, 0, 3, 0);
    TAKE(&table, 0.25, 1, 250, 2, 0, 3, 0);
    cr_assert_float_eq(get(&table, 1)->smooth_cpus, 1, 1e-9);
    TAKE(&table, 1, 1, 1250, 2, 1000, 3, 1000);
    cr_assert_float_eq(get(&table, 1)->smooth_cpus, 1, 1e-9);
    cr_assert_float_eq(get(&table, 2)->smooth_cpus, 0.6, 1e-9);
    TAKE(&table, 1, 1, 1250, 2, 1000, 3, 1000);
    TAKE(&table, 1, 1, 1250, 2, 2000, 3, 2000);
    cr_assert_float_eq(get(&table, 1)->smooth_cpus, 0.4, 1e-9);
    table_free(&table);
}

/* The first window with samples is not smoothed, however late it comes. */
Test(table, a_burst_after_silence)
{
    struct table table = {0};

    TAKE(&table, 0, 1, 100, 2, 200);
    TAKE(&table, 1, 1, 100, 2, 200);
    TAKE(&table, 1, 1, 100, 2, 200);
    cr_assert_eq(table.filled, 0);
    TAKE(&table, 1, 1, 110, 2, 200);
    cr_assert_float_eq(get(&table, 1)->smooth_share, 1, 1e-9);
    table_free(&table);
}

Test(table, a_log_has_each_window_for_itself)
{
    struct table table = {.unsmoothed = true};

    TAKE(&table, 0, 1, 100, 2, 200);
    TAKE(&table, 1, 1, 190, 2, 210);
    TAKE(&table, 1, 1, 200, 2, 300);
    cr_assert_float_eq(get(&table, 1)->smooth_share, 0.1, 1e-9);
    table_sort(&table, TABLE_BY_WINDOW);
    expect_order(&table, "ba");
    TAKE(&table, 1, 1, 200, 2, 300);
    cr_assert(table.empty);
    cr_assert_eq(get(&table, 2)->smooth_share, 0);
    table_clear(&table);
    cr_assert(table.unsmoothed);
    table_free(&table);
}

Test(table, an_empty_report_is_a_report)
{
    struct table table = {0};
    struct snapshot_rows none = {.taken = true};

    cr_assert_eq(table_take(&table, &none, 0), 0);
    cr_assert(table.taken);
    table_sort(&table, TABLE_BY_NAME);
    TAKE(&table, 1, 1, 10);
    cr_assert_float_eq(get(&table, 1)->window_share, 1, 1e-9);
    table_free(&table);
}

/* A function that only calls others has no time of its own. */
Test(table, with_what_is_called)
{
    struct table table = {0};
    struct snapshot_rows rows = {0};

    add_row(&rows, 1, 10)->total_ns = 10 * MS;
    add_row(&rows, 2, 0)->total_ns = 40 * MS;
    cr_assert_eq(table_take(&table, &rows, 0), 0);
    rows.rows[0].ns += 30 * MS;
    rows.rows[0].total_ns += 30 * MS;
    rows.rows[1].total_ns += 15 * MS;
    cr_assert_eq(table_take(&table, &rows, 1), 0);
    cr_assert_float_eq(get(&table, 1)->smooth_inclusive, 1, 1e-9);
    cr_assert_float_eq(get(&table, 2)->smooth_inclusive, 0.5, 1e-9);
    cr_assert_float_eq(get(&table, 2)->smooth_share, 0, 1e-9);
    table_sort(&table, TABLE_BY_INCLUSIVE);
    cr_assert_eq(table.rows[0].total.id, 1);
    free(rows.rows);
    table_free(&table);
}

Test(table, orders)
{
    struct table table = {0};
    struct snapshot_rows rows = {0};

    add_row(&rows, 3, 10)->object = "y";
    add_row(&rows, 1, 10)->object = "z";
    add_row(&rows, 2, 30)->object = "z";
    add_row(&rows, 4, 10)->object = "y";
    rows.rows[2].tid = 1;
    rows.rows[3].total_ns = 50 * MS;
    cr_assert_eq(table_take(&table, &rows, 0), 0);
    static const char *const orders[] = {[TABLE_BY_WINDOW] = "bacd",
                                         [TABLE_BY_TOTAL] = "bacd",
                                         [TABLE_BY_INCLUSIVE] = "dbac",
                                         [TABLE_BY_NAME] = "abcd",
                                         [TABLE_BY_OBJECT] = "cdba",
                                         [TABLE_BY_PID] = "bacd",
                                         [TABLE_BY_CHANGE] = "bacd",
                                         [TABLE_BY_TOTAL_CHANGE] = "bacd",
                                         [TABLE_BY_OLD] = "bacd"};
    for (unsigned sort = 0; sort < TABLE_SORTS; sort++) {
        table_sort(&table, sort);
        expect_order(&table, orders[sort]);
    }
    free(rows.rows);
    table_free(&table);
}

Test(table, texts_are_never_null)
{
    struct table table = {0};
    struct pprofil_row rows[] = {{.id = 1}, {.id = 2}};
    struct snapshot_rows report = {.taken = true, .rows = rows, .count = 2};

    cr_assert_eq(table_take(&table, &report, 0), 0);
    for (unsigned sort = 0; sort < TABLE_SORTS; sort++)
        table_sort(&table, sort);
    for (unsigned i = 0; i < 2; i++) {
        const struct pprofil_row *row = &table.rows[i].total;
        cr_assert(row->name && row->object && row->file && row->hottest);
    }
    table_free(&table);
}

/* Rows with equal counts stay in their order, even if the next report has them in another order. */
Test(table, equal_rows_do_not_flicker)
{
    struct table table = {0};

    TAKE(&table, 0, 1, 100, 2, 100, 3, 100);
    TAKE(&table, 1, 3, 200, 1, 200, 2, 200);
    table_sort(&table, TABLE_BY_WINDOW);
    expect_order(&table, "abc");
    TAKE(&table, 1, 2, 300, 3, 300, 1, 300);
    table_sort(&table, TABLE_BY_WINDOW);
    expect_order(&table, "abc");
    table_free(&table);
}

Test(table, a_copy_is_its_own)
{
    struct table table = {0}, copy = {0}, empty = {0};

    TAKE(&table, 0, 1, 100);
    cr_assert_eq(table_copy(&copy, &table), 0);
    TAKE(&table, 1, 1, 200);
    cr_assert_eq(copy.rows[0].total.ns, 100 * MS);
    cr_assert_eq(table_copy(&copy, &table), 0);
    cr_assert_eq(copy.rows[0].total.ns, 200 * MS);
    cr_assert_eq(table_copy(&copy, &empty), 0);
    cr_assert_eq(copy.count, 0);
    table_free(&table);
    table_free(&copy);
}
