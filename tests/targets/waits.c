/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads that run, wait for a CPU and sleep, and what the kernel says of each in the end:
 *
 *   waits THREADS MS RUN_US SLEEP_US
 *
 * Each works for RUN_US of its CPU time and sleeps for SLEEP_US, again and again, until MS have passed. Prints
 * "TID elapsed NS run NS wait NS" of each: proc(5), /proc/PID/schedstat.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64

static long run_us, sleep_us;
static uint64_t end;

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void work(void)
{
    volatile unsigned long sum = 1;
    uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)run_us * 1000;

    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
        for (int i = 0; i < 20000; i++)
            sum = sum * 31 + 1;
}

static void *live(void *unused)
{
    uint64_t began = clock_ns(CLOCK_MONOTONIC);
    unsigned long long run = 0, wait = 0;

    while (clock_ns(CLOCK_MONOTONIC) < end) {
        work();
        if (sleep_us > 0)
            usleep((useconds_t)sleep_us);
    }
    FILE *file = fopen("/proc/thread-self/schedstat", "re");
    if (file == NULL || fscanf(file, "%llu %llu", &run, &wait) != 2)
        exit(1);
    fclose(file);
    printf("%d elapsed %llu run %llu wait %llu\n", gettid(),
           (unsigned long long)(clock_ns(CLOCK_MONOTONIC) - began), run, wait);
    return unused;
}

int main(int argc, char **argv)
{
    int count = argc == 5 ? atoi(argv[1]) : 0;
    pthread_t threads[THREADS_MAX];

    if (count < 1 || count > THREADS_MAX)
        return 2;
    end = clock_ns(CLOCK_MONOTONIC) + strtoull(argv[2], NULL, 10) * 1000000;
    run_us = atol(argv[3]);
    sleep_us = atol(argv[4]);
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, live, NULL) != 0)
            return 1;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
