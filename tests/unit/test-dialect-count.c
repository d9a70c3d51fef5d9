/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "dialect-fixture.h"

TestSuite(count_rules, .init = start_memory);

/* --- rules of all dialects ------------------------------------------------------------------- */

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
        cr_expect_eq(counter(size, 2), 44, "%s: %llu", histograms[i], (unsigned long long)counter(size, 2));
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
        cr_expect_eq(counter(4, 3), 70002, "%s: %llu", histograms[i], (unsigned long long)counter(4, 3));
        /* a dialect that stops counters of 2 bytes at 32767 stops counters of 4 bytes at INT32_MAX */
        bool stops = dialect_find(histograms[i])->overflow == DIALECT_STOPS;
        set_counter(4, 3, INT32_MAX);
        tick(count, TEXT + 12, 1);
        cr_expect_eq(counter(4, 3), stops ? INT32_MAX : INT32_MAX + UINT64_C(1), "%s", histograms[i]);
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
        cr_expect_eq(counter(2, 1), solaris[i].after, "row %zu: %llu", i, (unsigned long long)counter(2, 1));
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
        cr_expect_eq(counter(size, 5), expected, "%s: %llu", histograms[i], (unsigned long long)counter(size, 5));
        cr_expect_eq(counter(size, 6), 0, "%s: the neighbour", histograms[i]);
        /* without saturation, the first tick sets the full counter to 0, and the next two are added */
        unsigned overflows = dialect->overflow == DIALECT_SATURATES ? 3 : 1;
        cr_expect_eq(count->overflows, overflows, "%s: %llu", histograms[i], (unsigned long long)count->overflows);
        cr_expect(count->on, "%s", histograms[i]);
        free(count);
    }
}

/* Each dialect counts ticks in a buffer that is too short for its text, and in a buffer that is read-only. */
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
            cr_expect_eq(counter(4, (places[ranges[i].range] - BASE) / 4 + ranges[i].index), 2, "%#llx",
                         (unsigned long long)ranges[i].pc);
        cr_expect_eq(sum_of_all(4), ranges[i].range >= 0 ? 2 : 0, "%#llx", (unsigned long long)ranges[i].pc);
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

/* Segments of the Nintendo 64, with counters of 2 and of 4 bytes. If the counter of a tick would be past the end of its
 * segment's buffer, the tick is counted in the overflow bin. */
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
            struct dialect_count *count = dialect_count_new(dialect_find("n64"), size, regions, places, 3);
            cr_assert_not_null(count);
            count->overflow = bin;
            start_memory();
            tick(count, segments[i].pc, 1);
            uint64_t address = segments[i].segment < 0 ? bin : places[segments[i].segment] + segments[i].index * size;
            cr_expect_eq(target.bytes[address - BASE], 1, "%#llx, %u bytes", (unsigned long long)segments[i].pc, size);
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
            struct dialect_count *count = dialect_count_new(dialect_find(names[name]), 0, &kernel, &address, 1);
            start_memory();
            tick(count, cells[i].pc, 3);
            cr_expect_eq(count->ticks, 3);
            cr_expect_eq(count->outside, cell == DIALECT_CELL_OUTSIDE ? 3 : 0, "%s %#llx",
                         names[name], (unsigned long long)cells[i].pc);
            if (cell != DIALECT_CELL_OUTSIDE)
                cr_expect_eq(counter(4, cell), 3, "%s %#llx", names[name], (unsigned long long)cells[i].pc);
            free(count);
        }
}
