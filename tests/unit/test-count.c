/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counting while a target runs, by every dialect's rules, into memory that may not be there. */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/dialect.h"

#define BASE 0x7000u   /* of the memory */
#define TEXT 0x400000u /* of the text that is counted */
#define MS UINT64_C(1000000)
#define TICK (10 * MS)

/* A process's memory: what is not in [BASE, BASE + size) is a fault. */
struct memory {
    unsigned char bytes[16384];
    uint64_t size;
    bool read_only;
    unsigned writes;
};

static int read_memory(void *context, uint64_t address, void *to, size_t size)
{
    const struct memory *memory = context;

    if (address < BASE || address - BASE + size > memory->size)
        return -EFAULT;
    memcpy(to, memory->bytes + (address - BASE), size);
    return 0;
}

static int write_memory(void *context, uint64_t address, const void *from, size_t size)
{
    struct memory *memory = context;

    if (memory->read_only || address < BASE || address - BASE + size > memory->size)
        return -EFAULT;
    memcpy(memory->bytes + (address - BASE), from, size);
    memory->writes++;
    return 0;
}

static struct memory target;
static const struct dialect_memory memory = {
    .read = read_memory, .write = write_memory, .context = &target};

static void start_memory(void)
{
    target = (struct memory){.size = sizeof target.bytes};
}

TestSuite(count, .init = start_memory);

static uint64_t counter(unsigned size, uint64_t index)
{
    uint16_t two;
    uint32_t four;

    if (size == 2) {
        memcpy(&two, target.bytes + index * size, sizeof two);
        return two;
    }
    memcpy(&four, target.bytes + index * size, sizeof four);
    return four;
}

static void set_counter(unsigned size, uint64_t index, uint64_t value)
{
    uint16_t two = (uint16_t)value;
    uint32_t four = (uint32_t)value;

    memcpy(target.bytes + index * size, size == 2 ? (void *)&two : (void *)&four, size);
}

static uint64_t sum_of_all(unsigned size)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < sizeof target.bytes / size; i++)
        sum += counter(size, i);
    return sum;
}

/* One region at TEXT, a counter for each 4 bytes (of 4 bytes: scale 1, of 2: a half). */
static struct dialect_count *count_text(const char *name, unsigned wanted)
{
    const struct dialect *dialect = dialect_find(name);
    unsigned size = wanted != 0 ? wanted : dialect->counter_size;
    const struct dialect_region region = {.offset = TEXT,
                                          .low = TEXT,
                                          .high = TEXT + 0x1000,
                                          .size = UINT64_C(0x400) * size,
                                          .scale = size == 2 ? 0x8000 : 0x10000};
    const uint64_t address = BASE;
    struct dialect_count *count = dialect_count_new(dialect, wanted, &region, &address, 1);

    cr_assert_not_null(count);
    count->period_ns = TICK;
    return count;
}

static void tick(struct dialect_count *count, uint64_t pc, uint64_t ticks)
{
    dialect_count_cpu(count, &memory, pc, false, ticks * count->period_ns);
}

static const char *const histograms[] = {"irix", "irix-sprofil", "solaris", "bsd44", "osx",
                                         "osf1", "osf1x",        "n64",     "v7",    "glibc"};
#define HISTOGRAMS (sizeof histograms / sizeof *histograms)

static unsigned size_of(const char *name)
{
    return dialect_find(name)->counter_size;
}

Test(count, every_dialect_counts_and_keeps_what_is_there)
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

Test(count, counters_may_be_wider_than_the_system_had_them)
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

Test(count, ticks_are_whole_periods_and_the_rest_is_kept)
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

Test(count, system_time_counts_where_the_system_counted_it)
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

Test(count, solaris_counter_table)
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

Test(count, overflow_by_every_dialect)
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
Test(count, faults_by_every_dialect)
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

Test(count, a_counter_half_in_memory_is_a_fault)
{
    struct dialect_count *count = count_text("bsd44", 0);

    target.size = 2 * 8 + 1;
    tick(count, TEXT + 4 * 8, 1);
    cr_expect_eq(target.writes, 0);
    cr_expect_not(count->on);
    free(count);
}

/* sprofil's table: r0 to r3 and the overflow bin, each with its own part of the memory. */
static struct dialect_count *count_regions(unsigned size, const uint64_t addresses[5])
{
    const struct dialect_region regions[] = {
        {.offset = 0x400000, .size = 0x100, .scale = 0x8000},
        {.offset = 0x500000, .size = 0x200, .scale = 0x10000},
        {.offset = 0x500100, .size = 0x80, .scale = 0x10000},
        {.offset = 0x600000, .size = 0x40, .scale = 0x4000},
        {.offset = 0, .size = size, .scale = 2},
    };
    struct dialect_count *count =
        dialect_count_new(dialect_find("irix-sprofil"), size, regions, addresses, 5);

    cr_assert_not_null(count);
    return count;
}

static const uint64_t places[] = {BASE, BASE + 0x1000, BASE + 0x2000, BASE + 0x3000, BASE + 0x3800};

static const struct {
    uint64_t pc;
    struct {
        size_t region;
        uint64_t index;
    } two, four;
} choices[] = {
    {0x3fffff, {4, 0}, {4, 0}},    {0x400000, {0, 0}, {0, 0}},    {0x400003, {0, 0}, {0, 0}},
    {0x400004, {0, 1}, {0, 0}},    {0x400007, {0, 1}, {0, 0}},    {0x400008, {0, 2}, {0, 1}},
    {0x4001ff, {0, 127}, {0, 63}}, {0x400200, {4, 0}, {4, 0}},    {0x500000, {1, 0}, {1, 0}},
    {0x500003, {1, 1}, {1, 0}},    {0x5000ff, {1, 127}, {1, 63}}, {0x500100, {2, 0}, {2, 0}},
    {0x50017f, {2, 63}, {2, 31}},  {0x500180, {1, 192}, {1, 96}}, {0x5001ff, {1, 255}, {1, 127}},
    {0x500200, {4, 0}, {4, 0}},    {0x600000, {3, 0}, {3, 0}},    {0x6000f0, {3, 30}, {3, 15}},
    {0x6000ff, {3, 31}, {3, 15}},  {0x600100, {4, 0}, {4, 0}},    {0x7fff00000000, {4, 0}, {4, 0}},
};

Test(count, every_sprofil_choice)
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

Test(count, sprofil_saturates_in_its_bin_too)
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

static struct dialect_count *count_ranges(const uint64_t addresses[4])
{
    const struct dialect_region args[] = {
        {.low = 0x300000, .high = 0x301000, .offset = 0x300000, .scale = 0x10000, .size = -1ull},
        {.low = 0x200000, .high = 0x200800, .offset = 0x200000, .scale = 0x8000, .size = -1ull},
        {.low = 0x100000, .high = 0x104000, .offset = 0x100000, .scale = 0x4000, .size = -1ull},
        {.low = 0x80000, .high = 0x80100, .offset = 0x7ff00, .scale = 0x10000, .size = -1ull},
    };
    struct dialect_count *count = dialect_count_new(dialect_find("osf1x"), 0, args, addresses, 4);

    cr_assert_not_null(count);
    return count;
}

Test(count, every_extended_range)
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

Test(count, a_fault_turns_one_extended_range_off)
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

Test(count, nothing_is_counted_below_the_offset_of_a_range)
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
Test(count, every_nintendo_segment)
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

Test(count, the_nintendo_bin_has_32_bits_and_wraps)
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

Test(count, every_kernel_cell)
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

/* --- pcsample: the sequences of its table, by their numbers ------------------------------ */

enum { A = 0x1000, B = 0x2000, C = 0x3000, D = 0x4000, E = 0x5000 };

static struct dialect_count *samples(unsigned size)
{
    struct dialect_count *count = dialect_count_new(dialect_find("pcsample"), size, NULL, NULL, 0);

    cr_assert_not_null(count);
    return count;
}

/* As the call does: where from now on, how many; what it returns. */
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

static void expect_stored(uint64_t array, uint64_t first, uint64_t second, uint64_t third,
                          uint64_t fourth)
{
    const uint64_t expected[] = {first, second, third, fourth, 0};

    for (uint64_t i = 0; i < 5; i++)
        cr_expect_eq(stored(array, i), expected[i], "sample %llu is %#llx", (unsigned long long)i,
                     (unsigned long long)stored(array, i));
}

Test(count, pcsample_1_to_4_returns_what_was_stored)
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

Test(count, pcsample_5_to_7_is_off_at_the_tick_after_the_last)
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

Test(count, pcsample_8_to_11_debts_and_refusals)
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

Test(count, pcsample_12_and_13_fork_and_exec)
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

Test(count, pcsample_14_fault_keeps_the_count)
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

Test(count, pcsample_15_and_16_profil_discards_the_count)
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

Test(count, pcsample_17_of_nothing)
{
    struct dialect_count *count = samples(4);

    cr_expect_eq(call(count, b, 0), 0);
    tick(count, A, 1);
    cr_expect_eq(target.writes, 0);
    cr_expect_not(count->on);
    free(count);
}

Test(count, pcsample_stores_whole_addresses)
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

Test(count, a_copy_goes_its_own_way)
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

Test(count, off_is_off)
{
    struct dialect_count *count = count_text("irix", 0);

    count->on = false;
    tick(count, TEXT, 5);
    cr_expect_eq(target.writes, 0);
    cr_expect_eq(count->ticks, 0);
    free(count);
}

Test(count, own_memory)
{
    static uint16_t counters[16];
    const struct dialect_region region = {.offset = TEXT, .size = sizeof counters, .scale = 0x8000};
    const uint64_t address = (uintptr_t)counters;
    struct dialect_count *count = dialect_count_new(dialect_find("bsd44"), 0, &region, &address, 1);

    dialect_count_cpu(count, &dialect_own_memory, TEXT + 12, false, count->period_ns);
    cr_expect_eq(counters[3], 1);
    free(count);
}
