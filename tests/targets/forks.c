/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spends CPU time on both sides of a fork, and in system calls, each a given number of ms:
 *
 *   forks BEFORE AFTER     in before(), forks, in after() in the child alone
 *   forks -s MS            in a loop of short system calls and some work between
 *
 * Prints "cpu NS user NS" of the process that was started; the second with -s only.
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

__attribute__((noinline)) static void work(void)
{
    for (int j = 0; j < 2000; j++)
        sink = sink * 41 + 1;
}

/* Returns the time that the work between the calls takes by itself: the kernel's own figure for
 * user time is a count of its ticks, and can miss it altogether. */
__attribute__((noinline)) static double call(double seconds)
{
    double rounds = 0, start = cpu_now();

    for (int i = 0; i < TRIALS; i++)
        work();
    double each = (cpu_now() - start) / TRIALS;
    for (double end = cpu_now() + seconds; cpu_now() < end; rounds += 1000)
        for (int i = 0; i < 1000; i++) {
            char bytes[4096];
            int fds[2];
            if (pipe(fds) == 0) {
                if (write(fds[1], bytes, sizeof bytes) != (ssize_t)sizeof bytes)
                    exit(1);
                close(fds[0]);
                close(fds[1]);
            }
            work();
        }
    return each * (rounds + TRIALS);
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
