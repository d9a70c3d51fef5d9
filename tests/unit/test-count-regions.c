/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "count-fixture.h"

TestSuite(count_regions, .init = start_memory);

/* --- several regions ------------------------------------------------------------------------- */

Test(count_regions, every_sprofil_choice)
{
    for (unsigned size = 2; size <= 4; size += 2)
        for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
            struct dialect_count *count = count_regions(size, places);
            size_t region = size == 2 ? choices[i].two.region : choices[i].four.region;
            uint64_t index = size == 2 ? choices[i].two.index : choices[i].four.index;
            start_memory();
            tick(count, choices[i].pc, 1);
            cr_expect_eq(counter(size, (places[region] - BASE) / size + index), 1, "%#llx",
                         (unsigned long long)choices[i].pc);
            cr_expect_eq(sum_of_all(size), 1, "%#llx", (unsigned long long)choices[i].pc);
            free(count);
        }
}

Test(count_regions, sprofil_saturates_in_its_bin_too)
{
    struct dialect_count *count = count_regions(2, places);

    set_counter(2, 0x3800 / 2, 65534);
    tick(count, 0x10, 5);
    cr_expect_eq(counter(2, 0x3800 / 2), 65535);
    tick(count, 0x400000, 1);
    cr_expect_eq(counter(2, 0), 1);
    free(count);
}

static const struct {
    uint64_t pc;
    int range; /* -1: none */
    uint64_t index;
} ranges[] = {
    {0x2fffff, -1, 0}, {0x300000, 0, 0}, {0x300003, 0, 0},  {0x300004, 0, 1}, {0x300ffc, 0, 1023},
    {0x301000, -1, 0}, {0x200000, 1, 0}, {0x200004, 1, 0},  {0x200008, 1, 1}, {0x2007ff, 1, 255},
    {0x200800, -1, 0}, {0x100000, 2, 0}, {0x10000f, 2, 0},  {0x100010, 2, 1}, {0x103fff, 2, 1023},
    {0x104000, -1, 0}, {0x80000, 3, 64}, {0x800ff, 3, 127}, {0x7ffff, -1, 0},
};

Test(count_regions, every_extended_range)
{
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        struct dialect_count *count = count_ranges(places);
        start_memory();
        tick(count, ranges[i].pc, 2);
        if (ranges[i].range >= 0)
            cr_expect_eq(counter(4, (places[ranges[i].range] - BASE) / 4 + ranges[i].index), 2,
                         "%#llx", (unsigned long long)ranges[i].pc);
        cr_expect_eq(sum_of_all(4), ranges[i].range >= 0 ? 2 : 0, "%#llx",
                     (unsigned long long)ranges[i].pc);
        cr_expect_eq(count->outside, ranges[i].range >= 0 ? 0 : 2);
        free(count);
    }
}

Test(count_regions, a_fault_turns_one_extended_range_off)
{
    const uint64_t addresses[] = {BASE, 16, BASE + 0x2000, BASE + 0x3000};
    struct dialect_count *count = count_ranges(addresses);

    tick(count, 0x200000, 1);
    tick(count, 0x300000, 1);
    tick(count, 0x100000, 1);
    cr_expect(count->on);
    cr_expect(count->buffers[1].off);
    cr_expect_eq(counter(4, 0), 1);
    cr_expect_eq(counter(4, 0x2000 / 4), 1);
    free(count);
}

Test(count_regions, nothing_is_counted_below_the_offset_of_a_range)
{
    const struct dialect_region above = {
        .low = TEXT, .high = TEXT + 0x100, .offset = TEXT + 0x80, .scale = 0x10000, .size = -1ull};
    const uint64_t address = BASE + 0x1000;
    struct dialect_count *count = dialect_count_new(dialect_find("osf1x"), 0, &above, &address, 1);

    tick(count, TEXT + 0x7c, 1);
    cr_expect_eq(sum_of_all(4), 0);
    tick(count, TEXT + 0x80, 1);
    cr_expect_eq(counter(4, 0x1000 / 4), 1);
    free(count);
}

static const struct {
    uint64_t pc;
    int segment; /* -1: the bin */
    uint64_t index;
} segments[] = {
    {0x80000400, 0, 0},   {0x80000403, 0, 0},    {0x80000404, 0, 1},    {0x800007fc, 0, 255},
    {0x80000800, 0, 256}, {0x800013fc, 0, 1023}, {0x800013ff, 0, 1023}, {0x80001400, -1, 0},
    {0x800003fc, -1, 0},  {0x400, -1, 0},        {0xa0000400, -1, 0},   {0x80200000, 1, 0},
    {0x8020003c, 1, 15},  {0x80200040, -1, 0},   {0x802000fc, -1, 0},   {0x80200100, -1, 0},
};

/* The table of the Nintendo 64, bounded, in 16 and in 32 bits. */
Test(count_regions, every_nintendo_segment)
{
    const uint64_t bin = BASE + 0x3f00;

    for (unsigned size = 2; size <= 4; size += 2)
        for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) {
            const struct dialect_region regions[] = {
                {.offset = 0x80000400, .low = 0x80000400, .high = 0x80001400, .size = 1024 * size},
                {.offset = 0x80200000, .low = 0x80200000, .high = 0x80200100, .size = 16 * size},
                {.offset = 0x80000800, .low = 0x80000800, .high = 0x80000900, .size = 64 * size},
            };
            struct dialect_count *count =
                dialect_count_new(dialect_find("n64"), size, regions, places, 3);
            cr_assert_not_null(count);
            count->overflow = bin;
            start_memory();
            tick(count, segments[i].pc, 1);
            uint64_t address = segments[i].segment < 0
                                   ? bin
                                   : places[segments[i].segment] + segments[i].index * size;
            cr_expect_eq(target.bytes[address - BASE], 1, "%#llx, %u bytes",
                         (unsigned long long)segments[i].pc, size);
            cr_expect_eq(target.writes, 1);
            free(count);
        }
}

Test(count_regions, the_nintendo_bin_has_32_bits_and_wraps)
{
    struct dialect_count *count = count_text("n64", 0);

    count->overflow = BASE + 0x3f00;
    set_counter(4, 0x3f00 / 4, 0x0001ffff);
    tick(count, 4, 1);
    cr_expect_eq(counter(4, 0x3f00 / 4), 0x00020000);
    set_counter(4, 0x3f00 / 4, 0xffffffff);
    tick(count, 4, 2);
    cr_expect_eq(counter(4, 0x3f00 / 4), 1);
    count->overflow = 0;
    tick(count, 4, 1);
    cr_expect_eq(count->outside, 4);
    free(count);
}

static const struct {
    uint64_t pc, inferno, plan9; /* 1: outside */
} cells[] = {
    {0xffff, 1, 1},  {0x10000, 1, 0},       {0x10007, 1, 0},       {0x10008, 1, 1},
    {0x1000f, 1, 1}, {0x1002f, 1, 5},       {0x10030, 6, 6},       {0x10037, 6, 6},
    {0x10038, 7, 7}, {0x12345, 1128, 1128}, {0x17ff8, 4095, 4095}, {0x17fff, 4095, 4095},
    {0x18000, 1, 1}, {0x18003, 1, 1},       {0x18004, 1, 1},
};

Test(count_regions, every_kernel_cell)
{
    static const char *const names[] = {"inferno", "plan9"};
    const struct dialect_region kernel = {
        .offset = 0x10000, .low = 0x10000, .high = 0x18004, .size = UINT64_C(4) * 4096};
    const uint64_t address = BASE;

    for (size_t name = 0; name < 2; name++)
        for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
            uint64_t cell = name == 0 ? cells[i].inferno : cells[i].plan9;
            struct dialect_count *count =
                dialect_count_new(dialect_find(names[name]), 0, &kernel, &address, 1);
            start_memory();
            tick(count, cells[i].pc, 3);
            cr_expect_eq(count->ticks, 3);
            cr_expect_eq(count->outside, cell == DIALECT_CELL_OUTSIDE ? 3 : 0, "%s %#llx",
                         names[name], (unsigned long long)cells[i].pc);
            if (cell != DIALECT_CELL_OUTSIDE)
                cr_expect_eq(counter(4, cell), 3, "%s %#llx", names[name],
                             (unsigned long long)cells[i].pc);
            free(count);
        }
}
