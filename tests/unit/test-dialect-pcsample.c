/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "dialect-fixture.h"

TestSuite(count_pcsample, .init = start_memory);

/* --- pcsample: the sequences of its table, by their numbers ------------------------------ */

enum { A = 0x1000, B = 0x2000, C = 0x3000, D = 0x4000, E = 0x5000 };

static struct dialect_count *samples(unsigned size)
{
    struct dialect_count *count = dialect_count_new(dialect_find("pcsample"), size, NULL, NULL, 0);

    cr_assert_not_null(count);
    return count;
}

/* Acts as a call of pcsample: from now on, up to `n` samples are stored in `array`. Returns the result of the call. */
static int64_t call(struct dialect_count *count, uint64_t array, int64_t n)
{
    int64_t before = dialect_pcsample_call(&count->pcsample, n);

    if (before >= 0) {
        count->array = array;
        count->on = true;
    }
    return before;
}

static const uint64_t b = BASE, c = BASE + 0x1000;

static uint64_t stored(uint64_t array, uint64_t index)
{
    return counter(4, (array - BASE) / 4 + index);
}

static void expect_stored(uint64_t array, uint64_t first, uint64_t second, uint64_t third, uint64_t fourth)
{
    const uint64_t expected[] = {first, second, third, fourth, 0};

    for (uint64_t i = 0; i < 5; i++)
        cr_expect_eq(stored(array, i), expected[i], "sample %llu is %#llx", (unsigned long long)i,
                     (unsigned long long)stored(array, i));
}

Test(count_pcsample, pcsample_1_to_4_returns_what_was_stored)
{
    struct dialect_count *count = samples(4);

    cr_expect_eq(call(count, b, 4), 0);
    tick(count, A, 1);
    tick(count, B, 1);
    tick(count, C, 1);
    cr_expect_eq(call(count, c, 4), 3);
    expect_stored(b, A, B, C, 0);
    tick(count, D, 1);
    cr_expect_eq(call(count, c, 0), 1);
    expect_stored(c, D, 0, 0, 0);
    cr_expect_eq(call(count, b, 4), 0);
    free(count);
}

Test(count_pcsample, pcsample_5_to_7_is_off_at_the_tick_after_the_last)
{
    struct dialect_count *count = samples(4);

    call(count, b, 4);
    for (uint64_t pc = A; pc <= D; pc += 0x1000)
        tick(count, pc, 1);
    expect_stored(b, A, B, C, D);
    cr_expect(count->on);
    tick(count, E, 1);
    expect_stored(b, A, B, C, D);
    cr_expect_not(count->on);
    cr_expect_eq(call(count, b, 4), 4);
    free(count);
}

Test(count_pcsample, pcsample_8_to_11_debts_and_refusals)
{
    struct dialect_count *count = samples(4);

    call(count, b, 4);
    tick(count, A, 3);
    expect_stored(b, A, A, A, 0);
    cr_expect(count->on);
    tick(count, B, 3);
    expect_stored(b, A, A, A, B);
    cr_expect_not(count->on);
    cr_expect_eq(count->overflows, 2);
    cr_expect_eq(call(count, b, -1), -EINVAL);
    cr_expect_eq(call(count, b, 4), 4);
    free(count);
}

Test(count_pcsample, pcsample_12_and_13_fork_and_exec)
{
    struct dialect_count *count = samples(4);

    call(count, b, 4);
    tick(count, A, 2);
    struct dialect_count *child = dialect_count_copy(count);
    cr_expect_eq(call(child, c, 4), 2, "its first call");
    tick(child, C, 1);
    expect_stored(c, C, 0, 0, 0);
    tick(count, B, 1);
    expect_stored(b, A, A, B, 0);
    dialect_pcsample_reset(&count->pcsample);
    cr_expect_eq(call(count, b, 4), 0, "after exec");
    free(child);
    free(count);
}

Test(count_pcsample, pcsample_14_fault_keeps_the_count)
{
    for (unsigned debt = 1; debt <= 3; debt += 2) {
        struct dialect_count *count = samples(4);
        start_memory();
        call(count, b, 50);
        target.size = 8;
        for (unsigned i = 0; i < 3; i += debt)
            tick(count, A, debt);
        cr_expect_not(count->on);
        start_memory();
        tick(count, B, 1);
        cr_expect_eq(target.writes, 0);
        cr_expect_eq(call(count, b, 4), 2);
        free(count);
    }
}

Test(count_pcsample, pcsample_15_and_16_profil_discards_the_count)
{
    struct dialect_count *count = samples(4);

    call(count, b, 4);
    tick(count, A, 2);
    dialect_pcsample_reset(&count->pcsample);
    tick(count, B, 1);
    expect_stored(b, A, A, 0, 0);
    cr_expect_not(count->on);
    cr_expect_eq(call(count, b, 4), 0);
    free(count);
}

Test(count_pcsample, pcsample_17_of_nothing)
{
    struct dialect_count *count = samples(4);

    cr_expect_eq(call(count, b, 0), 0);
    tick(count, A, 1);
    cr_expect_eq(target.writes, 0);
    cr_expect_not(count->on);
    free(count);
}

Test(count_pcsample, pcsample_stores_whole_addresses)
{
    struct dialect_count *count = samples(8);
    uint64_t pcs[2];

    call(count, b, 2);
    tick(count, 0x7f1234567890, 2);
    memcpy(pcs, target.bytes, sizeof pcs);
    cr_expect_eq(pcs[0], 0x7f1234567890);
    cr_expect_eq(pcs[1], 0x7f1234567890);
    free(count);
}

/* --- copies --------------------------------------------------------------------------------- */

Test(count_pcsample, a_copy_goes_its_own_way)
{
    struct dialect_count *count = count_ranges(places);

    dialect_count_cpu(count, &memory, 0x300000, false, count->period_ns / 2);
    struct dialect_count *copy = dialect_count_copy(count);
    cr_assert_not_null(copy);
    cr_expect_eq(copy->owed_ns, count->owed_ns);
    copy->buffers[0].off = true;
    copy->regions[1].offset = 0;
    cr_expect_not(count->buffers[0].off);
    cr_expect_eq(count->regions[1].offset, 0x200000);
    cr_expect_eq(copy->buffers[3].address, places[3]);
    free(count);
    dialect_count_cpu(copy, &memory, 0x100000, false, copy->period_ns - copy->period_ns / 2);
    cr_expect_eq(counter(4, 0x2000 / 4), 1, "the rest came along");
    free(copy);
}

Test(count_pcsample, off_is_off)
{
    struct dialect_count *count = count_text("irix", 0);

    count->on = false;
    tick(count, TEXT, 5);
    cr_expect_eq(target.writes, 0);
    cr_expect_eq(count->ticks, 0);
    free(count);
}

Test(count_pcsample, own_memory)
{
    static uint16_t counters[16];
    const struct dialect_region region = {.offset = TEXT, .size = sizeof counters, .scale = 0x8000};
    const uint64_t address = (uintptr_t)counters;
    struct dialect_count *count = dialect_count_new(dialect_find("bsd44"), 0, &region, &address, 1);

    dialect_count_cpu(count, &dialect_own_memory, TEXT + 12, false, count->period_ns);
    cr_expect_eq(counters[3], 1);
    free(count);
}
