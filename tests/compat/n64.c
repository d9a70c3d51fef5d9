/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The Nintendo 64's osProfile(3P). This file is compiled four times: plain, with PPROFIL_N64_DEBUG for the errors of
 * the debug library, with PPROFIL_N64_STRICT, and with PPROFIL_N64_COUNTERS=32.
 */
#include <ultra64.h>
#include <unistd.h>

#include "check.h"

#define LONG_NS (200 * MS)
#define SHORT_NS (80 * MS)
#define PERIOD_US 1000

#if defined PPROFIL_N64_STRICT
#define IS_STRICT 1
#define IS_DEBUG 1
#elif defined PPROFIL_N64_DEBUG
#define IS_STRICT 0
#define IS_DEBUG 1
#else
#define IS_STRICT 0
#define IS_DEBUG 0
#endif

static pprofil_n64_counter histogram[4096];

/* In strict mode, text_end is the address of the last instruction. Otherwise it is the end of the text. */
static OSProf usual(void)
{
    return (OSProf){.histo_base = histogram,
                    .histo_size = (u32)(region_size() / 4),
                    .text_start = (u32 *)(void *)__start_spin_text,
                    .text_end = (u32 *)(region() + region_size()) - IS_STRICT};
}

static uint64_t sum_of(spin *function)
{
    uint64_t sum = 0;

    for (uintptr_t pc = (uintptr_t)function; pc < end_of(function); pc += 4)
        sum += histogram[(pc - region()) / 4];
    return sum;
}

static uint64_t sum_counters(const pprofil_n64_counter *from, size_t count)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += from[i];
    return sum;
}

static uint64_t sum_all(void)
{
    return sum_counters(histogram, sizeof histogram / sizeof *histogram);
}

static u32 big_endian(const unsigned char *bytes)
{
    return (u32)bytes[0] << 24 | (u32)bytes[1] << 16 | (u32)bytes[2] << 8 | bytes[3];
}

static size_t read_stream(unsigned char *bytes, size_t size)
{
    FILE *file = fopen(getenv("PPROFIL_N64_OUTPUT"), "re");
    size_t got = 0;

    if (file != NULL) {
        got = fread(bytes, 1, size, file);
        fclose(file);
    }
    return got;
}

static u32 flushed_bin(void)
{
    unsigned char head[12] = {0};

    osProfileFlush();
    expect("stream has a head", read_stream(head, sizeof head) == sizeof head, "short");
    return big_endian(head + 8);
}

static void check_basic(void)
{
    OSProf segment = usual();

    memset(histogram, 0xff, sizeof histogram);
    osProfileInit(&segment, 1);
    expect("init clears", histogram[0] == 0 && histogram[segment.histo_size - 1] == 0, "%u", (unsigned)histogram[0]);
    expect("and no more", histogram[segment.histo_size] != 0, "0");
    memset(histogram, 0, sizeof histogram);
    struct stretch since = now();
    osProfileStart(PERIOD_US);
    burn(spin_first, LONG_NS);
    expect_ticks("first function", sum_of(spin_first), since, PERIOD_US * 1e3);
    osProfileStop();
    uint64_t before = sum_all();
    burn(spin_first, SHORT_NS);
    expect("stopped", sum_all() == before, "%ju", (uintmax_t)sum_all());
    since = now();
    osProfileStart(PERIOD_US);
    burn(spin_second, LONG_NS);
    osProfileStop();
    expect_ticks("resumed", sum_of(spin_second), since, PERIOD_US * 1e3);
    expect("counts are kept", sum_of(spin_first) == before, "%ju", (uintmax_t)sum_of(spin_first));
    expect_left("gone");
}

/* If a histogram is too short for its text, the ticks beyond its end are counted in the overflow bin. */
static void check_bin(void)
{
    OSProf segment = usual();
    uintptr_t later = (uintptr_t)spin_first > (uintptr_t)spin_second ? (uintptr_t)spin_first : (uintptr_t)spin_second;
    spin *inside = later == (uintptr_t)spin_first ? spin_second : spin_first;
    spin *beyond = later == (uintptr_t)spin_first ? spin_first : spin_second;

    segment.histo_size = (u32)(later - region()) / 4;
    osProfileInit(&segment, 1);
    osProfileStart(PERIOD_US);
    struct stretch since = now();
    burn(beyond, LONG_NS);
    osProfileStop();
    if (IS_STRICT) {
        expect("strict: a short histogram is refused", sum_all() == 0, "counted");
        return;
    }
    expect_ticks("bin", flushed_bin(), since, PERIOD_US * 1e3);
    expect("nothing past the end", sum_all() - sum_of(inside) == 0, "%ju", (uintmax_t)sum_all());
    osProfileInit(&segment, 1);
    expect("init empties the bin", flushed_bin() == 0, "not 0");
}

static void check_stream(void)
{
    static unsigned char bytes[32768];
    OSProf segments[2] = {usual(), usual()};
    size_t size = sizeof(pprofil_n64_counter), expected = 12;
    const unsigned char *at = bytes + 12;
    bool same = true;

    segments[1].text_start = segments[0].text_end;
    segments[1].text_end = segments[1].text_start + 700;
    segments[1].histo_base = histogram + 1000;
    segments[1].histo_size = 700;
    osProfileInit(segments, 2);
    osProfileStart(PERIOD_US);
    burn(spin_first, LONG_NS);
    osProfileStop();
    histogram[1699] = 0x1234;
    osProfileFlush();
    for (int i = 0; i < 2; i++)
        expected += 8 + segments[i].histo_size * size;
    size_t got = read_stream(bytes, sizeof bytes);
    expect("length", got == expected, "%zu, expected %zu", got, expected);
    expect("segments", big_endian(bytes) == 2, "%u", big_endian(bytes));
    expect("period", big_endian(bytes + 4) == PERIOD_US, "%u", big_endian(bytes + 4));
    for (int i = 0; i < 2; i++) {
        expect("text_start", big_endian(at) == (u32)(uintptr_t)segments[i].text_start, "%#x", big_endian(at));
        expect("histo_size", big_endian(at + 4) == segments[i].histo_size, "%u", big_endian(at + 4));
        at += 8;
        for (u32 j = 0; j < segments[i].histo_size; j++, at += size) {
            u32 counter = size == 4 ? big_endian(at) : (u32)at[0] << 8 | at[1];
            same = same && counter == segments[i].histo_base[j];
        }
    }
    expect("counters, big-endian", same, "they differ");
}

static void check_wrap(void)
{
    OSProf segment = usual();
    bool wide = sizeof *histogram == 4;
    unsigned below = 0;

    osProfileInit(&segment, 1);
    for (u32 i = 0; i < segment.histo_size; i++)
        histogram[i] = (pprofil_n64_counter)-1;
    osProfileStart(PERIOD_US);
    burn(spin_first, LONG_NS);
    osProfileStop();
    for (u32 i = 0; i < segment.histo_size; i++)
        below += histogram[i] < 1000;
    expect(wide ? "32 bits wrap" : "16 bits wrap", below > 0, "none did");
}

/* Makes errors. The script compat.sh checks their messages. */
static void check_errors(void)
{
    OSProf segment = usual(), bad;

    osProfileStop();
    osProfileInit(&segment, 0);
    bad = usual();
    bad.histo_base = (pprofil_n64_counter *)((uintptr_t)histogram + 1);
    osProfileInit(&bad, 1);
    bad = usual();
    bad.text_start = bad.text_end;
    osProfileInit(&bad, 1);
    bad = usual();
    bad.histo_size = bad.histo_size / 4 - 1;
    osProfileInit(&bad, 1);
    osProfileStart(49);
    osProfileInit(&segment, 1);
    osProfileStart(50);
    osProfileStart(50);
    osProfileInit(&segment, 1);
    osProfileStop();
    osProfileStop();
}

static void check_strict(void)
{
    OSProf segments[2] = {usual(), usual()};

    segments[0].histo_base = (pprofil_n64_counter *)((uintptr_t)histogram + 2);
    osProfileInit(segments, 1);
    segments[0] = usual();
    segments[0].histo_size--;
    osProfileInit(segments, 1);
    segments[0] = usual();
    segments[1].text_start++;
    osProfileInit(segments, 2);
}

static void check_list_in_force(void)
{
    OSProf segments[2] = {usual(), usual()}, good = usual();

    segments[1].text_start = segments[1].text_end;
    osProfileInit(&good, 1);
    histogram[0] = 5;
    osProfileInit(segments, 2);
    expect("segments before a bad one are cleared", histogram[0] == 0, "%u", histogram[0]);
    unsigned char head[12];
    osProfileFlush();
    read_stream(head, sizeof head);
    expect("the former list stays in force", big_endian(head) == 1, "%u", big_endian(head));
}

static void check_reinit(void)
{
    static pprofil_n64_counter other[4096];
    OSProf segment = usual(), second = usual();

    second.histo_base = other;
    osProfileInit(&segment, 1);
    osProfileStart(PERIOD_US);
    burn(spin_first, SHORT_NS);
    osProfileInit(&second, 1);
    uint64_t before = sum_all();
    for (int i = 0; i < 100 && sum_all() == before && sum_counters(other, 4096) == 0; i++)
        burn(spin_first, SHORT_NS);
    burn(spin_first, SHORT_NS);
    osProfileStop();
    uint64_t counted = sum_counters(other, 4096);
    if (IS_DEBUG)
        expect("debug: no init while it runs", counted == 0 && sum_all() > before, "%ju", (uintmax_t)counted);
    else
        expect("init while it runs: the new list", counted > 0 && sum_all() == before, "%ju", (uintmax_t)counted);
}

static void check_before_init(void)
{
    osProfileStart(PERIOD_US);
    struct stretch since = now();
    burn(spin_first, LONG_NS);
    osProfileStop();
    expect_ticks("no segments: the bin", flushed_bin(), since, PERIOD_US * 1e3);
}

static void check_fork(void)
{
    OSProf segment = usual();

    osProfileInit(&segment, 1);
    osProfileStart(PERIOD_US);
    burn(spin_first, SHORT_NS);
    pid_t child = fork();
    if (child == 0) {
        struct stretch since = now();
        burn(spin_second, LONG_NS);
        osProfileStop();
        expect_ticks("child", sum_of(spin_second), since, PERIOD_US * 1e3);
        _exit(failures);
    }
    join_child("child's end", child);
    osProfileStop();
    expect("parent has none of the child's", sum_of(spin_second) == 0, "some");
}

int main(int argc, char **argv)
{
    static const struct check checks[] = {
        {"basic", check_basic},
        {"bin", check_bin},
        {"stream", check_stream},
        {"wrap", check_wrap},
        {"errors", check_errors},
        {"reinit", check_reinit},
        {"before-init", check_before_init},
        {"fork", check_fork},
#if IS_DEBUG
        {"list-in-force", check_list_in_force},
#endif
#if IS_STRICT
        {"strict", check_strict},
#endif
        {0}
    };

    (void)check_strict;
    (void)check_list_in_force;
    return run_checks(checks, argc, argv);
}
