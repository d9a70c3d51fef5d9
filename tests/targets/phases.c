/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Works in phase_a and phase_b in turn, SECONDS in each:
 *
 *   phases SECONDS [ROUNDS]
 *
 * A round has both phases. Prints "a" or "b" when a phase begins, and "phases done" at the end. SIGUSR1 ends a phase
 * early.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "clocks.h"

static volatile sig_atomic_t over;

static void end_phase(int signal)
{
    (void)signal;
    over = 1;
}

/* Each function has its own constant. Otherwise the compiler would make one function of both. */
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
