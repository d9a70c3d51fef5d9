/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the rules of the profil family with test vectors that were made from the systems' own sources. */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>

#include "dialect-fixture.h"
#include "dialect/dialect.h"

#define NONE (-1)
#define OFF (-2)
#define REFUSED (-3)
#define SKIP (-4) /* not checked: a 32-bit system has no addresses as high as these */
#define BIN DIALECT_OVERFLOW_BIN

static const struct {
    const char *dialect;
    unsigned counter_size;
    bool exact;
    size_t place; /* index in vectors.expected */
} columns[] = {
    {"v7", 2, true, 0},      {"bsd44", 2, true, 1},         {"bsd44", 2, false, 2},
    {"solaris", 2, true, 3}, {"irix", 2, false, 4},         {"osf1", 2, false, 4},
    {"irix", 4, false, 5},   {"irix-sprofil", 4, false, 5}, {"glibc", 2, false, 6},
};

static const struct {
    uint64_t pc, offset;
    uint32_t scale;
    uint64_t size;
    int64_t expected[7];
} vectors[] = {
    {0x1000, 0x1000, 0x10000, 64, {0, 0, 0, 0, 0, 0, 0}},
    {0x1001, 0x1000, 0x10000, 64, {0, 0, 0, 0, 0, 0, 0}},
    {0x1002, 0x1000, 0x10000, 64, {1, 1, 1, 1, 1, 0, 1}},
    {0x1003, 0x1000, 0x10000, 64, {1, 1, 1, 1, 1, 0, 1}},
    {0x103e, 0x1000, 0x10000, 64, {31, 31, 31, 31, 31, 15, 31}},
    {0x1040, 0x1000, 0x10000, 64, {NONE, NONE, NONE, NONE, NONE, NONE, NONE}},
    {0xfff, 0x1000, 0x10000, 64, {NONE, NONE, NONE, NONE, NONE, NONE, NONE}},
    {0x1002, 0x1000, 0xffff, 64, {1, 0, 0, 0, 0, 0, 0}},
    {0x1003, 0x1000, 0xffff, 64, {1, 1, 1, 1, 1, 0, 0}},
    {0x1040, 0x1000, 0xffff, 64, {NONE, 31, 31, 31, 31, 15, 31}},
    {0x1002, 0x1000, 0x8000, 64, {1, 0, 0, 0, 0, 0, 0}},
    {0x1003, 0x1000, 0x8000, 64, {1, 0, 0, 0, 0, 0, 0}},
    {0x1004, 0x1000, 0x8000, 64, {1, 1, 1, 1, 1, 0, 1}},
    {0x107f, 0x1000, 0x8000, 64, {NONE, 31, 31, 31, 31, 15, 31}},
    {0x1080, 0x1000, 0x8000, 64, {NONE, NONE, NONE, NONE, NONE, NONE, NONE}},
    {0x1008, 0x1000, 0x4000, 64, {1, 1, 1, 1, 1, 0, 1}},
    {0x10ff, 0x1000, 0x4000, 64, {NONE, 31, 31, 31, 31, 15, 31}},
    {0x1003, 0x1000, 0xaaaa, 64, {1, 0, 0, 0, 0, 0, 0}},
    {0x1007, 0x1000, 0xaaaa, 64, {2, 2, 2, 2, 2, 1, 1}},
    {0x1009, 0x1000, 0xaaaa, 64, {3, 2, 2, 2, 2, 1, 2}},
    {0x100b, 0x1000, 0xaaaa, 64, {3, 3, 3, 3, 3, 1, 3}},
    {0x6555, 0x1000, 0x3, 64, {0, 0, 0, 0, 0, 0, 0}},
    {0x16556, 0x1000, 0x3, 64, {1, 2, 2, 2, 2, 1, 2}},
    {0x10fff, 0x1000, 0x2, 64, {1, 0, 0, 0, 0, 0, 0}},
    {0x11000, 0x1000, 0x2, 64, {1, 1, 1, 0, 0, 0, 1}},
    {0x7ff01000, 0x1000, 0x2, 64, {NONE, NONE, NONE, 0, 0, 0, NONE}},
    {0x11000, 0x1000, 0x1, 64, {0, 0, 0, OFF, OFF, OFF, 0}},
    {0x1004, 0x1000, 0x0, 64, {OFF, OFF, OFF, OFF, OFF, OFF, 0}},
    {0x1004, 0x1000, 0x10001, 64, {2, REFUSED, REFUSED, 2, 2, 1, 2}},
    {0x1004, 0x1000, 0x20000, 64, {4, REFUSED, REFUSED, 4, 4, 2, 4}},
    {0x1000, 0x1000, 0x10000, 0, {NONE, NONE, NONE, NONE, NONE, NONE, NONE}},
    {0x1000, 0x1000, 0x2, 0, {NONE, NONE, NONE, 0, NONE, NONE, NONE}},
    {0x103e, 0x1000, 0x10000, 63, {31, 31, NONE, 31, NONE, NONE, NONE}},
    {0x1000, 0x1000, 0x10000, 1, {0, 0, NONE, 0, NONE, NONE, NONE}},
    {0x100400010, 0x400000, 0x10000, 4096, {SKIP, 8, NONE, NONE, NONE, NONE, NONE}},
    {0x7f1234500010, 0x400000, 0x10000, 4096, {SKIP, NONE, NONE, NONE, NONE, NONE, NONE}},
    {0x55d0000a2345,
     0x55d000090000,
     0x8000,
     0x10000,
     {SKIP, 18641, 18641, 18641, 18641, 9320, 18641}},
    {0x55d0000affff,
     0x55d000090000,
     0x8000,
     0x10000,
     {SKIP, 32767, 32767, 32767, 32767, 16383, 32767}},
    {0x10, 0x400000, 0x1, 0xffffffff, {NONE, NONE, NONE, OFF, OFF, OFF, NONE}},
};

Test(dialect, every_bucket_vector)
{
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        for (size_t column = 0; column < sizeof columns / sizeof *columns; column++) {
            const struct dialect *dialect = dialect_find(columns[column].dialect);
            struct dialect_region region = {
                .offset = vectors[i].offset, .size = vectors[i].size, .scale = vectors[i].scale};
            int64_t expected = vectors[i].expected[columns[column].place];
            uint64_t index = 0;
            int64_t got = NONE;

            if (expected == SKIP)
                continue;
            if (dialect_check(dialect, &region) != 0)
                got = REFUSED;
            else if (dialect_is_off(dialect, region.scale))
                got = OFF;
            else if (dialect_index(dialect, &region, columns[column].counter_size, vectors[i].pc,
                                   columns[column].exact, &index))
                got = (int64_t)index;
            cr_expect_eq(got, expected, "row %zu, %s: %lld, not %lld", i + 1, dialect->name,
                         (long long)got, (long long)expected);
        }
}

/* Old kernels use counters that are only partly inside the buffer. dialect_index does so only if `exact` is true. */
Test(dialect, whole_counters_inside)
{
    const struct dialect *dialect = dialect_find("solaris");
    struct dialect_region odd = {.offset = 0x1000, .size = 63, .scale = 0x10000};
    uint64_t index;

    cr_expect(dialect_index(dialect, &odd, 2, 0x103e, true, &index));
    cr_expect_not(dialect_index(dialect, &odd, 2, 0x103e, false, &index));
    odd = (struct dialect_region){.offset = 0x1000, .size = 0, .scale = 2};
    cr_expect(dialect_index(dialect, &odd, 2, 0x1000, true, &index));
    cr_expect_not(dialect_index(dialect, &odd, 2, 0x1000, false, &index));
}

Test(dialect, every_sprofil_choice)
{
    const struct dialect *dialect = dialect_find("irix-sprofil");

    for (unsigned size = 2; size <= 4; size += 2) {
        const struct dialect_region regions[] = {
            {.offset = 0x400000, .size = 0x100, .scale = 0x8000},
            {.offset = 0x500000, .size = 0x200, .scale = 0x10000},
            {.offset = 0x500100, .size = 0x80, .scale = 0x10000},
            {.offset = 0x600000, .size = 0x40, .scale = 0x4000},
            {.offset = 0, .size = size, .scale = 2},
        };
        for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
            size_t region = size == 2 ? choices[i].two.region : choices[i].four.region;
            uint64_t place = size == 2 ? choices[i].two.index : choices[i].four.index;
            uint64_t index = 99999;
            cr_expect_eq(dialect_choose(dialect, regions, 5, size, choices[i].pc, &index), region, "%#llx",
                         (unsigned long long)choices[i].pc);
            cr_expect_eq(index, place, "%#llx: %llu", (unsigned long long)choices[i].pc, (unsigned long long)index);
        }
    }
}

static const struct {
    uint64_t pc;
    size_t range;
    uint64_t index;
} ranges[] = {
    {0x2fffff, DIALECT_NO_REGION, 0},
    {0x300000, 0, 0},
    {0x300003, 0, 0},
    {0x300004, 0, 1},
    {0x300ffc, 0, 1023},
    {0x300fff, 0, 1023},
    {0x301000, DIALECT_NO_REGION, 0},
    {0x200000, 1, 0},
    {0x200004, 1, 0},
    {0x200008, 1, 1},
    {0x2007ff, 1, 255},
    {0x200800, DIALECT_NO_REGION, 0},
    {0x100000, 2, 0},
    {0x10000f, 2, 0},
    {0x100010, 2, 1},
    {0x103fff, 2, 1023},
    {0x104000, DIALECT_NO_REGION, 0},
    {0x80000, 3, 64},
    {0x800ff, 3, 127},
    {0x7ffff, DIALECT_NO_REGION, 0},
};

Test(dialect, every_extended_range)
{
    const struct dialect *dialect = dialect_find("osf1x");
    const struct dialect_region args[] = {
        {.low = 0x300000, .high = 0x301000, .offset = 0x300000, .scale = 0x10000, .size = 0x1000},
        {.low = 0x200000, .high = 0x200800, .offset = 0x200000, .scale = 0x8000, .size = 0x400},
        {.low = 0x100000, .high = 0x104000, .offset = 0x100000, .scale = 0x4000, .size = 0x1000},
        {.low = 0x80000, .high = 0x80100, .offset = 0x7ff00, .scale = 0x10000, .size = 0x200},
    };

    cr_expect_eq(dialect_check_ranges(args, 4), 0);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        uint64_t index = 0;
        cr_expect_eq(dialect_choose(dialect, args, 4, 4, ranges[i].pc, &index), ranges[i].range,
                     "%#llx", (unsigned long long)ranges[i].pc);
        cr_expect_eq(index, ranges[i].index, "%#llx", (unsigned long long)ranges[i].pc);
    }
}

Test(dialect, extended_ranges_descend_and_do_not_overlap)
{
    struct dialect_region args[65] = {{.low = 0x2000, .high = 0x3000},
                                      {.low = 0x1000, .high = 0x2000}};

    cr_expect_eq(dialect_check_ranges(args, 0), 0);
    cr_expect_eq(dialect_check_ranges(args, 2), 0);
    args[1].high = 0x2001;
    cr_expect_eq(dialect_check_ranges(args, 2), -EINVAL);
    args[1] = (struct dialect_region){.low = 0x4000, .high = 0x5000};
    cr_expect_eq(dialect_check_ranges(args, 2), -EINVAL);
    args[1] = (struct dialect_region){.low = 0x1000, .high = 0x1000};
    cr_expect_eq(dialect_check_ranges(args, 2), -EINVAL);
    for (uint64_t i = 0; i < 65; i++)
        args[i] = (struct dialect_region){.low = 0x100000 - i * 16, .high = 0x100010 - i * 16};
    cr_expect_eq(dialect_check_ranges(args, 64), 0);
    cr_expect_eq(dialect_check_ranges(args, 65), -EINVAL);
}

static const struct {
    uint32_t pc;
    size_t segment;
    uint64_t index;
    bool past_the_end;
} segments[] = {
    {0x80000400, 0, 0, false},    {0x80000403, 0, 0, false},   {0x80000404, 0, 1, false},
    {0x800007fc, 0, 255, false},  {0x80000800, 0, 256, false}, {0x800013fc, 0, 1023, false},
    {0x800013ff, 0, 1023, false}, {0x80001400, BIN, 0, false}, {0x800003fc, BIN, 0, false},
    {0x400, BIN, 0, false},       {0xa0000400, BIN, 0, false}, {0x80200000, 1, 0, false},
    {0x8020003c, 1, 15, false},   {0x80200040, 1, 16, true},   {0x802000fc, 1, 63, true},
    {0x80200100, BIN, 0, false},
};

Test(dialect, every_nintendo_segment)
{
    const struct dialect_segment own[] = {
        {0x80000400, 0x80001400, 1024}, {0x80200000, 0x80200100, 16}, {0x80000800, 0x80000900, 64}};
    const struct dialect_segment straddles = {0x7ffffff0, 0x80000010, 8};
    uint64_t index = 0;

    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) {
        size_t exact = dialect_segment_of(own, 3, segments[i].pc, true, &index);
        cr_expect_eq(exact, segments[i].segment, "%#x", segments[i].pc);
        if (exact != BIN)
            cr_expect_eq(index, segments[i].index, "%#x", segments[i].pc);
        cr_expect_eq(dialect_segment_of(own, 3, segments[i].pc, false, &index),
                     segments[i].past_the_end ? BIN : segments[i].segment, "%#x", segments[i].pc);
    }
    cr_expect_eq(dialect_segment_of(&straddles, 1, 0x7ffffff0, false, &index), 0);
    cr_expect_eq(index, 0);
    cr_expect_eq(dialect_segment_of(&straddles, 1, 0x80000000, false, &index), 0);
    cr_expect_eq(index, 4);
    cr_expect_eq(dialect_segment_of(&straddles, 1, 0x8000000c, false, &index), 0);
    cr_expect_eq(index, 7);
    cr_expect_eq(dialect_segment_of(&straddles, 1, 0x80000010, false, &index), BIN);
}

static const struct {
    uint64_t pc, inferno, plan9;
} cells[] = {
    {0xffff, 1, 1},  {0x10000, 1, 0},       {0x10007, 1, 0},       {0x10008, 1, 1},
    {0x1000f, 1, 1}, {0x1002f, 1, 5},       {0x10030, 6, 6},       {0x10037, 6, 6},
    {0x10038, 7, 7}, {0x12345, 1128, 1128}, {0x17ff8, 4095, 4095}, {0x17fff, 4095, 4095},
    {0x18000, 1, 1}, {0x18003, 1, 1},       {0x18004, 1, 1},
};

Test(dialect, every_kernel_cell)
{
    const struct dialect_kernel kernel = {0x10000, 0x18004, 4096};

    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        cr_expect_eq(dialect_cell(dialect_find("inferno"), &kernel, cells[i].pc), cells[i].inferno,
                     "%#llx", (unsigned long long)cells[i].pc);
        cr_expect_eq(dialect_cell(dialect_find("plan9"), &kernel, cells[i].pc), cells[i].plan9,
                     "%#llx", (unsigned long long)cells[i].pc);
    }
}

Test(dialect, kpctl_goes_by_prefix)
{
    cr_expect_eq(dialect_kpctl("start", 5), DIALECT_KPCTL_START);
    cr_expect_eq(dialect_kpctl("startclr\n", 9), DIALECT_KPCTL_STARTCLR);
    cr_expect_eq(dialect_kpctl("startle", 7), DIALECT_KPCTL_START);
    cr_expect_eq(dialect_kpctl("stopped", 7), DIALECT_KPCTL_STOP);
    cr_expect_eq(dialect_kpctl("star", 4), DIALECT_KPCTL_BAD);
    cr_expect_eq(dialect_kpctl("", 0), DIALECT_KPCTL_BAD);
}

static void add(enum dialect_overflow overflow, unsigned size, uint64_t before, uint64_t ticks,
                uint64_t after, enum dialect_added result, uint64_t full)
{
    uint64_t counter = before, found;
    cr_expect_eq(dialect_add(overflow, size, &counter, ticks, &found), result, "%llu + %llu",
                 (unsigned long long)before, (unsigned long long)ticks);
    cr_expect_eq(found, full, "%llu + %llu: %llu found it full", (unsigned long long)before,
                 (unsigned long long)ticks, (unsigned long long)found);
    cr_expect_eq(counter, after, "%llu + %llu is %llu", (unsigned long long)before,
                 (unsigned long long)ticks, (unsigned long long)counter);
}

Test(dialect, solaris_counter_table)
{
    add(DIALECT_STOPS, 2, 0, 1, 1, DIALECT_ADDED, 0);
    add(DIALECT_STOPS, 2, 32766, 1, 32767, DIALECT_ADDED, 0);
    add(DIALECT_STOPS, 2, 32767, 1, 32767, DIALECT_STOPPED, 1);
    add(DIALECT_STOPS, 2, 32766, 2, 32766, DIALECT_STOPPED, 2);
    add(DIALECT_STOPS, 2, 32765, 3, 32765, DIALECT_STOPPED, 3);
    add(DIALECT_STOPS, 2, 40000, 1, 40000, DIALECT_STOPPED, 1);
    add(DIALECT_STOPS, 2, 65535, 1, 0, DIALECT_OVERFLOWED, 1);
    add(DIALECT_STOPS, 2, 65530, 10, 4, DIALECT_OVERFLOWED, 1);
}

Test(dialect, counters_at_their_edge)
{
    add(DIALECT_WRAPS, 2, 65535, 1, 0, DIALECT_OVERFLOWED, 1);
    add(DIALECT_WRAPS, 2, 65534, 1, 65535, DIALECT_ADDED, 0);
    add(DIALECT_WRAPS, 4, 0xffffffff, 1, 0, DIALECT_OVERFLOWED, 1);
    add(DIALECT_WRAPS, 2, 0, 65536, 0, DIALECT_OVERFLOWED, 1);
    add(DIALECT_WRAPS, 2, 65530, 60, 54, DIALECT_OVERFLOWED, 1);
    add(DIALECT_WRAPS, 2, 65535, 65537, 0, DIALECT_OVERFLOWED, 2);
    add(DIALECT_SATURATES, 2, 65535, 1, 65535, DIALECT_OVERFLOWED, 1);
    add(DIALECT_SATURATES, 4, 0xfffffffe, 5, 0xffffffff, DIALECT_OVERFLOWED, 4);
    add(DIALECT_WRAPS, 8, UINT64_MAX, 1, 0, DIALECT_OVERFLOWED, 1);
}

/* 17 numbered cases of calls and ticks. Checks how many samples there are, but not their contents. */
Test(dialect, pcsample_sequences)
{
    struct dialect_pcsample state = {0}, child;

    cr_expect_eq(dialect_pcsample_call(&state, 4), 0); /* 1 */
    cr_expect_eq(dialect_pcsample_tick(&state, 1), 1);
    cr_expect_eq(dialect_pcsample_tick(&state, 1), 1);
    cr_expect_eq(dialect_pcsample_tick(&state, 1), 1);
    cr_expect_eq(dialect_pcsample_call(&state, 4), 3); /* 2 */
    cr_expect_eq(dialect_pcsample_tick(&state, 1), 1);
    cr_expect_eq(dialect_pcsample_call(&state, 0), 1); /* 3 */
    cr_expect_eq(dialect_pcsample_call(&state, 4), 0); /* 4 */
    for (int i = 0; i < 4; i++)
        cr_expect_eq(dialect_pcsample_tick(&state, 1), 1);
    cr_expect(state.on); /* 5 */
    cr_expect_eq(dialect_pcsample_tick(&state, 1), 0);
    cr_expect_not(state.on);                           /* 6 */
    cr_expect_eq(dialect_pcsample_call(&state, 4), 4); /* 7 */
    cr_expect_eq(dialect_pcsample_tick(&state, 3), 3); /* 8 */
    cr_expect(state.on);
    cr_expect_eq(dialect_pcsample_tick(&state, 3), 1); /* 9 */
    cr_expect_not(state.on);
    cr_expect_eq(dialect_pcsample_call(&state, -1), -EINVAL); /* 10 */
    cr_expect_eq(dialect_pcsample_call(&state, 4), 4);        /* 11 */
    dialect_pcsample_tick(&state, 2);
    child = state;
    cr_expect_eq(dialect_pcsample_call(&child, 4), 2); /* 12 */
    cr_expect_eq(state.count, 2);
    dialect_pcsample_reset(&child);
    cr_expect_eq(dialect_pcsample_call(&child, 4), 0); /* 13 */
    cr_expect_eq(dialect_pcsample_tick(&child, 1), 1);
    cr_expect_eq(dialect_pcsample_tick(&child, 1), 1);
    cr_expect_eq(dialect_pcsample_tick(&child, 1), 1);
    dialect_pcsample_fault(&child, 1);
    cr_expect_not(child.on);
    cr_expect_eq(dialect_pcsample_call(&child, 4), 2); /* 14 */
    dialect_pcsample_tick(&child, 2);
    dialect_pcsample_reset(&child);
    cr_expect_eq(dialect_pcsample_call(&child, 4), 0); /* 15 */
    dialect_pcsample_reset(&child);
    cr_expect_eq(dialect_pcsample_tick(&child, 1), 0); /* 16 */
    cr_expect_eq(dialect_pcsample_call(&child, 0), 0);
    cr_expect_eq(dialect_pcsample_tick(&child, 1), 0); /* 17 */
    cr_expect_not(child.on);
}

/* dialect_lowest returns the lowest offset that belongs to a counter. The offset before it belongs to an earlier
 * counter. */
Test(dialect, lowest_is_the_inverse)
{
    static const uint32_t scales[] = {0x10000, 0xffff, 0xaaaa, 0x8000, 0x4000, 3, 0x20000};
    const struct dialect *dialect;

    for (size_t which = 0; (dialect = dialect_at(which)) != NULL; which++)
        for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
            struct dialect_region region = {.offset = 0x1000, .size = 1 << 20, .scale = scales[s]};
            if (dialect->arithmetic == DIALECT_RAW || dialect_check(dialect, &region) != 0)
                continue;
            for (uint64_t i = 1; i < 60; i++) {
                uint64_t lowest = dialect_lowest(dialect, scales[s], dialect->counter_size, i);
                uint64_t index = 0, before = 0;
                cr_assert(dialect_index(dialect, &region, dialect->counter_size, 0x1000 + lowest, false, &index));
                cr_assert(dialect_index(dialect, &region, dialect->counter_size, 0x1000 + lowest - 1, false, &before));
                /* if the scale is larger than one to one, some counters have no text */
                cr_expect(index >= i && before < i, "%s, scale %#x, counter %llu: %llu, %llu", dialect->name, scales[s],
                          (unsigned long long)i, (unsigned long long)index, (unsigned long long)before);
            }
        }
}

Test(dialect, room_is_enough_and_no_more)
{
    const struct dialect *dialect;
    uint64_t index;

    for (size_t which = 0; (dialect = dialect_at(which)) != NULL; which++) {
        if (dialect->arithmetic == DIALECT_RAW)
            continue;
        for (uint64_t text = 1; text < 300; text++) {
            struct dialect_region region = {.offset = 0x1000, .scale = 0x8000};
            region.size = dialect_room(dialect, 0x8000, dialect->counter_size, text);
            cr_expect(dialect_index(dialect, &region, dialect->counter_size, 0x1000 + text - 1, false, &index),
                      "%s: %llu", dialect->name, (unsigned long long)text);
            region.size -= dialect->counter_size;
            cr_expect_not(dialect_index(dialect, &region, dialect->counter_size, 0x1000 + text - 1, false, &index),
                          "%s: %llu", dialect->name, (unsigned long long)text);
        }
    }
}

Test(dialect, names)
{
    cr_expect_not_null(dialect_find("irix"));
    cr_expect_null(dialect_find("none"));
    cr_expect_null(dialect_at(13));
    cr_expect_str_eq(dialect_n64_error(61),
                     "osProfileInit: profile counter is running, call osProfileStop before init");
    cr_expect_str_eq(dialect_n64_error(69), "osProfileStop: no profile timer to stop");
    cr_expect_null(dialect_n64_error(60));
}
