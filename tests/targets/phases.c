/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Works in phase_a for some seconds, then in phase_b for as many, and again:
 *
 *   phases SECONDS [ROUNDS]
 *
 * Says "a" or "b" when a phase begins, at once, and "phases done" at its end. SIGUSR1 ends a phase.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile sig_atomic_t over;

static void end_phase(int signal)
{
    (void)signal;
    over = 1;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Each has its own constant, or they would be folded into one. */
#define PHASE(name, constant)                                                                     \
    __attribute__((noinline)) static unsigned long name(void)                                     \
    {                                                                                             \
        volatile unsigned long sum = constant;                                                    \
        for (int i = 0; i < 100000; i++)                                                          \
            sum = sum * 2862933555777941757ul + constant;                                         \
        return sum;                                                                               \
    }
PHASE(phase_a, 3)
PHASE(phase_b, 5)

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 5;
    int rounds = argc > 2 ? atoi(argv[2]) : 1;

    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    signal(SIGUSR1, end_phase);
    for (int phase = 0; phase < 2 * rounds; phase++) {
        double end = now() + seconds;
        over = 0;
        puts(phase % 2 == 0 ? "a" : "b");
        while (now() < end && !over)
            phase % 2 == 0 ? phase_a() : phase_b();
    }
    puts("phases done");
    return 0;
}
