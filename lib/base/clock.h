/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clock: reads clocks as integers. The functions whose names begin with time_ read CLOCK_MONOTONIC. */
#ifndef PPROFIL_CLOCK_H
#define PPROFIL_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns the time of a clock, ns. */
static inline uint64_t clock_read(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Returns the time of CLOCK_MONOTONIC, ns. */
static inline uint64_t time_now(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

/* Returns how much later CLOCK_REALTIME is than CLOCK_MONOTONIC, ns. */
static inline uint64_t clock_real_offset(void)
{
    uint64_t offset = 0, least = UINT64_MAX;

    /* the thread may lose its CPU between two clocks, so the fastest of some tries counts */
    for (unsigned i = 0; i < 5; i++) {
        uint64_t before = time_now(), real = clock_read(CLOCK_REALTIME), took = time_now() - before;
        if (took < least) {
            least = took;
            offset = real - before - took / 2;
        }
    }
    return offset;
}

/* Returns the time of CLOCK_MONOTONIC, ms. */
static inline int64_t time_now_ms(void)
{
    return (int64_t)(time_now() / 1000000u);
}

#endif
