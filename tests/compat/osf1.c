/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Both forms of profil(2) of OSF/1 and Tru64. */
#include <sys/resource.h>
#include <unistd.h>

typedef unsigned short counter;
#define PERIOD_NS (1e9 / 1024)
#define ONE_EACH_WORD 0x8000u
#define CHILD_COUNTS 1
#define SYSTEM_TIME 0
#define start(buffer, size, offset, scale) profil(buffer, size, (void *)(offset), scale)
#define stop() profil(0, 0, 0, 0)

#include "profil-checks.h"

static unsigned int first_counts[1024], second_counts[1024];

static struct profil_args range(spin *function, unsigned int *buffer)
{
    return (struct profil_args){.buffer = buffer,
                                .highpc = (void *)end_of(function),
                                .lowpc = (void *)(uintptr_t)function,
                                .offset = (void *)(uintptr_t)function,
                                .scale = 0x10000};
}

static uint64_t sum_range(const unsigned int *buffer)
{
    uint64_t sum = 0;

    for (int i = 0; i < 1024; i++)
        sum += buffer[i];
    return sum;
}

/* Makes a range for each function, in the order of decreasing lowpc. */
static void both(struct profil_args ranges[2], unsigned int *first, unsigned int *second)
{
    bool ordered = (uintptr_t)spin_first > (uintptr_t)spin_second;

    ranges[!ordered] = range(spin_first, first);
    ranges[ordered] = range(spin_second, second);
}

static void check_ranges(void)
{
    struct profil_args ranges[2];

    both(ranges, first_counts, second_counts);
    profil(ranges, 2, -1, 0);
    struct stretch since = now();
    burn(spin_first, LONG_NS);
    expect_ticks("first range", sum_range(first_counts), since, PERIOD_NS);
    since = now();
    burn(spin_second, LONG_NS);
    expect_ticks("second range", sum_range(second_counts), since, PERIOD_NS);
    start_usual(counters);
    uint64_t before = sum_range(first_counts);
    since = now();
    burn(spin_first, LONG_NS);
    expect("the first form stops the second", sum_range(first_counts) == before, "counted");
    expect_ticks("the first form counts", sum_all(), since, PERIOD_NS);
    profil(ranges, 2, -1, 0);
    before = sum_all();
    burn(spin_first, SHORT_NS);
    expect("the second form stops the first", sum_all() == before, "counted");
    stop();
    expect_left("profil(0,0,0,0) stops either");
}

static void expect_refused(const char *name, struct profil_args *ranges, int count)
{
    memset(first_counts, 0, sizeof first_counts);
    memset(second_counts, 0, sizeof second_counts);
    start_usual(counters);
    profil(ranges, count, -1, 0);
    uint64_t before = sum_all();
    burn(spin_first, SHORT_NS / 2);
    burn(spin_second, SHORT_NS / 2);
    expect(name, sum_range(first_counts) + sum_range(second_counts) == 0 && sum_all() == before, "counted");
}

static void check_refused(void)
{
    struct profil_args ranges[65], swapped;

    both(ranges, first_counts, second_counts);
    expect_refused("none", ranges, 0);
    expect_refused("a negative number", ranges, -5);
    for (int i = 2; i < 65; i++)
        ranges[i] = (struct profil_args){.buffer = first_counts,
                                         .lowpc = (void *)(uintptr_t)(0x10000 - 16 * i),
                                         .highpc = (void *)(uintptr_t)(0x10008 - 16 * i),
                                         .offset = (void *)(uintptr_t)(0x10000 - 16 * i),
                                         .scale = 0x10000};
    expect_refused("more than 64", ranges, 65);
    profil(ranges, 64, -1, 0);
    struct stretch since = now();
    burn(spin_first, LONG_NS);
    expect_ticks("64 ranges", sum_range(first_counts), since, PERIOD_NS);
    swapped = ranges[0];
    ranges[0] = ranges[1];
    ranges[1] = swapped;
    expect_refused("ascending", ranges, 2);
    ranges[0] = ranges[1];
    expect_refused("overlapping", ranges, 2);
    ranges[0].highpc = ranges[0].lowpc;
    expect_refused("empty", ranges, 1);
    expect_refused("no array", (struct profil_args *)16, 1);
    expect_left("gone");
}

/* The offset is above lowpc. Addresses below the offset have no counter, and the memory in front of the buffer must not
 * be changed. */
static void check_offset_above(void)
{
    struct profil_args above = range(spin_first, first_counts + 512);

    above.offset = above.highpc;
    profil(&above, 1, -1, 0);
    burn(spin_first, SHORT_NS);
    stop();
    expect("below the offset", sum_range(first_counts) == 0, "%ju", (uintmax_t)sum_range(first_counts));
}

static void check_range_fault(void)
{
    struct profil_args ranges[2];
    unsigned int *buffer = pages(4096);

    both(ranges, buffer, second_counts);
    profil(ranges, 2, -1, 0);
    for (int i = 0; i < 100 && sum_range(buffer) == 0; i++)
        burn(spin_first, SHORT_NS);
    uint64_t before = sum_range(buffer);
    expect("counts before", before > 0, "none");
    take_writing(buffer, 4096, false);
    burn(spin_first, 5 * LONG_NS); /* long enough for at least one tick */
    take_writing(buffer, 4096, true);
    burn(spin_first, SHORT_NS);
    expect("this range is off", sum_range(buffer) == before, "%ju, then %ju", (uintmax_t)before,
           (uintmax_t)sum_range(buffer));
    struct stretch since = now();
    burn(spin_second, LONG_NS);
    expect_ticks("only this range", sum_range(second_counts), since, PERIOD_NS);
    stop();
}

static void check_wide_wrap(void)
{
    struct profil_args one = range(spin_first, first_counts);

    one.scale = 2;
    first_counts[0] = 0xfffffffa;
    profil(&one, 1, -1, 0);
    for (int i = 0; i < 100 && first_counts[0] >= 0xfffffffa; i++)
        burn(spin_first, SHORT_NS);
    stop();
    expect("32 bits wrap", first_counts[0] < 1000, "%u", first_counts[0]);
}

/* "The special scale factor of 2 maps all instructions onto the beginning." */
static void check_two(void)
{
    static counter one;

    struct stretch since = now();
    start(&one, sizeof one, end_of(spin_first) + 0x100000, 2);
    burn(spin_first, LONG_NS);
    stop();
    expect_ticks("scale 2 counts what is below the offset", one, since, PERIOD_NS);
}

int main(int argc, char **argv)
{
    static const struct check checks[] = {PROFIL_CHECKS,
                                          {"off-scale", check_off_scale},
                                          {"large-scale", check_large_scale},
                                          {"wrap", check_wrap},
                                          {"two", check_two},
                                          {"ranges", check_ranges},
                                          {"refused", check_refused},
                                          {"offset-above", check_offset_above},
                                          {"range-fault", check_range_fault},
                                          {"wide-wrap", check_wide_wrap},
                                          {0}};

    return run_checks(checks, argc, argv);
}
