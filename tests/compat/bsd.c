/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of 4.4BSD's profil(2). Mac OS X has the same call, and uses the same checks. But there a forked child does not
 * inherit the counting, so CHILD_COUNTS is 0. */
#include <unistd.h>

#ifndef CHILD_COUNTS
#define CHILD_COUNTS 1
#endif
typedef unsigned short counter;
#define PERIOD_NS 1e7
#define ONE_EACH_WORD 0x8000u
#define SYSTEM_TIME 0
#define start(buffer, size, offset, scale) ((void)profil((char *)(buffer), size, offset, scale))
#define stop() start(NULL, 0, 0, 0)

#include "profil-checks.h"

static void check_results(void)
{
    expect("start", profil((char *)counters, sizeof counters, region(), ONE_EACH_WORD) == 0, "%s", strerror(errno));
    errno = 0;
    expect("scale too large", profil((char *)counters, 2, region(), 65537) == -1, "not -1");
    expect("EINVAL", errno == EINVAL, "%d", errno);
    struct stretch since = now();
    burn(spin_first, LONG_NS);
    expect_ticks("a refused call changes nothing", sum_of(counters, spin_first), since, PERIOD_NS);
    errno = 5;
    expect("stop", profil((char *)16, 1, 1, 0) == 0, "not 0");
    expect("errno is kept", errno == 5, "%d", errno);
    expect("a bad address is found by the first tick",
           profil((char *)16, 4096, region(), 65536) == 0, "%s", strerror(errno));
    expect("stop again", profil(NULL, 0, 0, 0) == 0, "not 0");
}

static void check_scale(void)
{
    struct stretch since = now();

    start(counters, sizeof counters, region(), 1);
    burn(spin_first, LONG_NS);
    stop();
    expect_ticks("scale 1 is a counter for 128 KiB", counters[0], since, PERIOD_NS);
    start(counters, sizeof counters, region(), 0);
    expect_left("scale 0 is off");
    memset(counters, 0, sizeof counters);
    since = now();
    start(counters, sizeof counters, region(), 65536);
    burn(spin_second, LONG_NS);
    stop();
    uint64_t sum = 0;
    for (uintptr_t pc = (uintptr_t)spin_second; pc < end_of(spin_second); pc += 2)
        sum += counters[(pc - region()) / 2];
    expect_ticks("scale 65536 is a counter for 2 bytes", sum, since, PERIOD_NS);
}

int main(int argc, char **argv)
{
    static const struct check checks[] = {PROFIL_CHECKS,
                                          {"wrap", check_wrap},
                                          {"results", check_results},
                                          {"scale", check_scale},
                                          {0}};

    return run_checks(checks, argc, argv);
}
