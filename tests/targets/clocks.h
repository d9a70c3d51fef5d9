/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Clocks for the targets, in seconds, and a way to spend CPU time in given parts. */
#ifndef PPROFIL_TEST_CLOCKS_H
#define PPROFIL_TEST_CLOCKS_H

#include <stdio.h>
#include <time.h>

static inline double clock_now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static inline double now(void)
{
    return clock_now(CLOCK_MONOTONIC);
}

static inline double cpu_now(void)
{
    return clock_now(CLOCK_THREAD_CPUTIME_ID);
}

struct part {
    const char *name;
    void (*work)(void);
    double part;  /* share of the CPU time, 0..1 */
    double spent; /* s, set by spend_parts */
};

/*
 * Spends `seconds` of CPU time. Each function gets its part of this time, however fast it is on this machine, because
 * the function that is furthest behind is always called next. A call should take a millisecond or less. Prints a line
 * "NAME NS" for each function.
 */
static inline void spend_parts(struct part *parts, int count, double seconds)
{
    double start = cpu_now(), before = start;

    while (before < start + seconds) {
        struct part *next = parts;
        for (int i = 1; i < count; i++)
            if (parts[i].spent / parts[i].part < next->spent / next->part)
                next = &parts[i];
        next->work();
        double after = cpu_now();
        next->spent += after - before;
        before = after;
    }
    for (int i = 0; i < count; i++)
        printf("%s %.0f\n", parts[i].name, parts[i].spent * 1e9);
}

#endif
