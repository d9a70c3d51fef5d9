/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Works for about five microseconds and makes a short system call, over and over. Before that it measures the work and
 * the call separately, and prints their times: "work NS call NS".
 *
 *   short-calls SECONDS [THREADS]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clocks.h"

#define TRIALS 20000
#define WORK_NS 5000
#define THREADS_MAX 256

static long rounds = 1000;
static double seconds = 1; /* CPU time of each thread, s */

__attribute__((noinline)) static void work(void)
{
    for (volatile long i = 0; i < rounds; i++)
        ;
}

__attribute__((noinline)) static void call(void)
{
    syscall(SYS_getppid);
}

static unsigned long timed(void (*body)(void))
{
    double start = cpu_now();

    for (int i = 0; i < TRIALS; i++)
        body();
    return (unsigned long)((cpu_now() - start) * 1e9 / TRIALS);
}

static void *work_and_call(void *unused)
{
    double end = cpu_now() + seconds;

    while (cpu_now() < end)
        for (int i = 0; i < 100; i++) {
            work();
            call();
        }
    return unused;
}

int main(int argc, char **argv)
{
    int threads = argc > 2 ? atoi(argv[2]) : 1;
    pthread_t others[THREADS_MAX];

    if (argc > 1)
        seconds = strtod(argv[1], NULL);
    if (threads > THREADS_MAX)
        return 2;
    rounds = rounds * WORK_NS / (long)(timed(work) + 1);
    unsigned long work_ns = timed(work), call_ns = timed(call);
    printf("work %lu call %lu\n", work_ns, call_ns);
    fflush(stdout);
    for (int i = 1; i < threads; i++)
        if (pthread_create(&others[i], NULL, work_and_call, NULL) != 0)
            return 2;
    work_and_call(NULL);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    return 0;
}
