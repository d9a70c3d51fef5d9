/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spends 50 % of its CPU time in spend_half, 30 % in spend_third and 20 % in spend_fifth. Prints the times that it
 * measured: "cpu NS half NS third NS fifth NS".
 *
 *   known-shares SECONDS [THREADS [RUN_US SLEEP_US]]
 *
 * With RUN_US, each thread works in bursts. A burst runs the three functions for their shares of RUN_US. Then the
 * thread sleeps for SLEEP_US.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clocks.h"

static double seconds = 1;
static long run_us, sleep_us;
static double spent[64][3];

/* Each function has its own constant. Otherwise the compiler would make one function of them. */
#define SPENDER(name, constant)                                                                   \
    __attribute__((noinline)) static unsigned long name(long rounds)                              \
    {                                                                                             \
        volatile unsigned long sum = constant;                                                    \
        for (long i = 0; i < rounds; i++)                                                         \
            sum = sum * 2862933555777941757ul + constant;                                         \
        return sum;                                                                               \
    }
SPENDER(spend_half, 1)
SPENDER(spend_third, 3)
SPENDER(spend_fifth, 5)

static unsigned long (*const spenders[])(long) = {spend_half, spend_third, spend_fifth};
static const double parts[] = {0.5, 0.3, 0.2};
static double rounds_per_second;

static void *work(void *argument)
{
    double *own = argument;
    double end = cpu_now() + seconds;
    double burst = run_us > 0 ? (double)run_us * 1e-6 : 1e-3;

    while (cpu_now() < end) {
        for (int i = 0; i < 3; i++) {
            double before = cpu_now();
            spenders[i]((long)(rounds_per_second * burst * parts[i]));
            own[i] += cpu_now() - before;
        }
        if (sleep_us > 0)
            usleep((useconds_t)sleep_us);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = argc > 2 ? atoi(argv[2]) : 1;
    pthread_t ids[64];
    struct rusage usage;
    double sums[3] = {0};

    if (argc > 1)
        seconds = atof(argv[1]);
    if (argc > 4) {
        run_us = atol(argv[3]);
        sleep_us = atol(argv[4]);
    }
    double before = cpu_now();
    spend_half(2000000);
    double took = cpu_now() - before;
    rounds_per_second = 2000000 / took;
    spent[0][0] += took;
    for (int i = 1; i < threads; i++)
        pthread_create(&ids[i], NULL, work, spent[i]);
    work(spent[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(ids[i], NULL);
    for (int i = 0; i < threads; i++)
        for (int j = 0; j < 3; j++)
            sums[j] += spent[i][j];
    getrusage(RUSAGE_SELF, &usage);
    printf("cpu %.0f half %.0f third %.0f fifth %.0f\n",
           ((double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec) * 1e9 +
               ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) * 1e3,
           sums[0] * 1e9, sums[1] * 1e9, sums[2] * 1e9);
    return 0;
}
