/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spends CPU time before and after a fork, or in system calls and between them. Times are in ms:
 *
 *   known-times BEFORE AFTER     spends BEFORE in before(), then forks; the child spends AFTER in after()
 *   known-times -s MS            spends MS in system calls and work(). The calls take 1 to 2 times as long as work()
 *
 * Prints "cpu NS user NS": the CPU time of the first process, and with -s the CPU time of work().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clocks.h"

#define TRIALS 20000
#define CALLS 10 /* pairs of write and read between two calls of work() */
/* Additions between two readings of the clock in before() and after(). They take some milliseconds, so hardly any tick
 * finds the program in a reading. */
#define TURNS 2000000

static volatile unsigned long sink;

__attribute__((noinline)) static void before(double seconds)
{
    for (double end = clock_now(CLOCK_PROCESS_CPUTIME_ID) + seconds; clock_now(CLOCK_PROCESS_CPUTIME_ID) < end;)
        for (int i = 0; i < TURNS; i++)
            sink = sink * 31 + 1;
}

__attribute__((noinline)) static void after(double seconds)
{
    for (double end = clock_now(CLOCK_PROCESS_CPUTIME_ID) + seconds; clock_now(CLOCK_PROCESS_CPUTIME_ID) < end;)
        for (int i = 0; i < TURNS; i++)
            sink = sink * 37 + 1;
}

__attribute__((noinline)) static void work(long turns)
{
    for (long i = 0; i < turns; i++)
        sink = sink * 41 + 1;
}

/* Makes long system calls, in which user code takes next to no time. */
__attribute__((noinline)) static void calls(const int ends[2])
{
    static char bytes[65536];

    for (int i = 0; i < CALLS; i++)
        if (write(ends[1], bytes, sizeof bytes) <= 0 || read(ends[0], bytes, sizeof bytes) <= 0)
            exit(1);
}

/* Returns the time of work() alone, in seconds. A clock is read before and after each call of work(), and the time of
 * one reading is subtracted. The kernel's own user time cannot be used: it counts ticks, which may miss the work
 * completely. A speed measured without system calls cannot be used either, because work() is slower between calls. */
__attribute__((noinline)) static double call(double seconds)
{
    double start = clock_now(CLOCK_PROCESS_CPUTIME_ID), user = 0;
    int ends[2];
    long turns = 1000;

    if (pipe(ends) != 0)
        exit(1);
    for (int i = 0; i < TRIALS; i++)
        clock_now(CLOCK_PROCESS_CPUTIME_ID);
    double read_s = (clock_now(CLOCK_PROCESS_CPUTIME_ID) - start) / TRIALS;
    start = clock_now(CLOCK_PROCESS_CPUTIME_ID);
    calls(ends);
    double half = (clock_now(CLOCK_PROCESS_CPUTIME_ID) - start) / 2, took = 0;
    while (took < half) {
        turns *= 2;
        start = clock_now(CLOCK_PROCESS_CPUTIME_ID);
        work(turns);
        took = clock_now(CLOCK_PROCESS_CPUTIME_ID) - start;
    }
    for (double end = clock_now(CLOCK_PROCESS_CPUTIME_ID) + seconds; clock_now(CLOCK_PROCESS_CPUTIME_ID) < end;) {
        calls(ends);
        start = clock_now(CLOCK_PROCESS_CPUTIME_ID);
        work(turns);
        user += clock_now(CLOCK_PROCESS_CPUTIME_ID) - start - read_s;
    }
    return user;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    double user = 0;

    if (argc < 3)
        return 2;
    if (strcmp(argv[1], "-s") == 0) {
        user = call(atof(argv[2]) / 1000);
    } else {
        before(atof(argv[1]) / 1000);
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            after(atof(argv[2]) / 1000);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    getrusage(RUSAGE_SELF, &usage);
    double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                 (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    printf("cpu %.0f user %.0f\n", cpu * 1e9, user * 1e9);
    return 0;
}
