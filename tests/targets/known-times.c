/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spends CPU time on both sides of a fork, and in system calls, each a given number of ms:
 *
 *   known-times BEFORE AFTER     in before(), forks, in after() in the child alone
 *   known-times -s MS            in system calls and, half as long or as long, in work
 *
 * Prints "cpu NS user NS" of the process that was started; the second, time in the work, with -s
 * only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRIALS 20000
#define CALLS 10 /* of each kind, and then some work */

static volatile unsigned long sink;

static double cpu_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void before(double seconds)
{
    for (double end = cpu_now() + seconds; cpu_now() < end;)
        for (int i = 0; i < 100000; i++)
            sink = sink * 31 + 1;
}

__attribute__((noinline)) static void after(double seconds)
{
    for (double end = cpu_now() + seconds; cpu_now() < end;)
        for (int i = 0; i < 100000; i++)
            sink = sink * 37 + 1;
}

__attribute__((noinline)) static void work(long turns)
{
    for (long i = 0; i < turns; i++)
        sink = sink * 41 + 1;
}

/* Long ones, so that what they have of user code is next to nothing. */
__attribute__((noinline)) static void calls(const int ends[2])
{
    static char bytes[65536];

    for (int i = 0; i < CALLS; i++)
        if (write(ends[1], bytes, sizeof bytes) <= 0 || read(ends[0], bytes, sizeof bytes) <= 0)
            exit(1);
}

/* Returns the time of the work alone, by a clock read before and after each turn of it, less what
 * that takes. The kernel's own figure for user time is a count of its ticks, and can miss it
 * altogether; nor is the work as fast between calls as it is by itself. */
__attribute__((noinline)) static double call(double seconds)
{
    double start = cpu_now(), user = 0;
    int ends[2];
    long turns = 1000;

    if (pipe(ends) != 0)
        exit(1);
    for (int i = 0; i < TRIALS; i++)
        cpu_now();
    double look = (cpu_now() - start) / TRIALS;
    start = cpu_now();
    calls(ends);
    double half = (cpu_now() - start) / 2, took = 0;
    while (took < half) {
        turns *= 2;
        start = cpu_now();
        work(turns);
        took = cpu_now() - start;
    }
    for (double end = cpu_now() + seconds; cpu_now() < end;) {
        calls(ends);
        start = cpu_now();
        work(turns);
        user += cpu_now() - start - look;
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
