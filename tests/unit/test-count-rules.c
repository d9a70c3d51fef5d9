/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "count-fixture.h"

TestSuite(count_rules, .init = start_memory);

/* --- the rules of all ------------------------------------------------------------------------ */

Test(count_rules, every_dialect_counts_and_keeps_what_is_there)
{
    for (size_t i = 0; i < HISTOGRAMS; i++) {
        unsigned size = size_of(histograms[i]);
        struct dialect_count *count = count_text(histograms[i], 0);
        start_memory();
        set_counter(size, 2, 40);
        tick(count, TEXT + 8, 1);
        tick(count, TEXT + 8, 3);
        tick(count, TEXT + 0xffc, 1);
        tick(count, TEXT - 4, 1);
        tick(count, TEXT + 0x1000, 1);
        cr_expect_eq(counter(size, 2), 44, "%s: %llu", histograms[i],
                     (unsigned long long)counter(size, 2));
        cr_expect_eq(counter(size, 0x3ff), 1, "%s", histograms[i]);
        cr_expect_eq(sum_of_all(size), 45, "%s", histograms[i]);
        cr_expect_eq(count->ticks, 7, "%s", histograms[i]);
        cr_expect_eq(count->outside, 2, "%s", histograms[i]);
        cr_expect(count->on);
        free(count);
    }
}

Test(count_rules, counters_may_be_wider_than_the_system_had_them)
{
    for (size_t i = 0; i < HISTOGRAMS; i++) {
        struct dialect_count *count = count_text(histograms[i], 4);
        start_memory();
        set_counter(4, 3, 70000);
        tick(count, TEXT + 12, 2);
        cr_expect_eq(counter(4, 3), 70002, "%s: %llu", histograms[i],
                     (unsigned long long)counter(4, 3));
        /* what stopped at 32767 stops as much higher */
        bool stops = dialect_find(histograms[i])->overflow == DIALECT_STOPS;
        set_counter(4, 3, INT32_MAX);
        tick(count, TEXT + 12, 1);
        cr_expect_eq(counter(4, 3), stops ? INT32_MAX : INT32_MAX + UINT64_C(1), "%s",
                     histograms[i]);
        cr_expect_eq(count->on, !stops, "%s", histograms[i]);
        free(count);
    }
}

Test(count_rules, ticks_are_whole_periods_and_the_rest_is_kept)
{
    struct dialect_count *count = count_text("irix", 2);

    dialect_count_cpu(count, &memory, TEXT, false, TICK - 1);
    cr_expect_eq(target.writes, 0);
    dialect_count_cpu(count, &memory, TEXT + 4, false, 1);
    cr_expect_eq(counter(2, 1), 1, "the tick is where it was completed");
    dialect_count_cpu(count, &memory, TEXT, false, TICK / 2 * 5);
    cr_expect_eq(counter(2, 0), 2);
    dialect_count_cpu(count, &memory, TEXT, false, TICK / 2);
    cr_expect_eq(counter(2, 0), 3);
    for (int i = 0; i < 1000; i++)
        dialect_count_cpu(count, &memory, TEXT + 8, false, TICK / 1000 * 7);
    cr_expect_eq(counter(2, 2), 7);
    cr_expect_eq(count->owed_ns, 0);
    free(count);
}

Test(count_rules, system_time_counts_where_the_system_counted_it)
{
    static const struct {
        const char *name;
        bool system;
    } billing[] = {{"irix", false},  {"irix-sprofil", false}, {"solaris", true},
                   {"bsd44", false}, {"osx", false},          {"osf1", false},
                   {"osf1x", false}, {"n64", true},           {"pcsample", true},
                   {"v7", true},     {"glibc", true}};

    for (size_t i = 0; i < sizeof billing / sizeof *billing; i++) {
        struct dialect_count *count = count_text(billing[i].name, 4);
        dialect_pcsample_call(&count->pcsample, 100);
        count->array = BASE;
        dialect_count_cpu(count, &memory, TEXT, true, 3 * TICK);
        cr_expect_eq(count->ticks, billing[i].system ? 3 : 0, "%s", billing[i].name);
        dialect_count_cpu(count, &memory, TEXT, false, 2 * TICK);
        cr_expect_eq(count->ticks, billing[i].system ? 5 : 2, "%s", billing[i].name);
        free(count);
    }
}

static const struct {
    uint64_t before, ticks, after;
    bool on;
} solaris[] = {{0, 1, 1, true},          {32766, 1, 32767, true},  {32767, 1, 32767, false},
               {32766, 2, 32766, false}, {32765, 3, 32765, false}, {40000, 1, 40000, false},
               {65535, 1, 0, true},      {65530, 10, 4, true}};

Test(count_rules, solaris_counter_table)
{
    for (size_t i = 0; i < sizeof solaris / sizeof *solaris; i++) {
        struct dialect_count *count = count_text("solaris", 0);
        start_memory();
        set_counter(2, 1, solaris[i].before);
        tick(count, TEXT + 4, solaris[i].ticks);
        cr_expect_eq(counter(2, 1), solaris[i].after, "row %zu: %llu", i,
                     (unsigned long long)counter(2, 1));
        cr_expect_eq(count->on, solaris[i].on, "row %zu", i);
        unsigned writes = target.writes;
        tick(count, TEXT + 8, 1);
        cr_expect_eq(target.writes, writes + solaris[i].on, "row %zu: the whole process is off", i);
        free(count);
    }
}

Test(count_rules, overflow_by_every_dialect)
{
    for (size_t i = 0; i < HISTOGRAMS; i++) {
        const struct dialect *dialect = dialect_find(histograms[i]);
        unsigned size = dialect->counter_size;
        uint64_t most = size == 2 ? 65535 : 0xffffffff;
        struct dialect_count *count = count_text(histograms[i], 0);
        start_memory();
        set_counter(size, 5, most);
        tick(count, TEXT + 20, 3);
        uint64_t expected = dialect->overflow == DIALECT_SATURATES ? most : 2;
        cr_expect_eq(counter(size, 5), expected, "%s: %llu", histograms[i],
                     (unsigned long long)counter(size, 5));
        cr_expect_eq(counter(size, 6), 0, "%s: the neighbour", histograms[i]);
        /* the first goes from full to 0, where the next two find room */
        unsigned overflows = dialect->overflow == DIALECT_SATURATES ? 3 : 1;
        cr_expect_eq(count->overflows, overflows, "%s: %llu", histograms[i],
                     (unsigned long long)count->overflows);
        cr_expect(count->on, "%s", histograms[i]);
        free(count);
    }
}

/* A buffer that ends inside the region of text, and one that can be read only. */
Test(count_rules, faults_by_every_dialect)
{
    for (size_t i = 0; i < HISTOGRAMS; i++)
        for (int read_only = 0; read_only < 2; read_only++) {
            const struct dialect *dialect = dialect_find(histograms[i]);
            unsigned size = dialect->counter_size;
            struct dialect_count *count = count_text(histograms[i], 0);
            start_memory();
            tick(count, TEXT + 4, 1);
            target.read_only = read_only;
            target.size = read_only ? sizeof target.bytes : 16 * size;
            tick(count, TEXT + 4 * 16, 1);
            start_memory();
            tick(count, TEXT + 4, 1);
            cr_expect_eq(target.writes, 0, "%s: it stays off", histograms[i]);
            cr_expect_eq(count->on, dialect->fault != DIALECT_FAULT_STOPS, "%s", histograms[i]);
            free(count);
        }
}

Test(count_rules, a_counter_half_in_memory_is_a_fault)
{
    struct dialect_count *count = count_text("bsd44", 0);

    target.size = 2 * 8 + 1;
    tick(count, TEXT + 4 * 8, 1);
    cr_expect_eq(target.writes, 0);
    cr_expect_not(count->on);
    free(count);
}
