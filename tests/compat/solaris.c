/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solaris's profil(2) and pcsample(2). */
#include <pcsample.h>
#include <unistd.h>

typedef unsigned short counter;
#define PERIOD_NS 1e7
#define ONE_EACH_WORD 0x8000u
#define CHILD_COUNTS 1
#define SYSTEM_TIME 1
#define start(buffer, size, offset, scale) profil(buffer, size, offset, scale)
#define stop() profil(NULL, 0, 0, 0)

#include "profil-checks.h"

static uintptr_t samples[64];

static void expect_overflow(const char *name, counter from, counter least, counter most)
{
    counter end = overflow_from(from);

    expect(name, end >= least && end <= most, "%u", end);
}

/* Expects a counter to go from 32766 to 32767, and no further. A sample may represent several ticks, which are added to
 * the counter together. If the first sample represents two ticks, the sum would be 32768, so nothing is added. Whether
 * this happens depends on the machine, so it is enough if one of eight runs reaches 32767. */
static void expect_last_tick(void)
{
    counter end = 0;

    for (int i = 0; i < 8 && end != 32767; i++) {
        end = overflow_from(32766);
        if (end != 32766 && end != 32767)
            break;
    }
    expect("32766 becomes 32767, and no more", end == 32767, "%u", end);
}

static void check_overflow(void)
{
    expect_last_tick();
    expect_overflow("32767 stays", 32767, 32767, 32767);
    expect_overflow("40000 stays", 40000, 40000, 40000);
    expect_overflow("65530 stays", 65530, 65530, 65530);
    counter end = 65535;
    for (int i = 0; i < 20 && end == 65535; i++) /* repeats until a tick has come */
        end = overflow_from(65535);
    expect("65535 goes on from 0", end <= 999, "%u", end);
    counters[0] = 32767;
    counters[1] = 0;
    start_one(counters);
    burn_until_left();
    expect_left("overflow turns it off");
}

static void check_pcsample(void)
{
    size_t inside = 0;

    expect("first call", pcsample(samples, 20) == 0, "not 0");
    for (int i = 0; i < 100 && samples[19] == 0; i++)
        burn(spin_first, SHORT_NS);
    for (size_t i = 0; i < 20; i++)
        if (samples[i] >= region() && samples[i] < region() + region_size())
            inside++;
    /* A sample may also be in the code that reads the clock. This was measured in 300 runs: 9 of 1000 samples were in
     * that code, and never more than two of the 20 samples of a run. At this rate, a run has six such samples with a
     * probability below 1e-7. */
    expect("samples are where we were", inside >= 15, "%zu of 20", inside);
    expect("nothing beyond the array", samples[20] == 0, "%#lx", (unsigned long)samples[20]);
    errno = 0;
    expect("refused", pcsample(samples, -1) == -1 && errno == EINVAL, "errno %d", errno);
    errno = 5;
    expect("full", pcsample(samples, 0) == 20, "not 20");
    expect("errno is kept", errno == 5, "%d", errno);
    expect("nothing since", pcsample(samples, 0) == 0, "not 0");
    expect_left("gone after pcsample(, 0)");
    memset(samples, 0, sizeof samples);
    expect("sampling by another supervisor", pcsample(samples, 64) == 0, "not 0");
    struct stretch since = now();
    burn(spin_second, LONG_NS);
    long stored = pcsample(samples, 0);
    expect_ticks("ticks", (uint64_t)stored, since, PERIOD_NS);
    expect("as many as it says", stored > 0 && samples[stored - 1] != 0 && samples[stored] == 0, "%ld", stored);
}

static void check_pcsample_zero(void)
{
    expect("first call", pcsample(samples, 0) == 0, "not 0");
    expect("asks for nobody", status_number("TracerPid:") == 0, "traced");
    burn(spin_first, SHORT_NS);
    expect("nothing stored", samples[0] == 0 && pcsample(samples, 0) == 0, "stored");
    expect("refused", pcsample(samples, -1) == -1 && errno == EINVAL, "errno %d", errno);
}

static void check_pcsample_and_profil(void)
{
    pcsample(samples, 64);
    burn(spin_first, SHORT_NS);
    start_usual(counters);
    expect("profil discards the count", pcsample(samples, 64) == 0, "not 0");
    expect("pcsample ends profil", sum_all() <= 1, "%ju", (uintmax_t)sum_all());
    burn(spin_first, SHORT_NS);
    profil(NULL, 0, 0, 1);
    uintptr_t before = samples[63];
    long after = pcsample(samples, 0);
    expect("profil with scale 1 turns sampling off", after == 0 && before == 0, "%ld", after);
}

static void check_pcsample_fork(void)
{
    pcsample(samples, 64);
    for (int i = 0; i < 100 && samples[0] == 0; i++)
        burn(spin_first, SHORT_NS);
    pid_t child = fork();
    if (child == 0) {
        size_t stored = 0;
        while (stored < 64 && samples[stored] != 0)
            stored++;
        long told = pcsample(samples, 64);
        /* a tick may have come between the counting and the call */
        expect("child's first call has the parent's count",
               told >= (long)stored && told <= (long)stored + 1 && stored > 0, "%ld of %zu", told, stored);
        _exit(failures);
    }
    join_child("child", child);
    struct stretch since = now();
    size_t stored = 0;
    while (stored < 64 && samples[stored] != 0)
        stored++;
    burn(spin_second, LONG_NS);
    expect_ticks("parent goes on behind", (uint64_t)pcsample(samples, 0) - stored, since, PERIOD_NS);
}

static void check_pcsample_fault(void)
{
    char *page = pages(8192);

    munmap(page + 4096, 4096);
    expect("first call", pcsample((uintptr_t *)(void *)(page + 4096) - 3, 50) == 0, "not 0");
    burn_until_left();
    expect("those that fitted count", pcsample(NULL, 0) == 3, "not 3");
    expect_left("gone");
}

static void check_pcsample_exec(void)
{
    char *next[] = {arguments[0], (char *)"pcsample-zero", NULL};

    pcsample(samples, 64);
    burn(spin_first, SHORT_NS);
    execv(next[0], next);
}

static void check_pcsample_usage(void)
{
    static uintptr_t many[4096];
    double seconds = arguments[2] != NULL ? strtod(arguments[2], NULL) : 0.7;

    pcsample(many, 4096);
    struct stretch since = now();
    burn(spin_calls, (uint64_t)(seconds * 1e9));
    uint64_t stored = (uint64_t)pcsample(many, 0);
    struct stretch end = now();
    printf("ticks %.3f s, CPU %.3f s\n", (double)stored * PERIOD_NS / 1e9, (double)(end.cpu_ns - since.cpu_ns) / 1e9);
    expect_ticks("ticks against CPU time", stored, since, PERIOD_NS);
}

int main(int argc, char **argv)
{
    static const struct check checks[] = {PROFIL_CHECKS,
                                          {"off-scale", check_off_scale},
                                          {"large-scale", check_large_scale},
                                          {"overflow", check_overflow},
                                          {"pcsample", check_pcsample},
                                          {"pcsample-zero", check_pcsample_zero},
                                          {"pcsample-and-profil", check_pcsample_and_profil},
                                          {"pcsample-fork", check_pcsample_fork},
                                          {"pcsample-fault", check_pcsample_fault},
                                          {"pcsample-exec", check_pcsample_exec},
                                          {"pcsample-usage", check_pcsample_usage},
                                          {0}};

    return run_checks(checks, argc, argv);
}
