/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gives each list of pprofil top more rows than a screen has: 100 functions take about equal parts of the time, work_00
 * has much code, and many threads named "sleeper" sleep. The program also makes system calls and prints lines.
 *
 *   long-lists SECONDS [LINES]
 *
 * SECONDS are elapsed time. The lines, "line 0001 ...", have ten different lengths, and are printed before the work.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clocks.h"

#define SLEEPERS 70

static volatile unsigned long sum = 1;

static void *sleep_on(void *unused)
{
    pthread_setname_np(pthread_self(), "sleeper");
    for (;;)
        pause();
    return unused;
}

/* Each function has its own constant. Otherwise the compiler would make one function of them. */
#define WORK(digits)                                                                               \
    __attribute__((noinline)) static void work_##digits(void)                                      \
    {                                                                                              \
        for (int i = 0; i < 20000; i++)                                                            \
            sum = sum * 2862933555777941757ul + 1##digits;                                         \
    }
#define STEP sum = sum * 2862933555777941757ul + 1;
#define STEPS STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP

__attribute__((noinline)) static void work_00(void)
{
    for (int i = 0; i < 400; i++) {
        STEPS
        STEPS
        STEPS
        STEPS
        STEPS
    }
}

#define NINE(do, ten)                                                                              \
    do                                                                                             \
    (ten##1) do(ten##2) do(ten##3) do(ten##4) do(ten##5) do(ten##6) do(ten##7) do(ten##8) do(ten##9)
#define TEN(do, ten)                                                                               \
    do                                                                                             \
    (ten##0) NINE(do, ten)
#define ALL(do)                                                                                    \
    NINE(do, 0)                                                                                    \
    TEN(do, 1) TEN(do, 2) TEN(do, 3) TEN(do, 4) TEN(do, 5) TEN(do, 6) TEN(do, 7) TEN(do, 8)        \
        TEN(do, 9)
ALL(WORK)

#define NAME(digits) work_##digits,
static void (*const works[])(void) = {work_00, ALL(NAME)};

int main(int argc, char **argv)
{
    double end = now() + (argc > 1 ? atof(argv[1]) : 1);
    int lines = argc > 2 ? atoi(argv[2]) : 0;
    pthread_attr_t small;
    pthread_t id;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < SLEEPERS; i++)
        pthread_create(&id, &small, sleep_on, NULL);
    for (int i = 1; i <= lines; i++)
        printf("line %04d %.*s\n", i, i % 10 * 20,
               "abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz "
               "abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz "
               "abcdefghijklmnopqrstuvwxyz");
    fflush(stdout);
    while (now() < end) {
        for (unsigned i = 0; i < sizeof works / sizeof *works; i++)
            works[i]();
        for (int i = 0; i < 2000; i++)
            if (write(-1, "", 1) == 0)
                return 1;
    }
    return 0;
}
