/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers of test-dialect*.c: the memory of a simulated process, and counters in this memory. */
#ifndef PPROFIL_TEST_DIALECT_FIXTURE_H
#define PPROFIL_TEST_DIALECT_FIXTURE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/dialect.h"

#define UNUSED __attribute__((unused)) /* not every file uses all functions of this header */

#define BASE 0x7000u   /* address of the memory */
#define TEXT 0x400000u /* address of the text whose pcs are counted */
#define MS UINT64_C(1000000)
#define TICK (10 * MS)

/* The memory of a simulated process. An access outside of [BASE, BASE + size) is a fault. */
struct memory {
    unsigned char bytes[16384];
    uint64_t size;
    bool read_only;
    unsigned writes;
};

UNUSED static int read_memory(void *context, uint64_t address, void *to, size_t size)
{
    const struct memory *memory = context;

    if (address < BASE || address - BASE + size > memory->size)
        return -EFAULT;
    memcpy(to, memory->bytes + (address - BASE), size);
    return 0;
}

UNUSED static int write_memory(void *context, uint64_t address, const void *from, size_t size)
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

UNUSED static void start_memory(void)
{
    target = (struct memory){.size = sizeof target.bytes};
}

UNUSED static uint64_t counter(unsigned size, uint64_t index)
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

UNUSED static void set_counter(unsigned size, uint64_t index, uint64_t value)
{
    uint16_t two = (uint16_t)value;
    uint32_t four = (uint32_t)value;

    memcpy(target.bytes + index * size, size == 2 ? (void *)&two : (void *)&four, size);
}

UNUSED static uint64_t sum_of_all(unsigned size)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < sizeof target.bytes / size; i++)
        sum += counter(size, i);
    return sum;
}

/* Makes a struct dialect_count with one region at TEXT, and a counter for each 4 bytes of text. The scale is 1 for
 * counters of 4 bytes, and a half for counters of 2 bytes. `wanted` is the size of the counters in bytes. If it is 0,
 * they have the dialect's own size. */
UNUSED static struct dialect_count *count_text(const char *name, unsigned wanted)
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

UNUSED static void tick(struct dialect_count *count, uint64_t pc, uint64_t ticks)
{
    dialect_count_cpu(count, &memory, pc, false, ticks * count->period_ns);
}

static const char *const histograms[] = {"irix", "irix-sprofil", "solaris", "bsd44", "osx",
                                         "osf1", "osf1x",        "n64",     "v7",    "glibc"};
#define HISTOGRAMS (sizeof histograms / sizeof *histograms)

UNUSED static unsigned size_of(const char *name)
{
    return dialect_find(name)->counter_size;
}

/* Makes a struct dialect_count with the regions that the tests of sprofil use: four regions and the overflow bin, each
 * with its counters at an address of its own. */
UNUSED static struct dialect_count *count_regions(unsigned size, const uint64_t addresses[5])
{
    const struct dialect_region regions[] = {
        {.offset = 0x400000, .size = 0x100, .scale = 0x8000},
        {.offset = 0x500000, .size = 0x200, .scale = 0x10000},
        {.offset = 0x500100, .size = 0x80, .scale = 0x10000},
        {.offset = 0x600000, .size = 0x40, .scale = 0x4000},
        {.offset = 0, .size = size, .scale = 2},
    };
    struct dialect_count *count = dialect_count_new(dialect_find("irix-sprofil"), size, regions, addresses, 5);

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

UNUSED static struct dialect_count *count_ranges(const uint64_t addresses[4])
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

#endif
