/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IRIX's profil(2) and sprofil(2). */
#include <sys/profil.h>
#include <unistd.h>

typedef unsigned short counter;
#define PERIOD_NS 1e7
#define ONE_EACH_WORD 0x8000u
#define CHILD_COUNTS 1
#define SYSTEM_TIME 0
#define start(buffer, size, offset, scale) ((void)profil(buffer, size, offset, scale))
#define stop() start(NULL, 0, 0, 0)

#include "profil-checks.h"

static unsigned int wide[4096];

static uint64_t sum_wide(spin *function)
{
    uint64_t sum = 0;

    for (uintptr_t pc = (uintptr_t)function; pc < end_of(function); pc += 4)
        sum += wide[(pc - region()) / 4];
    return sum;
}

static struct prof whole(void *base, unsigned scale)
{
    return (struct prof){
        .pr_base = base, .pr_size = sizeof wide / 2, .pr_off = region(), .pr_scale = scale};
}

static void refused(const char *name, struct prof *entries, int count, struct timeval *tick, unsigned flags, int error)
{
    errno = 0;
    int result = sprofil(entries, count, tick, flags);
    expect(name, result == -1 && errno == error, "%d, errno %d", result, errno);
}

static void check_returns(void)
{
    expect("always 0", profil((counter *)16, 64, region(), 0x8000) == 0, "not 0");
    expect("always 0, off", profil(NULL, 0, 0, 0) == 0, "not 0");
    expect("always 0, large", profil(counters, 64, region(), 0x20000) == 0, "not 0");
    expect("always 0, stop", profil(counters, 64, region(), 1) == 0, "not 0");
}

static void check_sprofil_errors(void)
{
    struct prof entry = whole(wide, 0x10000), entries[2] = {entry, entry};
    char *page = pages(4096);

    mprotect(page, 4096, PROT_NONE);
    refused("negative count", &entry, -1, NULL, PROF_USHORT, E2BIG);
    refused("large count", &entry, 65537, NULL, PROF_USHORT, E2BIG);
    refused("unknown flag", &entry, 1, NULL, 8, EINVAL);
    refused("both sizes", &entry, 1, NULL, PROF_USHORT | PROF_UINT, EINVAL);
    refused("bad entries", (struct prof *)(void *)page, 1, NULL, PROF_UINT, EFAULT);
    refused("bad tick", &entry, 1, (struct timeval *)(void *)page, PROF_UINT, EFAULT);
    entry.pr_size = 0;
    refused("no buffer", &entry, 1, NULL, PROF_UINT, EINVAL);
    entry.pr_size = 6;
    refused("buffer of no whole counters", &entry, 1, NULL, PROF_UINT, EINVAL);
    entries[1] = (struct prof){.pr_base = wide, .pr_size = 8, .pr_scale = 2};
    refused("long overflow bin", entries, 2, NULL, PROF_UINT, EINVAL);
    errno = 5;
    expect("stop", sprofil(NULL, 0, NULL, 0) == 0 && errno == 5, "errno %d", errno);
    expect_left("nobody is left");
}

static void check_sprofil(void)
{
    unsigned bin = 0;
    struct prof entries[] = {whole(wide, 0x10000),
                             {.pr_base = &bin, .pr_size = sizeof bin, .pr_scale = 2}};
    struct timeval tick = {0};

    expect("start", sprofil(entries, 2, &tick, PROF_UINT) == 0, "%s", strerror(errno));
    expect("tick", tick.tv_sec == 0 && tick.tv_usec == 10000, "%ld", (long)tick.tv_usec);
    struct stretch since = now();
    burn(spin_first, LONG_NS);
    expect_ticks("32-bit counters", sum_wide(spin_first), since, PERIOD_NS);
    unsigned early = bin;
    since = now();
    uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + LONG_NS;
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
        for (volatile int i = 0; i < 200000; i++)
            ;
    expect("stop", sprofil(NULL, 0, &tick, 0) == 0, "%s", strerror(errno));
    expect_ticks("overflow bin", bin - early, since, PERIOD_NS);
}

static void check_fast(void)
{
    struct prof entry = whole(counters, 0x8000);
    struct timeval tick = {0};

    expect("start", sprofil(&entry, 1, &tick, PROF_USHORT | PROF_FAST) == 0, "%s", strerror(errno));
    expect("tick", tick.tv_usec * PROF_FAST_CNT == 10000, "%ld", (long)tick.tv_usec);
    struct stretch since = now();
    burn(spin_second, LONG_NS);
    expect_ticks("PROF_FAST", sum_of(counters, spin_second), since, PERIOD_NS / PROF_FAST_CNT);
    sprofil(NULL, 0, NULL, 0);
}

/* A child that asks for ten times as many ticks does not change the ticks of its parent. */
static void check_two_rates(void)
{
    start_usual(counters);
    burn(spin_first, SHORT_NS);
    pid_t child = fork();
    if (child == 0) {
        struct prof entry = whole(counters, 0x8000);
        memset(counters, 0, sizeof counters);
        struct stretch since = now();
        sprofil(&entry, 1, NULL, PROF_USHORT | PROF_FAST);
        burn(spin_second, LONG_NS);
        expect_ticks("fast child", sum_all(), since, PERIOD_NS / PROF_FAST_CNT);
        _exit(failures);
    }
    struct stretch since = now();
    uint64_t before = sum_of(counters, spin_first);
    burn(spin_first, 2 * LONG_NS);
    expect_ticks("its parent", sum_of(counters, spin_first) - before, since, PERIOD_NS);
    join_child("child", child);
    stop();
}

static void check_saturation(void)
{
    struct prof narrow = {counters, 2, region(), 2}, broad = {wide, 4, region(), 2};

    counters[0] = 65533;
    sprofil(&narrow, 1, NULL, PROF_USHORT);
    for (int i = 0; i < 100 && counters[0] != 65535; i++)
        burn(spin_first, SHORT_NS);
    burn(spin_first, LONG_NS);
    sprofil(NULL, 0, NULL, 0);
    expect("16 bits stay", counters[0] == 65535, "%u", counters[0]);
    wide[0] = 0xfffffffd;
    sprofil(&broad, 1, NULL, PROF_UINT);
    for (int i = 0; i < 100 && wide[0] != 0xffffffff; i++)
        burn(spin_first, SHORT_NS);
    burn(spin_first, LONG_NS);
    sprofil(NULL, 0, NULL, 0);
    expect("32 bits stay", wide[0] == 0xffffffff, "%u", wide[0]);
}

/* 5000 regions in any order. One region is spin_text. The others are below the program or in its data, so that no
 * sample falls into them. */
static void check_many(void)
{
    static struct prof entries[5000];
    static char unused[8 * 5000];
    unsigned others = 0;

    for (unsigned i = 0; i < 5000; i++)
        entries[i] = (struct prof){.pr_base = &others,
                                   .pr_size = sizeof others,
                                   .pr_off = i % 2 ? (uintptr_t)&unused[8 * i] : 64 * i + 1,
                                   .pr_scale = 0x10000};
    entries[2500] = whole(wide, 0x10000);
    expect("start", sprofil(entries, 5000, NULL, PROF_UINT) == 0, "%s", strerror(errno));
    struct stretch since = now();
    burn(spin_second, LONG_NS);
    expect_ticks("one of 5000 regions", sum_wide(spin_second), since, PERIOD_NS);
    expect("none in others", others == 0, "%u", others);
    profil(NULL, 0, 0, 0);
    expect_left("profil stops it too");
}

int main(int argc, char **argv)
{
    static const struct check checks[] = {PROFIL_CHECKS,
                                          {"off-scale", check_off_scale},
                                          {"large-scale", check_large_scale},
                                          {"wrap", check_wrap},
                                          {"returns", check_returns},
                                          {"sprofil", check_sprofil},
                                          {"sprofil-errors", check_sprofil_errors},
                                          {"fast", check_fast},
                                          {"two-rates", check_two_rates},
                                          {"saturation", check_saturation},
                                          {"many", check_many},
                                          {0}};

    return run_checks(checks, argc, argv);
}
