/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clock: the times of this room, ns of CLOCK_MONOTONIC, and CPU times, ns. */
#ifndef PPROFIL_SUPERVISOR_CLOCK_H
#define PPROFIL_SUPERVISOR_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_read(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline uint64_t time_now(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

#endif
